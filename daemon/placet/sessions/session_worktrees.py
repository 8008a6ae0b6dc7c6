"""Worktrees of the repositories in which the sessions of a front end work, with the sessions in each worktree."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from placet.core.errors import RequestError
from placet.core.executor import in_thread
from placet.project.paths import real
from placet.sessions.asks.pending_asks import PendingAsks
from placet.sessions.services.services import Services
from placet.sessions.store.records import SessionInfo
from placet.sessions.worktrees.making import delete_worktree, directory_in, first_folder, make_worktree
from placet.worktrees.branch import commit_changes
from placet.worktrees.create import Created
from placet.worktrees.listing import ListedWorktree, find_worktree, list_worktrees
from placet.worktrees.records import Worktree
from placet.worktrees.remove import Removed

MOST_SESSIONS = 50
"""Highest number of sessions of one worktree in the list."""

SessionState = Literal["works", "waits", "done"]
"""State of a session: a turn runs, a question waits for the user, or neither."""


class WorktreeSession(Struct, frozen=True):
    info: SessionInfo
    state: SessionState


class WorktreeEntry(Struct, frozen=True):
    listed: ListedWorktree
    sessions: tuple[WorktreeSession, ...]
    """Sessions in the worktree, the last used session first."""
    is_here: bool
    """Whether the worktree is a folder of this front end."""


class SessionWorktrees:
    """Worktrees for one front end; Sessions owns the object."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def list(self) -> list[WorktreeEntry]:
        """Return the worktrees of the folders' repositories; none outside of a repository. Raises StoreError."""
        by_path: dict[Path, ListedWorktree] = {}
        for root in self._services.workspace.roots:
            try:
                entries = await list_worktrees(self._services.locations.worktrees, root)
            except RequestError:  # The folder is in no repository.
                continue
            by_path |= {entry.worktree.path: entry for entry in entries}
        waiting = {ask.session_id for ask in await PendingAsks(self._services.database).listing()}
        return list(await asyncio.gather(*(self._entry(entry, waiting) for entry in by_path.values())))

    async def create(self, name: str | None, *, takes_changes: bool) -> Created:
        """Make a worktree of the first folder's repository. Raises RequestError."""
        folder = first_folder(self._services.workspace.roots)
        return await make_worktree(self._services.locations, folder, name, takes_changes=takes_changes)

    async def find(self, name: str) -> Worktree:
        """Return the worktree of a folder's repository. Raises RequestError."""
        error: RequestError | None = None
        for root in self._services.workspace.roots:
            try:
                return await find_worktree(self._services.locations.worktrees, root, name)
            except RequestError as failure:
                error = error or failure
        raise error or RequestError("No folder is open.")

    async def remove(self, name: str, *, force: bool) -> Removed:
        """Remove the worktree. Raises RequestError, also for a worktree that is open here."""
        worktree = await self.find(name)
        if await in_thread(self._is_here, worktree):
            raise RequestError(f"{worktree.name} is open in this window. Remove the worktree from another window.")
        return await delete_worktree(self._services.locations, worktree, force=force)

    async def commit(self, name: str, message: str | None) -> str:
        """Commit what is uncommitted; return the branch. Raises RequestError."""
        worktree = await self.find(name)
        branch, _ = await commit_changes(worktree, message or f"Work in the worktree {worktree.name}")
        return branch

    @property
    def has_setup(self) -> bool:
        """Return whether the settings have a command for new worktrees."""
        return bool(self._services.settings.worktree.setup.strip())

    async def _entry(self, entry: ListedWorktree, waiting: set[str]) -> WorktreeEntry:
        worktree = entry.worktree
        roots = await in_thread(self._roots_in, worktree)
        infos, _ = await self._services.store.list(roots=roots, query="", limit=MOST_SESSIONS, cursor=None)
        states = await asyncio.gather(*(self._state(info, waiting) for info in infos))
        sessions = tuple(WorktreeSession(info, state) for info, state in zip(infos, states, strict=True))
        return WorktreeEntry(entry, sessions, await in_thread(self._is_here, worktree))

    async def _state(self, info: SessionInfo, waiting: set[str]) -> SessionState:
        if info.id in waiting:
            return "waits"
        store = self._services.store
        return "works" if store.holds(info.id) or await store.is_at_work_elsewhere(info.id) else "done"

    def _roots_in(self, worktree: Worktree) -> Sequence[Path]:
        """Return the folders in which sessions in the worktree work: its top, and the place of the opened folders."""
        inside = (directory_in(worktree, root) for root in self._services.workspace.roots)
        return list(dict.fromkeys((worktree.path, *inside)))

    def _is_here(self, worktree: Worktree) -> bool:
        return any(real(root).is_relative_to(worktree.path) for root in self._services.workspace.roots)
