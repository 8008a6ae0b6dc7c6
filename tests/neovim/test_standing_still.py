"""The real Neovim stands still while an edit is sent to it, and applies the edit when it goes on."""

import os
import sys
from pathlib import Path

from neovim_support.daemon import use_wire
from neovim_support.editor import Editor
from neovim_support.model import wire_model
from wire_servers.answers import Call, Text

OLD, NEW = "one\ntwo\n", "one\nTWO\n"
TESTS = Path(__file__).parents[1]
HASTY = [sys.executable, "-m", "neovim_support.hasty", "--stdio"]
STAND_STILL = """
  local go_on, module = ..., require('placet.editor.apply_edit')
  local serve = module.serve
  module.serve = function(...)
    local pipe = assert(io.open(go_on))
    pipe:read()
    pipe:close()
    module.serve = serve
    return serve(...)
  end
"""
"""Reading from a pipe that nobody writes to stops all of Neovim, as a slow plugin or a dialogue does."""


def test_an_edit_that_neovim_applies_late_is_known_and_undone(editor: Editor, project: Path, tmp_path: Path) -> None:
    path, go_on = project / "a.txt", tmp_path / "go_on"
    path.write_text(OLD)
    os.mkfifo(go_on)
    editor.lua("vim.env.PYTHONPATH, vim.env.PLACET_STANDS_STILL = ...", str(TESTS), str(go_on))
    edit = Call("edit", {"filePath": str(path), "oldString": "two", "newString": "TWO"})
    with wire_model(Call("read", {"filePath": str(path)}), edit, Text("I see.")) as model:
        use_wire(editor, model, permission="allow")
        editor.lua("local options = vim.g.placet options.cmd = ... vim.g.placet = options", HASTY)
        editor.open(path)
        editor.lua(STAND_STILL, str(go_on))
        editor.command("Placet Change it")
        assert "It is not known whether the change was applied" in model.told(3)
        assert path.read_text() == OLD

        go_on.write_text("on\n")
        editor.wait("vim.api.nvim_buf_get_lines(0, 0, -1, true)[2] == 'TWO' and not vim.bo.modified")
        editor.wait("#_G.ended == 1")
        assert editor.lua("return _G.ended") == ["end_turn"]
        assert path.read_text() == NEW
        go_on.unlink()
        editor.command("Placet undo")
        editor.wait("#_G.notices > 0")
        assert editor.notices() == ["Placet undo: a.txt: restored"]
        assert editor.text() == OLD
        assert path.read_text() == OLD
