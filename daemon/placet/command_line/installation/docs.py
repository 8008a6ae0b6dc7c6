"""`placet docs`: the pages of the documentation."""

import argparse

from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("page", nargs="?", help="name of a page, for example sandbox")


def run(options: argparse.Namespace) -> int:
    from placet.frontends.terminal.documents import show

    return show(options.page)


COMMAND = Command("list the pages of the documentation, or show a page", add, run)
