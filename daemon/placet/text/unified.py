"""Unified diffs for `git apply` and `patch` without adjustment; nothing is shortened for the eye."""

import io
from collections.abc import Iterator, Sequence

from placet.text.line_matching import Gap, gaps
from placet.text.window import window

CONTEXT_LINES = 3
_NO_END = "\\ No newline at end of file\n"
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def unified_diff(old: str, new: str, old_name: str, new_name: str) -> str:
    """Return the diff of two texts with three lines of context; empty if the texts are the same.

    Names stand in the header as given, so pass `a/…` and `b/…`, or `/dev/null` for a missing file.
    Lines end by LF only, as in git: any CR is part of the line.
    """
    if old == new:
        return ""
    differing = window(old, new, around=CONTEXT_LINES)
    before = old.count("\n", 0, differing.start)
    old_lines, new_lines = _git_lines(differing.old), _git_lines(differing.new)
    return diff_of_gaps(list(gaps(old_lines, new_lines)), old_lines, new_lines, before, (old_name, new_name))


def diff_of_gaps(
    changes: Sequence[Gap], old_lines: list[str], new_lines: list[str], skipped: int, names: tuple[str, str]
) -> str:
    """Return the diff of the changed runs of lines; `skipped` lines of both texts stand before the given lines."""
    old_name, new_name = names
    output: list[str] = []
    for group in _grouped(changes):
        output += _hunk(group, old_lines, new_lines, skipped)
    return "".join([f"--- {_name(old_name)}\n", f"+++ {_name(new_name)}\n", *output]) if output else ""


def _grouped(changes: Sequence[Gap]) -> Iterator[list[Gap]]:
    """Yield groups of changes for one hunk each: changes with touching contexts share a hunk."""
    group: list[Gap] = []
    for change in changes:
        if group and change.old_start - group[-1].old_end > 2 * CONTEXT_LINES:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(group: list[Gap], old: list[str], new: list[str], skipped: int) -> Iterator[str]:
    """Yield the lines of a hunk; `skipped` lines of both texts stand before the given lines."""
    before = min(CONTEXT_LINES, group[0].old_start)
    after = min(CONTEXT_LINES, len(old) - group[-1].old_end)
    old_start, old_end = group[0].old_start - before, group[-1].old_end + after
    new_start, new_end = group[0].new_start - before, group[-1].new_end + after
    old_span, new_span = (
        _span(skipped + start, skipped + end) for start, end in ((old_start, old_end), (new_start, new_end))
    )
    yield f"@@ -{old_span} +{new_span} @@\n"
    at = old_start
    for change in group:
        yield from _marked(" ", old[at : change.old_start])
        yield from _marked("-", old[change.old_start : change.old_end])
        yield from _marked("+", new[change.new_start : change.new_end])
        at = change.old_end
    yield from _marked(" ", old[at:old_end])


def _span(start: int, end: int) -> str:
    """Return a range of 0-based lines as counted in the header: an empty range names the line before."""
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _marked(mark: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line if line.endswith("\n") else f"{mark}{line}\n{_NO_END}"


def _git_lines(text: str) -> list[str]:
    return list(io.StringIO(text, newline="\n"))


def _name(name: str) -> str:
    """Return a file name as git reads the name: quoted if the name holds control characters, ended by a tab after
    spaces.
    """
    if any(character < " " or character in '"\\\x7f' for character in name):
        return '"' + "".join(_ESCAPES.get(character) or _octal(character) for character in name) + '"'
    return name + "\t" if " " in name else name


def _octal(character: str) -> str:
    return f"\\{ord(character):03o}" if character < " " or character == "\x7f" else character
