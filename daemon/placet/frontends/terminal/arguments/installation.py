"""Define the command lines of `placet doctor`, `placet setup` and `placet docs`. Imports no code of the commands."""

from placet.frontends.terminal.arguments.project import add_project
from placet.frontends.terminal.arguments.sessions import Commands

_EDITORS = (
    *("helix", "emacs", "kate", "vim", "sublime", "neovim", "vscode"),
    *("zed", "jetbrains", "codecompanion", "avante", "agent-shell"),
)
"""Names for `placet setup`; the texts of the editors are loaded by the command."""


def add_installation(commands: Commands) -> None:
    """Add `placet doctor`, `placet setup EDITOR` and `placet docs`."""
    doctor = commands.add_parser("doctor", help="check the installation, and say how to correct each problem")
    add_project(doctor)
    doctor.add_argument(
        "--online", action="store_true", help="also send the model a short request, which can cost money"
    )
    doctor.add_argument("--json", action="store_true", help="print JSON")
    setup = commands.add_parser(
        "setup",
        help="print or check the configuration of your editor, or install the plugin",
    )
    setup.add_argument(
        "editor", nargs="?", choices=_EDITORS, help="editor (default: list the editors found on this machine)"
    )
    setup.add_argument("--write", action="store_true", help="neovim: put the lines into your configuration")
    setup.add_argument("--json", action="store_true", help="print JSON, and install nothing")
    docs = commands.add_parser("docs", help="list the pages of the documentation, or show a page")
    docs.add_argument("page", nargs="?", help="name of a page, for example sandbox")
