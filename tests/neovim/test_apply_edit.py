"""`workspace/applyEdit` as a strict client answers it (PROTOCOL.md, EDITS.md 3 to 6)."""

from pathlib import Path
from typing import Any

import pytest

from neovim_support.editor import Editor
from neovim_support.edits import Json, edit_of, replacing
from neovim_support.scripted_server import ScriptedServer, sha256

TEXT = "one\ntwo\nthree\n"


def open_file(editor: Editor, server: ScriptedServer, path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    editor.open(path)
    server.wait_for_document(path.as_uri())
    return path


@pytest.fixture
def path(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    """A file of three lines, open and clean."""
    return open_file(editor, connected, project / "a.txt", "one\ntwo\nthree\n")


def test_an_edit_of_a_clean_buffer_is_applied_and_saved(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    edit = edit_of(connected, {path: ("one\ntwo\nthree\n", [replacing(1, 0, 3, "TWO")])})

    result = connected.request("workspace/applyEdit", edit)

    assert result["applied"] is True
    [file] = result["agent"]["files"]
    # The notification of the change came before the answer.
    assert connected.documents[path.as_uri()] == "one\nTWO\nthree\n"
    assert file == {
        "uri": path.as_uri(),
        "version": connected.versions[path.as_uri()],
        "sha256": sha256("one\nTWO\nthree\n"),
        "dirty": False,
        "changedBySave": False,
    }
    assert editor.text() == "one\nTWO\nthree\n"
    assert path.read_text() == "one\nTWO\nthree\n"


def test_unsaved_text_stays_unsaved(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'mine' })")
    text = connected.wait_for_document(path.as_uri(), "mine\ntwo\nthree\n")

    result = connected.request("workspace/applyEdit", edit_of(connected, {path: (text, [replacing(2, 0, 5, "3")])}))

    assert result["agent"]["files"][0]["dirty"] is True
    assert editor.text() == "mine\ntwo\n3\n"
    assert path.read_text() == "one\ntwo\nthree\n"


def test_a_stale_version_is_refused(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    edit = edit_of(connected, {path: ("one\ntwo\nthree\n", [replacing(1, 0, 3, "TWO")])})
    editor.lua(
        "vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'x' }) vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'one' })"
    )
    editor.command("write")

    result = connected.request("workspace/applyEdit", edit)

    assert result["applied"] is False
    assert "version" in result["failureReason"]
    assert editor.text() == "one\ntwo\nthree\n"


def test_one_file_that_does_not_fit_keeps_all_files_as_they_are(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    other = open_file(editor, connected, project / "b.txt", "b\n")
    edit = edit_of(
        connected,
        {
            path: ("one\ntwo\nthree\n", [replacing(0, 0, 3, "1")]),
            other: ("not what is there\n", [replacing(0, 0, 1, "B")]),
        },
    )

    result = connected.request("workspace/applyEdit", edit)

    assert result["applied"] is False
    assert "b.txt: the text has changed" in result["failureReason"]
    assert path.read_text() == "one\ntwo\nthree\n"
    assert connected.documents[path.as_uri()] == "one\ntwo\nthree\n"
    assert connected.documents[other.as_uri()] == "b\n"


def test_the_same_edit_is_applied_once(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    edit = edit_of(connected, {path: ("one\ntwo\nthree\n", [replacing(0, 0, 0, "more ")])})

    first = connected.request("workspace/applyEdit", edit)
    second = connected.request("workspace/applyEdit", edit)

    assert first == second
    assert editor.text() == "more one\ntwo\nthree\n"


def test_each_edit_is_one_undo_step_apart_from_the_users_own(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.keys("omine<Esc>")
    before = connected.wait_for_document(path.as_uri(), "one\nmine\ntwo\nthree\n")
    edits = [replacing(0, 0, 3, "1"), replacing(3, 0, 5, "3")]
    connected.request("workspace/applyEdit", edit_of(connected, {path: (before, edits)}, edit_id="first"))
    between = "1\nmine\ntwo\n3\n"
    connected.request(
        "workspace/applyEdit", edit_of(connected, {path: (between, [replacing(2, 0, 3, "2")])}, edit_id="second")
    )
    assert editor.text() == "1\nmine\n2\n3\n"

    for text in (between, before, "one\ntwo\nthree\n"):
        editor.command("undo")
        assert editor.text() == text


def test_an_edit_while_the_user_types_leaves_the_cursor_and_insert_mode(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.keys("jA and")
    text = connected.wait_for_document(path.as_uri(), "one\ntwo and\nthree\n")
    edits = [replacing(0, 0, 0, "zero\n"), replacing(2, 0, 5, "3")]

    result = connected.request("workspace/applyEdit", edit_of(connected, {path: (text, edits)}))
    editor.keys(" more<Esc>")
    connected.wait_for_document(path.as_uri(), "zero\none\ntwo and more\n3\n")

    assert result["applied"] is True
    for text in ("zero\none\ntwo and\n3\n", "one\ntwo and\nthree\n", "one\ntwo\nthree\n"):
        editor.command("undo")
        assert editor.text() == text


def test_cursor_marks_and_folds_stay_with_their_lines(editor: Editor, connected: ScriptedServer, project: Path) -> None:
    lines = "".join(f"line {number}\n" for number in range(1, 21))
    path = open_file(editor, connected, project / "long.txt", lines)
    editor.command("10mark m | 12,14fold | normal! 16G3l")
    edits = [replacing(0, 0, 0, "new\nnew\n"), replacing(9, 0, 7, "ten"), replacing(18, 0, 0, "late\n")]

    connected.request("workspace/applyEdit", edit_of(connected, {path: (lines, edits)}))

    assert editor.lua("return vim.api.nvim_win_get_cursor(0)") == [18, 3]
    assert editor.lua("return vim.api.nvim_buf_get_mark(0, 'm')[1]") == 12
    assert editor.lua("return { vim.fn.foldclosed(14), vim.fn.foldclosedend(14) }") == [14, 16]


def test_a_file_that_is_not_open_is_edited_saved_and_left_as_it_was_found(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    hidden = project / "hidden.txt"
    hidden.write_text("a\nb\n")

    result = connected.request(
        "workspace/applyEdit", edit_of(connected, {hidden: ("a\nb\n", [replacing(1, 0, 1, "B")])})
    )

    assert result["applied"] is True
    assert result["agent"]["files"][0]["sha256"] == sha256("a\nB\n")
    assert hidden.read_text() == "a\nB\n"
    assert editor.lua("return #vim.api.nvim_list_bufs()") == 1
    assert "E" not in editor.messages()


def test_what_format_on_save_changed_is_reported(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.command("autocmd BufWritePre *.txt %substitute/ *$//e")

    result = connected.request(
        "workspace/applyEdit", edit_of(connected, {path: ("one\ntwo\nthree\n", [replacing(1, 0, 3, "2   ")])})
    )

    [file] = result["agent"]["files"]
    assert file["changedBySave"] is True
    assert file["text"] == "one\n2\nthree\n"
    assert file["sha256"] == sha256("one\n2\nthree\n")
    assert connected.documents[path.as_uri()] == path.read_text() == "one\n2\nthree\n"


def test_a_read_only_file_is_refused_before_anything_is_changed(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.command("set readonly")

    result = connected.request(
        "workspace/applyEdit", edit_of(connected, {path: ("one\ntwo\nthree\n", [replacing(1, 0, 3, "2")])})
    )

    assert result["applied"] is False
    assert "read-only" in result["failureReason"]
    assert editor.text() == "one\ntwo\nthree\n"


def test_a_save_that_fails_takes_the_whole_edit_back(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    other = open_file(editor, connected, project / "b.txt", "b\n")
    editor.command("autocmd BufWriteCmd *b.txt echoerr 'the disk is full'")
    edit = edit_of(
        connected,
        {path: ("one\ntwo\nthree\n", [replacing(0, 0, 3, "1")]), other: ("b\n", [replacing(0, 0, 1, "B")])},
    )

    result = connected.request("workspace/applyEdit", edit)

    assert result["applied"] is False
    assert "not saved" in result["failureReason"]
    assert path.read_text() == connected.documents[path.as_uri()] == "one\ntwo\nthree\n"
    assert editor.text() == connected.documents[other.as_uri()] == "b\n"


def test_an_error_of_the_users_own_save_hook_does_not_stop_the_save(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.command("autocmd BufWritePre *.txt call NoSuchFunction()")

    result = connected.request(
        "workspace/applyEdit", edit_of(connected, {path: ("one\ntwo\nthree\n", [replacing(1, 0, 3, "2")])})
    )

    assert result["applied"] is True
    assert path.read_text() == "one\n2\nthree\n"


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        ("a\nb", [replacing(1, 1, 1, "\n")], "a\nb\n"),
        ("a\nb\n", [replacing(1, 1, 0, "", 2)], "a\nb"),
        ("a\nb\n", [replacing(2, 0, 0, "c\n")], "a\nb\nc\n"),
        ("a\nb", [replacing(1, 1, 1, "\nc")], "a\nb\nc"),
        ("a\nb", [replacing(0, 0, 1, "A")], "A\nb"),
        ("a\r\nb\r\n", [replacing(0, 1, 0, "\r\nx\r\n", 1)], "a\r\nx\r\nb\r\n"),
        ("a\r\nb\nc\n", [replacing(1, 0, 1, "B")], "a\r\nB\nc\n"),
        ("a\rb\nc\n", [replacing(1, 0, 1, "B")], "a\rB\nc\n"),
        ("a\u2028b\x0cc\nd\n", [replacing(1, 0, 1, "D")], "a\u2028b\x0cc\nD\n"),
        ("\U0001f600é one\n", [replacing(0, 7, 10, "two")], "\U0001f600é two\n"),
        ("a\n\n\nb\n", [replacing(1, 0, 0, "", 3)], "a\nb\n"),
        ("a\n", [replacing(0, 0, 0, "", 1)], ""),
    ],
)
def test_texts_come_out_exactly(
    editor: Editor,
    connected: ScriptedServer,
    project: Path,
    before: str,
    edits: list[Json],
    after: str,
) -> None:
    path = open_file(editor, connected, project / "exact.txt", before)
    assert connected.documents[path.as_uri()] == before

    result = connected.request("workspace/applyEdit", edit_of(connected, {path: (before, edits)}))

    assert result["applied"] is True, result
    assert path.read_bytes().decode() == after
    assert connected.wait_for_document(path.as_uri(), after) == after
    assert result["agent"]["files"][0]["sha256"] == sha256(after)


def test_an_empty_file_that_is_not_open_can_be_filled(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    empty = project / "empty.txt"
    empty.touch()

    result = connected.request("workspace/applyEdit", edit_of(connected, {empty: ("", [replacing(0, 0, 0, "new\n")])}))

    assert result["applied"] is True
    assert empty.read_text() == "new\n"


def test_files_are_created_renamed_and_deleted(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    other = open_file(editor, connected, project / "b.txt", "b\n")
    created, renamed = project / "new" / "c.txt", project / "moved" / "b2.txt"
    edit = {
        "documentChanges": [
            {"kind": "create", "uri": created.as_uri()},
            {"textDocument": {"uri": created.as_uri(), "version": None}, "edits": [replacing(0, 0, 0, "c\n")]},
            {"kind": "rename", "oldUri": other.as_uri(), "newUri": renamed.as_uri()},
            {"textDocument": {"uri": renamed.as_uri(), "version": None}, "edits": [replacing(0, 0, 1, "B")]},
            {"kind": "delete", "uri": path.as_uri()},
        ]
    }
    expect = [
        {"uri": other.as_uri(), "version": connected.versions[other.as_uri()], "sha256": sha256("b\n")},
        {"uri": path.as_uri(), "version": connected.versions[path.as_uri()], "sha256": sha256("one\ntwo\nthree\n")},
    ]

    result = connected.request(
        "workspace/applyEdit", {"edit": edit, "agent": {"editId": "e", "expect": expect, "save": "ifWasClean"}}
    )

    assert result["applied"] is True, result
    assert created.read_text() == "c\n"
    assert renamed.read_text() == "B\n"
    assert not other.exists()
    assert not path.exists()
    assert connected.wait_for_document(renamed.as_uri()) == "B\n"
    assert other.as_uri() not in connected.documents
    assert path.as_uri() not in connected.documents
    assert editor.lua("return vim.api.nvim_buf_get_name(0)") == str(renamed)


def test_a_create_over_an_existing_file_is_refused_and_undoes_the_rest(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    there = project / "there.txt"
    there.write_text("precious\n")
    edit = {"documentChanges": [{"kind": "create", "uri": there.as_uri(), "options": {"overwrite": True}}]}

    result = connected.request("workspace/applyEdit", {"edit": edit, "agent": {"editId": "e", "expect": []}})

    assert result["applied"] is False
    assert "there is a file already" in result["failureReason"]
    assert there.read_text() == "precious\n"


def test_a_clean_buffer_whose_file_changed_on_disk_is_refused(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.command("set noautoread")
    edit = edit_of(connected, {path: ("one\ntwo\nthree\n", [replacing(1, 0, 3, "2")])})
    path.write_text("changed by another program\n")

    result = connected.request("workspace/applyEdit", edit)

    assert result["applied"] is False
    assert path.read_text() == "changed by another program\n"


class TestInUtf16:
    @pytest.fixture
    def server(self) -> Any:
        server = ScriptedServer("utf-16")
        yield server
        server.close()

    def test_positions_are_read_in_the_connections_encoding(
        self, editor: Editor, connected: ScriptedServer, project: Path
    ) -> None:
        path = open_file(editor, connected, project / "u.txt", "\U0001f600é one\n")
        edit = edit_of(connected, {path: ("\U0001f600é one\n", [replacing(0, 4, 7, "two")])})

        connected.request("workspace/applyEdit", edit)

        assert editor.text() == "\U0001f600é two\n"
        assert connected.documents[path.as_uri()] == "\U0001f600é two\n"


@pytest.mark.parametrize(
    ("content", "options", "after"),
    [
        (b"\xef\xbb\xbfone\r\ntwo\r\n", "bomb dos", b"\xef\xbb\xbfone\r\nTWO\r\n"),
        (b"one\ntwo", "nobomb unix noeol", b"one\nTWO"),
        ("é\ntwo\n".encode("latin-1"), "latin1", "é\nTWO\n".encode("latin-1")),
    ],
)
def test_line_ends_byte_order_mark_and_encoding_stay(
    editor: Editor, connected: ScriptedServer, project: Path, content: bytes, options: str, after: bytes
) -> None:
    file = project / "kept.txt"
    file.write_bytes(content)
    editor.command("set nofixeol fileencodings=ucs-bom,utf-8,latin1")
    editor.open(file)
    text = connected.wait_for_document(file.as_uri())

    result = connected.request("workspace/applyEdit", edit_of(connected, {file: (text, [replacing(1, 0, 3, "TWO")])}))

    assert result["applied"] is True, options
    assert file.read_bytes() == after


def test_a_buffer_that_is_not_listed_stays_so(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.command("set nobuflisted")
    connected.request("workspace/applyEdit", edit_of(connected, {path: (TEXT, [replacing(1, 0, 3, "2")])}))
    assert editor.lua("return vim.bo.buflisted") is False
    assert path.read_text() == "one\n2\nthree\n"


def test_a_buffer_that_is_not_modifiable_is_refused(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.command("set nomodifiable")
    result = connected.request("workspace/applyEdit", edit_of(connected, {path: (TEXT, [replacing(1, 0, 3, "2")])}))
    assert result["applied"] is False
    assert "not modifiable" in result["failureReason"]
    assert path.read_text() == TEXT


def test_a_file_with_a_swap_file_is_edited_without_a_prompt(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    editor.command("set updatecount=200")
    hidden = project / "hidden.txt"
    hidden.write_text("a\n")
    swap = hidden.with_name(".hidden.txt.swp")
    swap.write_bytes(b"b0VIM 8.2" + bytes(4087))

    edit = edit_of(connected, {hidden: ("a\n", [replacing(0, 0, 1, "b")])})

    assert connected.request("workspace/applyEdit", edit)["applied"] is True
    assert hidden.read_text() == "b\n"
    assert swap.exists()
    assert editor.lua("return #vim.api.nvim_list_bufs()") == 1


def test_a_buffer_in_a_diff_is_edited(editor: Editor, connected: ScriptedServer, path: Path, project: Path) -> None:
    other = project / "other.txt"
    other.write_text("one\n2\nthree\n")
    editor.command(f"vertical diffsplit {other} | wincmd p")
    connected.request("workspace/applyEdit", edit_of(connected, {path: (TEXT, [replacing(1, 0, 3, "2")])}))
    assert editor.lua("return { vim.wo.diff, vim.fn.diff_hlID(2, 1) }") == [True, 0]
    assert path.read_text() == other.read_text()


def test_an_edit_comes_through_while_a_terminal_is_typed_into(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.command("split | terminal cat")
    editor.keys("i")
    editor.wait("vim.api.nvim_get_mode().mode == 't'")
    result = connected.request("workspace/applyEdit", edit_of(connected, {path: (TEXT, [replacing(1, 0, 3, "2")])}))
    assert result["applied"] is True
    assert path.read_text() == "one\n2\nthree\n"
    assert editor.lua("return { vim.api.nvim_get_mode().mode, vim.bo.buftype }") == ["t", "terminal"]


def test_an_edit_comes_through_while_the_command_line_window_is_open(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    hidden = project / "hidden.txt"
    hidden.write_text("a\n")
    editor.keys("q:")
    editor.wait("vim.fn.getcmdwintype() == ':'")
    edits = {path: (TEXT, [replacing(1, 0, 3, "2")]), hidden: ("a\n", [replacing(0, 0, 1, "b")])}
    result = connected.request("workspace/applyEdit", edit_of(connected, edits))
    assert result["applied"] is True, result
    assert (path.read_text(), hidden.read_text()) == ("one\n2\nthree\n", "b\n")
    assert editor.lua("return vim.fn.getcmdwintype()") == ":"
    editor.keys(":quit<CR>")  # Ctrl-C would also interrupt what Neovim does for the test.
    editor.wait("#vim.api.nvim_list_bufs() == 1")


def test_a_plugin_that_saves_by_itself_does_no_harm(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.command("autocmd TextChanged,TextChangedI,InsertLeave * silent! write")
    text = TEXT
    for number, line in enumerate(("1", "2", "3")):
        old = text.splitlines()[number]
        edit = edit_of(connected, {path: (text, [replacing(number, 0, len(old), line)])}, edit_id=line, turn="t")
        result = connected.request("workspace/applyEdit", edit)
        assert result["applied"] is True, result
        text = text.replace(old, line)
        editor.keys("j")
    # Once Neovim answers, its plugin has written.
    assert editor.text() == text == "1\n2\n3\n"
    assert path.read_text() == text
    editor.command("undo")
    assert editor.text() == TEXT


def test_files_that_a_command_changed_are_read_again_and_unsaved_text_never_given_up(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    dirty = open_file(editor, connected, project / "dirty.txt", "theirs\n")
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'mine' })")
    path.write_text("by a command\n")
    dirty.write_text("by a command\n")

    result = connected.request("editor/reload", {"uris": [path.as_uri(), dirty.as_uri()]})

    assert [file["status"] for file in result["files"]] == ["reloaded", "conflict"]
    assert editor.text() == "mine\n"
    assert connected.wait_for_document(path.as_uri(), "by a command\n")
