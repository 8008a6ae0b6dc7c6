"""Define the command line of `placet chat`. Imports no code of the command."""

import argparse

from placet.frontends.terminal.arguments.project import add_project
from placet.frontends.terminal.arguments.sessions import Commands
from placet.frontends.terminal.run.run_options import RunOptions


def add_chat(commands: Commands) -> None:
    """Add `placet chat`."""
    chat = commands.add_parser("chat", help="work in an interactive session; the same as `placet` alone at a terminal")
    add_project(chat)
    chat.add_argument("--model", metavar="NAME", help="model: provider/name, builtin/rules, or scripted/FILE")
    chat.add_argument("--agent", metavar="NAME", help="agent for the prompts, as listed by `placet agents`")
    which = chat.add_mutually_exclusive_group()
    which.add_argument(
        "--continue", dest="continue_last", action="store_true", help="continue the last session of this directory"
    )
    which.add_argument("--session", metavar="ID", help="id of the session to continue")


def read_chat(options: argparse.Namespace) -> RunOptions:
    """Return the options found by argparse."""
    return RunOptions(
        options.cwd.resolve(),
        model=options.model,
        agent=options.agent,
        session_id=options.session,
        continue_last=options.continue_last,
    )
