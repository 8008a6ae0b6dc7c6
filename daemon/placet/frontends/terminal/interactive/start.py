"""Start of the interactive session: `placet` alone at a terminal, or `placet chat`."""

import asyncio
import os
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress

from placet.core.errors import PlacetError, SettingsError
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.interactive.output import AwaitedOutput
from placet.frontends.terminal.interactive.shell import REVIEW, Current, Shell
from placet.frontends.terminal.interactive.terminal import InteractiveTerminal
from placet.frontends.terminal.locations import usable_locations
from placet.frontends.terminal.output import (
    complain,
    guarded_streams,
    hangup_signals,
    hush_terminals,
    terminal_descriptors,
)
from placet.frontends.terminal.run.opened import opened
from placet.frontends.terminal.run.run_options import RunOptions
from placet.project.processes.child import MARK


def main(options: RunOptions) -> ExitCode:
    """Run the interactive session until the user leaves."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        complain("an interactive session needs a terminal; `placet run` runs a prompt without a terminal")
        return ExitCode.USAGE
    if MARK in os.environ:
        complain("this command runs inside a command of an agent: use a terminal of your own")
        return ExitCode.USAGE
    # The prompt line stays below all output.
    output = AwaitedOutput()
    with output, redirect_stdout(output), redirect_stderr(output), guarded_streams():
        return asyncio.run(_run(options, output))


async def _run(options: RunOptions, output: AwaitedOutput) -> ExitCode:
    current = Current(options)
    history = usable_locations().data / "prompt-history"
    terminal = InteractiveTerminal(options.cwd, history, current.about, current.stop, output.printed)
    with suppress(NotImplementedError):
        task = asyncio.current_task()
        assert task is not None
        loop, terminals = asyncio.get_running_loop(), terminal_descriptors()

        def hang_up() -> None:
            hush_terminals(terminals)
            task.cancel()

        loop.add_signal_handler(signal.SIGTERM, task.cancel)
        for number in hangup_signals():
            loop.add_signal_handler(number, hang_up)
    try:
        async with opened(options, terminal, review=REVIEW) as sessions:
            sessions.extensions.begin()
            await Shell(options, current, sessions, terminal).run()
    except asyncio.CancelledError:
        return ExitCode.CANCELLED
    except SettingsError as error:
        complain(str(error))
        return ExitCode.USAGE
    except PlacetError as error:
        complain(str(error))
        return ExitCode.FAILED
    return ExitCode.DONE
