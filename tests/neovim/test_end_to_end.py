"""Real Neovim, real daemon, scripted model: a proposed edit is reviewed by keys and lands in an unsaved buffer."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from neovim_support.editor import Editor, open_editor
from neovim_support.review import ASKED_HERE
from neovim_support.screen import Screen

SAVED = '''"""Shapes and what they measure."""

from math import pi


def area(w, h):
    """The area of a box."""
    return w * h


def perimeter(w, h):
    return 2 * w + 2 * h


def circle(radius):
    """The area of a circle."""
    return pi * radius ** 2
'''
UNSAVED = SAVED.replace("from math import pi\n", "from math import pi  # not saved yet\n")
FIRST_OLD = 'def area(w, h):\n    """The area of a box."""\n    return w * h\n'
FIRST_NEW = 'def area(width, height):\n    """The area of a box, in square units."""\n    return width * height\n'
SECOND_OLD = "    return 2 * w + 2 * h\n"
SECOND_NEW = '    """The way around a box."""\n    return 2 * (w + h)\n'
PROPOSED = UNSAVED.replace(FIRST_OLD, FIRST_NEW).replace(SECOND_OLD, SECOND_NEW)


REFUSAL = ["The user refused a part of it", "+    return 2 * (w + h)", "not saved"]
"""What the model is told when only the first hunk is allowed."""


def script(path: Path, expected: list[str]) -> dict[str, Any]:
    return {
        "turns": [
            {
                "events": [
                    {"text": "I read the file as it is in the editor first."},
                    {"call": "read", "arguments": {"filePath": str(path)}},
                ]
            },
            {
                "expect": ["not saved yet"],
                "events": [
                    {"text": "Now the names and the docstrings, in **one** change."},
                    {"call": "write", "arguments": {"filePath": str(path), "content": PROPOSED}},
                ],
            },
            {"expect": expected, "events": [{"text": "That is all."}]},
        ]
    }


@pytest.fixture
def path(project: Path) -> Path:
    path = project / "shapes.py"
    path.write_text(SAVED)
    return path


@pytest.fixture
def expected(request: pytest.FixtureRequest) -> list[str]:
    return getattr(request, "param", [])


@pytest.fixture
def editor(project: Path, path: Path, tmp_path: Path, expected: list[str]) -> Iterator[Editor]:
    """Neovim with an unsaved buffer, and the daemon's settings for a model that plays a script."""
    playing = tmp_path / "script.json"
    playing.write_text(json.dumps(script(path, expected)))
    with open_editor(project) as editor:
        editor.lua(
            # A process of its own: elsewhere the daemon is forked.
            "vim.g.placet = { review = { mode = 'ask' }, "
            "cmd = { ..., '-m', 'placet', '--stdio' }, settings = { model = select(2, ...) } }",
            sys.executable,
            f"scripted/{playing}",
        )
        editor.open(path)
        editor.lua("vim.api.nvim_buf_set_lines(0, 2, 3, true, { 'from math import pi  # not saved yet' })")
        yield editor


def chat(editor: Editor) -> str:
    return editor.lua("""
      for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
        if vim.api.nvim_buf_get_name(bufnr):match('^placet://') then
          return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\\n')
        end
      end
      return ''
    """)


def prompt_and_wait_for_review(editor: Editor) -> None:
    editor.lua("""
      vim.api.nvim_create_autocmd('User', { pattern = 'PlacetTurnEnded', callback = function(event)
        _G.ended = event.data.stopReason
      end })
    """)
    editor.command("Placet Give area readable names, and document perimeter")
    editor.wait(ASKED_HERE)


@pytest.mark.parametrize("expected", [REFUSAL], indirect=True)
def test_the_accepted_hunk_lands_in_the_unsaved_buffer_and_the_refused_one_does_not(editor: Editor, path: Path) -> None:
    assert editor.text() == UNSAVED
    prompt_and_wait_for_review(editor)
    assert editor.text() == UNSAVED

    editor.keys("]cga")
    editor.wait("vim.fn.getline(6) == 'def area(width, height):'")
    assert path.read_text() == SAVED, "a file with unsaved text is not saved"
    editor.wait("vim.api.nvim_win_get_cursor(0)[1] > 8")
    editor.keys("gr")
    editor.wait("_G.ended")

    assert editor.text() == UNSAVED.replace(FIRST_OLD, FIRST_NEW)
    assert editor.lua("return vim.bo.modified") is True
    assert path.read_text() == SAVED
    assert editor.lua("return _G.ended") == "end_turn"
    assert "That is all." in chat(editor)

    editor.command("Placet undo")
    editor.wait("_G.notices[#_G.notices] == 'Placet undo: shapes.py: restored'")
    assert editor.text() == UNSAVED
    assert path.read_text() == SAVED


@pytest.mark.parametrize("expected", [["The user rejected this call and said: keep the short names"]], indirect=True)
def test_a_rejection_with_a_reason_writes_nothing_and_the_model_reads_the_reason(editor: Editor, path: Path) -> None:
    prompt_and_wait_for_review(editor)
    editor.lua("vim.ui.input = function(_, use) use('keep the short names') end")
    editor.keys("gC")
    editor.wait("_G.ended")
    assert "That is all." in chat(editor)
    assert editor.text() == UNSAVED
    assert path.read_text() == SAVED
    assert editor.lua("return require('placet').details().proposed") == 0


def test_neovims_own_undo_takes_back_the_edit_alone(editor: Editor, path: Path) -> None:
    prompt_and_wait_for_review(editor)
    editor.keys("gA")
    editor.wait("_G.ended")
    assert editor.text() == PROPOSED

    editor.command("undo")

    assert editor.text() == UNSAVED


def test_the_review_as_a_picture(editor: Editor, tmp_path: Path) -> None:
    screen = Screen(editor.nvim)
    editor.command("set background=dark number noruler laststatus=3 fillchars=eob:\\ ")
    editor.command("set statusline=\\ %t\\ %m%=%{v:lua.require'placet'.status()}\\ ")
    prompt_and_wait_for_review(editor)
    editor.lua("vim.ui.input = function(_, use) use('why in square units?') end")
    editor.keys("7Ggm")
    screen.wait_for("You: why in square units?")
    picture = tmp_path / "review.svg"
    text = screen.draw().text()
    screen.save_svg(picture, "Placet in Neovim: a change under review")

    assert "Proposed, the agent waits, with a comment" in text
    assert "def area(width, height):" in text
    assert "http" not in picture.read_text("utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
