"""Worktree of `placet run --worktree`: made, or found again by its name."""

from contextlib import suppress

from placet.core.errors import PlacetError, RequestError
from placet.core.executor import in_thread
from placet.core.values import replace
from placet.frontends.terminal.locations import usable_locations
from placet.frontends.terminal.output import complain
from placet.frontends.terminal.run.run_options import RunOptions
from placet.frontends.terminal.worktrees.setting_up import may_ask, set_up, tell_of
from placet.project.paths import is_directory
from placet.sessions.worktrees.making import directory_in, make_worktree
from placet.worktrees.listing import find_worktree
from placet.worktrees.records import Worktree


async def in_worktree(options: RunOptions) -> RunOptions | None:
    """Return the options for a run in the worktree that the options name; None, with a message, without a worktree."""
    try:
        worktree = await _worktree(options)
    except PlacetError as error:
        complain(error.with_hint)
        return None
    return replace(options, cwd=await in_thread(directory_in, worktree, options.cwd))


async def _worktree(options: RunOptions) -> Worktree:
    locations = await in_thread(usable_locations)
    if options.worktree:
        with suppress(RequestError):  # There is no worktree of this name yet.
            known = await find_worktree(locations.worktrees, options.cwd, options.worktree)
            if await in_thread(is_directory, known.path):
                return known
    created = await make_worktree(locations, options.cwd, options.worktree or None, takes_changes=options.takes_changes)
    tell_of(created)
    asks = options.asking in (None, "terminal") and may_ask()
    await set_up(created.worktree, may_ask=asks, is_allowed=options.asking == "allow")
    return created.worktree
