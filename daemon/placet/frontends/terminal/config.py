"""Read the setup of a directory, and print problems on stderr."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from placet.core.executor import in_thread
from placet.frontends.terminal.locations import usable_locations
from placet.frontends.terminal.output import complain
from placet.sessions.services.config import Config, ConfigLoader


async def setup_reader(directory: Path, command_line: Mapping[str, Any] | None = None) -> ConfigLoader:
    """Return the reader of the setup, also for changes by plugins.

    Made for a command, which ends before files can change.
    """
    locations = await in_thread(usable_locations)
    return ConfigLoader(locations, (directory.resolve(),), command_line=command_line, is_for_once=True)


async def read_setup(directory: Path, command_line: Mapping[str, Any] | None = None) -> Config:
    """Return the setup.

    Raises SettingsError for a mistake on the command line; all other mistakes are printed and left out.
    """
    return await setup_read_by(await setup_reader(directory, command_line))


async def setup_read_by(reader: ConfigLoader) -> Config:
    """Return the setup read by the reader, as `read_setup` does."""
    setup = await in_thread(reader.read)
    for problem in setup.problems:
        complain(problem)
    return setup


def tell_of_projects(setup: Config) -> None:
    """Print a notice about items of a project on which the user was never asked."""
    for project in setup.projects:
        if project.open:
            count = len(project.news)
            what = f"{count} file{'' if count == 1 else 's'} for Placet"
            has = "has changed" if project.standing == "changed" else "brings"
            told = f"the project {has} {what}, which is not used: `placet trust` shows it, and lets you decide."
            complain(told)
