"""Where the daemon is looked for, in which order, and what is not run without a word of the user's."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from neovim_support.editor import Editor
from neovim_support.scripted_server import ScriptedServer

FIND = """
  local launcher, tried = require('placet.daemon.discovery').find(...)
  return { launcher = launcher or false, tried = tried }
"""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="programs are made as shell scripts")

Make = Callable[[Path], Path]


@pytest.fixture
def make(server: ScriptedServer) -> Make:
    """Makes a program of the daemon's name that leads to the server which the test plays."""

    def make(directory: Path) -> Path:
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / "placet"
        path.write_text(f'#!/bin/sh\nexec "{server.command[0]}" "{server.command[1]}" "{server.command[2]}"\n')
        path.chmod(0o755)
        return path

    return make


@pytest.fixture
def bare(editor: Editor, tmp_path: Path) -> Editor:
    """No daemon anywhere, and no uv."""
    empty = tmp_path / "empty"
    empty.mkdir()
    editor.lua("vim.env.PATH = ... vim.env.VIRTUAL_ENV = nil", str(empty))
    return editor


def test_the_first_place_that_has_it_is_taken(bare: Editor, project: Path, tmp_path: Path, make: Make) -> None:
    def launcher() -> tuple[str, str]:
        answer = bare.lua(FIND, str(project))["launcher"]
        return answer["command"][0], answer["how"]

    in_project = make(project / ".venv" / "bin")
    assert launcher() == (str(in_project), "in the project's .venv")
    in_home = make(Path(os.environ["HOME"]) / ".local" / "bin")
    assert launcher() == (str(in_home), "in ~/.local/bin, which is not on your PATH")
    activated = make(tmp_path / "environment" / "bin")
    bare.lua("vim.env.VIRTUAL_ENV = ...", str(tmp_path / "environment"))
    assert launcher() == (str(activated), "in $VIRTUAL_ENV")
    on_path = make(tmp_path / "empty")
    assert launcher() == (str(on_path), "on your PATH")
    named = make(tmp_path / "named")
    bare.lua("require('placet').setup({ cmd = { ..., '--stdio' } })", str(named))
    assert launcher() == (str(named), "in the option `cmd`")
    bare.lua("vim.lsp.config('placet', { cmd = { ... } })", str(named))
    assert launcher() == (str(named), "in `vim.lsp.config('placet')`")


def test_a_command_that_was_named_is_never_replaced(bare: Editor, project: Path, tmp_path: Path, make: Make) -> None:
    make(tmp_path / "empty")
    bare.lua("require('placet').setup({ cmd = { 'no-such-placet' } })")

    assert bare.lua(FIND, str(project)) == {"launcher": False, "tried": ["no-such-placet"]}
    bare.command("Placet hello")
    bare.command("Placet hello")

    said = "Placet: `no-such-placet` is not installed; see :help placet-install"
    assert bare.notices() == [said, said], "said to whoever asks, each time"


def test_nothing_found_says_where_it_was_looked_for_and_how_to_install_it(bare: Editor, project: Path) -> None:
    bare.command("Placet hello")

    [said] = bare.notices()

    assert "no daemon found (the plugin's own package, $PATH, $VIRTUAL_ENV, " in said
    assert "install the daemon with `uv tool install placet`" in said


def test_a_file_alone_complains_once_in_all_projects(bare: Editor, project: Path) -> None:
    bare.lua("vim.notify_once = function(text) _G.once = (_G.once or 0) + 1 end")
    bare.lua("vim.lsp.enable('placet')")
    (project / "a.py").write_text("one\n")
    bare.open(project / "a.py")

    assert bare.lua("return _G.once") == 1
    assert bare.notices() == []


def test_what_comes_with_the_project_is_run_only_after_a_yes(
    bare: Editor, server: ScriptedServer, project: Path, make: Make
) -> None:
    path = make(project / ".venv" / "bin")
    (project / "a.py").write_text("one\n")
    bare.lua("""
      vim.ui.select = function(_, options, choose)
        _G.question = options.prompt
        choose(_G.answer)
      end
      vim.lsp.enable('placet')
    """)
    bare.open(project / "a.py")
    assert bare.lua("return #vim.lsp.get_clients({ _uninitialized = true })") == 0
    assert bare.lua("return _G.question") is None, "opening a file asks nothing"

    bare.lua("_G.answer = 'No'")
    bare.command("Placet hello")
    assert str(path) in bare.lua("return _G.question")
    assert bare.lua("return #vim.lsp.get_clients({ _uninitialized = true })") == 0
    bare.lua("_G.answer = 'Yes'")
    bare.command("Placet hello")

    assert server.wait_for("agent/prompt")["parts"][0]["text"] == "hello"


def test_uv_runs_what_it_has_and_fetches_nothing(bare: Editor, project: Path, tmp_path: Path) -> None:
    uv = tmp_path / "empty" / "uv"
    uv.write_text('#!/bin/sh\necho "$@" > \'' + str(tmp_path / "called") + "'\nexit 2\n")
    uv.chmod(0o755)
    (project / "a.py").write_text("one\n")
    bare.lua("vim.lsp.enable('placet')")
    bare.open(project / "a.py")
    assert bare.lua("return #vim.lsp.get_clients({ _uninitialized = true })") == 0, "it may not have it"

    bare.command("Placet hello")
    bare.wait("vim.iter(_G.notices):any(function(text) return text:find('uv tool install placet', 1, true) end)")

    assert (tmp_path / "called").read_text() == "tool run --offline placet --stdio\n"


@pytest.mark.parametrize(
    ("place", "command"),
    [
        ("share/uv/tools/placet/bin", "uv tool upgrade placet"),
        ("pipx/venvs/placet/bin", "pipx upgrade placet"),
        ("environment/bin", "{directory}/environment/bin/python -m pip install --upgrade placet"),
    ],
)
def test_what_brings_it_up_to_date_depends_on_where_it_came_from(
    bare: Editor, project: Path, tmp_path: Path, make: Make, place: str, command: str
) -> None:
    path = make(tmp_path / place)
    if place.startswith("environment"):
        (path.parent / "python").symlink_to("/bin/sh")
    (tmp_path / "empty" / "placet").symlink_to(path)

    assert bare.lua(FIND, str(project))["launcher"]["update"] == command.format(directory=tmp_path)
