"""One `u` takes back all that a turn did to a buffer, and nothing of the user's."""

from pathlib import Path

import pytest

from neovim_support.daemon import prompt, use_daemon
from neovim_support.editor import Editor
from neovim_support.edits import edit_of, replacing
from neovim_support.review import open_file
from neovim_support.scripted_server import ScriptedServer

FIRST = "one\ntwo\nthree\n"


@pytest.fixture
def path(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    return open_file(editor, connected, project / "a.txt", FIRST)


def apply(editor: Editor, server: ScriptedServer, path: Path, old: str, new: str, turn: str | None = "t1") -> str:
    """Have a word replaced; the text afterwards."""
    text = server.wait_for_document(path.as_uri(), editor.text())
    line = next(number for number, line in enumerate(text.splitlines()) if old in line)
    column = text.splitlines()[line].index(old)
    edits = [replacing(line, column, column + len(old), new)]
    result = server.request(
        "workspace/applyEdit", edit_of(server, {path: (text, edits)}, edit_id=f"{path.name} {old} {new}", turn=turn)
    )
    assert result["applied"] is True, result
    return editor.text()


def test_one_undo_takes_back_three_edits_and_one_redo_gives_them_back(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    for old, new in (("one", "1"), ("three", "3"), ("two", "2")):
        apply(editor, connected, path, old, new)
    assert editor.text() == path.read_text() == "1\n2\n3\n"

    editor.keys("u")
    editor.wait("vim.fn.getline(1) == 'one'")
    assert editor.text() == FIRST
    editor.keys("<C-r>")
    editor.wait("vim.fn.getline(1) == '1'")
    assert editor.text() == "1\n2\n3\n"


def test_two_turns_are_two_steps(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    apply(editor, connected, path, "one", "1", "t1")
    between = apply(editor, connected, path, "two", "2", "t1")
    apply(editor, connected, path, "three", "3", "t2")
    editor.command("undo")
    assert editor.text() == between
    editor.command("undo")
    assert editor.text() == FIRST


def test_what_the_user_types_in_between_parts_the_turn(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    before = apply(editor, connected, path, "one", "1")
    editor.keys("Gomine<Esc>")
    editor.wait("vim.fn.getline('$') == 'mine'")
    typed = editor.text()
    apply(editor, connected, path, "two", "2")
    apply(editor, connected, path, "three", "3")

    for text in (typed, before, FIRST):
        editor.command("undo")
        assert editor.text() == text
    editor.command("redo")
    assert editor.text() == before


def test_a_write_in_between_does_not_part_it(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    apply(editor, connected, path, "one", "1")
    editor.command("write")
    apply(editor, connected, path, "two", "2")
    editor.command("undo")
    assert editor.text() == FIRST


def test_an_undo_of_the_user_in_between_parts_it(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    apply(editor, connected, path, "one", "1")
    editor.command("undo")
    apply(editor, connected, path, "two", "2")
    editor.command("undo")
    assert editor.text() == FIRST
    assert "E790" not in editor.messages()


def test_what_a_formatter_does_on_save_goes_with_the_edit(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.command("autocmd BufWritePre *.txt %substitute/ *$//e")
    apply(editor, connected, path, "one", "1   ")
    apply(editor, connected, path, "two", "2   ")
    assert editor.text() == "1\n2\nthree\n"
    editor.command("undo")
    assert editor.text() == FIRST


def test_the_users_next_step_stays_their_own(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    after = apply(editor, connected, path, "one", "1")
    editor.keys("Gomine<Esc>")
    editor.wait("vim.fn.getline('$') == 'mine'")
    editor.command("undo")
    assert editor.text() == after


def test_an_edit_of_no_turn_stands_alone(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    between = apply(editor, connected, path, "one", "1", None)
    apply(editor, connected, path, "two", "2", None)
    editor.command("undo")
    assert editor.text() == between


def test_each_buffer_has_its_own_step(editor: Editor, connected: ScriptedServer, path: Path, project: Path) -> None:
    apply(editor, connected, path, "one", "1")
    other = open_file(editor, connected, project / "b.txt", FIRST)
    apply(editor, connected, other, "one", "1")
    editor.open(path)
    apply(editor, connected, path, "two", "2")
    editor.command("undo")
    assert editor.text() == FIRST
    editor.open(other)
    assert editor.text() == "1\ntwo\nthree\n"


def test_with_the_true_daemon_one_undo_takes_back_a_turn_of_two_edits(
    editor: Editor, project: Path, tmp_path: Path
) -> None:
    file = project / "a.txt"
    file.write_text(FIRST)
    calls = [
        {"call": "edit", "arguments": {"filePath": str(file), "oldString": old, "newString": new}}
        for old, new in (("one", "1"), ("three", "3"))
    ]
    turns = [
        [{"call": "read", "arguments": {"filePath": str(file)}}],
        *([call] for call in calls),
        [{"text": "Done."}],
    ]
    use_daemon(editor, tmp_path, *turns, permission={"edit": "allow"})
    editor.open(file)
    prompt(editor, "number them")
    assert file.read_text() == "1\ntwo\n3\n"
    assert editor.text() == "1\ntwo\n3\n"

    editor.keys("u")
    editor.wait("vim.fn.getline(1) == 'one'")
    assert editor.text() == FIRST
