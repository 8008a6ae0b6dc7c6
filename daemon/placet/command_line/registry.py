"""Registry of the commands: a file `SECTION/NAME.py` with a `COMMAND` is the command `placet NAME`.

Nothing else names a command: the parser, the help, the completion of the shells and docs/COMMAND-LINE.md are made of
these files. A file defines the arguments of its command, and imports the code of the command only when the command
runs.
"""

import argparse
import importlib
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from placet import command_line

SECTIONS = {
    "work": "Work",
    "review": "Review and answers",
    "sessions": "Sessions and cost",
    "choices": "Models, keys and extensions",
    "rules": "Permissions",
    "fleets": "Many tasks at once",
    "installation": "Installation",
}
"""Folders with commands, in the order of the help, and the heading of each folder's commands in the documentation."""


class Command(NamedTuple):
    """Command of the terminal, declared once; the name of its file is its name."""

    help: str
    """Line in the list of all commands."""
    add: Callable[[argparse.ArgumentParser], None]
    """Function that adds the arguments to the parser of the command."""
    run: Callable[[argparse.Namespace], int]
    """Function that runs the command and returns the exit code."""


def command_modules() -> dict[str, str]:
    """Return the module of each command by the command's name, in the order of the help; imports no module. Blocks."""
    return {
        name: f"placet.command_line.{section}.{name}" for section in SECTIONS for name in sorted(_names_in(section))
    }


def load_command(module: str) -> Command:
    """Import the module of a command, and return the command. Blocks."""
    return importlib.import_module(module).COMMAND


def _names_in(section: str) -> Iterator[str]:
    for directory in command_line.__path__:
        folder = f"{directory}/{section}"
        if os.path.isdir(folder):  # noqa: PTH112 - pathlib would double the time of this function.
            for file in os.listdir(folder):  # noqa: PTH208
                name = file.removesuffix(".py")
                if name != file and not name.startswith("_"):
                    yield name
