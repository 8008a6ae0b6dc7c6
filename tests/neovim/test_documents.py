"""What the daemon may ask of the editor beside edits: texts, saving, reloading, diagnostics, diffs."""

from pathlib import Path
from typing import Any

import pytest

from neovim_support.editor import Editor
from neovim_support.scripted_server import ScriptedServer

Json = dict[str, Any]


@pytest.fixture
def path(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    path = project / "a.txt"
    path.write_text("one\ntwo\n")
    editor.open(path)
    connected.wait_for_document(path.as_uri())
    return path


def test_open_documents_are_read_with_their_unsaved_text(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    (project / "closed.txt").write_text("closed\n")
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'unsaved' })")

    uris = [path.as_uri(), (project / "closed.txt").as_uri()]
    [open_document, closed] = connected.request("editor/readDocuments", {"uris": uris})["items"]

    assert open_document == {
        "uri": path.as_uri(),
        "open": True,
        "dirty": True,
        "version": connected.versions[path.as_uri()],
        "text": "unsaved\ntwo\n",
        "eol": "\n",
        "encoding": "utf-8",
        "bom": False,
        "languageId": "text",
    }
    assert closed == {"uri": uris[1], "open": False, "dirty": False}


def test_documents_are_saved_on_request(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'unsaved' })")
    result = connected.request("editor/save", {"uris": [path.as_uri()]})
    assert result == {"files": [{"uri": path.as_uri(), "saved": True}]}
    assert path.read_text() == "unsaved\ntwo\n"


def test_a_clean_buffer_is_reloaded_and_unsaved_text_is_kept(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    editor.command("set noautoread")
    other = project / "b.txt"
    other.write_text("b\n")
    editor.open(other)
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'mine' })")
    path.write_text("changed by a command\n")
    other.write_text("changed by a command\n")

    result = connected.request("editor/reload", {})

    assert {file["uri"]: file["status"] for file in result["files"]} == {
        path.as_uri(): "reloaded",
        other.as_uri(): "conflict",
    }
    assert editor.text() == "mine\n"
    connected.wait_for_document(path.as_uri(), "changed by a command\n")


def test_the_state_names_what_is_active_visible_and_open(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.command("normal! 2G")
    state = connected.request("editor/state", {})
    assert state["active"] == {
        "uri": path.as_uri(),
        "languageId": "text",
        "dirty": False,
        "line": 1,
        "column": 0,
    }
    assert [document["uri"] for document in state["visible"]] == [path.as_uri()]
    assert state["open"] == [{"uri": path.as_uri(), "dirty": False}]
    assert state["folders"] == [path.parent.as_uri()]


def state_after(editor: Editor, server: ScriptedServer, keys: str, mode: str) -> list[tuple[int, int, int, int]]:
    """Lines and characters of what is selected then."""
    editor.keys("<Esc>")
    editor.wait("vim.api.nvim_get_mode().mode == 'n'")
    editor.keys(keys)
    editor.wait("vim.api.nvim_get_mode().mode == ...", mode)
    ranges = server.request("editor/state", {"include": ["selections"]})["selections"]
    places = [(span["start"], span["end"]) for span in ranges]
    return [(start["line"], start["character"], end["line"], end["character"]) for start, end in places]


def test_the_state_has_what_is_selected(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'a😀bc', 'two', 'three' })")
    assert state_after(editor, connected, "gg0", "n") == []
    assert state_after(editor, connected, "lvl", "v") == [(0, 1, 0, 6)]
    [in_utf_16] = editor.lua("return require('placet.editor.selections').ranges('utf-16')")
    assert in_utf_16["end"] == {"line": 0, "character": 4}
    assert state_after(editor, connected, "3G0lvH", "v") == [(0, 1, 2, 2)]
    assert state_after(editor, connected, "2GVj", "V") == [(1, 0, 2, 5)]
    assert state_after(editor, connected, "2G0<C-v>jl", "\x16") == [(1, 0, 1, 2), (2, 0, 2, 2)]
    editor.keys("<Esc>")


SET_DIAGNOSTIC = """
  local message, severity = ...
  vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), 0, {
    {
      lnum = 0, col = 0, end_lnum = 0, end_col = 3,
      message = message, severity = severity, source = 'lint', code = 'E1',
    },
  })
"""


def test_diagnostics_of_any_source_are_reported_as_lsp_has_them(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.lua(SET_DIAGNOSTIC, "bad", 2)
    result = connected.request("editor/diagnostics", {"uris": None, "quietMs": 0})
    [item] = result["items"]
    assert item["uri"] == path.as_uri()
    assert item["diagnostics"] == [
        {
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}},
            "severity": 2,
            "message": "bad",
            "source": "lint",
            "code": "E1",
        }
    ]
    errors = connected.request("editor/diagnostics", {"uris": [path.as_uri()], "minSeverity": 1, "quietMs": 0})
    assert errors["items"][0]["diagnostics"] == []


def test_diagnostics_are_fresh_once_heard_after_the_version(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.lua(SET_DIAGNOSTIC, "old", 1)
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'new' })")
    connected.wait_for_document(path.as_uri(), "new\ntwo\n")
    uri = path.as_uri()
    params = {"uris": [uri], "after": {uri: connected.versions[uri]}, "quietMs": 20, "timeoutMs": 120_000}

    waiting = connected.ask("editor/diagnostics", params)
    # A round trip: the question has been heard, and is not answered by the old diagnostics.
    connected.request("editor/state", {})
    assert not waiting.done()
    editor.lua(SET_DIAGNOSTIC, "new", 1)

    result = waiting.answer()
    assert result["timedOut"] is False
    assert result["items"][0]["fresh"] is True
    assert result["items"][0]["diagnostics"][0]["message"] == "new"


def test_diagnostics_that_do_not_come_are_not_called_fresh(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.lua(SET_DIAGNOSTIC, "old", 1)
    uri = path.as_uri()
    params = {"uris": [uri], "after": {uri: 1000}, "quietMs": 0, "timeoutMs": 50}
    result = connected.request("editor/diagnostics", params)
    assert result["timedOut"] is True
    assert result["items"][0]["fresh"] is False


def test_a_file_nobody_reports_on_is_not_waited_for(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    uri = path.as_uri()
    params = {"uris": [uri], "after": {uri: 1}, "quietMs": 300, "timeoutMs": 60000}
    result = connected.request("editor/diagnostics", params)
    assert result["items"] == [{"uri": uri, "version": 0, "fresh": False, "diagnostics": [], "providers": []}]


def test_an_unknown_request_is_answered_with_method_not_found(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    assert connected.ask("editor/fold", {}).failure().code == -32601


def test_typing_behind_a_last_line_without_ending_reaches_the_server(
    editor: Editor, connected: ScriptedServer, project: Path, path: Path
) -> None:
    unended = project / "unended.txt"
    unended.write_text("a\nb")
    editor.open(unended)
    connected.wait_for_document(unended.as_uri(), "a\nb")
    editor.keys("Goc<Esc>")
    assert connected.wait_for_document(unended.as_uri(), "a\nb\nc") == "a\nb\nc"
