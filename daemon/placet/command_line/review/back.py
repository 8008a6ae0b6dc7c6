"""`placet back`: back to an earlier prompt, in talk and files, and forward again."""

import argparse

from placet.command_line.arguments import add_project, has_project
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Hide a prompt with all later messages, and restore the files to the state before the prompt. "
        "The effect is shown first, and confirmed. Without PROMPT, list the prompts of the session."
    )
    parser.add_argument(
        "prompt", nargs="?", metavar="PROMPT", help="number in the list of prompts, or id of the prompt"
    )
    add_project(parser)
    parser.add_argument("--session", metavar="ID", help="id of the session (default: the last session here)")
    share = parser.add_mutually_exclusive_group()
    share.add_argument("--talk", action="store_true", help="go back in the conversation, and leave the files")
    share.add_argument("--files", action="store_true", help="restore the files, and leave the conversation")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--preview", action="store_true", help="show the effect, and change nothing")
    choice.add_argument("--json", action="store_true", help="print the effect or the list as JSON, and change nothing")
    choice.add_argument("--yes", action="store_true", help="go back without a question")
    choice.add_argument("--redo", action="store_true", help="take back the last time that you went back")


def run(options: argparse.Namespace) -> int:
    if not has_project(options):
        return 2
    import asyncio

    from placet.frontends.terminal.back import back

    return asyncio.run(back(options))


COMMAND = Command("go back to an earlier prompt, in talk and files, and forward again", add, run)
