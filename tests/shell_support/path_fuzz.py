"""Random lines on random trees of symlinks, run by real bash: no line that is allowed may touch what lies outside.

By hand, with `tests` on the path: `python -m shell_support.path_fuzz --lines 20000 --seed 1`.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from placet.permissions.explain import explain
from placet.permissions.rules import builtin_rules, from_config, root_names
from placet.permissions.shell import analyse
from placet.project.paths import Workspace
from placet.tools.shell.permission import asks_for_command

LINES_A_TREE = 50
NAMES = ("d", "e", "l1", "l2", "l3", ".h", "n.md")
_ALLOWED = from_config({"bash": {"*": "allow", "unproved: *": "ask"}, "edit": "allow"}, "the fuzz")
_PIECES = re.compile(r"^-x?o|[=:,@]")
_STUB = """ok() { printf '%s\\0' "$L" "$PWD" "$#" "$@" >&9; echo "line $L"; }"""


@dataclass
class Report:
    lines: int = 0
    allowed: int = 0
    left: int = 0
    """Lines that touched a place outside, asked about or not."""
    let_through: list[str] = field(default_factory=list)
    """Lines that touched a place outside and were allowed; each with the tree's links."""

    def __str__(self) -> str:
        return (
            f"{self.lines} lines, {self.allowed} allowed, {self.left} left the workspace,"
            f" {len(self.let_through)} of them unasked"
        )


def run(lines: int, seed: int, base: Path) -> Report:
    """Make up trees and lines below `base`, run the lines, and compare what they touched with what was asked."""
    random, report = Random(seed), Report()
    while report.lines < lines:
        tree = base / f"tree{report.lines}"
        links = _plant(tree, random)
        made_up = [line_of(random) for _ in range(min(LINES_A_TREE, lines - report.lines))]
        allowed = [_is_allowed(tree, line) for line in made_up]
        touched = _run(tree, made_up)
        for number, (line, is_allowed) in enumerate(zip(made_up, allowed, strict=True)):
            report.left += number in touched
            if is_allowed and number in touched:
                report.let_through.append(f"{line!r} touched {touched[number]}, with {links}")
        report.lines += len(made_up)
        report.allowed += sum(allowed)
    return report


# ------------------------------------------------------------ trees


def _plant(tree: Path, random: Random) -> dict[str, str]:
    """Make a workspace, a home, and a place outside; return the links of the workspace."""
    for directory in ("w/d/e", "w/e/d", "home/d", "outside/d/e"):
        (tree / directory).mkdir(parents=True)
    for file in ("w/n.md", "w/d/n.md", "home/n.md", "outside/n.md", "outside/d/n.md"):
        (tree / file).touch()
    links: dict[str, str] = {}
    for directory in ("w", "w/d", "w/e", "w/d/e", "w/e/d"):
        for name in random.sample(("l1", "l2", "l3", ".h"), random.randrange(3)):
            target = _target(random, tree)
            (tree / directory / name).symlink_to(target)
            links[f"{directory}/{name}"] = target
    return links


def _target(random: Random, tree: Path) -> str:
    inside = "/".join(random.choices(("..", "d", "e", "l1", "l2", "."), k=random.randint(1, 4)))
    outside = random.choice(("outside", "outside/d", "outside/n.md", "home", "w", "w/d"))
    return random.choice((inside, inside, "../" + outside, "../../" + outside, f"{tree}/{outside}"))


# ------------------------------------------------------------ lines


def line_of(random: Random) -> str:
    """A line that bash accepts, and that names paths in one of the ways in which a line can."""

    def path() -> str:
        return _path(random, wildcards=random.random() < 0.1)

    ok = f"ok {' '.join(_argument(random) for _ in range(random.randint(1, 2)))}"
    match random.randrange(20):
        case 0:
            return f"cd {path()} && {ok}"
        case 1:
            return f"cd {path()}; {ok}"
        case 2:
            return f"(cd {path()}; {ok}); ok {path()}"
        case 3:
            return f"x={path()}; ok $x/{path()}"
        case 4:
            return f'x={path()} && ok "$x/{random.choice(NAMES)}"'
        case 5:
            return f"{ok} > {path()}"
        case 6:
            return f"cd {path()} && ok > {path()}"
        case 7:
            return f"{{ cd {path()}; ok; }} >> {path()}; {ok}"
        case 8:
            return f"cd -P {path()}; {ok}"
        case 9:
            return f"pushd {path()}; {ok}; popd; ok {path()}"
        case 10:
            return f"for f in {path()}; do ok $f; done"
        case 11:
            return f"if cd {path()}; then {ok}; else ok {path()}; fi"
        case 12:
            return f"cd {path()} && cd {path()} && {ok} > {path()}"
        case 13:
            return f"cd {path()} || {ok}; ok {path()}"
        case 14:
            return f"ok | {ok} > {path()}"
        case _:
            return ok


