"""`placet setup EDITOR`: print the snippet to paste, check the present setup, or install a plugin."""

from pathlib import Path

from placet.frontends.terminal.output import complain, say_json, say_lines
from placet.frontends.terminal.setup.editor_setup import find, setup_lines
from placet.frontends.terminal.setup.editor_texts import EDITORS


def setup(name: str, *, write: bool, as_json: bool) -> int:
    """Print the setup; return 0 unless the editor could not start Placet."""
    try:
        home = Path.home()
    except RuntimeError:
        complain("this user has no home directory: set HOME")
        return 2
    match name:
        case "neovim":
            from placet.frontends.terminal.setup.neovim import setup_neovim

            return setup_neovim(home, write=write, as_json=as_json)
        case "vscode":
            from placet.frontends.terminal.setup.vscode import setup_vscode

            return setup_vscode(home, as_json=as_json)
        case _:
            pass
    if write:
        complain(f"`--write` is for neovim; paste the lines of `placet setup {name}` yourself")
        return 2
    editor = EDITORS[name]
    editor_setup = find(editor, home)
    if as_json:
        say_json(editor_setup.data())
    else:
        say_lines(setup_lines(editor, editor_setup))
    return 0 if editor_setup.placet is not None else 1
