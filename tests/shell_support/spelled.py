"""Spellings of commands: an action that a rule names, written in the many ways that run the same action.

The spellings are taken from the programs' manuals, and not from the tables of the product.
By hand, from the folder tests: `python -m shell_support.spelled --lines 20000 --seed 1`.
"""

import argparse
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from placet.permissions.decision import verdict_on
from placet.permissions.rules import builtin_rules, from_config, root_names
from placet.project.paths import Workspace
from placet.sessions.asks.explain_asks import questions_of
from placet.settings import Action


@dataclass(frozen=True, slots=True)
class Denied:
    """An action, the rule that names the action, and the spellings of the parts of the command."""

    rule: str
    programs: tuple[str, ...]
    before: tuple[str, ...] = ()
    """Options that may stand before the subcommand, each with its value."""
    subcommands: tuple[str, ...] = ("",)
    needed: tuple[str, ...] = ("",)
    """Spellings of the options that the rule names."""
    harmless: tuple[str, ...] = ()
    """Options that may be added."""
    operands: tuple[str, ...] = ("",)


_GIT = (
    *("-C sub", "-C .", "--no-pager", "-P", "-p", "-c core.abbrev=7", "-c user.name='a b'", "--git-dir .git"),
    *("--git-dir=.git", "--work-tree=.", "--work-tree .", "--no-optional-locks", "--literal-pathspecs", "--bare"),
)
_GITS = ("git", "/usr/bin/git", "'git'", 'g"i"t', "gi\\t")
_NPM = ("--silent", "-s", "--prefix sub", "--prefix=sub", "--loglevel silent", "--no-color", "--foo bar", "-d")
_CARGO = ("--quiet", "-q", "-v", "--offline", "--locked", "+nightly", "--color never", "--config net.offline=true")
_MAKE = (
    "-C .",
    "-C.",
    "--directory=.",
    "--directory .",
    "-j4",
    "-j 4",
    "-k",
    "-s",
    "-B",
    "-f Makefile",
    "V=1",
    "build",
)
_DOCKER = ("-H tcp://h:1", "--host=x", "--context c", "-c c", "--debug", "-D", "--log-level debug", "--config d")
_KUBECTL = ("-n prod", "--namespace=prod", "--namespace prod", "--context c", "--kubeconfig=k", "-v 3", "-s h", "-v=2")
_PIP = ("-q", "-v", "--no-cache-dir", "--proxy p", "--disable-pip-version-check", "--retries 3", "--no-input")
_PIPS = ("pip", "pip3", "python -m pip", "python3 -m pip", "python3.11 -m pip", "/usr/bin/pip3.11")
_UV = ("--quiet", "-q", "--offline", "--directory .", "--project=.", "--cache-dir d", "--color never", "-n")
_GH = ("-R a/b", "--repo a/b", "--repo=a/b")
_RM = ("-rf", "-fr", "-r -f", "-f -r", "-Rf", "-fR", "--recursive --force", "-r --force", "--recurs -f", "-rvf")
_BRANCH = ("-D", "-d -f", "--delete --force", "-df", "-f -d", "--force --delete", "-qD")
_PROD = ("-n prod", "--namespace prod", "--namespace=prod", "-nprod", "-n=prod")
_NO_VERIFY = ("--no-verify", "-n", "-an", "-na", "--no-veri")
_INFRA = ("-C infra", "-Cinfra", "--directory=infra", "--directory infra")

