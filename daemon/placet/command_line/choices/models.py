"""`placet models`: the models of the user's providers."""

import argparse

from placet.command_line.arguments import add_json
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs="*", metavar="WORD", help="list only models whose names hold all words")
    parser.add_argument("--provider", metavar="NAME", help="list only the models of this provider")
    parser.add_argument("--refresh", action="store_true", help="ask the providers now; a list is kept for a day")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    import asyncio

    from placet.frontends.terminal.catalogs.models import models

    listing = models(options.words, provider=options.provider, refresh=options.refresh, as_json=options.json)
    return asyncio.run(listing)


COMMAND = Command("list the models of your providers, with context, prices and abilities", add, run)
