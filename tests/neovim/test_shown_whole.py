"""Real Neovim, real daemon: every character that Accept writes is on the screen before the user accepts."""

import random
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from corpus_support import rows
from neovim_support.daemon import use_wire
from neovim_support.editor import Editor
from neovim_support.model import wire_model
from neovim_support.screen import Screen
from wire_servers.answers import Call, Text

WIDTHS = (80, 120, 57, 40)
HEIGHT = 110
LABEL = re.compile(r"●(file\d+/\d+)?(,hunk)?(\d+/\d+)?(Proposed|Unreviewed)?(,newfile)?")
WORDS = (
    *("value", "=", "compute(", ")", "return", "…", "**bold**", "`code`", "[link](https://example.org/a)", "<b>"),
    *("\t", "\t\t", "   ", "界", "漢字かな", "한국어", "ｆｕｌｌ", "e\u0301", "a\u0308\u0323", "👩‍💻", "🇫🇮", "❤️"),
    *("x" * 30, "界" * 20, "/a/long/path/without/a/blank/in/it/to/a/file.md", "ﬁ", "ß", "\u200b", "\u00a0"),
)
COLUMNS = (
    *("set nonumber signcolumn=auto foldcolumn=0", "set number signcolumn=auto", "set number signcolumn=yes:2"),
    *("set foldcolumn=2 signcolumn=no", "set relativenumber numberwidth=7 signcolumn=auto"),
)
ENDINGS = (".txt", ".md", ".py", ".ts")
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
TO_REVIEW = "(require('placet').details().proposed + require('placet').details().unreviewed)"


@dataclass(frozen=True)
class Change:
    """A file before and after, in one hunk; `before` is None for a new file."""

    path: Path
    before: str | None
    old: str
    new: str
    columns: str
    """Command that sets the columns beside the text."""

    @property
    def call(self) -> Call:
        if self.before is None:
            return Call("write", {"filePath": str(self.path), "content": self.new})
        return Call("edit", {"filePath": str(self.path), "oldString": self.old, "newString": self.new})

    def written(self) -> str:
        """Return what Accept has written, as the screen spells it, without blanks."""
        text = self.path.read_bytes().decode()
        if self.before is not None:
            head, _, tail = self.before.partition(self.old)
            text = text.removeprefix(head).removesuffix(tail)
        return bare(text.replace("\u200b", "<200b>"))


def bare(text: str) -> str:
    """Return the text without blanks, and without the `>` of a row in which a wide character has no place."""
    return re.sub(r"[\s>]", "", text)


def not_shown(written: str, text: str) -> str:
    """Return the rest of what was written behind the longest beginning that the text holds; '' for all."""
    if written in text:
        return ""
    length = max(length for length in range(len(written) + 1) if written[:length] in text)
    return written[length:]


def random_lines(chance: random.Random, first: str, most: int) -> str:
    """Return lines of up to 230 characters, some of which are empty, with a first word in each other line."""

    def line() -> str:
        wanted, text = chance.choice((0, 12, 39, 40, 79, 80, 81, 120, 200, 230)), first
        while len(text) < wanted:
            text += chance.choice(WORDS) + chance.choice(("", " "))
        return text.rstrip()

    return "".join(f"{line()}\n" for _ in range(chance.randint(1, most)))


def random_changes(project: Path, count: int) -> list[Change]:
    chance, changes = random.Random(35), []
    for number in range(count):
        path = project / f"file{number}{chance.choice(ENDINGS)}"
        old, new = random_lines(chance, "old ", 2), random_lines(chance, "new ", 5)
        before = None if number % 4 == 3 else f"above\n{old}below\n"
        if before is not None:
            path.write_text(before)
        changes.append(Change(path, before, old, new, chance.choice(COLUMNS)))
    return changes


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
        texts[layout] = LABEL.sub("", bare("".join(cells)))

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
    changes = random_changes(project, count)
    screen = Screen(editor.nvim, WIDTHS[0], HEIGHT)
    reads = [Call("read", {"filePath": str(change.path)}) for change in changes if change.before is not None]
    with wire_model(tuple(reads), tuple(change.call for change in changes), Text("Done.")) as model, rows() as failures:
        use_wire(editor, model, way=review)
        editor.command("set conceallevel=2")
        editor.open(changes[0].path)
        editor.command("Placet change the files")
        if review != "ask":
            editor.wait("#_G.ended > 0")
            editor.wait(f"{TO_REVIEW} == ...", count)
        editor.command("only")
        for change in changes:
            if review == "ask":
                editor.wait("(require('placet').details() or {}).waiting == 1")
                editor.command("Placet review")
            else:
                editor.lua(GO_TO, change.path.as_uri())
            texts = texts_at_all_widths(editor, screen, change.columns)
            if review == "ask":
                before = change.before or ""
                editor.command("Placet accept")
                editor.wait(f"{CONTENT} ~= select(2, ...)", str(change.path), before)
            else:
                left = editor.lua(f"return {TO_REVIEW}")
                editor.command("Placet accept")
                editor.wait(f"{TO_REVIEW} < ...", left)
            for layout, text in texts.items():
                with failures.row(f"{change.path.name}, {layout}"):
                    missing = not_shown(change.written(), text)
                    assert not missing, f"{missing!r} comes next in the file, and is not next on the screen:\n{text}"


REVIEWS = pytest.mark.parametrize("review", ["ask", "stage", "apply"])


@REVIEWS
def test_every_character_that_accept_writes_was_on_the_screen(editor: Editor, project: Path, review: str) -> None:
    check_all(editor, project, review, 4)


@pytest.mark.long
@REVIEWS
def test_every_character_of_fifty_hunks_was_on_the_screen(editor: Editor, project: Path, review: str) -> None:
    check_all(editor, project, review, 50)
