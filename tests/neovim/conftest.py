"""A Neovim and a server that the test plays, with nothing of this machine's user in them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from neovim_support.change_set import PlayedChangeSet
from neovim_support.editor import Editor, open_editor
from neovim_support.review import open_file
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    for name in ("NVIM", "NVIM_APPNAME", "VIMINIT"):
        monkeypatch.delenv(name, raising=False)
    project = tmp_path / "project"
    project.mkdir()
    (project / ".git").mkdir()
    return project


@pytest.fixture
def editor(project: Path) -> Iterator[Editor]:
    with open_editor(project) as editor:
        yield editor


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    yield server
    server.close()


@pytest.fixture
def connected(editor: Editor, server: ScriptedServer) -> ScriptedServer:
    """The server, which Neovim starts for every file it opens from here on."""
    editor.lua("vim.g.placet = { cmd = ... } vim.lsp.enable('placet')", server.command)
    return server


@pytest.fixture
def path(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    """A file to be changed, which the user looks at."""
    return open_file(editor, connected, project / "shapes.py")


@pytest.fixture
def changes(editor: Editor, connected: ScriptedServer, path: Path) -> PlayedChangeSet:
    """The change set of the session that the user has begun, while the user looks at the file."""
    changes = PlayedChangeSet(editor, connected)
    changes.begin()
    return changes


@pytest.fixture
def screen(editor: Editor) -> Screen:
    return Screen(editor.nvim)
