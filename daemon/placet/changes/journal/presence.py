"""Presence of a change in a text, and the text without the change. Pure; three-way merges do the judging."""

from typing import Literal

from placet.core.errors import EditConflict
from placet.text.lines import restore_line_endings, to_lf
from placet.text.merge import merge

Presence = Literal["before", "after", "mixed"]


def presence(before: str | None, after: str | None, current: str | None) -> Presence:
    """Return where `current` stands between the texts of a change; None means "no file".

    `after` also if the user has typed elsewhere on top of the change, `before` also if the user has typed and no part
    of the change is present. `mixed` if the state is unclear. Line endings do not count.
    """
    if _same(current, after):
        return "after"
    if _same(current, before):
        return "before"
    if before is None or after is None or current is None:
        return "mixed"
    before, after, current = to_lf(before), to_lf(after), to_lf(current)
    if _merges_to(current, before, after):
        return "after"
    return "before" if _merges_to(current, after, before) else "mixed"


def without(before: str, after: str, current: str) -> str:
    """Return `current` without the change and with all other text kept, line endings too. Raises EditConflict."""
    if current == after:
        return before
    return restore_line_endings(current, merge(to_lf(after), to_lf(current), to_lf(before)), before)


def _same(text: str | None, other_text: str | None) -> bool:
    return text == other_text or (text is not None and other_text is not None and to_lf(text) == to_lf(other_text))


def _merges_to(current: str, base: str, ours: str) -> bool:
    """Return whether making the change on top of `current` changes nothing, because the change is present."""
    try:
        return merge(base, current, ours) == current
    except EditConflict:
        return False
