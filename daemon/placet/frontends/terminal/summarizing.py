"""`placet sessions summarize`: print a summary of a session."""

from pathlib import Path

from placet.core.errors import PlacetError, RequestError, SettingsError
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say_lines
from placet.frontends.terminal.run.opened import opened
from placet.frontends.terminal.run.run_options import RunOptions
from placet.frontends.terminal.run.terminal import Terminal


async def summarize(session_id: str, model: str | None) -> ExitCode:
    """Print the work of the session, in a few sentences by a model."""
    options = RunOptions(Path.cwd())
    try:
        async with opened(options, Terminal(options)) as sessions:
            summary = await sessions.summarize(await sessions.whole_id(session_id), model)
            say_lines(summary.split("\n"))
    except (SettingsError, RequestError) as error:
        complain(error.with_hint)
        return ExitCode.USAGE
    except PlacetError as error:
        complain(error.with_hint)
        return ExitCode.FAILED
    return ExitCode.DONE
