"""Bringing back of a worktree's changes: a session of the user's own tree, whose change set holds the changes."""

from pathlib import Path

from msgspec import Struct

from placet.changes.review.staged_file import StagedView
from placet.core.errors import RequestError
from placet.sessions.registry import Sessions
from placet.sessions.session import Session
from placet.worktrees.records import Worktree


class BroughtBack(Struct, frozen=True):
    """Outcome of bringing changes back."""

    session: Session | None
    """Session in whose change set the changes are; None if nothing was to bring back."""
    views: tuple[StagedView, ...] = ()
    """Files to review."""
    left_out: tuple[str, ...] = ()
    """Changed files that are not in the change set, each with the reason."""

    @property
    def conflicts(self) -> tuple[Path, ...]:
        """Return the files of which a part does not fit the present file: the review settles the conflict."""
        return tuple(view.file.place for view in self.views if view.reason_against)


async def bring_back(sessions: Sessions, worktree: Worktree) -> BroughtBack:
    """Stage the changes of the worktree in a new session, merged with the present files of the opened folder.

    Nothing is written before the user's review. Raises RequestError, SettingsError or StoreError.
    """
    if not any(_meet(root, worktree.repository) for root in sessions.roots):
        raise RequestError(f"{worktree.name} belongs to {worktree.repository}. Open that folder to bring it back.")
    session = await sessions.create(title=f"Changes of {worktree.name}")
    left_out = (await session.change_set.bring_in(worktree)).left_out
    views = await session.change_set.views()
    if not views:  # The present files have the changes already.
        await sessions.delete(session.info.id)
        return BroughtBack(None, left_out=left_out)
    return BroughtBack(session, tuple(views), left_out)


def _meet(root: Path, top: Path) -> bool:
    """Return whether one of the directories lies in the other."""
    return root.is_relative_to(top) or top.is_relative_to(root)
