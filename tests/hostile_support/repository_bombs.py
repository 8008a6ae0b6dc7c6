"""What a repository or an archive can hold to stop whoever reads it: one kind of bomb a folder."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path


def _brackets(folder: Path) -> None:
    (folder / "placet.json").write_text("[" * 200_000)


def _comments(folder: Path) -> None:
    (folder / "placet.json").write_text("/* " * 10_000)


def _wildcards(folder: Path) -> None:
    _permission(folder, {"read": {"*?" * 12 + "X": "deny"}})


def _rules(folder: Path) -> None:
    _permission(folder, {"read": {f"{number}*": "deny" for number in range(100_000)}})


def _pipes(folder: Path) -> None:
    for name in ("placet.json", ".placet/tools/x.py", ".placet/commands/x.md", ".placet/agents/x.md", "AGENTS.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(folder / name)


def _names(folder: Path) -> None:
    """A line end, an escape sequence and a link in each of very many names."""
    (folder / ".placet" / "commands").mkdir(parents=True)
    for number in range(1_500):
        (folder / ".placet" / "commands" / f"{number}\n\x1b[2J[x](command:y).md").write_text("Nothing.")


def _permission(folder: Path, permission: object) -> None:
    (folder / "placet.json").write_text(json.dumps({"permission": permission}))


BOMBS: dict[str, Callable[[Path], None]] = {
    "brackets": _brackets,
    "comments": _comments,
    "wildcards": _wildcards,
    "rules": _rules,
    "pipes": _pipes,
    "names": _names,
}
LONG_NAME = "a" * 60 + ".txt"
"""A file by whose name a pattern that backtracks would never end."""


def lay_bomb(folder: Path, kind: str) -> None:
    """Make the folder a project with this bomb, and with a file that can be read all the same."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / LONG_NAME).write_text("hello\n")
    BOMBS[kind](folder)


if __name__ == "__main__":
    lay_bomb(Path(sys.argv[1]), sys.argv[2])
