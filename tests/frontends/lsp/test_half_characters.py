"""Half a character (an unpaired surrogate) from the user, an open document or the model ends nothing."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from lsp_link.own_editor import LinkedEditor, at_home

Json = dict[str, Any]
HALF = "half \ud83d here"
SHOWN = "half \ufffd here"


class Editor(LinkedEditor):
    """An editor with a document open that holds half a character, and whose model says what it is told to."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.file = self.project / "a.txt"
        self.file.write_text("one\n")

    async def start(self) -> None:
        agent = {"protocol": 1, "requests": [], "ui": []}
        settings = {"model": self.script([{"text": HALF}]), "permission": {"edit": "allow"}}
        await self.link.start(
            rootUri=self.project.as_uri(), initializationOptions={"agent": agent, "settings": settings}
        )

    async def prompt(self, session_id: str, text: str) -> None:
        result = await self.result("agent/prompt", sessionId=session_id, parts=[{"type": "text", "text": text}])
        assert result["stopReason"] == "end_turn", result

    async def told(self, session_id: str) -> list[Json]:
        """What a client that comes back is told."""
        return [event["update"] for event in (await self.result("agent/session/load", sessionId=session_id))["events"]]


@pytest_asyncio.fixture
async def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Editor]:
    async with at_home(Editor(tmp_path), monkeypatch) as editor:
        await editor.start()
        yield editor


async def test_in_a_prompt_and_an_answer_it_is_shown_as_what_cannot_be_shown(editor: Editor) -> None:
    session = await editor.result("agent/session/new", title=HALF)
    await editor.prompt(session["id"], HALF)
    told = json.dumps(await editor.told(session["id"]), ensure_ascii=False)
    assert told.count(SHOWN) >= 2
    assert HALF not in told
    markdown = await editor.result("agent/session/export", sessionId=session["id"], format="markdown")
    assert markdown["text"].count(SHOWN) >= 2
    listed = await editor.result("agent/session/list", query=HALF)
    assert isinstance(listed["sessions"], list)
    refused = await editor.link.call("agent/session/rename", {"sessionId": session["id"], "title": f"New {HALF}"})
    assert "title: " in refused["error"]["message"]


async def test_in_an_open_document_it_is_read_and_found_and_refused_to_be_edited(editor: Editor) -> None:
    text = f"{HALF}\ntwo\n"
    document = {"uri": editor.file.as_uri(), "languageId": "plaintext", "version": 1, "text": text}
    editor.link.notify("textDocument/didOpen", {"textDocument": document})
    session_id = (await editor.result("agent/session/new"))["id"]
    calls = [
        {"call": "read", "arguments": {"filePath": "a.txt"}},
        {"call": "grep", "arguments": {"pattern": "half"}},
        {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "two", "newString": "TWO"}},
    ]
    model = editor.script(*([call] for call in calls), [{"text": "Done."}])
    await editor.result("agent/session/setModel", sessionId=session_id, model=model)
    await editor.prompt(session_id, "Go.")
    parts = [update["part"] for update in await editor.told(session_id) if update["kind"] == "tool_call"]
    read, found, edited = (part["state"] for part in parts)
    assert "half \\ud83d here" in read["output"]
    assert "Line 1: half" in found["output"]
    assert "U+D83D" in edited["error"]
    assert editor.file.read_text() == "one\n"
    assert editor.link.text_of(editor.file.as_uri()) == text


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("write", {"filePath": "b.txt", "content": HALF}),
        ("write", {"filePath": HALF, "content": "b"}),
        ("bash", {"command": f"echo '{HALF}' > b.txt", "description": HALF}),
        ("apply_patch", {"patchText": f"*** Begin Patch\n*** Add File: b.txt\n+{HALF}\n*** End Patch"}),
        ("todowrite", {"todos": [{"content": HALF, "status": "pending", "priority": "low", "id": "1"}]}),
        ("batch", {"tool_calls": [{"tool": "write", "parameters": {"filePath": "b.txt", "content": HALF}}]}),
        (f"no{HALF}", {"x": HALF}),
    ],
)
async def test_in_the_models_arguments_it_is_refused_and_the_turn_goes_on(
    editor: Editor, tool: str, arguments: Json
) -> None:
    session_id = (await editor.result("agent/session/new"))["id"]
    model = editor.script([{"call": tool, "arguments": arguments}], [{"text": "Done."}])
    await editor.result("agent/session/setModel", sessionId=session_id, model=model)
    await editor.prompt(session_id, "Go.")
    (part,) = [update["part"] for update in await editor.told(session_id) if update["kind"] == "tool_call"]
    assert "U+D83D" in part["state"]["error"] or "There is no tool" in part["state"]["error"]
    assert not (editor.project / "b.txt").exists()
