"""A change set of 300 files with 2,000 hunks is shown whole; the times of the views are in the report of the run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from neovim_support.change_set import PlayedChangeSet, listed
from neovim_support.editor import Editor
from neovim_support.review import hunk
from neovim_support.scripted_server import ScriptedServer

FILES = 300
HUNKS = 2_000

MEASURE = """
  local change_set = require('placet.change_set')
  local set = change_set.all()[1]
  local best = { float = math.huge, quickfix = math.huge, redraw = math.huge }
  local function measure(name, run)
    local start = vim.uv.hrtime()
    run()
    vim.cmd.redraw()
    best[name] = math.min(best[name], (vim.uv.hrtime() - start) / 1e6)
  end
  for _ = 1, 3 do
    measure('float', function() require('placet.change_set.float').open(set) end)
    vim.api.nvim_win_close(0, true)
    measure('quickfix', function() require('placet.change_set.hunk_list').open(set) end)
    vim.cmd.cclose()
    measure('redraw', function() change_set.redraw(set) end)
  end
  return best
"""


def hunks(count: int) -> list[Any]:
    return [
        hunk(number, row, [f"line {row + 1}\n"], row, [f"another {row + 1}\n"])
        for number, row in ((number, 10 * number) for number in range(1, count + 1))
    ]


def test_300_files_with_2000_hunks_open_at_once(
    editor: Editor,
    connected: ScriptedServer,
    path: Path,
    project: Path,
    record_property: Callable[[str, object], None],
) -> None:
    changes = PlayedChangeSet(editor, connected)
    changes.begin()
    whole, rest = divmod(HUNKS, FILES)
    files: list[Any] = []
    for number in range(FILES):
        file = project / f"file{number:03}.txt"
        file.write_text("".join(f"line {line}\n" for line in range(1, 101)))
        files.append(listed(file, hunks(whole + (number < rest))))
    for number in range(10):
        editor.open(project / f"file{number:03}.txt")
    changes.stage(*files)

    took: dict[str, float] = editor.lua(MEASURE)

    assert editor.lua("return require('placet').details().proposed") == HUNKS
    record_property("milliseconds", took)
