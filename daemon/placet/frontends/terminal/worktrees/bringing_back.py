"""Review of a worktree's changes in the user's own tree, at a terminal."""

import argparse
import sys

from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say
from placet.frontends.terminal.review.review import Review
from placet.frontends.terminal.terminal_escape import PipedConsole
from placet.frontends.terminal.user_decision import decided_by_user
from placet.project.paths import Workspace
from placet.sessions.bring_back import bring_back
from placet.sessions.registry import Sessions
from placet.worktrees.records import Worktree


async def review_of(worktree: Worktree, *, only_list: bool) -> ExitCode:
    """Bring the changes back into the tree from which the worktree was made, and review the changes."""

    async def run(sessions: Sessions, workspace: Workspace) -> ExitCode:
        outcome = await bring_back(sessions, worktree)
        for reason in outcome.left_out:
            complain(f"left out: {reason}; `placet worktree bring-back --branch {worktree.name}` commits everything")
        if outcome.session is None:
            say(f"{worktree.name} has no change that the present files lack.")
            return ExitCode.DONE
        asks = not only_list and sys.stdin.isatty() and sys.stderr.isatty()
        choice = argparse.Namespace(json=False, accept=False, reject=False, diff=False, list=not asks)
        code = await Review(PipedConsole(highlight=False), workspace, outcome.session).run(outcome.views, choice)
        if await outcome.session.change_set.views():
            complain(f"changes wait for your review: `placet review --session {outcome.session.info.id}`")
        return code

    return await decided_by_user(argparse.Namespace(cwd=worktree.repository, session=None), run)
