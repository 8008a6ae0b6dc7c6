"""The way of an isolated subagent's changes from its worktree into the change set of the calling session."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from placet.changes.journal.on_behalf_of import TurnRef
from placet.core.errors import PlacetError
from placet.worktrees.records import Worktree

if TYPE_CHECKING:
    from placet.sessions.change_set import SessionChangeSet


async def came_back(worktree: Worktree, change_set: "SessionChangeSet", places: tuple[TurnRef, ...]) -> str:
    """Stage the changes as changes of the turns at `places`, the calling turn last; return words for its model."""
    try:
        brought = await change_set.bring_in(worktree, places)
        views = await change_set.views()
    except PlacetError as error:
        return f"Its changes could not be brought back: {error}"
    places_here = [view.file.place for view in views if view.file.place in brought.places]
    conflicts = [view.file.place for view in views if view.reason_against and view.file.place in brought.places]
    words = ["It worked in a git worktree of its own, and has changed nothing that is not here already."]
    if places_here:
        words = [f"Its changes are staged here, and wait for the user's review: {_listed(places_here)}."]
    if conflicts:
        words.append(f"In conflict with changes made meanwhile, for the user to settle: {_listed(conflicts)}.")
    if brought.left_out:
        way = f"`placet worktree bring-back --branch {worktree.name}` commits everything on its branch."
        words.append(f"Not brought back: {'; '.join(brought.left_out)}. {way}")
    return "\n".join(words)


def _listed(paths: Iterable[Path]) -> str:
    return ", ".join(map(str, paths))
