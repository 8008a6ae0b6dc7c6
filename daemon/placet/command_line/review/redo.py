"""`placet redo`: redo the changes of the last undo."""

import argparse

from placet.command_line.arguments import add_changing_run, has_project
from placet.command_line.registry import Command


def run(options: argparse.Namespace) -> int:
    if not has_project(options):
        return 2
    import asyncio

    from placet.frontends.terminal.run.run_options import RunOptions
    from placet.frontends.terminal.undo import redo

    chosen = RunOptions(options.cwd.resolve(), json=options.json, model=options.model, session_id=options.session)
    return asyncio.run(redo(chosen))


COMMAND = Command("redo the changes of the last undo", add_changing_run, run)
