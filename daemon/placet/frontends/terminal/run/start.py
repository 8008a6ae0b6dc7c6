"""Start of `placet run`: the model host is spawned first, and gets ready while everything else is imported."""

import asyncio
import os
import re

from placet.core.errors import SettingsError
from placet.frontends.terminal.run.run_options import RunOptions
from placet.model.client.host_child import EarlyHost, HostSpec, start_host
from placet.model.hosted import is_hosted
from placet.project.processes.process_secrets import whole_environment
from placet.settings.locations import Locations, default_locations
from placet.settings.sources import FILE_NAMES

_MODEL = re.compile(rb'"model"\s*:\s*"([^"]+)"')
_MOST_BYTES = 1_000_000


def main(options: RunOptions) -> int:
    """Run the prompt and report the outcome, as run.main says."""
    with asyncio.Runner() as runner:
        host = _spawned_host(options, runner)
        try:
            from placet.frontends.terminal.run import run

            return run.main(options, runner, host)
        finally:
            if host is not None:
                runner.run(host.end())


def _spawned_host(options: RunOptions, runner: asyncio.Runner) -> EarlyHost | None:
    """Return the host for the model that will probably answer, or None. A wrong guess costs a process for a moment."""
    try:
        locations = default_locations()
    except SettingsError:  # The command finds places of its own.
        return None
    model = _probable_model(options, locations)
    if model is None or not is_hosted(model):
        return None
    spec = HostSpec.of(whole_environment(), locations.keys, locations.log / "model-host.log", locations.local_models)
    try:
        return EarlyHost(spec, runner.run(start_host(spec)))
    except OSError:  # The ModelHost tries again, and reports the failure.
        return None


def _probable_model(options: RunOptions, locations: Locations) -> str | None:
    """Return the model of the command line, of the environment, or by a quick look at the user's settings."""
    if name := options.model or os.environ.get("PLACET_MODEL"):
        return name
    for file in reversed(FILE_NAMES):
        try:
            with (locations.config / file).open("rb") as settings:
                if match := _MODEL.search(settings.read(_MOST_BYTES)):
                    return match[1].decode("utf-8", "replace")
        except OSError:
            continue
    return None
