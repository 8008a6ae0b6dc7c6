"""`placet setup neovim`: print the lines that load the plugin, or write the lines into the configuration."""

import os
import sys
from dataclasses import replace
from pathlib import Path

from placet.core.errors import DocumentError, DocumentMissing
from placet.frontends.terminal.output import complain, say, say_json, say_lines
from placet.frontends.terminal.setup.editor_setup import EditorSetup, find
from placet.frontends.terminal.setup.editor_texts import NEOVIM
from placet.frontends.terminal.setup.neovim_config import (
    NeovimConfig,
    config_directory,
    lines,
    look_at,
    names_plugin,
    with_lines,
)
from placet.frontends.terminal.shipped import is_installed, neovim_plugin
from placet.project.files.disk import read_document, write_document
from placet.project.processes.programs import find_program
from placet.text.lines import restore_line_endings, to_lf


def setup_neovim(home: Path, *, write: bool, as_json: bool) -> int:
    """Print or write the lines; return 0, or 1 if the lines could not be made or written."""
    plugin = neovim_plugin()
    if plugin is None:
        complain("this installation lacks the Neovim plugin: install Placet again, from a wheel or from a checkout")
        return 1
    config = look_at(config_directory(os.environ, home))
    state = _state(config, plugin, home)
    if as_json:
        say_json({**state.data(), "manager": config.manager})
        return 0
    say_lines([f"Neovim: {state.program_text}", f"placet: {state.placet or 'not found'}", f"plugin: {plugin}", ""])
    say(_introduction(config, state, write=write))
    say_lines(["", *state.snippet.splitlines(), ""])
    if write and not state.is_set_up:
        return _write(config.place, state.snippet)
    if not state.is_set_up and config.place is not None:
        say("`placet setup neovim --write` does so for you.")
    say_lines([*NEOVIM.use.split("\n"), *(f"! {problem}" for problem in state.problems)])
    return 0


def neovim_state(home: Path) -> EditorSetup:
    """Return the state on this machine: the plugin counts as set up in any file of the configuration. Blocks."""
    plugin = neovim_plugin()
    directory = config_directory(os.environ, home)
    names = [NEOVIM.mark, *([] if plugin is None else [str(plugin)])]
    return replace(find(NEOVIM, home), is_set_up=names_plugin(directory, names))


def _state(config: NeovimConfig, plugin: Path, home: Path) -> EditorSetup:
    on_path = find_program("placet")
    program = on_path or _own_program()
    # An installed plugin finds the program of its own package (clients/neovim/lua/placet/daemon/discovery.lua).
    snippet = lines(config, plugin, None if on_path or is_installed(plugin) else program)
    return replace(
        find(NEOVIM, home),
        snippet=snippet,
        place=str(config.place or config.directory),
        placet=program,
        is_set_up=config.place is not None and snippet in _text(config.place),
    )


def _own_program() -> str | None:
    """Return the program of this installation, which need not be on PATH."""
    program = Path(sys.executable).parent / ("placet.exe" if os.name == "nt" else "placet")
    return str(program) if program.is_file() else None


def _introduction(config: NeovimConfig, state: EditorSetup, *, write: bool) -> str:
    if state.is_set_up:
        return f"Already set up: {state.place} holds these lines:"
    if config.place is None:
        return f"{config.manager} loads your plugins. Add this entry to your list of plugins:"
    return f"{'Adding these lines to' if write else 'Add these lines to'} {state.place}:"


def _write(place: Path | None, added: str) -> int:
    if place is None:
        complain("only you know the place in your list of plugins: add the entry by hand")
        return 1
    try:
        document = read_document(place)
    except DocumentMissing:
        document = None
    except DocumentError as error:
        complain(str(error))
        return 1
    before = "" if document is None else document.text
    text = added if place.name == "placet.lua" else with_lines(to_lf(before), added)
    encoding, bom = ("utf-8", False) if document is None else (document.encoding, document.bom)
    try:
        write_document(place, restore_line_endings(before, text), encoding=encoding, bom=bom)
    except DocumentError as error:
        complain(str(error))
        return 1
    say(f"Written. Start Neovim and type `:Placet`. To undo, remove the lines from {place}.")
    return 0


def _text(place: Path) -> str:
    try:
        return to_lf(read_document(place).text)
    except DocumentError:
        return ""