def _argument(random: Random) -> str:
    path = _path(random, wildcards=random.random() < 0.5)
    before = random.choice(("", "", "", "", "-o", "--f=", "-xo", "a:", "b,a:", "x=", "@", "--f=a:"))
    return before + path


def _path(random: Random, *, wildcards: bool) -> str:
    starts = ("./", "$PWD/", '"$PWD"/', "${PWD}/", "../w/", "$HOME/", "~/", "../")
    start = random.choice(starts[: random.randint(1, 8)]) if random.random() < 0.3 else ""
    return start + "/".join(_name(random, wildcards=wildcards) for _ in range(random.randint(1, 4)))


def _name(random: Random, *, wildcards: bool) -> str:
    name = random.choice((*NAMES, "d", "e") if wildcards else (*NAMES, "d", "e", "..", "."))
    match random.randrange(0 if wildcards else 8, 16):
        case 0 | 1:
            return "*"
        case 2:
            return f"{name[0]}*"
        case 3:
            return f"[{name[0]}]{name[1:]}"
        case 4:
            return "?" * len(name)
        case 5:
            return "**"
        case 6:
            return f"[!x]{name[1:]}"
        case 7:
            return f"{name[0]}?*"
        case 8:
            return f'"{name}"'
        case 9:
            return f"'{name[0]}'{name[1:]}"
        case 10:
            return f"\\{name}"
        case _:
            return name


# ------------------------------------------------------------ the verdict, and what happened


def _is_allowed(tree: Path, line: str) -> bool:
    workspace = Workspace((tree / "w",))
    rules = builtin_rules(tree / "output") + _ALLOWED
    findings = analyse(line, directory=workspace.root, home=tree / "home")
    asks = asks_for_command(workspace, line, findings, workspace.root, lambda permission, pattern: "allow")
    roots = root_names(workspace.roots)
    return explain(asks.asks, rules, roots, lambda permission, pattern: None).outcome == "allow"


def _run(tree: Path, lines: Sequence[str]) -> dict[int, str]:
    """Run the lines in one bash, each in a subshell; return which of them touched a place outside, and that place."""
    log = tree / "log"
    each = (f"( L={number}; eval {shlex.quote(line)} ) >/dev/null 2>&1" for number, line in enumerate(lines))
    script = "\n".join((_STUB, f"exec 9>>{shlex.quote(str(log))}", *each))
    subprocess.run(
        ["/bin/bash", "-c", script],
        cwd=tree / "w",
        env={"HOME": str(tree / "home"), "PATH": "/nowhere"},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    touched: dict[int, str] = {}
    root = os.path.realpath(tree / "w")
    for number, directory, arguments in _calls(log.read_bytes()):
        for path in _paths(directory, arguments):
            if not f"{path}/".startswith(f"{root}/"):
                touched[number] = path
    for path in (*tree.glob("outside/**/*"), *tree.glob("home/**/*")):
        if path.is_file() and (written := re.match(r"line (\d+)", path.read_text())):
            touched[int(written[1])] = str(path)
    return touched


def _paths(directory: str, arguments: Sequence[str]) -> Iterator[str]:
    """What a program may take its arguments for, and where that really is."""
    yield os.path.realpath(directory)
    for argument in arguments:
        for piece in (argument, *_PIECES.split(argument)):
            if piece and not piece.startswith("-"):
                yield os.path.realpath(os.path.join(directory, piece))


def _calls(data: bytes) -> Iterator[tuple[int, str, list[str]]]:
    fields = [field.decode("utf-8", "surrogateescape") for field in data.split(b"\0")]
    while len(fields) > 3:
        count = int(fields[2])
        yield int(fields[0]), fields[1], fields[3 : 3 + count]
        del fields[: 3 + count]


def main() -> None:
    parser = argparse.ArgumentParser(description="Random lines on random trees of symlinks.")
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        report = run(options.lines, options.seed, Path(base))
    sys.stdout.write("\n".join((*report.let_through, f"{report}\n")))


if __name__ == "__main__":
    main()
