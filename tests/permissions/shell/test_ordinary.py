"""Real lines of public CI files and READMEs: each is allowed by the sensible rules that stand before it.

ordinary.txt holds entries with an empty line between. An entry `= one rule; another` gives the rules of bash that allow
the lines after it (`edit: pattern` gives a rule of another permission). A last line `? reason` in an entry says why the
line is asked about all the same.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.permissions.rules import Rule
from shell_support.asking import asked_about

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Entry:
    line: str
    rules: tuple[Rule, ...]
    reason: str
    """Why the user is asked; empty where the rules allow the line."""


def read_entries(text: str) -> list[Entry]:
    entries: list[Entry] = []
    rules: tuple[Rule, ...] = ()
    for block in (block.strip("\n") for block in text.split("\n\n") if block.strip()):
        if block.startswith("= "):
            rules = tuple(_rule(rule) for rule in block.removeprefix("= ").split("; "))
            continue
        line, _, reason = block.partition("\n? ")
        entries.append(Entry(line, rules, reason))
    return entries


def _rule(text: str) -> Rule:
    permission, _, pattern = text.rpartition(": ")
    return Rule(permission or "bash", pattern, "allow", "ordinary.txt")


ENTRIES = read_entries((HERE / "ordinary.txt").read_text("utf-8"))


def asked_of(entry: Entry, workspace: Path) -> list[str]:
    """Return what the user would be asked about the line."""
    return asked_about(entry.line, workspace, entry.rules)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workspace")


@corpus("entry", [entry for entry in ENTRIES if not entry.reason])
def test_an_ordinary_line_is_allowed_by_its_rules(entry: Entry, workspace: Path) -> None:
    assert asked_of(entry, workspace) == []


@corpus("entry", [entry for entry in ENTRIES if entry.reason])
def test_a_line_with_a_reason_is_still_asked_about(entry: Entry, workspace: Path) -> None:
    assert asked_of(entry, workspace) != []


def test_the_corpus_holds_two_hundred_lines() -> None:
    assert len({entry.line for entry in ENTRIES}) >= 200
