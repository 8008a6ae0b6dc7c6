"""A result counts as fresh when every server that judges the file has spoken of this very text, and not before."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from neovim_support.editor import Editor
from neovim_support.language_servers import LONG_MS, Inquirer, enable_scripted, enable_slow
from neovim_support.scripted_server import Json, ScriptedServer

SET_DIAGNOSTIC = """
  local name, messages = ...
  local diagnostics = vim.tbl_map(function(message) return { lnum = 0, col = 0, message = message } end, messages)
  vim.diagnostic.set(vim.api.nvim_create_namespace(name), 0, diagnostics)
"""


@pytest.fixture
def path(project: Path) -> Path:
    path = project / "a.slow"
    path.write_text("fine\nbad\n", "utf-8")
    return path


@pytest.fixture
def ask(connected: ScriptedServer) -> Inquirer:
    return Inquirer(connected, quiet_ms=20)


@pytest.fixture
def inner(editor: Editor) -> Iterator[ScriptedServer]:
    """A second server that the test plays, for `.slow` files."""
    editor.lua("vim.filetype.add({ extension = { slow = 'slow' } })")
    inner = ScriptedServer()
    enable_scripted(editor, inner, "slow")
    yield inner
    inner.close()


def open_for_both(editor: Editor, ask: Inquirer, inner: ScriptedServer, path: Path) -> None:
    editor.open(path)
    ask.server.wait_for_document(path.as_uri())
    inner.wait_for_document(path.as_uri())


def opened(editor: Editor, ask: Inquirer, path: Path, manner: str) -> None:
    """The file, with the server of that manner attached to it."""
    enable_slow(editor, manner)
    editor.open(path)
    editor.wait("#vim.lsp.get_clients({ bufnr = 0 }) == 2")
    ask.server.wait_for_document(path.as_uri())


def type_bad(editor: Editor, ask: Inquirer, path: Path) -> None:
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'bad' })")
    ask.server.wait_for_document(path.as_uri(), "bad\nbad\n")


def lines(item: Json) -> list[int]:
    return [diagnostic["range"]["start"]["line"] for diagnostic in item["diagnostics"]]


def quiet_for_versionless(editor: Editor) -> None:
    """Wait a moment only behind words without a version."""
    editor.lua("require('placet.editor.diagnostics_freshness').unversioned_quiet_ms = 50")


@pytest.mark.parametrize(("manner", "quiet_ms"), [("", 20), ("versionless", 20), ("twice", 300)])
def test_what_was_said_of_this_text_is_fresh(
    editor: Editor, ask: Inquirer, path: Path, manner: str, quiet_ms: int
) -> None:
    quiet_for_versionless(editor)
    opened(editor, ask, path, manner)
    item = ask.diagnostics(path, quietMs=quiet_ms)
    assert (item["fresh"], item["providers"], lines(item)) == (True, ["slow"], [1])
    type_bad(editor, ask, path)
    after = {path.as_uri(): ask.server.versions[path.as_uri()]}
    item = ask.diagnostics(path, after=after, quietMs=quiet_ms)
    assert (item["fresh"], lines(item)) == (True, [0, 1])


@pytest.mark.parametrize(("manner", "first", "second"), [("never", 0, 0), ("older", 1, 2), ("late", 0, 1)])
def test_what_was_not_said_of_this_text_is_not_fresh(
    editor: Editor, ask: Inquirer, path: Path, manner: str, first: int, second: int
) -> None:
    """`first` and `second`: how many diagnostics the server has said by then."""
    opened(editor, ask, path, manner)
    editor.wait("#vim.diagnostic.get(0) == ...", first)
    item = ask.diagnostics_in_vain(editor, path)
    assert (item["fresh"], item["providers"]) == (False, ["slow"])
    type_bad(editor, ask, path)
    editor.wait("#vim.diagnostic.get(0) == ...", second)
    after = {path.as_uri(): ask.server.versions[path.as_uri()]}
    item = ask.diagnostics_in_vain(editor, path, after=after)
    assert (item["fresh"], item["providers"]) == (False, ["slow"])


def test_two_quick_changes_are_not_both_answered_by_one_word(
    editor: Editor, ask: Inquirer, inner: ScriptedServer, path: Path
) -> None:
    word = {"uri": path.as_uri(), "diagnostics": []}
    quiet_for_versionless(editor)
    open_for_both(editor, ask, inner, path)
    type_bad(editor, ask, path)
    inner.wait_for_document(path.as_uri(), "bad\nbad\n")
    inner.notify("textDocument/publishDiagnostics", word)
    inner.request("workspace/configuration", {"items": []})  # Neovim takes one after the other.

    item = ask.diagnostics_in_vain(editor, path)

    assert item["fresh"] is False, "it was told of two texts and has spoken once, nobody knows of which"
    inner.notify("textDocument/publishDiagnostics", word)
    assert ask.diagnostics(path)["fresh"] is True


def test_the_quick_server_does_not_speak_for_the_late_one(editor: Editor, ask: Inquirer, path: Path) -> None:
    enable_slow(editor, "", name="quick")
    enable_slow(editor, "late", name="late")
    editor.open(path)
    editor.wait("#vim.lsp.get_clients({ bufnr = 0 }) == 3")
    editor.wait("#vim.diagnostic.get(0) == 1")
    item = ask.diagnostics_in_vain(editor, path)
    assert (item["fresh"], sorted(item["providers"])) == (False, ["late", "quick"])
    assert lines(item) == [1], "what the quick one said is told all the same"


def test_a_server_that_may_be_ignored_is_not_waited_for(editor: Editor, ask: Inquirer, path: Path) -> None:
    editor.lua("vim.g.placet = vim.tbl_extend('force', vim.g.placet, { ignore_diagnostics = { 'late' } })")
    enable_slow(editor, "", name="quick")
    enable_slow(editor, "late", name="late")
    editor.open(path)
    editor.wait("#vim.lsp.get_clients({ bufnr = 0 }) == 3")
    item = ask.diagnostics(path)
    assert (item["fresh"], item["providers"]) == (True, ["quick"])


def test_a_server_that_is_silent_for_long_is_none_that_judges(editor: Editor, ask: Inquirer, path: Path) -> None:
    opened(editor, ask, path, "never")
    editor.lua("require('placet.editor.diagnostics_freshness').silent_ms = 0")
    item = ask.diagnostics(path)
    assert (item["fresh"], item["providers"]) == (False, [])


def test_a_linter_counts_as_of_the_text_it_last_reported_on(editor: Editor, ask: Inquirer, path: Path) -> None:
    opened(editor, ask, path, "")
    editor.lua(SET_DIAGNOSTIC, "shellcheck", ["one"])
    item = ask.diagnostics(path)
    assert (item["fresh"], item["providers"]) == (True, ["slow", "shellcheck"])
    type_bad(editor, ask, path)
    editor.wait("#vim.diagnostic.get(0) == 3")
    assert ask.diagnostics_in_vain(editor, path)["fresh"] is False
    editor.lua(SET_DIAGNOSTIC, "shellcheck", [])
    assert ask.diagnostics(path)["fresh"] is True


def test_a_servers_empty_report_is_not_the_linters(editor: Editor, ask: Inquirer, path: Path) -> None:
    opened(editor, ask, path, "")
    editor.lua(SET_DIAGNOSTIC, "shellcheck", ["one"])
    editor.lua(SET_DIAGNOSTIC, "shellcheck", [])
    assert ask.diagnostics(path)["fresh"] is True
    editor.lua("vim.api.nvim_buf_set_lines(0, 1, 2, true, { 'fine' })")
    editor.wait("#vim.diagnostic.get(0) == 0")
    item = ask.diagnostics_in_vain(editor, path)
    assert (item["fresh"], item["diagnostics"]) == (False, [])


def test_what_a_server_says_is_told_as_it_said_it(
    editor: Editor, ask: Inquirer, inner: ScriptedServer, path: Path
) -> None:
    inner.capabilities = {"diagnosticProvider": {"interFileDependencies": False, "workspaceDiagnostics": False}}
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 4}}
    said = {
        "range": place,
        "severity": 2,
        "message": "unused",
        "source": "inner",
        "code": 7,
        "data": {"range": place, "fix": "none"},
        "relatedInformation": [{"location": {"uri": path.as_uri(), "range": place}, "message": "see"}],
    }
    inner.answers["textDocument/diagnostic"] = lambda _: {"kind": "full", "items": [said]}
    open_for_both(editor, ask, inner, path)

    pulled = ask.diagnostics(path)

    assert (pulled["fresh"], pulled["diagnostics"]) == (True, [said]), "asked, and told once"
    inner.notify("textDocument/publishDiagnostics", {"uri": path.as_uri(), "diagnostics": [said]})
    editor.wait("#vim.diagnostic.get(0) > 1")
    [everywhere] = ask.server.request("editor/diagnostics", {"uris": None})["items"]
    assert everywhere["uri"] == path.as_uri()
    assert said in everywhere["diagnostics"]


def test_a_question_that_neovim_cancels_for_its_own_is_put_to_the_server_again(
    editor: Editor, ask: Inquirer, inner: ScriptedServer, path: Path
) -> None:
    inner.capabilities = {"diagnosticProvider": {"interFileDependencies": False, "workspaceDiagnostics": False}}
    open_for_both(editor, ask, inner, path)
    editor.wait("next(vim.lsp.get_clients({ name = 'inner' })[1].requests)")
    params = {"uris": [path.as_uri()], "quietMs": 0, "timeoutMs": LONG_MS}
    inquiry = ask.server.ask("editor/diagnostics", params)
    editor.wait("vim.tbl_count(vim.lsp.get_clients({ name = 'inner' })[1].requests) == 2")
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'fine, too' })")
    for _ in range(2):
        inner.wait_for("$/cancelRequest")

    inner.answers["textDocument/diagnostic"] = lambda _: {"kind": "full", "items": []}

    [item] = inquiry.answer()["items"]
    assert (item["fresh"], item["providers"]) == (True, ["inner"])


def test_a_closed_file_is_loaded_for_the_question_and_let_go_again(
    editor: Editor, ask: Inquirer, path: Path, project: Path
) -> None:
    other = project / "b.slow"
    other.write_text("bad\n", "utf-8")
    opened(editor, ask, path, "")
    item = ask.diagnostics(other)
    assert (item["fresh"], item["providers"], lines(item)) == (True, ["slow"], [0])
    assert editor.lua("return vim.fn.bufloaded(...)", str(other)) == 1
    assert [item["uri"] for item in ask.server.request("editor/diagnostics", {"uris": None})["items"]] == [
        path.as_uri()
    ]

    editor.lua("require('placet.editor.hidden_buffers').keep_ms = 1")
    ask.diagnostics(other)
    editor.wait("vim.fn.bufexists(...) == 0", str(other))


def test_a_file_that_is_opened_meanwhile_stays(editor: Editor, ask: Inquirer, path: Path, project: Path) -> None:
    other = project / "b.slow"
    other.write_text("bad\n", "utf-8")
    opened(editor, ask, path, "")
    ask.diagnostics(other)
    editor.open(other)
    editor.open(path)
    editor.lua("require('placet.editor.hidden_buffers').keep_ms = 1")
    ask.diagnostics(other)
    editor.wait("require('placet.editor.hidden_buffers').root_of(vim.fn.bufnr(...)) == nil", str(other))
    assert editor.lua("return vim.fn.bufloaded(...)", str(other)) == 1


def test_a_file_that_is_not_there_is_judged_by_nobody(editor: Editor, ask: Inquirer, path: Path, project: Path) -> None:
    opened(editor, ask, path, "")
    item = ask.diagnostics(project / "missing.slow")
    assert (item["fresh"], item["providers"], item["diagnostics"]) == (False, [], [])
    assert editor.lua("return vim.fn.bufexists(...)", str(project / "missing.slow")) == 0


def test_a_plugin_that_comes_late_calls_nothing_fresh_that_it_did_not_hear(
    editor: Editor, ask: Inquirer, path: Path, project: Path
) -> None:
    editor.lua("""
      package.loaded['placet.editor.lsp_events'], package.loaded['placet.editor.diagnostics_freshness'] = nil, nil
      vim.api.nvim_clear_autocmds({ event = 'LspAttach' })
      vim.lsp.enable('placet', false)
    """)
    enable_slow(editor, "")
    editor.open(path)
    editor.wait("#vim.diagnostic.get(0) == 1")
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'bad' })")
    editor.wait("#vim.diagnostic.get(0) == 2")

    editor.lua("vim.lsp.enable('placet')")
    editor.command("doautocmd FileType slow")
    ask.server.wait_for_document(path.as_uri())
    assert ask.diagnostics_in_vain(editor, path)["fresh"] is False
    editor.lua("vim.api.nvim_buf_set_lines(0, 1, 2, true, { 'fine' })")
    item = ask.diagnostics(path)
    assert (item["fresh"], lines(item)) == (True, [0])