DENIED = (
    Denied(
        "git push *", _GITS, _GIT, ("push",), harmless=("-v", "-q", "--tags", "-o ci.skip"), operands=("", "origin")
    ),
    Denied(
        "git push --force*",
        _GITS,
        _GIT,
        ("push",),
        ("--force", "-f", "--force-with-lease", "--forc", "-vf", "-fv"),
        ("-v", "--tags", "-o x"),
        ("", "origin", "origin main"),
    ),
    Denied("git push -f *", _GITS, _GIT, ("push",), ("-f", "--force", "-uf"), ("-v", "--dry-run"), ("origin main",)),
    Denied("git push --delete *", _GITS, _GIT, ("push",), ("--delete", "-d", "--del"), ("-v",), ("origin main",)),
    Denied("git add -A*", _GITS, _GIT, ("add", "stage"), ("-A", "--all", "-vA", "-Av"), ("-v", "-f", "-n"), ("", ".")),
    Denied(
        "git commit *", _GITS, _GIT, ("commit",), harmless=("-a", "-q", "--amend"), operands=("-m x", "-mx", "-F f")
    ),
    Denied(
        "git commit --no-verify*", _GITS, _GIT, ("commit",), _NO_VERIFY, ("-a", "-q"), ("-m x", "-mx", "--message=x")
    ),
    Denied("git reset --hard *", _GITS, _GIT, ("reset",), ("--hard", "--har"), ("-q",), ("", "HEAD~1", "main")),
    Denied(
        "git clean -fd*", _GITS, _GIT, ("clean",), ("-fd", "-df", "-f -d", "--force -d", "-xdf"), ("-q",), ("", "sub")
    ),
    Denied("git branch -D *", _GITS, _GIT, ("branch",), _BRANCH, ("-q",), ("old", "old older")),
    Denied("git stash drop *", _GITS, _GIT, ("stash drop", "stash -q drop"), harmless=("-q",), operands=("stash@{0}",)),
    Denied("git remote remove *", _GITS, _GIT, ("remote remove", "remote rm", "remote -v rm"), operands=("origin",)),
    Denied(
        "rm -rf *", ("rm", "/bin/rm", "'rm'", "r\\m"), (), ("",), _RM, ("-v", "-d", "-i"), ("sub", "-- sub", "a sub")
    ),
    Denied("cargo publish *", ("cargo", "/usr/bin/cargo"), _CARGO, ("publish",), harmless=("--dry-run", "-p x")),
    Denied("cargo run *", ("cargo",), _CARGO, ("run", "r"), harmless=("--release", "-r"), operands=("", "--bin x")),
    Denied("npm publish *", ("npm", "/usr/bin/npm"), _NPM, ("publish", "publis"), harmless=("--tag x", "--dry-run")),
    Denied("npm run deploy *", ("npm",), _NPM, ("run deploy", "run-script deploy", "rum deploy", "run -s deploy")),
    Denied("npm install *", ("npm",), _NPM, ("install", "i", "add", "isntall"), harmless=("-D", "-g"), operands=("x",)),
    Denied(
        "npm install -g *", ("npm",), (), ("install", "i", "add"), ("-g", "--global", "--glob"), ("-s",), ("x", "x y")
    ),
    Denied(
        "pnpm publish *", ("pnpm",), ("-r", "--dir sub", "-C sub", "--filter x"), ("publish",), harmless=("--tag x",)
    ),
    Denied(
        "yarn deploy *", ("yarn",), ("--silent", "--cwd sub", "-s"), ("deploy", "run deploy"), operands=("", "prod")
    ),
    Denied("bun publish *", ("bun",), ("--silent", "--cwd sub"), ("publish",), harmless=("--tag x",)),
    Denied("make deploy *", ("make", "/usr/bin/make"), _MAKE, ("deploy",), operands=("", "V=1", "prod")),
    Denied("make -C infra *", ("make",), needed=_INFRA, harmless=("-j4", "-k"), operands=("", "build")),
    Denied(
        "docker push *", ("docker", "/bin/docker"), _DOCKER, ("push", "image push"), harmless=("-q",), operands=("x",)
    ),
    Denied("docker rm *", ("docker",), _DOCKER, ("rm", "container rm"), harmless=("-f", "-v"), operands=("x", "x y")),
    Denied("docker rmi *", ("docker",), _DOCKER, ("rmi", "image rm"), harmless=("-f",), operands=("x",)),
    Denied(
        "docker compose down *", ("docker compose", "docker-compose"), ("-f c.yml", "-p x"), ("down",), harmless=("-v",)
    ),
    Denied(
        "podman run --privileged *", ("podman",), (), ("run",), ("--privileged", "--privileged=true"), ("--rm",), ("x",)
    ),
    Denied(
        "kubectl delete *", ("kubectl",), _KUBECTL, ("delete",), harmless=("--now", "-f x"), operands=("pod x", "po/x")
    ),
    Denied("kubectl delete pod *", ("kubectl",), _KUBECTL, ("delete",), operands=("pod x", "pods x", "po x", "pod/x")),
    Denied("kubectl delete -n prod *", ("kubectl",), ("--context c",), ("delete",), _PROD, operands=("pod x",)),
    Denied(
        "terraform apply *", ("terraform",), ("-chdir=sub",), ("apply",), harmless=("-auto-approve", "-input=false")
    ),
    Denied("terraform apply -auto-approve*", ("terraform",), (), ("apply",), ("-auto-approve", "--auto-approve")),
    Denied("gh pr merge *", ("gh",), _GH, ("pr merge", "pr -R a/b merge"), harmless=("-s",), operands=("3",)),
    Denied("gh release create *", ("gh",), _GH, ("release create", "release new"), harmless=("-d",), operands=("v1",)),
    Denied("pip install *", _PIPS, _PIP, ("install",), harmless=("-U", "-e", "--user"), operands=("x", "-r f")),
    Denied("uv pip install *", ("uv", "python -m uv"), _UV, ("pip install", "pip -q install"), operands=("x", "-r f")),
    Denied("uv publish *", ("uv",), _UV, ("publish",), harmless=("--token t",)),
)

