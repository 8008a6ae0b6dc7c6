"""The real Neovim stands still while an edit is sent to it, and applies the edit when it goes on.

The sandbox is off: a command of the model writes to a pipe of the test, which lies below /tmp.
"""

import json
import os
import sys
from pathlib import Path

import pytest

from neovim_support.daemon import prompt
from neovim_support.editor import open_editor

OLD, NEW = "one\ntwo\n", "one\nTWO\n"
TESTS = Path(__file__).parents[1]


def test_an_edit_that_neovim_applies_late_is_known_and_undone(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, go_on, playing = project / "a.txt", tmp_path / "go_on", tmp_path / "script.json"
    path.write_text(OLD)
    os.mkfifo(go_on)
    edit = {"filePath": str(path), "oldString": "two", "newString": "TWO"}
    turns = [
        {"events": [{"call": "read", "arguments": {"filePath": str(path)}}]},
        {"events": [{"call": "edit", "arguments": edit}]},
        {
            "expect": ["It is not known whether the change was applied"],
            "events": [{"call": "bash", "arguments": {"command": f"echo on > '{go_on}'"}}],
        },
        # The model is told as soon as it is known, which may be a step of this turn's.
        *[{"events": [{"text": "I see."}]}] * 2,
    ]
    playing.write_text(json.dumps({"turns": turns}))
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    monkeypatch.setenv("PLACET_STANDS_STILL", str(go_on))
    with open_editor(project) as editor:
        editor.lua(
            "vim.g.placet = { review = { mode = 'ask' }, "
            "cmd = { ..., '-m', 'neovim_support.hasty', '--stdio' }, settings = select(2, ...) }",
            sys.executable,
            {
                "model": f"scripted/{playing}",
                "permission": "allow",
                "agent": {"title": {"disable": True}},
                "sandbox": {"mode": "off"},
            },
        )
        editor.lua("""
          _G.ended = {}
          vim.api.nvim_create_autocmd('User', { pattern = 'PlacetTurnEnded', callback = function(event)
            table.insert(_G.ended, event.data.stopReason)
          end })
        """)
        editor.open(path)
        # Reading from a pipe that nobody writes to stops all of Neovim, as a slow plugin or a dialogue does.
        editor.lua(
            """
            local go_on, module = ..., require('placet.editor.apply_edit')
            local serve = module.serve
            module.serve = function(...)
              local pipe = assert(io.open(go_on))
              pipe:read()
              pipe:close()
              module.serve = serve
              return serve(...)
            end
            """,
            str(go_on),
        )
        prompt(editor, "Change it")
        editor.wait("vim.api.nvim_buf_get_lines(0, 0, -1, true)[2] == 'TWO' and not vim.bo.modified")
        assert editor.lua("return _G.ended") == ["end_turn"]
        assert path.read_text() == NEW
        go_on.unlink()
        editor.command("Placet undo")
        editor.wait("#_G.notices > 0")
        assert editor.notices() == ["Placet undo: a.txt: restored"]
        assert editor.text() == OLD
        assert path.read_text() == OLD
