"""Place of a fence of an answer: the file that the fence is, and the whole text of the changed file. Pure."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from msgspec import Struct

from placet.agent.whole_files.fences import Fence
from placet.languages.grammar import LanguageName, language_of
from placet.languages.syntax import Definition, outline

LIKE = 0.5
"""Share of equal lines from which on a fence without a path is taken for a file."""

_IMPORTS = ("import ", "from ")


class WholeFile(Struct, frozen=True):
    """Text that the answer gives to a file."""

    path: str
    text: str


def whole_file(fence: Fence, given: Mapping[str, str]) -> WholeFile | None:
    """Return the file that the fence gives, or None for a fence of other text.

    `given`: the texts of the files that the model was shown, by path. A fence with some of a file's definitions gives
    the file with these definitions in their places, and with the imports that the fence adds.
    """
    path = _path(fence, given)
    if path is None:
        return None
    old = given.get(path)
    if old is None:
        return WholeFile(path, fence.text)
    return WholeFile(path, _within(old, fence, path))


def _path(fence: Fence, given: Mapping[str, str]) -> str | None:
    if fence.name:
        named = _given(fence.name, given)
        return named[0] if len(named) == 1 else fence.name if not named else None
    mentioned = {path for name in fence.mentioned for path in _given(name, given)}
    if len(mentioned) == 1:
        return mentioned.pop()
    ranked = sorted(((_likeness(fence.lines, path, text), path) for path, text in given.items()), reverse=True)
    return ranked[0][1] if ranked and ranked[0][0] >= LIKE else None


def _given(name: str, given: Mapping[str, str]) -> list[str]:
    """Return the given files that the name means: the whole path, or the end of a path."""
    named = [path for path in given if path == name or path.endswith(f"/{name}")]
    return named or [path for path in given if name.endswith(f"/{path}")]


def _likeness(lines: Sequence[str], path: str, text: str) -> float:
    """Return the share of equal lines; 1 for a part of a file that redefines what the file defines."""
    old = text.splitlines()
    ratio = SequenceMatcher(None, _told(old), _told(lines), autojunk=False).ratio()
    language = language_of(path)
    if ratio < LIKE and language is not None and _redefines(text, "\n".join(lines), language):
        return LIKE
    return ratio


def _told(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines if line.strip()]


def _redefines(old: str, new: str, language: LanguageName) -> bool:
    known = {definition.name for definition in _top(old, language)}
    written = {definition.name for definition in _top(new, language)}
    return bool(written) and written <= known


def _within(old: str, fence: Fence, path: str) -> str:
    """Return the whole text: the fence, or the old text with the definitions of the fence in their places."""
    language = language_of(path)
    if language is None:
        return fence.text
    before, after = _top(old, language), _top(fence.text, language)
    names = {definition.name for definition in after}
    is_part = bool(names) and names < {definition.name for definition in before}
    if not is_part or len({definition.name for definition in before}) != len(before) or len(names) != len(after):
        return fence.text
    lines, new_lines = old.split("\n"), list(fence.lines)
    imports = [line for line in new_lines if line.startswith(_IMPORTS) and line not in lines]
    places = {definition.name: definition for definition in before}
    for definition in sorted(after, key=lambda one: -places[one.name].line):
        place = places[definition.name]
        written = new_lines[_start(definition, new_lines) : definition.end_line]
        lines[_start(place, lines) : place.end_line] = written
    at = max((at + 1 for at, line in enumerate(lines) if line.startswith(_IMPORTS)), default=None)
    if imports:
        at = _start(min(before, key=lambda one: one.line), lines) if at is None else at
        lines[at:at] = imports
    return "\n".join(lines)


def _start(definition: Definition, lines: Sequence[str]) -> int:
    """Return the index of the first line, with the decorators above."""
    start = definition.line - 1
    while start > 0 and lines[start - 1].startswith("@"):
        start -= 1
    return start


def _top(text: str, language: LanguageName) -> list[Definition]:
    """Return the functions, methods and classes at the top of the text."""
    kinds = ("class", "function", "interface", "enum", "type")
    return [one for one in outline(text, language) if one.depth == 0 and one.kind in kinds]
