"""Parser of the whole command line, of which only the called command is defined."""

import argparse
from collections.abc import Iterable, Mapping

from placet import __version__
from placet.command_line.registry import SECTIONS, command_modules, load_command
from placet.frontends import FRONT_ENDS


def parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the command line.

    Defining all commands takes longer than some commands run: only `command` is defined, and every command for the help
    or for a mistake. `command` is the first word of the command line.
    """
    parser = argparse.ArgumentParser(
        prog="placet",
        description="A coding agent in your editor that changes nothing without your placet.",
        formatter_class=_WithHeadings,
    )
    parser.add_argument("--version", action="version", version=f"placet {__version__}")
    for option, (_, about) in FRONT_ENDS.items():
        parser.add_argument(option, action="store_true", help=about)
    parser.add_argument(
        "--listen",
        nargs="?",
        choices=("usual", "socket", "loopback"),
        const="usual",
        help="run as the daemon shared by several editors: on a socket, or on a local port with a token",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    modules = command_modules()
    for name in _defined(command, modules):
        declared = load_command(modules[name])
        declared.add(commands.add_parser(name, help=declared.help))
    return parser


def _defined(command: str | None, modules: Mapping[str, str]) -> Iterable[str]:
    if command is not None and command in modules:
        return (command,)
    is_alone = command is not None and command.partition("=")[0] in ("--version", "--listen")
    return () if is_alone else modules


class _WithHeadings(argparse.HelpFormatter):
    """Formatter of the list of all commands, with a heading over the commands of each section."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog)
        self._section = ""

    def _format_action(self, action: argparse.Action) -> str:
        text = super()._format_action(action)
        if not isinstance(action, argparse._SubParsersAction._ChoicesPseudoAction):  # pyright: ignore[reportPrivateUsage]
            return text
        section = command_modules()[action.dest].split(".")[-2]
        if section == self._section:
            return text
        self._section = section
        return f"\n  {SECTIONS[section]}:\n{text}"
