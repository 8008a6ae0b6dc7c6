"""Questions passed on to the editor's servers: to whom, in whose positions, and how the answers are put together."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from neovim_support.editor import Editor
from neovim_support.language_servers import Inquirer, enable_scripted, enable_slow
from neovim_support.scripted_server import CANCELLED, AnsweredWithError, Json, ScriptedServer
from time_support import wait_seconds

LINE = "😀 = 'ä'; name\n"
"""`name` begins at byte 13, UTF-16 unit 10, code point 9."""
BYTE, UNIT, POINT = 13, 10, 9
PATIENT_MS = 120_000
ALL = {
    "hoverProvider": True,
    "definitionProvider": True,
    "referencesProvider": True,
    "renameProvider": True,
    "callHierarchyProvider": True,
    "workspaceSymbolProvider": True,
    "codeActionProvider": {"resolveProvider": True},
}
Play = Callable[..., ScriptedServer]


@pytest.fixture
def path(project: Path) -> Path:
    path = project / "a.txt"
    path.write_text(LINE, "utf-8")
    return path


@pytest.fixture
def play(editor: Editor) -> Iterator[Play]:
    """Servers that the test plays, beside ours, for text files."""
    started: list[ScriptedServer] = []

    def start(name: str, encoding: str = "utf-16", **capabilities: Any) -> ScriptedServer:
        server = ScriptedServer(encoding)
        server.capabilities = capabilities
        enable_scripted(editor, server, "text", name)
        started.append(server)
        return server

    yield start
    for server in started:
        server.close()


@pytest.fixture
def ask(connected: ScriptedServer) -> Inquirer:
    return Inquirer(connected)


def at(line: int, character: int) -> Json:
    return {"line": line, "character": character}


def span(character: int, length: int = 4) -> Json:
    return {"start": at(0, character), "end": at(0, character + length)}


def open_for(editor: Editor, path: Path, *servers: ScriptedServer) -> None:
    editor.open(path)
    for server in servers:
        server.wait_for_document(path.as_uri())


@pytest.mark.parametrize(("ours", "character"), [("utf-16", UNIT), ("utf-32", POINT), ("utf-8", BYTE)])
def test_positions_are_turned_over_for_each_server_and_back(
    editor: Editor, play: Play, path: Path, project: Path, ours: str, character: int
) -> None:
    closed = project / "closed.txt"
    closed.write_text("\n" + LINE, "utf-8")
    server, inner = ScriptedServer(ours), play("inner", "utf-8", **ALL)
    editor.lua("vim.g.placet = { cmd = ... } vim.lsp.enable('placet')", server.command)
    heard: list[Json] = []

    def locations(params: Json) -> list[Json]:
        heard.append(params["position"])
        there = {"start": at(1, BYTE), "end": at(1, BYTE + 4)}
        return [
            {"uri": path.as_uri(), "range": span(BYTE)},
            {"targetUri": closed.as_uri(), "targetRange": there, "targetSelectionRange": there,
             "originSelectionRange": span(BYTE)},
        ]  # fmt: skip

    def edit(params: Json) -> Json:
        change = {"range": span(BYTE), "newText": params["newName"]}
        return {
            "changes": {path.as_uri(): [change]},
            "documentChanges": [{"textDocument": {"uri": path.as_uri(), "version": 0}, "edits": [change]}],
        }

    inner.answers["textDocument/definition"] = locations
    inner.answers["textDocument/rename"] = edit
    try:
        open_for(editor, path, server, inner)
        ask = Inquirer(server)
        here, there = ask.ask("textDocument/definition", path, 0, character)
        assert heard == [at(0, BYTE)]
        assert here == {"uri": path.as_uri(), "range": span(character)}
        assert there["targetSelectionRange"] == {"start": at(1, character), "end": at(1, character + 4)}
        assert there["originSelectionRange"] == span(character)
        renamed = ask.ask("textDocument/rename", path, 0, character, newName="x")
        assert renamed["changes"][path.as_uri()][0]["range"] == span(character)
        assert renamed["documentChanges"][0]["edits"][0]["range"] == span(character)
    finally:
        server.close()


def test_diagnostics_are_turned_over_and_their_data_is_not(
    editor: Editor, ask: Inquirer, play: Play, path: Path
) -> None:
    inner = play("inner", "utf-16")
    open_for(editor, path, ask.server, inner)
    said = {"range": span(UNIT), "message": "m", "data": span(UNIT)}
    inner.notify("textDocument/publishDiagnostics", {"uri": path.as_uri(), "version": 0, "diagnostics": [said]})
    item = ask.diagnostics(path)
    assert item["fresh"] is True
    assert item["diagnostics"] == [{"range": span(BYTE), "message": "m", "severity": 1, "data": span(UNIT)}]


def test_answers_are_put_together_and_each_thing_is_told_once(
    editor: Editor, ask: Inquirer, play: Play, path: Path
) -> None:
    first, second = play("one", "utf-16", **ALL), play("two", "utf-32", **ALL)
    uri = path.as_uri()
    first.answers["textDocument/references"] = lambda _: [{"uri": uri, "range": span(UNIT)}]
    second.answers["textDocument/references"] = lambda _: [
        {"range": span(POINT), "uri": uri},
        {"uri": uri, "range": span(0, 1)},
    ]
    first.answers["textDocument/hover"] = lambda _: {"contents": {"kind": "markdown", "value": "first"}}
    second.answers["textDocument/hover"] = lambda _: {"contents": "second"}
    first.answers["textDocument/rename"] = lambda _: {"changes": {uri: []}}
    second.answers["textDocument/rename"] = lambda _: {"changes": {}}
    first.answers["workspace/symbol"] = lambda _: [{"name": "a"}]
    second.answers["workspace/symbol"] = lambda _: [{"name": "a"}, {"name": "b"}]
    open_for(editor, path, ask.server, first, second)

    place = {"textDocument": {"uri": uri}, "position": at(0, BYTE)}
    answer = ask.feature("textDocument/references", {**place, "context": {"includeDeclaration": True}})
    assert sorted(answer["providers"]) == ["one", "two"]
    assert {location["range"]["start"]["character"] for location in answer["result"]} == {BYTE, 0}
    assert len(answer["result"]) == 2
    assert answer["versions"] == {uri: 0}
    assert sorted(ask.feature("textDocument/hover", place)["result"]["contents"]) == ["first", "second"]
    assert len(ask.feature("textDocument/rename", {**place, "newName": "x"})["providers"]) == 1
    assert sorted(symbol["name"] for symbol in ask.feature("workspace/symbol", {"query": "a"})["result"]) == ["a", "b"]


def test_an_item_of_a_call_hierarchy_goes_back_to_who_prepared_it(
    editor: Editor, ask: Inquirer, play: Play, path: Path
) -> None:
    servers = {name: play(name, "utf-16", **ALL) for name in ("one", "two")}
    uri = path.as_uri()

    def item(name: str) -> Json:
        return {"name": name, "kind": 12, "uri": uri, "range": span(UNIT), "selectionRange": span(UNIT), "data": [name]}

    def calls(name: str) -> Callable[[Json], list[Json]]:
        def answer(params: Json) -> list[Json]:
            assert params["item"] == item(name)
            return [{"from": item(f"caller of {name}"), "fromRanges": [span(UNIT)]}]

        return answer

    for name, server in servers.items():
        server.answers["textDocument/prepareCallHierarchy"] = lambda _, name=name: [item(name)]
        server.answers["callHierarchy/incomingCalls"] = calls(name)
    open_for(editor, path, ask.server, *servers.values())

    for prepared in ask.ask("textDocument/prepareCallHierarchy", path, 0, BYTE):
        answer = ask.feature("callHierarchy/incomingCalls", {"item": prepared})
        assert answer["providers"] == [prepared["name"]]
        [call] = answer["result"]
        assert call["from"]["name"] == f"caller of {prepared['name']}"
        assert call["fromRanges"] == [span(BYTE)]
    assert ask.feature("callHierarchy/incomingCalls", {"item": item("stranger")})["status"] == "noProvider"


def test_actions_without_an_edit_are_resolved(editor: Editor, ask: Inquirer, play: Play, path: Path) -> None:
    inner = play("inner", "utf-16", **ALL)
    edit = {"changes": {path.as_uri(): [{"range": span(UNIT), "newText": "x"}]}}
    inner.answers["textDocument/codeAction"] = lambda _: [
        {"title": "lazy", "data": {"n": 1}},
        {"title": "eager", "edit": edit},
        {"title": "command", "command": "inner.run"},
    ]
    inner.answers["codeAction/resolve"] = lambda action: {**action, "edit": edit}
    open_for(editor, path, ask.server, inner)

    actions = ask.ask("textDocument/codeAction", path, 0, 0, range=span(0), context={"diagnostics": []})

    assert [action["title"] for action in actions] == ["lazy", "eager", "command"]
    assert [action["edit"]["changes"][path.as_uri()][0]["range"] for action in actions[:2]] == [span(BYTE)] * 2
    assert "edit" not in actions[2]
    assert editor.text() == LINE, "nothing is applied"


def test_a_server_that_is_still_reading_the_project_says_so(editor: Editor, ask: Inquirer, project: Path) -> None:
    path = project / "a.slow"
    path.write_text("fine\n", "utf-8")
    enable_slow(editor, "loading")
    editor.open(path)
    ask.server.wait_for_document(path.as_uri())
    editor.wait("vim.tbl_get(vim.lsp.get_clients({ name = 'slow' }), 1, 'progress', 'pending', 1)")
    place = {"textDocument": {"uri": path.as_uri()}, "position": at(0, 0)}
    assert ask.feature("textDocument/definition", place)["status"] == "loading"


def test_a_question_that_nobody_can_answer(editor: Editor, ask: Inquirer, play: Play, path: Path) -> None:
    inner = play("inner")
    open_for(editor, path, ask.server, inner)
    place = {"textDocument": {"uri": path.as_uri()}, "position": at(0, 0)}
    nobody = {"status": "noProvider", "result": None, "providers": [], "versions": {}}
    assert ask.feature("textDocument/hover", place) == nobody
    missing = {"textDocument": {"uri": (path.parent / "missing.txt").as_uri()}, "position": at(0, 0)}
    assert ask.feature("textDocument/hover", missing) == nobody
    with pytest.raises(AnsweredWithError):
        ask.feature("workspace/executeCommand", {"command": "rm"})


def test_a_server_that_does_not_answer_is_given_up_and_told_so(
    editor: Editor, ask: Inquirer, play: Play, path: Path
) -> None:
    inner, quick = play("inner", **ALL), play("quick", **ALL)
    released = threading.Event()
    inner.answers["textDocument/definition"] = lambda _: released.wait(wait_seconds()) and None
    quick.answers["textDocument/definition"] = lambda _: []
    open_for(editor, path, ask.server, inner, quick)
    params = {"textDocument": {"uri": path.as_uri()}, "position": at(0, 0)}
    asked = {"method": "textDocument/definition", "params": params, "timeoutMs": PATIENT_MS}

    inquiry = ask.server.ask("editor/languageFeature", asked)
    quick.wait_for("textDocument/definition")
    editor.wait("next(vim.lsp.get_clients({ name = 'quick' })[1].requests) == nil")
    assert not inquiry.done()
    editor.skip(PATIENT_MS)

    answer = inquiry.answer()
    assert (answer["status"], answer["providers"]) == ("timeout", ["quick"])
    released.set()
    inner.wait_for("$/cancelRequest")


def test_a_question_that_is_cancelled_is_cancelled_at_the_servers(
    editor: Editor, ask: Inquirer, play: Play, path: Path
) -> None:
    inner = play("inner", **ALL)
    asked, released = threading.Event(), threading.Event()

    def wait(_: Json) -> None:
        asked.set()
        released.wait(wait_seconds())

    inner.answers["textDocument/hover"] = wait
    open_for(editor, path, ask.server, inner)
    params = {"textDocument": {"uri": path.as_uri()}, "position": at(0, 0)}
    inquired = {"method": "textDocument/hover", "params": params, "timeoutMs": PATIENT_MS}
    inquiry = ask.server.ask("editor/languageFeature", inquired)
    assert asked.wait(wait_seconds())
    ask.server.cancel(inquiry)
    assert inquiry.failure().code == CANCELLED
    released.set()
    inner.wait_for("$/cancelRequest")
