"""Worktrees as the user makes and removes them: with the trust in the project, which goes along and away."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from placet.core.errors import RequestError, SettingsError
from placet.core.executor import in_thread
from placet.core.tasks import to_the_end
from placet.permissions.trust import Trust
from placet.project.inventory import folder_of, inventory
from placet.settings import Locations
from placet.worktrees.create import Created, create_worktree
from placet.worktrees.records import Subagent, Worktree
from placet.worktrees.remove import Removed, remove_worktree
from placet.worktrees.unwritten_files import UnwrittenFile

logger = logging.getLogger(__name__)


async def make_worktree(
    locations: Locations,
    directory: Path,
    name: str | None = None,
    *,
    takes_changes: bool = False,
    unwritten: Sequence[UnwrittenFile] = (),
    subagent: Subagent | None = None,
) -> Created:
    """Make a worktree of the repository around the directory, as `create_worktree` does.

    The user's decision about the project's extensions holds in the worktree for the same files. Raises RequestError.
    """
    home = locations.worktrees
    created = await create_worktree(
        home, directory, name, takes_changes=takes_changes, unwritten=unwritten, subagent=subagent
    )
    try:
        with suppress(SettingsError):  # The user is asked again.
            await to_the_end(in_thread(lambda: _hand_on_trust(locations, created.worktree)))
    except BaseException:
        await to_the_end(take_back(locations, created.worktree))
        raise
    return created


async def take_back(locations: Locations, worktree: Worktree) -> None:
    """Remove a worktree that nobody has seen yet; if that fails, the worktree stays in the list of worktrees."""
    try:
        await delete_worktree(locations, worktree, force=True)
    except RequestError as error:
        logger.warning("The worktree %s was not made to its end, and stays: %s", worktree.path, error)


async def delete_worktree(locations: Locations, worktree: Worktree, *, force: bool = False) -> Removed:
    """Remove the worktree, as `remove_worktree` does. Raises RequestError."""
    removed = await remove_worktree(worktree, force=force)
    with suppress(SettingsError):
        await in_thread(lambda: Trust(locations.trust).forget(worktree.path))
    return removed


def first_folder(roots: Sequence[Path]) -> Path:
    """Return the open folder whose repository gets a worktree. Raises RequestError without a folder."""
    if not roots:
        raise RequestError("No folder is open, and a worktree belongs to a repository.")
    return roots[0]


def directory_in(worktree: Worktree, directory: Path) -> Path:
    """Return the directory of the worktree that answers to a directory of the user's tree. Looks at the disk."""
    directory = directory.resolve()
    if directory.is_relative_to(worktree.repository):
        inside = worktree.path / directory.relative_to(worktree.repository)
        if inside.is_dir() and inside.resolve().is_relative_to(worktree.path):
            return inside
    return worktree.path


def _hand_on_trust(locations: Locations, worktree: Worktree) -> None:
    Trust(locations.trust).hand_on(folder_of(worktree.repository), inventory(worktree.path))
