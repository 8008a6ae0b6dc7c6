"""`placet models`: the models of the user's providers, and the models that Placet itself runs."""

import argparse

from placet.command_line.arguments import add_json
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "List the models of your providers. `pull NAME` brings the file of a model that Placet itself runs to this "
        "machine, `remove NAME` removes the file, and `--local` lists these models."
    )
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="list only models whose names hold all words; or `pull NAME`, `remove NAME`",
    )
    parser.add_argument("--provider", metavar="NAME", help="list only the models of this provider")
    parser.add_argument("--refresh", action="store_true", help="ask the providers now; a list is kept for a day")
    parser.add_argument("--local", action="store_true", help="list the models that Placet itself runs, and their files")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="FILE|ADDRESS",
        help="with `pull`: take the file from here; its SHA-256 must be right",
    )
    parser.add_argument("--yes", action="store_true", help="with `pull`: agree to the size and the license")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    match options.words:
        case ["pull", *names]:
            from placet.frontends.terminal.catalogs import local_models

            return local_models.pull(names, source=options.source, is_agreed=options.yes)
        case ["remove", *names]:
            from placet.frontends.terminal.catalogs import local_models

            return local_models.remove(names)
        case [] | ["list"] if options.local:
            from placet.frontends.terminal.catalogs import local_models

            return local_models.show_local(as_json=options.json)
        case ["list", *words]:
            return _list(words, options)
        case words:
            return _list(words, options)


def _list(words: list[str], options: argparse.Namespace) -> int:
    import asyncio

    from placet.frontends.terminal.catalogs.models import models

    provider = "local" if options.local else options.provider
    listing = models(words, provider=provider, refresh=options.refresh, as_json=options.json)
    return asyncio.run(listing)


COMMAND = Command("list the models of your providers, and fetch a model that Placet itself runs", add, run)
