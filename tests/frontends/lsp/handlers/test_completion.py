"""`agent/complete` and `textDocument/completion` over the wire, with real sessions."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from lsp_link.own_editor import LinkedEditor, at_home
from placet.frontends.lsp.handlers.table import HANDLERS
from placet.text.buffer import Buffer
from placet.text.positions import Position

Json = dict[str, Any]
PROMPT = "placet://prompt/1"


class Editor(LinkedEditor):
    """An editor with our plugin, in a project with two files."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        (self.project / "src").mkdir()
        for name in ("src/box.py", "src/späte.py"):
            (self.project / name).write_text("def unpack():\n    pass\n", "utf-8")

    async def start(self, encoding: str = "utf-16") -> Json:
        options = {"agent": {"protocol": 1, "requests": [], "ui": []}, "settings": {"model": "builtin/rules"}}
        answer = await self.link.start(
            rootUri=self.project.as_uri(),
            capabilities={"general": {"positionEncodings": [encoding]}},
            initializationOptions=options,
        )
        return answer["result"]["capabilities"]

    async def complete(self, text: str, line: int, character: int) -> Json:
        params = {"text": text, "position": {"line": line, "character": character}}
        return (await self.link.call("agent/complete", params))["result"]

    def open(self, uri: str, language_id: str, text: str) -> None:
        document = {"uri": uri, "languageId": language_id, "version": 1, "text": text}
        self.link.notify("textDocument/didOpen", {"textDocument": document})

    def asks(self, uri: str, character: int) -> int:
        params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": character}}
        return self.link.begin("textDocument/completion", params)


@pytest_asyncio.fixture
async def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Editor]:
    async with at_home(Editor(tmp_path), monkeypatch) as editor:
        yield editor


def applied(text: str, item: Json, encoding: Any = "utf-16") -> str:
    """The text as an editor leaves it that has chosen the item."""
    buffer, edit = Buffer(text), item["textEdit"]
    start, end = (Position(**edit["range"][key]) for key in ("start", "end"))
    buffer.replace(start, end, edit["newText"], encoding)
    return buffer.text


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 10), ("utf-16", 7), ("utf-32", 6)])
async def test_an_item_replaces_what_is_written_in_the_connections_encoding(
    editor: Editor, encoding: str, character: int
) -> None:
    await editor.start(encoding)
    text = "first\n😀 @spä of it"

    answer = await editor.complete(text, 1, character)

    [item] = answer["items"]
    assert applied(text, item, encoding) == "first\n😀 @src/späte.py of it"
    assert item["label"] == "src/späte.py"
    assert item["data"] == {"kind": "file"}
    assert item["textEdit"]["range"]["end"]["character"] == character
    assert item["filterText"] == "@spä"
    assert answer["isIncomplete"] is True


async def test_an_open_file_comes_first(editor: Editor) -> None:
    await editor.start()
    editor.open((editor.project / "src/späte.py").as_uri(), "python", "x = 1\n")

    answer = await editor.complete("@", 0, 1)

    assert (answer["items"][0]["label"], answer["items"][0]["detail"]) == ("src/späte.py", "open")
    assert [item["sortText"] for item in answer["items"]] == sorted(item["sortText"] for item in answer["items"])


async def test_symbols_of_a_file_have_lines_and_their_own_kind(editor: Editor) -> None:
    await editor.start()

    [item] = (await editor.complete("@src/box.py#", 0, 12))["items"]

    assert (item["label"], item["kind"], item["detail"]) == ("unpack", 3, "lines 1-2")
    assert applied("@src/box.py#", item) == "@src/box.py#L1-2"


async def test_commands_say_what_is_to_be_run(editor: Editor) -> None:
    await editor.start()

    answer = await editor.complete("/comp", 0, 5)

    assert answer["items"][0]["command"]["command"] == "placet.compact"
    assert answer["items"][0]["filterText"] == "/compact"
    assert answer["isIncomplete"] is False


async def test_every_command_has_a_method_of_the_wire(editor: Editor) -> None:
    await editor.start()
    methods = {
        "agent": "agent/session/setAgent",
        "compact": "agent/session/compact",
        "export": "agent/session/export",
        "fork": "agent/session/fork",
        "model": "agent/session/setModel",
        "redo": "agent/redo",
        "sessions": "agent/session/list",
        "undo": "agent/undo",
    }

    answer = await editor.complete("/", 0, 1)

    run = [item["command"]["command"] for item in answer["items"] if "command" in item]
    assert run == [f"placet.{name}" for name in methods]
    assert [item["label"] for item in answer["items"] if "command" not in item] == ["/init", "/remember", "/review"]
    assert set(methods.values()) <= set(HANDLERS)


async def test_prose_has_an_empty_answer(editor: Editor) -> None:
    await editor.start()

    assert await editor.complete("me@box", 0, 6) == {"isIncomplete": False, "items": []}


async def test_a_place_past_the_text_is_its_end(editor: Editor) -> None:
    await editor.start()

    assert (await editor.complete("@box", 7, 99))["items"][0]["label"] == "src/box.py"


@pytest.mark.parametrize("params", [{}, {"text": "@"}, {"text": "@", "position": {"line": 0}}])
async def test_params_that_do_not_fit_are_refused(editor: Editor, params: Json) -> None:
    await editor.start()

    assert (await editor.link.call("agent/complete", params))["error"]["code"] == -32602


# ---------------------------------------------------------------- textDocument/completion


@pytest.mark.parametrize(("uri", "language_id"), [(PROMPT, "markdown"), ("untitled:chat", "placet-chat")])
async def test_a_prompts_document_is_completed_by_the_standard_request(
    editor: Editor, uri: str, language_id: str
) -> None:
    capabilities = await editor.start()
    editor.open(uri, language_id, "see @box")

    answer = (await editor.link.answer(editor.asks(uri, 8)))["result"]

    assert {"@", "/"} <= set(capabilities["completionProvider"]["triggerCharacters"])
    assert applied("see @box", answer["items"][0]) == "see @src/box.py"


async def test_items_of_a_document_bring_no_command_that_an_editor_would_run_at_once(editor: Editor) -> None:
    await editor.start()
    editor.open(PROMPT, "markdown", "/und")

    [item, *_] = (await editor.link.answer(editor.asks(PROMPT, 4)))["result"]["items"]

    assert item["label"] == "/undo"
    assert "command" not in item


async def test_a_document_that_is_no_prompt_is_answered_without_waiting_for_the_agent(editor: Editor) -> None:
    editor.may_open.clear()
    await editor.start()
    file = (editor.project / "src/box.py").as_uri()
    editor.open(file, "python", "@box")

    assert (await editor.link.answer(editor.asks(file, 4)))["result"] is None
    assert (await editor.link.answer(editor.asks("file:///never/opened.py", 1)))["result"] is None
    editor.may_open.set()


async def test_a_place_that_is_none_is_refused(editor: Editor) -> None:
    await editor.start()
    editor.open(PROMPT, "markdown", "@box")

    answer = await editor.link.call("textDocument/completion", {"textDocument": {"uri": PROMPT}})

    assert answer["error"]["code"] == -32602
