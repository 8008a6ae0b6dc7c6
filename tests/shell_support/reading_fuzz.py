"""Random lines of reading programs, run by real bash on real files: a line called "only reads" reads no secret, writes
nothing and starts nothing.

By hand, with `tests` on the path: `python -m shell_support.reading_fuzz --lines 20000 --seed 1`.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from placet.permissions.rules import builtin_rules, evaluate
from placet.permissions.shell import analyse
from placet.project.paths import Workspace
from placet.tools.shell.places import find_places
from placet.tools.shell.reading import is_proved_to_read

SECRET = "MARK-OF-A-SECRET"
SECRET_BLOB = hashlib.sha1(f"blob {len(SECRET) + 1}\0{SECRET}\n".encode(), usedforsecurity=False).hexdigest()
"""Id that git gives the secret as an object."""
SECONDS = 5.0
_PROGRAMS = (
    *("cat", "head", "tail", "wc", "ls", "stat", "grep", "grep -r", "rg", "sort", "uniq", "find", "sed -n", "diff"),
    *("diff -r", "cut -c1-99", "nl", "tac", "paste", "comm", "cmp", "md5sum", "od", "file", "tree", "du", "jq", "date"),
    *("git", "git diff", "git log", "git show", "git grep", "git blame", "git status", "git branch", "git tag", "tee"),
    *(
        "git stash",
        "git config",
        "git ls-files",
        "git cat-file",
        "git remote",
        "git reflog",
        "git for-each-ref",
        "git -C nested diff",
        "cd nested && git diff",
        "cd nested && git grep",
        "egrep",
        "awk",
        "timeout 2 cat",
        "xargs",
    ),
    *("column", "tr", "basename", "realpath", "strings", "bash", "env", "command cat", "time cat", "split", "less"),
)
_WORDS = (
    *(".env", "a.py", "b.txt", "d", "d/.env", ".", "*", ".*", "?env", "[.]env", "link", "dirlink", "list", "./.env"),
    *("d/../.env", "~", "$HOME", '"$PWD"/.env', "{a.py,.env}", "$(cat .env)", "`cat .env`", "<(cat .env)", "-", "--"),
    *(
        "--files",
        "--include='\\.env'",
        "--include='.e[^a]v'",
        "--format='%(raw)'",
        "HEAD",
        "HEAD:.env",
        "HEAD:a.py",
        "HEAD~0",
        ":.env",
        "--all",
        "-p",
        "-r",
        "-R",
        "-f",
        "-e",
        ".",
        "-i",
        "-o",
        "-O",
    ),
    *("--include=*.py", "--include='*.py'", "-e --include=*.zzz", "--exclude-dir=d", "--exclude=*.zzz", "--hidden"),
    *("--files0-from=list0", "--files0-from", "list0", "-T.", "--output=out", "--output", "out", "-oout", "-c", "-u"),
    *("--pre=./evil", "--pre", "./evil", "--ext-diff", "--textconv", "-Oevil", "--open-files-in-pager=./evil", "-z"),
    *(
        "-exec cat {} +",
        "-delete",
        "-fprint out",
        "-execdir ./evil ';'",
        "-name .env",
        "-newer .env",
        "-L",
        "-u",
        "-uu",
    ),
    *("1p", "'1,$p'", "'w out'", "'1e ./evil'", "-n", "-n1", "-s", "--no-index", "--untracked", "--get", "user.name"),
    *(
        "x",
        "''",
        "MARK",
        "'.'",
        "-d",
        "list",
        "--format=%H",
        "-1",
        "-v",
        "show",
        "drop",
        "-l",
        "--stdin",
        "--batch",
        "new",
    ),
    *("-x", "--compress-program=./evil", "-S1", "--files", "-g", "'*'", "'!x'", "--follow", "--no-ignore", "-a", "-C"),
    *(
        "> out",
        "2>&1",
        "> /dev/null",
        "< .env",
        "<.env",
        "2>out",
        ">> a.py",
        "< a.py",
        "&> /dev/null",
        "<<< x",
        ".env/",
    ),
)
_SECRETS_OF_GIT = ("BLOB", "HEAD~1", "blob", "HEAD~1:old.env", "show -p", "reflog show -p", "log -p", "-p blob")
"""Words by which git reaches the secret in the history; BLOB is the id of an object without a reference."""
_PLACES = ("conf", "e", "uu/*", "uu/a", "nested", "../conf", "../e", "-N conf e", "a.py d", "-C nested", "--json")
_JOINTS = (" | ", " && ", "; ", " || ", " & ", "\n", " |& ")


@dataclass
class Report:
    lines: int = 0
    proved: int = 0
    hostile: int = 0
    """Lines that told the secret or left a trace, proved or not."""
    bypasses: list[str] = field(default_factory=list[str])
    """Lines that did, and are proved."""


def run(lines: int, seed: int, base: Path) -> Report:
    """Make up lines, run them, and compare what they did with the proof; `base` is a new directory."""
    random, report = Random(seed), Report()
    arenas = [_Arena(base / str(number), has_history=has_history) for number, has_history in enumerate((True, False))]
    while report.lines < lines:
        arena = random.choice(arenas)
        line = _line_of(random)
        is_proved = arena.is_proved(line)
        report.lines += 1
        report.proved += is_proved
        if not is_proved and random.random() > 0.1:
            continue
        if problem := arena.problem_of(line):
            report.hostile += 1
            report.bypasses += [f"{line!r}: {problem}"] if is_proved else []
            arena.fill()
    return report


def _line_of(random: Random) -> str:
    commands: list[str] = []
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        words = [random.choice(_PROGRAMS), *random.choices(_WORDS, k=random.randrange(5))]
        if random.random() < 0.4:
            words.append(random.choice((*_PLACES, *_SECRETS_OF_GIT)).replace("BLOB", SECRET_BLOB))
        commands.append(" ".join(words))
    line = commands[0]
    for command in commands[1:]:
        line += random.choice(_JOINTS) + command
    return line


class _Arena:
    """A repository with untracked secrets and a hostile program, with and without a secret in the history."""

    def __init__(self, base: Path, *, has_history: bool) -> None:
        self._has_history = has_history
        self._root, self._home = base / "project", base / "home"
        self._home.mkdir(parents=True)
        (self._home / "x.txt").write_text("nothing\n")
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self._home),
            "LC_ALL": "C.UTF-8",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
        }
        self.fill()

    def fill(self) -> None:
        shutil.rmtree(self._root, ignore_errors=True)
        for name in ("d", "conf", "e", "uu", "nested"):
            (self._root / name).mkdir(parents=True)
        files = {
            "a.py": "x = 1\nMARK\n",
            "b.txt": "b\na\n",
            "d/c.py": "c\n",
            ".gitignore": ".env\n",
            "list": ".env\n",
            "list0": ".env\0",
            "uu/a": "a\n",
            "uu/b": "b\n",
            ".rgignore": "!.env\n",
        }
        for name, text in files.items():
            (self._root / name).write_text(text)
        self._git("init", "-q", "-b", "main")
        self._git("add", "-A")
        commit = ("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "one")
        self._git(*commit)
        if self._has_history:
            (self._root / "old.env").write_text(f"{SECRET}\n")
            self._git("add", "-A")
            self._git(*commit)
            self._git("tag", "blob", "HEAD:old.env")
            self._git("rm", "-q", "old.env")
            self._git(*commit)
        (self._root / "unnamed").write_text(f"{SECRET}\n")
        self._git("hash-object", "-w", "unnamed")
        (self._root / "unnamed").unlink()
        self._git("-C", "nested", "init", "-q")
        for name in (".env", "d/.env", "conf/.env"):
            (self._root / name).write_text(f"{SECRET}\n")
        (self._root / "link").symlink_to(".env")
        (self._root / "dirlink").symlink_to("d")
        evil = self._root / "evil"
        evil.write_text("#!/bin/sh\ntouch pwned\ncat .env\n")
        evil.chmod(0o755)
        self._state = self._states()

    def is_proved(self, line: str) -> bool:
        workspace = Workspace((self._root,))
        rules = builtin_rules(self._root / "nowhere")

        def judge(permission: str, pattern: str):
            return evaluate(rules, permission, pattern).action

        findings = analyse(line, directory=self._root, home=self._home)
        places = find_places(workspace, findings, judge)
        if places.outside:
            return False  # Asked by `external_directory`.
        return is_proved_to_read(line, places, self._root, workspace, judge)

    def problem_of(self, line: str) -> str:
        try:
            done = subprocess.run(
                ["/bin/bash", "-c", f"ulimit -f 4096; {line}"],
                cwd=self._root,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return ""
        if SECRET.encode() in done.stdout + done.stderr or self._told_in_octal(done.stdout):
            return "it tells the secret"
        return "it writes" if self._states() != self._state else ""

    @staticmethod
    def _told_in_octal(output: bytes) -> bool:
        """Whether `od` tells the secret: the words of "MARK" in octal, as od prints them."""
        return b"040515 045522" in output and b"026513" in output

    def _states(self) -> Mapping[str, bytes | str]:
        states: dict[str, bytes | str] = {}
        for directory, _, names in os.walk(self._root):
            for name in names:
                path = Path(directory) / name
                relative = str(path.relative_to(self._root))
                states[relative] = os.readlink(path) if path.is_symlink() else path.read_bytes()
        return states

    def _git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self._root, env=self._environment, check=True, capture_output=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Look for a line that only seems to read.")
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        report = run(options.lines, options.seed, Path(base) / "arena")
    sys.stdout.write(f"{report.lines} lines, {report.proved} proved, {report.hostile} hostile\n")
    for line in report.bypasses:
        sys.stdout.write(f"{line}\n")
    sys.exit(1 if report.bypasses else 0)


if __name__ == "__main__":
    main()
