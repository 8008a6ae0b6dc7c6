"""`placet usage`: tokens and cost."""

import argparse

from placet.command_line.arguments import add_json, count
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--days", type=count, default=30, metavar="N", help="number of days up to today (default: 30)")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    import asyncio

    from placet.frontends.terminal.usage import usage

    return asyncio.run(usage(days=options.days, as_json=options.json))


COMMAND = Command("show tokens and cost per day and model", add, run)
