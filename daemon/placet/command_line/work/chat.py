"""`placet chat`: an interactive session."""

import argparse

from placet.command_line.arguments import add_model, add_project, add_review, has_project
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    add_model(parser)
    parser.add_argument("--agent", metavar="NAME", help="agent for the prompts, as listed by `placet agents`")
    add_review(parser, "stage")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--continue", dest="continue_last", action="store_true", help="continue the last session of this directory"
    )
    which.add_argument("--session", metavar="ID", help="id of the session to continue")


def run(options: argparse.Namespace) -> int:
    if not has_project(options):
        return 2
    from placet.frontends.terminal.interactive import start
    from placet.frontends.terminal.run.run_options import RunOptions

    return start.main(
        RunOptions(
            options.cwd.resolve(),
            model=options.model,
            agent=options.agent,
            review=options.review,
            session_id=options.session,
            continue_last=options.continue_last,
        )
    )


COMMAND = Command("work in an interactive session; the same as `placet` alone at a terminal", add, run)
