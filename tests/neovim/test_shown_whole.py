"""Real Neovim, real daemon: every character that Accept writes is on the screen before the user accepts."""

import random
import re
from pathlib import Path

import pytest

from corpus_support import rows
from editor_support.random_changes import SEED, bare, not_shown, random_changes
from neovim_support.daemon import use_wire
from neovim_support.editor import Editor
from neovim_support.model import wire_model
from neovim_support.screen import Screen
from wire_servers.answers import Call, Text

WIDTHS = (80, 120, 57, 40)
HEIGHT = 110
LABEL = re.compile(r"●(file\d+/\d+)?(,hunk)?(\d+/\d+)?(Proposed|Unreviewed)?(,theagentwaits)?(,newfile)?")
COLUMNS = (
    *("set nonumber signcolumn=auto foldcolumn=0", "set number signcolumn=auto", "set number signcolumn=yes:2"),
    *("set foldcolumn=2 signcolumn=no", "set relativenumber numberwidth=7 signcolumn=auto"),
)
GO_TO = """
  local uri, change_set = ..., require('placet.change_set')
  for _, set in ipairs(change_set.all()) do
    for _, unit in ipairs(set.units) do
      if unit.file.place == uri then
        require('placet.change_set.navigation').go_to(set, unit)
      end
    end
  end
"""
CONTENT = """(function(path)
  local file = io.open(path, 'rb')
  local text = file and file:read('*a') or ''
  return file and file:close() and text or text
end)(...)"""
ASKED = """(function(uri)
  local set = require('placet.change_set').all()[1]
  return (require('placet').details() or {}).waiting == 1
    and vim.iter(set and set.files or {}):any(function(file) return file.place == uri and file.waits ~= nil end)
end)(...)"""
TO_REVIEW = "(require('placet').details().proposed + require('placet').details().unreviewed)"


def on_screen(text: str) -> str:
    """Return the text without blanks, and without the `>` of a row in which a wide character has no place."""
    return bare(text).replace(">", "")


def texts_at_all_widths(editor: Editor, screen: Screen, columns: str) -> dict[str, str]:
    """Return what the current window shows, without blanks and labels, by the name of the layout."""
    texts: dict[str, str] = {}

    def look(layout: str) -> None:
        screen.settle()
        top, left, width, height = editor.lua("""
          local info = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1]
          return { info.winrow - 1, info.wincol - 1 + info.textoff, info.width - info.textoff, info.height }
        """)
        cells = [cell for row in screen.cells[top : top + height] for cell, _ in row[left : left + width]]
        texts[layout] = LABEL.sub("", on_screen("".join(cells)))

    for width in WIDTHS:
        editor.nvim.request("nvim_ui_try_resize", width, HEIGHT)
        look(f"{width} columns, {columns}")
        editor.command(columns)
        look(f"{width} columns, then {columns}")
    editor.command("rightbelow vsplit | wincmd p | vertical resize 50")
    look("beside a second window of the same buffer")
    editor.command("only")
    return texts


def check_all(editor: Editor, project: Path, review: str, count: int) -> None:
    """Look at each hunk at all widths, accept the hunk, and compare the screens with the bytes of the file."""
    changes, chance = random_changes(count), random.Random(SEED)
    paths = {change.name: project / change.name for change in changes}
    changed = [change for change in changes if change.before is not None]
    for change in changed:
        paths[change.name].write_text(change.before or "")
    screen = Screen(editor.nvim, WIDTHS[0], HEIGHT)
    reads = [Call("read", {"filePath": str(paths[change.name])}) for change in changed]
    calls = [Call(*change.call(str(paths[change.name]))) for change in changes]
    with wire_model(tuple(reads), tuple(calls), Text("Done.")) as model, rows() as failures:
        use_wire(editor, model, way=review)
        editor.command("set conceallevel=2")
        editor.open(paths[changes[0].name])
        editor.command("Placet change the files")
        if review != "ask":
            editor.wait("#_G.ended > 0")
            editor.wait(f"{TO_REVIEW} == ...", count)
        editor.command("only")
        for change in changes:
            path = paths[change.name]
            if review == "ask":
                editor.wait(ASKED, path.as_uri())
                editor.command("Placet review")
            else:
                editor.lua(GO_TO, path.as_uri())
            texts = texts_at_all_widths(editor, screen, chance.choice(COLUMNS))
            if review == "ask":
                before = change.before or ""
                editor.command("Placet accept")
                editor.wait(f"{CONTENT} ~= select(2, ...)", str(path), before)
            else:
                left = editor.lua(f"return {TO_REVIEW}")
                editor.command("Placet accept")
                editor.wait(f"{TO_REVIEW} < ...", left)
            written = on_screen(change.written(path.read_bytes().decode()).replace("\u200b", "<200b>"))
            for layout, text in texts.items():
                with failures.row(f"{change.name}, {layout}"):
                    missing = not_shown(written, text)
                    assert not missing, f"{missing!r} comes next in the file, and is not next on the screen:\n{text}"


REVIEWS = pytest.mark.parametrize("review", ["ask", "stage", "apply"])


@REVIEWS
def test_every_character_that_accept_writes_was_on_the_screen(editor: Editor, project: Path, review: str) -> None:
    check_all(editor, project, review, 4)


@pytest.mark.long
@REVIEWS
def test_every_character_of_fifty_hunks_was_on_the_screen(editor: Editor, project: Path, review: str) -> None:
    check_all(editor, project, review, 50)
