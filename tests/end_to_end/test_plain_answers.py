"""An editor without our plugin: answers by commands and code actions, the chat document, and what can be chosen."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fake_editor.client import DaemonEditor, daemon
from fake_editor.profiles import HELIX, KATE, EditorProfile
from time_support import limited

OLD = "alpha old\n" + "".join(f"line {number}\n" for number in range(9)) + "omega old\n"
READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {
    "call": "edit",
    "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new", "replaceAll": True},
}


def script(directory: Path, *turns: list[dict[str, Any]]) -> str:
    path = directory / "script.json"
    path.write_text(json.dumps({"turns": [{"events": events} for events in turns]}))
    return f"scripted/{path}"


async def actions(desk: DaemonEditor, uri: str, line: int = 0) -> dict[str, Any]:
    """The code actions there, by title."""
    at = {"line": line, "character": 0}
    params = {"textDocument": {"uri": uri}, "range": {"start": at, "end": at}, "context": {"diagnostics": []}}
    return {one["title"]: one["command"] for one in await desk.request("textDocument/codeAction", params)}


async def choose(desk: DaemonEditor, offered: dict[str, Any], start: str) -> None:
    command = next(one for title, one in offered.items() if title.startswith(start))
    await desk.command(command["command"], *command["arguments"])


async def said(desk: DaemonEditor, text: str) -> None:
    await desk.editor.wait_until(lambda: any(text in message for message in desk.messages()))


async def until(fact: Callable[[], bool]) -> None:
    """A file that changes tells nobody."""
    async with limited(lambda: "a fact about the processes"):
        while not fact():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_a_hunk_is_dropped_in_the_diff_while_the_prompt_is_still_open(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(OLD)
    async with daemon(
        HELIX, tmp_path, tmp_path / "home", model=script(tmp_path, [READ], [EDIT], [{"text": "Done."}])
    ) as desk:
        never = desk.editor.forever
        desk.editor.on_message = lambda params: never()
        desk.editor.open(file)
        await desk.command("placet.prompt", "go")
        await desk.editor.wait_until(lambda: bool(desk.editor.requests_of("window/showMessageRequest")))
        await choose(desk, await actions(desk, file.as_uri()), "Placet: Show diff")
        await desk.editor.wait_until(lambda: bool(desk.editor.requests_of("window/showDocument")))
        review = desk.editor.requests_of("window/showDocument")[0]["uri"]
        [diff] = (tmp_path / "home" / "cache" / "placet" / "reviews").glob("review-*.diff")
        assert diff.as_uri() == review
        lines = diff.read_text().split("\n")
        await choose(desk, await actions(desk, review, lines.index("+alpha new")), "Placet: Reject this hunk")
        await said(desk, "1 of 2 hunks are undecided.")
        await choose(desk, await actions(desk, review, lines.index("+omega new")), "Placet: Accept this hunk")
        await said(desk, "Done.")
        assert desk.editor.buffers[file].text == OLD.replace("omega old", "omega new")
        await desk.editor.wait_until(lambda: desk.editor.taken_off == ["window/showMessageRequest"])
        assert "Placet: Open the chat" in await actions(desk, file.as_uri())


async def test_a_prompt_that_is_never_answered_is_answered_by_a_command(tmp_path: Path) -> None:
    write = {"call": "write", "arguments": {"filePath": "new.txt", "content": "new\n"}}
    async with daemon(KATE, tmp_path, tmp_path / "home", model=script(tmp_path, [write], [{"text": "Done."}])) as desk:
        never = desk.editor.forever
        desk.editor.on_message = lambda params: never()
        await desk.command("placet.prompt", "go")
        await desk.editor.wait_until(lambda: bool(desk.editor.requests_of("window/showMessageRequest")))
        await desk.command("placet.answer", "perhaps")
        await said(desk, '`["reject"]`')
        await desk.command("placet.answer", "once")
        await said(desk, "Done.")
        assert (tmp_path / "new.txt").read_text() == "new\n"
        await desk.command("placet.answer", "once")
        await said(desk, "No request waits for an answer.")


@pytest.mark.parametrize("profile", [HELIX, KATE], ids=lambda profile: profile.name)
async def test_the_chat_document_is_written_while_the_agent_speaks(profile: EditorProfile, tmp_path: Path) -> None:
    go = tmp_path / "go"
    turns = [{"text": "Half of it. "}, {"wait_for_file": str(go)}, {"text": "All of it."}], [{"text": "More."}]
    async with daemon(profile, tmp_path, tmp_path / "home", model=script(tmp_path, *turns)) as desk:
        await desk.command("placet.chat")
        chats = tmp_path / "home" / "data" / "placet" / "chats"
        await until(lambda: bool(list(chats.glob("*.md"))))
        [chat] = chats.glob("*.md")
        buffer = desk.editor.open(chat)
        desk.editor.type(chat, "begin", after="## You\n\n")
        desk.editor.save(chat)
        await choose(desk, await actions(desk, chat.as_uri()), "Placet: Send")

        async def shows(text: str) -> None:
            await until(lambda: text in (buffer.text if profile is HELIX else chat.read_text()))

        await shows("Half of it.")
        assert "All of it." not in chat.read_text() + buffer.text
        go.touch()
        await shows("Half of it. All of it.\n\n## You\n")
        desk.editor.look_at_disk()
        await desk.command("placet.prompt", "and more")
        await shows("and more\n\n## Placet (2)\n\nMore.\n\n## You\n")
        assert desk.editor.violations == []


async def test_agents_models_and_sessions_are_chosen(tmp_path: Path) -> None:
    model = script(tmp_path, [{"text": "One."}])
    async with daemon(HELIX, tmp_path, tmp_path / "home", model=model) as desk:
        desk.editor.on_message = lambda params: "plan"
        await desk.command("placet.agent")
        await said(desk, "goes to the agent plan")
        await desk.command("placet.model", "builtin/rules")
        await said(desk, "goes to the model builtin/rules")
        await desk.command("placet.agent", "nobody")
        await said(desk, "There is no agent `nobody`")
        await desk.command("placet.new")
        await said(desk, "starts a new session")
        await desk.command("placet.prompt", "first words")
        await said(desk, "One.")
        desk.editor.on_message = lambda params: next(
            one["title"] for one in params["actions"] if "first words" in one["title"]
        )
        await desk.command("placet.sessions")
        await said(desk, "Placet continues the session: first words")
