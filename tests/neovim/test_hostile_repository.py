"""A hostile repository in the real Neovim: its own daemon is not run before a yes, and ours runs nothing of it."""

import os
import sys
from pathlib import Path

import pytest

from fork_support import placet_command
from hostile_support import SCRIPT, HostileRepository
from hostile_support.repository_bombs import BOMBS, LONG_NAME, lay_bomb
from hostile_support.traps import OBEYED
from neovim_support.daemon import prompt, use_daemon
from neovim_support.editor import Editor, open_editor
from placet.project.inventory import inventory

pytestmark = pytest.mark.skipif(os.name == "nt", reason="programs are made as shell scripts")


@pytest.fixture
def repository(project: Path) -> HostileRepository:
    """`project` gives the user a home of their own."""
    return HostileRepository(project.parent)


def opened(editor: Editor, repository: HostileRepository) -> None:
    """The plugin at work for each file, and every question put off."""
    editor.lua("""
      _G.questions, _G.ended = {}, {}
      vim.ui.select = function(_, options, choose)
        table.insert(_G.questions, options.prompt)
        choose(nil)
      end
      vim.api.nvim_create_autocmd('User', { pattern = 'PlacetTurnEnded', callback = function(event)
        table.insert(_G.ended, event.data.stopReason)
      end })
      vim.lsp.enable('placet')
    """)
    editor.open(repository.folder / "a.txt")


def test_no_daemon_of_its_own_is_run_before_a_yes(repository: HostileRepository, tmp_path: Path) -> None:
    (empty := tmp_path / "empty").mkdir()
    with open_editor(repository.folder) as editor:
        editor.lua("vim.env.VIRTUAL_ENV = nil vim.env.PATH = ...", os.pathsep.join((".", "bin", "", str(empty))))
        opened(editor, repository)
        assert editor.lua("return _G.questions") == []

        editor.command("Placet hello")

        [question] = editor.lua("return _G.questions")
        assert str(repository.folder / ".venv" / "bin" / "placet") in question
        editor.command("checkhealth placet")
        assert editor.lua("return #vim.lsp.get_clients({ _uninitialized = true })") == 0
    assert repository.ran() == set()


def test_nothing_of_it_runs_in_a_turn_before_it_is_trusted(repository: HostileRepository) -> None:
    with open_editor(repository.folder) as editor:
        # Even started so, it takes nothing that lies in the repository for a module of its own.
        command = [sys.executable, "-m", "placet", "--stdio"]
        settings = {"model": repository.script(*SCRIPT[:1], *SCRIPT[3:]), "agent": {"title": {"disable": True}}}
        editor.lua(
            "vim.g.placet = { review = { mode = 'ask' }, cmd = ..., settings = select(2, ...) }", command, settings
        )
        editor.lua("vim.env.PATH = ... .. vim.env.PATH", os.pathsep.join((".", "bin", "node_modules/.bin", "")))
        opened(editor, repository)
        prompt(editor, "Begin.")
        assert editor.lua("return _G.ended") == ["end_turn"]
        prompt(editor, "/go")
        assert editor.lua("return _G.ended") == ["end_turn", "end_turn"]
    assert repository.ran() == set()


def test_its_names_forge_no_line_of_the_question_and_all_of_them_can_be_read(repository: HostileRepository) -> None:
    with open_editor(repository.folder) as editor:
        editor.lua("vim.g.placet = { cmd = ... }", placet_command("--stdio"))
        opened(editor, repository)
        editor.lua("""
          vim.ui.select = function(items, options, choose)
            _G.asked = { items, options.prompt, choose }
          end
        """)
        editor.command("Placet new")
        editor.wait("_G.asked")
        labels = editor.lua("return vim.tbl_map(function(item) return item.label end, _G.asked[1])")
        assert labels == ["Show the whole text", "Do not answer"]
        assert "has extensions for Placet" in editor.lua("return _G.asked[2]")

        editor.lua("_G.asked[3](_G.asked[1][1])")
        shown = editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)")
        indented = [line for line in shown if line.startswith("  ")]
        # The commands of a hook stand below its file.
        listed = [line for line in indented if not line.startswith("      ")]
        assert any("hook-of-claude" in line for line in set(indented) - set(listed)), "the commands of hooks are shown"
        assert len(listed) == len(inventory(repository.folder).items), "one line for each, and none that is forged"
        hooks = ["  hooks: .claude/settings.json", "  hooks: .claude/settings.local.json"]
        assert listed[:3] == [*hooks, "  tool: .placet/tool/evil.py"], "what runs by itself comes first"
        assert not {character for line in shown for character in line} & OBEYED
    assert repository.ran() == set()


@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_of_a_repository_stops_no_turn(project: Path, kind: str) -> None:
    folder = project.parent / "bomb"
    lay_bomb(folder, kind)
    read = [{"call": "read", "arguments": {"filePath": LONG_NAME}}]
    with open_editor(folder) as editor:
        use_daemon(editor, project.parent, read, [{"text": "Done."}], agent={"title": {"disable": True}})
        editor.lua("vim.ui.select = function(_, _, choose) choose(nil) end vim.lsp.enable('placet')")
        editor.open(folder / LONG_NAME)
        prompt(editor, "Begin.")
        assert editor.lua("return _G.ended") == ["end_turn"]
