"""`placet doctor`: a check of the installation."""

import argparse

from placet.command_line.arguments import add_json, add_project
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument(
        "--online", action="store_true", help="also send the model a short request, which can cost money"
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    import asyncio

    from placet.frontends.terminal.doctor.doctor import doctor

    return asyncio.run(doctor(options.cwd, online=options.online, as_json=options.json))


COMMAND = Command("check the installation, and say how to correct each problem", add, run)
