"""`placet undo`: undo the last turn that changed anything."""

import argparse

from placet.command_line.arguments import add_changing_run, has_project
from placet.command_line.registry import Command


def run(options: argparse.Namespace) -> int:
    if not has_project(options):
        return 2
    import asyncio

    from placet.frontends.terminal.run.run_options import RunOptions
    from placet.frontends.terminal.undo import undo

    chosen = RunOptions(options.cwd.resolve(), json=options.json, model=options.model, session_id=options.session)
    return asyncio.run(undo(chosen))


COMMAND = Command("undo the last turn that changed anything", add_changing_run, run)
