"""`placet worktree`: git worktrees in which sessions work apart."""

import argparse

from placet.command_line.arguments import add_json, add_project, add_taking_along, has_project
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    here = argparse.ArgumentParser(add_help=False)
    add_project(here)
    by_name = argparse.ArgumentParser(add_help=False, parents=[here])
    by_name.add_argument("name", metavar="NAME", help="name of the worktree, or path of its directory")

    listing = actions.add_parser("list", parents=[here], help="list the worktrees of the repository with their state")
    add_json(listing)
    create = actions.add_parser("create", parents=[here], help="make a worktree on the branch placet/NAME")
    create.add_argument("name", nargs="?", metavar="NAME", help="name of the worktree (default: work-1, work-2, ...)")
    add_taking_along(create)
    opening = actions.add_parser("open", parents=[by_name], help="open a worktree in your editor, in a new window")
    opening.add_argument("--path", action="store_true", help="print the path of the directory, and open nothing")
    bring_back = actions.add_parser(
        "bring-back",
        parents=[by_name],
        help="review the changes of a worktree, merged with the present files; or commit the changes on its branch",
    )
    choice = bring_back.add_mutually_exclusive_group()
    choice.add_argument("--branch", action="store_true", help="commit what is uncommitted, and say the branch's name")
    choice.add_argument("--list", action="store_true", help="list the changes, and leave the review for later")
    bring_back.add_argument("--message", metavar="TEXT", help="with --branch: message of the commit")
    remove = actions.add_parser(
        "remove", parents=[by_name], help="remove a worktree; changes that were not brought back are asked about"
    )
    remove.add_argument("--force", action="store_true", help="remove the changes too, without a question")
    actions.add_parser("setup", parents=[by_name], help="run the command of the setting worktree.setup again")


def run(options: argparse.Namespace) -> int:
    if not has_project(options):
        return 2
    import asyncio

    from placet.frontends.terminal.worktrees.worktrees import worktrees

    return asyncio.run(worktrees(options))


COMMAND = Command("make, list, open, bring back and remove git worktrees in which sessions work apart", add, run)
