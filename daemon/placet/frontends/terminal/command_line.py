"""Parser of the whole command line, of which only the called command is defined."""

import argparse
from collections.abc import Callable

from placet import __version__
from placet.frontends.terminal.arguments.sessions import Commands


def parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the command line.

    Defining all commands takes longer than some commands run: only the group of `command` is defined, and every group
    for the help or for a mistake.
    """
    parser = argparse.ArgumentParser(
        prog="placet", description="A coding agent in your editor that changes nothing without your placet."
    )
    parser.add_argument("--version", action="version", version=f"placet {__version__}")
    parser.add_argument("--stdio", action="store_true", help="run as a language server on stdin and stdout")
    parser.add_argument(
        "--acp", action="store_true", help="run as an agent of the Agent Client Protocol on stdin and stdout"
    )
    parser.add_argument(
        "--listen",
        nargs="?",
        choices=("usual", "socket", "loopback"),
        const="usual",
        help="run as the daemon shared by several editors: on a socket, or on a local port with a token",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    groups: tuple[tuple[tuple[str, ...], Callable[[Commands], None]], ...] = (
        (("chat",), _add_chat),
        (("run", "undo", "redo"), _add_run),
        (("review",), _add_review),
        (("back",), _add_back),
        (("worktree", "fleet", "eval"), _add_many_at_once),
        (("pending", "approve", "reject"), _add_waiting),
        (("auth",), _add_auth),
        (("tools", "agents", "models"), _add_catalogs),
        (("permissions",), _add_permissions),
        (("sandbox",), _add_sandbox),
        (("mcp", "trust", "plugin"), _add_extensions),
        (("doctor", "setup", "docs"), _add_installation),
        (("sessions", "usage"), _add_sessions),
        (("schema", "completion"), _add_texts),
    )
    chosen = [add for names, add in groups if command in names]
    for add in chosen or [add for _, add in groups]:
        add(commands)
    return parser


def _add_chat(commands: Commands) -> None:
    from placet.frontends.terminal.interactive.arguments import add_chat

    add_chat(commands)


def _add_run(commands: Commands) -> None:
    from placet.frontends.terminal.run.run_arguments import add_run

    add_run(commands)


def _add_review(commands: Commands) -> None:
    from placet.frontends.terminal.review.arguments import add_review

    add_review(commands)


def _add_back(commands: Commands) -> None:
    from placet.frontends.terminal.arguments.sessions import add_back

    add_back(commands)


def _add_many_at_once(commands: Commands) -> None:
    from placet.frontends.terminal.arguments.worktrees import add_worktrees
    from placet.frontends.terminal.fleet.arguments import add_eval, add_fleet

    for add in (add_worktrees, add_fleet, add_eval):
        add(commands)


def _add_waiting(commands: Commands) -> None:
    from placet.frontends.terminal.pending.arguments import add_waiting

    add_waiting(commands)


def _add_catalogs(commands: Commands) -> None:
    from placet.frontends.terminal.arguments.catalogs import add_catalogs

    add_catalogs(commands)


def _add_sandbox(commands: Commands) -> None:
    from placet.frontends.terminal.sandbox.arguments import add_sandbox

    add_sandbox(commands)


def _add_extensions(commands: Commands) -> None:
    from placet.frontends.terminal.arguments.extensions import add_extensions

    add_extensions(commands)


def _add_auth(commands: Commands) -> None:
    from placet.frontends.terminal.arguments.auth import add_auth

    add_auth(commands)


def _add_permissions(commands: Commands) -> None:
    from placet.frontends.terminal.arguments.permissions import add_permissions

    add_permissions(commands)


def _add_installation(commands: Commands) -> None:
    from placet.frontends.terminal.arguments.installation import add_installation

    add_installation(commands)


def _add_texts(commands: Commands) -> None:
    from placet.frontends.terminal.arguments.texts import add_texts

    add_texts(commands)


def _add_sessions(commands: Commands) -> None:
    from placet.frontends.terminal.arguments.sessions import add_sessions, add_usage

    add_sessions(commands)
    add_usage(commands)
