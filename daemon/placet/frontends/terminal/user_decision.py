"""Commands in which the user decides about a session: refused inside a command of an agent."""

import argparse
import os
from collections.abc import Awaitable, Callable

from placet.core.errors import PlacetError
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain
from placet.frontends.terminal.run.opened import opened
from placet.frontends.terminal.run.run_options import RunOptions
from placet.frontends.terminal.run.terminal import Terminal
from placet.project.paths import Workspace
from placet.project.processes.child import MARK
from placet.sessions.registry import Sessions


async def decided_by_user(
    options: argparse.Namespace, run: Callable[[Sessions, Workspace], Awaitable[ExitCode]]
) -> ExitCode:
    """Run a command over the sessions of the directory `options.cwd`; a failure is a message on stderr and an exit
    code.
    """
    if MARK in os.environ:
        complain("this command runs inside a command of an agent, and only you can decide: use a terminal of your own")
        return ExitCode.USAGE
    # Quiet: the command itself says the outcome of each file, and not the events of the session.
    run_options = RunOptions(options.cwd.resolve(), session_id=options.session, quiet=True)
    terminal = Terminal(run_options)
    try:
        async with opened(run_options, terminal) as sessions:
            return await run(sessions, terminal.workspace)
    except PlacetError as error:
        complain(str(error))
        return ExitCode.FAILED
