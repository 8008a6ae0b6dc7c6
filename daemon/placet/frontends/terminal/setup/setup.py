"""`placet setup EDITOR`: print the snippet to paste, check the present setup, or install a plugin."""

from pathlib import Path

from placet.frontends.terminal.output import complain, say, say_json, say_lines
from placet.frontends.terminal.setup.editor_setup import EditorSetup, find, setup_lines
from placet.frontends.terminal.setup.editor_text import EditorText
from placet.frontends.terminal.setup.editor_texts import EDITORS
from placet.project.processes.programs import find_program


def setup(name: str | None, *, write: bool, as_json: bool) -> int:
    """Print the setup, or without a name the list of editors; return 0 unless the editor could not start Placet."""
    if name is None:
        return listing(as_json=as_json)
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


def _state(editor: EditorText, home: Path) -> EditorSetup:
    """Return the state of the editor; a plugin and an extension count as their editor finds them. Blocks."""
    match editor.name:
        case "neovim":
            from placet.frontends.terminal.setup.neovim import neovim_state

            return neovim_state(home)
        case "vscode":
            from placet.frontends.terminal.setup.vscode import vscode_state

            return vscode_state(home)
        case _:
            return find(editor, home)


def listing(*, as_json: bool) -> int:
    """List the editors that are found on this machine, and whether each is set up."""
    try:
        home = Path.home()
    except RuntimeError:
        complain("this user has no home directory: set HOME")
        return 2
    editors = [editor for editor in EDITORS.values() if any(find_program(name) for name in editor.programs)]
    found = [_state(editor, home) for editor in editors]
    if as_json:
        say_json([editor_setup.data() for editor_setup in found])
        return 0
    for editor, editor_setup in zip(editors, found, strict=True):
        state = "set up" if editor_setup.is_set_up else "not set up"
        say(f"{editor.name:13}  {state:10}  {editor_setup.program}")
    if not found:
        say("No editor that Placet knows was found on PATH.")
    say_lines(["", "`placet setup EDITOR` prints the lines to paste. EDITOR is one of", f"{', '.join(EDITORS)}."])
    return 0