_AROUND = (
    *("{}", "{}", "{}", "( {} )", "{{ {}; }}", "true && {}", "false || {}", "{} | cat", "echo x | {}", "! {}", "{} &"),
    *("if true; then {}; fi", "for i in 1; do {}; done", "x=1 {}", "CI=1 LANG=C {}", "{} > /dev/null 2>&1", "time {}"),
    *("env {}", "env A=b {}", "env -u A {}", "command {}", "nohup {}", "nice -n 5 {}", "timeout 5 {}", "exec {}"),
    *("sudo {}", "sudo -u x {}", "setsid {}", "stdbuf -oL {}", "xargs {}", "find . -exec {} \\;", "xvfb-run -a {}"),
    *(
        "echo $({})",
        "cat <({})",
        "f() {{ {}; }}; f",
        "while {}; do break; done",
        "time -p {}",
        "case x in x) {};; esac",
    ),
)
_QUOTING = ("bash -c {}", "sh -c {}", "eval {}", "bash -ec {}", "timeout 9 bash -c {}", "watch {}", "bash <<< {}")


def fuzz(lines: int, seed: int, base: Path) -> list[str]:
    """Return the lines that do a denied or an asked action, and that nobody would be asked about."""
    random = Random(seed)
    return list(_allowed(lines, random, base))


def _allowed(lines: int, random: Random, base: Path) -> Iterator[str]:
    workspace = Workspace((base,))
    roots = root_names(workspace.roots)
    actions: tuple[Action, Action] = ("deny", "ask")
    for _ in range(lines):
        denied, action = random.choice(DENIED), random.choice(actions)
        line = _spelled(denied, random)
        permission = {"*": "allow", "bash": {"*": "allow", denied.rule: action}}
        rules = builtin_rules() + from_config(permission, "the test")
        asks = questions_of("bash", line, workspace, lambda _permission, _pattern: "allow").asks
        if all(verdict_on(ask, rules, roots, lambda _permission, _pattern: None).action == "allow" for ask in asks):
            yield f"{denied.rule!r} ({action}): {line}"


def _spelled(denied: Denied, random: Random) -> str:
    """Return a line that does the action in one of its spellings."""
    words = [random.choice(denied.programs)]
    words += random.choices(denied.before, k=random.choice((0, 0, 1, 1, 2, 3))) if denied.before else []
    needed, operands = random.choice(denied.needed), random.choice(denied.operands)
    options = [needed, *(random.choices(denied.harmless, k=random.choice((0, 0, 1, 2))) if denied.harmless else [])]
    random.shuffle(options)
    is_last = not operands.startswith("--") and random.random() < 0.3
    behind = [operands, *options] if is_last else [*options, operands]
    line = " ".join(filter(None, (*words, random.choice(denied.subcommands), *behind)))
    for _ in range(random.choice((0, 0, 1, 1, 2))):
        if random.random() < 0.2:
            line = random.choice(_QUOTING).format(shlex.quote(line))
        elif "=" in line.split()[0] and not line.startswith("("):
            line = random.choice(("{}", "env {}", "( {} )", "time -p {}")).format(line)
        else:
            line = random.choice(_AROUND).format(line)
    return line


def main() -> None:
    """Fuzz as the command line says."""
    parser = argparse.ArgumentParser(description="Look for a spelling of a denied action that is allowed.")
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        through = fuzz(options.lines, options.seed, Path(base))
    sys.stdout.write("".join(f"{line}\n" for line in through))
    sys.stdout.write(f"{options.lines} lines, {len(through)} allowed\n")
    sys.exit(1 if through else 0)


if __name__ == "__main__":
    main()
