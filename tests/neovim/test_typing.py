"""Edits that come while the user types: nothing typed is lost, and mode, cursor and pending keys stay."""

from pathlib import Path

import pytest

from neovim_support.editor import Editor
from neovim_support.edits import edit_of, replacing
from neovim_support.review import open_file
from neovim_support.scripted_server import ScriptedServer

LINES = 12
FIRST = "".join(f"line {number}\n" for number in range(LINES))
TURN = "t1"
PATIENT_MS = 120_000


@pytest.fixture
def path(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    return open_file(editor, connected, project / "a.txt", FIRST)


def apply(server: ScriptedServer, path: Path, line: int, edit_id: str) -> bool:
    """Mark a line as the server knows it; whether that was applied."""
    text = server.documents[path.as_uri()]
    edit = edit_of(server, {path: (text, [replacing(line, 0, 0, "* ")])}, edit_id=edit_id, turn=TURN)
    return server.request("workspace/applyEdit", edit)["applied"]


def test_typing_through_a_turn_of_many_edits_loses_nothing(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    typed = ""
    applied = 0
    editor.keys("4Go")
    for number in range(20):
        word = f"word{number} "
        editor.keys(word)
        typed += word
        line = number % 3  # above the cursor
        if number % 2:  # the daemon has seen it all; else it races with the keys
            editor.wait("vim.api.nvim_get_current_line():match(...)", word.strip())
            connected.wait_for_document(path.as_uri(), editor.text())
        applied += apply(connected, path, line, f"edit {number}")
    editor.keys("<Esc>")
    editor.wait("vim.api.nvim_get_mode().mode == 'n'")

    lines = editor.text().splitlines()
    assert lines[4] == typed
    assert sum(line.count("* ") for line in lines) == applied > 0
    assert [line.replace("* ", "") for line in lines if "word" not in line] == FIRST.splitlines()
    connected.wait_for_document(path.as_uri(), editor.text())


def test_lines_that_come_above_the_cursor_push_it_down_in_insert_mode(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.keys("5GA one")
    text = connected.wait_for_document(path.as_uri(), FIRST.replace("line 4", "line 4 one"))
    edit = edit_of(connected, {path: (text, [replacing(0, 0, 0, "new\nnew\n")])}, turn=TURN)
    assert connected.request("workspace/applyEdit", edit)["applied"] is True
    editor.keys(" two<Esc>")
    editor.wait("vim.api.nvim_get_mode().mode == 'n'")
    assert editor.text() == "new\nnew\n" + FIRST.replace("line 4", "line 4 one two")


def test_a_pending_operator_acts_on_the_line_the_user_saw(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.lua("require('placet.editor.apply_edit').pending_ms = ...", PATIENT_MS)
    editor.keys("5Gd")
    editor.wait("vim.api.nvim_get_mode().mode == 'no'")
    edit = edit_of(connected, {path: (FIRST, [replacing(0, 0, 0, "new\n")])}, turn=TURN)
    inquiry = connected.ask("workspace/applyEdit", edit)
    editor.wait("#vim.api.nvim_get_autocmds({ event = 'ModeChanged', pattern = 'no*:*' }) == 1")
    assert not inquiry.done()

    editor.keys("d")

    # The line went before the edit came, which therefore no longer fits.
    assert inquiry.answer()["applied"] is False
    assert editor.text() == FIRST.replace("line 4\n", "")


def test_an_operator_that_is_left_alone_is_given_up_for_an_edit(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.lua("require('placet.editor.apply_edit').pending_ms = 50")
    editor.keys("5Gd")
    editor.wait("vim.api.nvim_get_mode().mode == 'no'")
    edit = edit_of(connected, {path: (FIRST, [replacing(0, 0, 0, "new\n")])}, turn=TURN)
    inquiry = connected.ask("workspace/applyEdit", edit)
    editor.wait("vim.api.nvim_get_mode().mode == 'n'")
    assert inquiry.answer()["applied"] is True
    assert editor.text() == "new\n" + FIRST


def test_a_selection_stays_where_it_was(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.keys("5GVj")
    editor.wait("vim.api.nvim_get_mode().mode == 'V'")
    assert apply(connected, path, 9, "e")
    editor.keys("d")
    editor.wait("vim.api.nvim_buf_line_count(0) == 10")
    assert editor.text() == FIRST.replace("line 4\nline 5\n", "").replace("line 9", "* line 9")


def test_lines_that_come_above_a_selection_move_both_its_ends(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.keys("5GVj")
    editor.wait("vim.api.nvim_get_mode().mode == 'V'")
    edit = edit_of(connected, {path: (FIRST, [replacing(0, 0, 0, "new\nnew\n")])}, turn=TURN)
    assert connected.request("workspace/applyEdit", edit)["applied"] is True
    editor.keys("d")
    editor.wait("vim.api.nvim_buf_line_count(0) == 12")
    assert editor.text() == "new\nnew\n" + FIRST.replace("line 4\nline 5\n", "")


def test_a_command_line_being_typed_stays(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.keys(":let g:done = 'y")
    editor.wait("vim.fn.getcmdline():match('y$')")
    assert apply(connected, path, 1, "e")
    editor.keys("es'<CR>")
    editor.wait("vim.g.done == 'yes'")
    assert path.read_text() == FIRST.replace("line 1\n", "* line 1\n")
