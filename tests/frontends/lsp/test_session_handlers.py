"""Forking, exporting, importing and finding sessions over the wire."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from lsp_link.own_editor import LinkedEditor, at_home

Json = dict[str, Any]
REQUEST_FAILED = -32803
USAGE = {"usage": {"input": 10, "output": 5}, "cost": 0.5}


class Editor(LinkedEditor):
    """An editor with our plugin whose model has one thing to say."""

    async def start(self) -> None:
        model = self.script([{"text": "Hello there."}, USAGE])
        agent = {"protocol": 1, "requests": [], "ui": []}
        await self.link.start(
            rootUri=self.project.as_uri(),
            initializationOptions={"agent": agent, "settings": {"model": model}},
        )


@pytest_asyncio.fixture
async def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Editor]:
    async with at_home(Editor(tmp_path), monkeypatch) as editor:
        await editor.start()
        yield editor


async def test_a_session_is_forked_exported_imported_and_found(editor: Editor) -> None:
    session = await editor.result("agent/session/new", title="Greeting")
    prompted = await editor.result("agent/prompt", sessionId=session["id"], parts=[{"type": "text", "text": "hi"}])

    fork = await editor.result("agent/session/fork", sessionId=session["id"])
    empty = await editor.result("agent/session/fork", sessionId=session["id"], messageId=prompted["messageId"])
    exported = await editor.result("agent/session/export", sessionId=session["id"])
    markdown = await editor.result("agent/session/export", sessionId=session["id"], format="markdown")
    imported = await editor.result("agent/session/import", text=exported["text"])

    assert fork["forkedFrom"] == session["id"]
    assert markdown["text"].startswith("# Greeting\n")
    for one, kinds in ((fork, True), (imported, True), (empty, False)):
        loaded = await editor.result("agent/session/load", sessionId=one["id"])
        assert ("agent_message_chunk" in {event["update"]["kind"] for event in loaded["events"]}) == kinds
    found = await editor.result("agent/session/list", query="hello greeting")
    assert {one["id"] for one in found["sessions"]} == {session["id"], fork["id"], imported["id"]}
    mine = next(one for one in found["sessions"] if one["id"] == session["id"])
    assert mine["usage"]["cost"] == 0.5
    assert (await editor.result("agent/session/load", sessionId=session["id"]))["session"]["usage"] == mine["usage"]


@pytest.mark.parametrize(
    ("method", "params", "said"),
    [
        ("agent/session/fork", {"sessionId": "ses_x"}, "no session `ses_x`"),
        ("agent/session/export", {"sessionId": "ses_x"}, "no session `ses_x`"),
        ("agent/session/import", {"text": "{"}, "not JSON"),
    ],
)
async def test_what_cannot_be_done_is_said(editor: Editor, method: str, params: Json, said: str) -> None:
    error = (await editor.link.call(method, params))["error"]
    assert error["code"] == REQUEST_FAILED
    assert said in error["message"]


async def test_what_a_session_has_done_is_said_in_short(editor: Editor) -> None:
    session_id = (await editor.result("agent/session/new"))["id"]
    await editor.result("agent/prompt", sessionId=session_id, parts=[{"type": "text", "text": "Greet me."}])
    said = editor.directory / "said.json"
    said.write_text(json.dumps({"turns": [{"events": [{"text": "I said hello."}]}]}), "utf-8")
    await editor.result("agent/session/setModel", sessionId=session_id, model=f"scripted/{said}")

    assert await editor.result("agent/session/summarize", sessionId=session_id) == {"text": "I said hello."}


async def test_a_part_whose_id_was_used_before_is_kept_with_both_prompts(editor: Editor) -> None:
    session_id = (await editor.result("agent/session/new"))["id"]
    for said in ("first", "second"):
        await editor.result("agent/prompt", sessionId=session_id, parts=[{"id": "prt_1", "type": "text", "text": said}])
    text = (await editor.result("agent/session/export", sessionId=session_id))["text"]

    prompts = [message["parts"] for message in json.loads(text)["session"]["messages"] if message["role"] == "user"]
    assert [[part["text"] for part in parts if not part.get("synthetic")] for parts in prompts] == [
        ["first"],
        ["second"],
    ]
