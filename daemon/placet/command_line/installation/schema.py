"""`placet schema`: JSON Schemas of messages, settings and runs."""

import argparse

from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "of", nargs="?", choices=("protocol", "settings", "run"), default="protocol", help="default: protocol"
    )


def run(options: argparse.Namespace) -> int:
    match options.of:
        case "run":
            from placet.frontends.terminal.run import run_events

            return run_events.main()
        case "settings":
            from placet.settings import schema

            return schema.main()
        case _:
            from placet.frontends.lsp import schema

            return schema.main()


COMMAND = Command("print the JSON Schema of the custom LSP messages, the settings or a run", add, run)
