"""`placet fleet apply`: stage the patch of a task in a new session, for the user's review."""

import argparse
import tempfile
import time
from pathlib import Path

from placet.core.errors import RequestError
from placet.core.executor import in_thread
from placet.fleet.clone import make_clone
from placet.fleet.results import FleetOutput
from placet.fleet.tasks import FleetTask
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say
from placet.frontends.terminal.user_decision import decided_by_user
from placet.project.files.disk import DiskDocuments
from placet.project.git.repository import repository_of
from placet.project.git.work import git_work
from placet.project.paths import Workspace, real
from placet.sessions.registry import Sessions
from placet.sessions.worktrees.changes import changes_for
from placet.settings.locations import default_locations
from placet.text.counted import counted
from placet.worktrees.difference import Difference, difference
from placet.worktrees.records import Worktree


async def apply(options: argparse.Namespace) -> ExitCode:
    """Stage the patch; nothing is written before the review. Raises RequestError."""
    output = FleetOutput(options.output)
    result = await in_thread(lambda: output.result(options.id))
    if result is None:
        raise RequestError(f"{options.output} has no result of {options.id}")
    patch = await in_thread(lambda: output.patch(options.id))
    if not patch:
        complain(f"the task {options.id} changed nothing")
        return ExitCode.DONE
    repository = await in_thread(lambda: repository_of(real(options.cwd)))
    if repository is None:
        raise RequestError(f"{options.cwd.resolve()} is in no git repository")
    options.session = None
    changed = await _changed(repository.top, result.base, patch)

    async def stage(sessions: Sessions, workspace: Workspace) -> ExitCode:
        changes = await changes_for(changed, repository.top, workspace, DiskDocuments())
        session = await sessions.create(title=f"Changes of the task {options.id}")
        refused = await session.change_set.take_in(changes, f"Bring in the changes of the task {options.id}.")
        left_out = [*changes.left_out, *(f"{workspace.name(path)} {reason}" for path, reason in refused)]
        for line in left_out:
            complain(line)
        if not (views := await session.change_set.views()):
            await sessions.delete(session.info.id)
            say("The files have these changes already.")
            return ExitCode.FAILED if left_out else ExitCode.DONE
        count = counted(len(views), "file")
        say(f"{count} to review: placet review --session {session.info.id}")
        return ExitCode.DONE

    return await decided_by_user(options, stage)


async def _changed(top: Path, base: str, patch: bytes) -> Difference:
    """Return the changes of the patch on the texts of its base, which the repository must have. Raises RequestError."""
    home = default_locations().fleet
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="apply-", dir=home, ignore_cleanup_errors=True) as temporary:
        task = FleetTask(id="apply", prompt="apply", path=top, commit=base)
        clone = await make_clone(task, Path(temporary) / "tree", home)
        await git_work(clone.top, "apply", "--whitespace=nowarn", "-", text=patch)
        return await difference(Worktree("apply", clone.top, clone.top, base, base, 0, time.time()))
