"""Presence of a change in a text, and the text without the change. Pure; three-way merges do the judging."""

from typing import Literal

from placet.core.errors import EditConflict
from placet.text.lines import restore_line_endings, to_lf
from placet.text.merge import merge

Presence = Literal["before", "after", "mixed"]


def presence(before: str | None, after: str | None, now: str | None) -> Presence:
    """Return where `now` stands between the texts of a change; None means "no file".

    `after` also if the user has typed elsewhere on top of the change, `before` also if the user has typed and no part
    of the change is present. `mixed` if the state is unclear. Line endings do not count.
    """
    if _same(now, after):
        return "after"
    if _same(now, before):
        return "before"
    if before is None or after is None or now is None:
        return "mixed"
    before, after, now = to_lf(before), to_lf(after), to_lf(now)
    if _merges_to(now, before, after):
        return "after"
    return "before" if _merges_to(now, after, before) else "mixed"


def without(before: str, after: str, now: str) -> str:
    """Return `now` without the change and with all other text kept, line endings too. Raises EditConflict."""
    if now == after:
        return before
    return restore_line_endings(now, merge(to_lf(after), to_lf(now), to_lf(before)), before)


def _same(one: str | None, other: str | None) -> bool:
    return one == other or (one is not None and other is not None and to_lf(one) == to_lf(other))


def _merges_to(now: str, base: str, ours: str) -> bool:
    """Return whether making the change on top of `now` changes nothing, because the change is present."""
    try:
        return merge(base, now, ours) == now
    except EditConflict:
        return False
