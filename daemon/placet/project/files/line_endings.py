"""Form of text that a project wants: line ending and encoding by .editorconfig, the ending else by git's attributes and
settings.
"""

import asyncio
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from placet.core.executor import in_thread
from placet.core.regular_files import read_regular_file
from placet.project.git.query import git

LineEnding = Literal["\n", "\r\n", "\r"]


class Encoding(NamedTuple):
    """Encoding of a file, by Python's name, and whether the file begins with a byte order mark."""

    name: str
    has_mark: bool


_MOST_BYTES = 16_384
_MOST_ALTERNATIVES = 64
_LONGEST_PATTERN = 256
_MOST_STARS = 8
"""Limits of a section; a larger section fits nothing, because a hostile repository may try to keep us busy."""
_UTF_8 = Encoding("utf-8", has_mark=False)
_ENCODINGS = {
    "utf-8-bom": Encoding("utf-8", has_mark=True),
    # Without a mark Placet would not know the file again.
    "utf-16be": Encoding("utf-16-be", has_mark=True),
    "utf-16le": Encoding("utf-16-le", has_mark=True),
    "latin1": Encoding("latin-1", has_mark=False),
}
_ENDINGS: dict[str, LineEnding] = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
_TOKEN = re.compile(
    r"\\(?P<escaped>.)|(?P<deep>\*\*)|(?P<wide>\*)|(?P<single>\?)|\[(?P<set>!?[^\]/]+)\]|(?P<plain>.)", re.S
)


async def project_line_ending(path: Path) -> LineEnding | None:
    """Return the ending that the project's rules give to a file at this path, or None without such a rule."""
    return await in_thread(editorconfig_ending, path) or await _git_ending(path)


def editorconfig_ending(path: Path) -> LineEnding | None:
    """Return `end_of_line` for the file by .editorconfig. Blocks."""
    return _ENDINGS.get(_editorconfig(path, "end_of_line"))


def project_encoding(path: Path) -> Encoding:
    """Return `charset` for the file by .editorconfig; UTF-8 without such a rule. Blocks."""
    return _ENCODINGS.get(_editorconfig(path, "charset"), _UTF_8)


def _editorconfig(path: Path, key: str) -> str:
    """Return the value of the nearest .editorconfig with this key, or "" (https://spec.editorconfig.org)."""
    for directory in path.parents:
        value, is_root = _read(directory / ".editorconfig", path.relative_to(directory).as_posix(), key)
        if value or is_root:
            return value
    return ""


async def _git_ending(path: Path) -> LineEnding | None:
    repository = await in_thread(_repository, path)
    if repository is None:
        return None
    name = path.relative_to(repository).as_posix()
    attributes, autocrlf = await asyncio.gather(
        git(repository, "check-attr", "-z", "eol", "text", "--", name),
        git(repository, "config", "--type=bool", "--get", "core.autocrlf"),
    )
    # A path, an attribute and the attribute's value, again and again (git-check-attr(1), OUTPUT).
    fields = (attributes or b"").decode("utf-8", "replace").split("\0")
    values = dict(zip(fields[1::3], fields[2::3], strict=False))
    if values.get("text") == "unset":
        return None
    if (ending := _ENDINGS.get(values.get("eol", ""))) is not None:
        return ending
    return "\r\n" if (autocrlf or b"").strip() == b"true" else None


def _repository(path: Path) -> Path | None:
    return next((parent for parent in path.parents if os.path.lexists(parent / ".git")), None)


def _read(file: Path, name: str, wanted: str) -> tuple[str, bool]:
    """Return the value of the last fitting section with the key, and whether the search ends at this file."""
    try:
        text = read_regular_file(file, _MOST_BYTES).decode("utf-8-sig", "replace")
    except OSError:
        return "", False
    found, is_root, fits = "", False, None
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            fits = _fits(line[1:-1], name)
            continue
        key, _, value = (word.strip().lower() for word in line.partition("="))
        if fits is None:
            is_root = is_root or (key, value) == ("root", "true")
        elif fits and key == wanted:
            found = value
    return found, is_root


def _fits(section: str, name: str) -> bool:
    """Return whether a section's pattern names the file: by its path, or, for a pattern without slash, at any depth."""
    if "/" not in section:
        name = name.rpartition("/")[2]
    # Any number of directories, also none.
    pattern = section.removeprefix("/").replace("**/", "{,**/}")
    if len(pattern) > _LONGEST_PATTERN:
        return False
    alternatives = list(_expanded(pattern))
    return len(alternatives) <= _MOST_ALTERNATIVES and any(_matches(alternative, name) for alternative in alternatives)


def _expanded(pattern: str) -> Iterator[str]:
    """Yield the pattern once for each choice of the innermost braces; numeric ranges are taken literally."""
    waiting = [pattern]
    for _ in range(_MOST_ALTERNATIVES * 2):
        if not waiting:
            return
        alternative = waiting.pop()
        braces = re.search(r"\{([^{}]*,[^{}]*)\}", alternative)
        if braces is None:
            yield alternative
        else:
            waiting += [
                alternative[: braces.start()] + choice + alternative[braces.end() :] for choice in braces[1].split(",")
            ]


def _matches(pattern: str, name: str) -> bool:
    """Return whether the pattern fits.

    All readings of the pattern advance together, so a hostile pattern costs its length times the name's.
    """
    tokens = list(_TOKEN.finditer(pattern))
    if sum(bool(token["deep"] or token["wide"]) for token in tokens) > _MOST_STARS:
        return False
    states = _closed({0}, tokens)
    for character in name:
        states = _closed({after for state in states for after in _after(state, tokens, character)}, tokens)
    return len(tokens) in states


def _closed(states: set[int], tokens: list[re.Match[str]]) -> set[int]:
    """Return the states with the states behind stars added, which need no character."""
    closed = set(states)
    for state in sorted(states):
        at = state
        while at < len(tokens) and (tokens[at]["deep"] or tokens[at]["wide"]):
            at += 1
            closed.add(at)
    return closed


def _after(state: int, tokens: list[re.Match[str]], character: str) -> Iterator[int]:
    if state == len(tokens):
        return
    token = tokens[state]
    if token["deep"] or (token["wide"] and character != "/"):
        yield state
    elif token["single"]:
        if character != "/":
            yield state + 1
    elif token["set"]:
        is_negated = token["set"].startswith("!")
        if (character in _members(token["set"].removeprefix("!"))) != is_negated:
            yield state + 1
    elif character == (token["escaped"] or token["plain"]):
        yield state + 1


def _members(written: str) -> set[str]:
    members = set(written)
    for first, last in re.findall(r"(.)-(.)", written):
        members |= {chr(code) for code in range(ord(first), min(ord(last), ord(first) + 1000) + 1)}
    return members
