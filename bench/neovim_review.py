"""A change set of 300 files with 2,000 hunks in Neovim: the list, and accepting all hunks of closed files."""

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import review
from bench.report import Figure

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from neovim_support.editor import Editor, open_editor

ROUNDS = 5
READING_SECONDS = 1.0
"""Time for which a user at least reads a list of 2,000 hunks. Meanwhile the daemon loads the modules of a decision."""

LOAD = """
  local id = ...
  require('placet.sessions').load(vim.lsp.get_clients({ name = 'placet' })[1], id, function()
    _G.loaded = true
  end)
"""
LIST = """
  local id = ...
  local start = vim.uv.hrtime()
  _G.milliseconds = nil
  require('placet.change_set').refresh(vim.lsp.get_clients({ name = 'placet' })[1], id, function(set)
    require('placet.change_set.float').open(set)
    vim.cmd.redraw()
    _G.milliseconds = (vim.uv.hrtime() - start) / 1e6
    vim.api.nvim_win_close(0, true)
  end)
"""
ACCEPT = """
  local change_set = require('placet.change_set')
  local set = change_set.all()[1]
  local start = vim.uv.hrtime()
  _G.milliseconds = nil
  change_set.decide(set, set.units, 'accept', function()
    _G.milliseconds = (vim.uv.hrtime() - start) / 1e6
  end)
"""


async def measure() -> list[Figure]:
    cold, kept, accepted, floors = [], [], [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            floors.append(await review.written(root / "floor"))
            async with review.stored_session(root / "staged", "staged") as session:
                session_id = session.info.id
            first, second, accept = await asyncio.to_thread(_in_neovim, root / "staged", session_id)
        cold.append(first)
        kept.append(second)
        accepted.append(accept / 1000)
    note, floor = f"(limit: {review.LIST_LIMIT_MS} ms)", statistics.median(floors)
    return [
        Figure("the list, for the first time", statistics.median(cold), "ms", note=note),
        Figure("the list, again", statistics.median(kept), "ms", note=note),
        Figure("accepting all", statistics.median(accepted), "s", floor, "writing the files", goal=2),
    ]


def _in_neovim(directory: Path, session_id: str) -> tuple[float, float, float]:
    """Return the milliseconds of the first list, of the second list, and of accepting all."""
    project, data = directory / "project", directory / "xdg"
    (project / ".git").mkdir()
    (project / "open.txt").write_text("open\n", "utf-8")
    data.mkdir()
    (data / "placet").symlink_to(directory / "data")
    with open_editor(project) as editor:
        for name in ("CONFIG", "STATE", "CACHE"):
            editor.lua("vim.env[select(1, ...)] = select(2, ...)", f"XDG_{name}_HOME", str(directory / name))
        editor.lua("vim.env.XDG_DATA_HOME = ...", str(data))
        settings = {"model": "builtin/rules"}
        command = [sys.executable, "-m", "placet", "--stdio"]
        editor.lua("vim.g.placet = { cmd = select(1, ...), settings = select(2, ...) }", command, settings)
        editor.lua("vim.lsp.enable('placet')")
        editor.open(project / "open.txt")
        editor.wait("(vim.lsp.get_clients({ name = 'placet' })[1] or {}).initialized")
        editor.lua(LOAD, session_id)
        editor.wait("_G.loaded")
        first, second = _timed(editor, LIST, session_id), _timed(editor, LIST, session_id)
        assert editor.lua("return #require('placet.change_set').all()[1].units") == review.HUNKS
        time.sleep(READING_SECONDS)
        accept = _timed(editor, ACCEPT)
        assert editor.lua("return #require('placet.change_set').all()[1].units") == 0
    return first, second, accept


def _timed(editor: Editor, code: str, *arguments: Any) -> float:
    editor.lua(code, *arguments)
    editor.wait("_G.milliseconds")
    return editor.lua("return _G.milliseconds")
