"""Hostile lines and texts in full length: the processor time of the slowest of each kind, beside plain counting.

The tests count lines of Python, at smaller sizes; the work of regular expressions is measured here alone.
"""

import json
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path, PureWindowsPath

from bench.report import Figure
from placet.core.errors import EditError
from placet.permissions import powershell, shell
from placet.permissions.patterns import compiled
from placet.permissions.rules import builtin_rules, decider, from_config, root_names
from placet.permissions.shell.analyzer import LONGEST
from placet.settings import jsonc
from placet.text.buffer import Buffer
from placet.text.diff import make_hunks
from placet.text.locate import replace_text
from placet.text.patch import apply_sections, parse_patch
from placet.text.positions import Position
from placet.tools.shell.terminal_text import plain

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from time_support import cpu_seconds, yardstick_seconds
from work_support import hostile

NOWHERE = Path("/nowhere")
ROUNDS = 2
KEPT = {"two texts whose every comparison finds a line", "one changed line in ten thousand"}
"""Kinds whose last result is kept: a second round would find it."""


async def measure() -> list[Figure]:
    floor = yardstick_seconds()
    _analyse("a")  # The grammars are loaded by the first line.
    _analyse_powershell("a")
    kinds: dict[str, tuple[float, Iterable[Callable[[], object]]]] = {
        "an ordinary command line": (1.5, [partial(_analyse, hostile.ORDINARY_LINE)]),
        "a hostile command line": (250, map(partial(partial, _analyse), _lines())),
        "a hostile line of PowerShell": (
            700,
            [partial(_analyse_powershell, make(hostile.POWERSHELL_LENGTH)) for make in hostile.POWERSHELL.values()],
        ),
        "a pattern of many wildcards": (
            5,
            [partial(compiled(pattern, as_path=True), piece * 1000) for pattern, piece in hostile.PATTERNS.items()],
        ),
        "50,000 files judged by rules": (1_000, [_judge_files]),
        "settings without an end": (20, [partial(_parse, make(24_000)) for make in hostile.JSON_TEXTS]),
        "the output of a command, 100,000 characters": (
            50,
            [partial(plain, make(100_000)) for make in hostile.OUTPUTS],
        ),
        "a quotation that nearly fits": (
            1_000,
            [partial(_search, *make(hostile.LARGEST)) for make in hostile.SEARCHES.values()],
        ),
        "two texts whose every comparison finds a line": (
            1_000,
            [partial(make_hunks, *hostile.twice_changed(hostile.LARGEST))],
        ),
        "a patch of lines that are all alike": (
            1_000,
            [partial(_patch, *hostile.patch_of_like_lines(hostile.LARGEST))],
        ),
        "one changed line in ten thousand": (3, [partial(make_hunks, *hostile.one_change(10_000))]),
        "a keystroke in a megabyte": (1, [_keystroke(piece) for piece in hostile.DOCUMENTS]),
    }
    return [
        Figure(
            name,
            max(min(cpu_seconds(action) for _ in range(1 if name in KEPT else ROUNDS)) for action in actions) * 1000,
            "ms",
            floor=floor * 1000,
            floor_name="counting to fifty thousand",
            goal=goal,
        )
        for name, (goal, actions) in kinds.items()
    ]


def _lines() -> list[str]:
    pieces = [("", piece, "") for piece in hostile.SHELL_PIECES]
    return [
        hostile.filled(*parts, length) for parts in (*pieces, *hostile.SHELL_CONSTRUCTS) for length in (16_000, LONGEST)
    ]


def _analyse(line: str) -> object:
    return shell.analyse(line, directory=NOWHERE, home=NOWHERE)


def _analyse_powershell(line: str) -> object:
    return powershell.analyse(line, directory=PureWindowsPath("C:/p"), home=PureWindowsPath("C:/h"))


def _judge_files() -> None:
    rules = builtin_rules(NOWHERE) + from_config({"read": {"/nowhere/secret/**/*.key": "deny"}}, "here")
    decide = decider(rules, "read", root_names([NOWHERE]))
    assert not any(decide(f"src/module_{number}/file_{number}.py").action == "deny" for number in range(50_000))


def _parse(text: str) -> None:
    with suppress(json.JSONDecodeError):
        jsonc.parse(text)


def _search(content: str, old: str) -> None:
    with suppress(EditError):
        replace_text(content, old, "new")


def _patch(text: str, patch: str) -> None:
    with suppress(EditError):
        apply_sections(parse_patch(patch), {"f": text})


def _keystroke(piece: str) -> Callable[[], object]:
    buffer = Buffer(piece * (1_000_000 // len(piece)))
    middle = Position(buffer.line_count // 2, 5)
    buffer.replace(middle, middle, "x", "utf-16")
    return partial(buffer.replace, middle, middle, "x", "utf-16")
