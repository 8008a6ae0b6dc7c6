"""Read the config of a directory, and print problems on stderr."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from placet.core.executor import in_thread
from placet.frontends.terminal.locations import usable_locations
from placet.frontends.terminal.output import complain
from placet.sessions.services.config import Config, ConfigLoader
from placet.text.counted import counted


async def config_loader(directory: Path, command_line: Mapping[str, Any] | None = None) -> ConfigLoader:
    """Return the loader of the config, also for changes by plugins.

    Made for a command, which ends before files can change.
    """
    locations = await in_thread(usable_locations)
    return ConfigLoader(locations, (directory.resolve(),), command_line=command_line, is_for_once=True)


async def read_config(directory: Path, command_line: Mapping[str, Any] | None = None) -> Config:
    """Return the config.

    Raises SettingsError for a mistake on the command line; all other mistakes are printed and left out.
    """
    return await config_read_by(await config_loader(directory, command_line))


async def config_read_by(loader: ConfigLoader) -> Config:
    """Return the config read by the loader, as `read_config` does."""
    config = await in_thread(loader.read)
    for problem in config.problems:
        complain(problem)
    return config


def tell_of_projects(config: Config) -> None:
    """Print a notice about items of a project on which the user was never asked."""
    for project in config.projects:
        if project.open:
            count = len(project.news)
            files = f"{counted(count, 'extension file')} for Placet"
            has = "has changed" if project.standing == "changed" else "has"
            notice = f"the project {has} {files}, not used before you decide: run `placet trust`."
            complain(notice)
