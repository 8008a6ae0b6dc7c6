"""`placet sessions summarize`."""

import sys
from pathlib import Path

from placet.errors import PlacetError, RequestError, SettingsError
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.opened import opened
from placet.frontends.terminal.run_options import RunOptions
from placet.frontends.terminal.terminal import Terminal


async def summarize(session_id: str, model: str | None) -> ExitCode:
    """Print what the session has done, in a few sentences of a model's."""
    options = RunOptions(Path.cwd())
    try:
        async with opened(options, Terminal(options)) as sessions:
            print(await sessions.summarize(session_id, model))
    except (SettingsError, RequestError) as error:
        print(f"placet: {error.told}", file=sys.stderr)
        return ExitCode.USAGE
    except PlacetError as error:
        print(f"placet: {error.told}", file=sys.stderr)
        return ExitCode.FAILED
    return ExitCode.DONE
