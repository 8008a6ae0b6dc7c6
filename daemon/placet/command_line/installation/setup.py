"""`placet setup`: the configuration of the user's editor."""

import argparse

from placet.command_line.registry import Command

_EDITORS = (
    *("helix", "emacs", "kate", "vim", "sublime", "neovim", "vscode"),
    *("zed", "jetbrains", "codecompanion", "avante", "agent-shell"),
)
"""Names for `placet setup`; the texts of the editors are loaded by the command."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "editor", nargs="?", choices=_EDITORS, help="editor (default: list the editors found on this machine)"
    )
    parser.add_argument("--write", action="store_true", help="neovim: put the lines into your configuration")
    parser.add_argument("--json", action="store_true", help="print JSON, and install nothing")


def run(options: argparse.Namespace) -> int:
    from placet.frontends.terminal.setup.setup import setup

    return setup(options.editor, write=options.write, as_json=options.json)


COMMAND = Command("print or check the configuration of your editor, or install the plugin", add, run)
