"""A whole journey in Helix and in Kate, as their sources have it: prompt, answer, permission, a hunk refused, undo.

In Helix a prompt of another server takes the place of ours, which is then never answered. Kate answers `{}` for a
prompt put away, and takes edits only for two seconds after a command of its user (lsp.md, sections 0 and 2).
"""

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fake_editor.client import DaemonEditor, daemon
from fake_editor.profiles import HELIX, KATE

OLD = "alpha old\n" + "".join(f"line {number}\n" for number in range(9)) + "omega old\n"
ONE_HUNK = OLD.replace("omega old", "omega new")
TODO = [
    {"content": "read it", "status": "completed", "priority": "high"},
    {"content": "change it", "status": "in_progress", "priority": "high"},
]
TURNS = (
    [
        {"call": "read", "arguments": {"filePath": "a.txt"}},
        {"call": "todowrite", "arguments": {"todos": TODO}},
        {"usage": {"input": 1200, "output": 34}, "cost": 0.012},
    ],
    [
        {
            "call": "edit",
            "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new", "replaceAll": True},
        }
    ],
    [{"text": "Done."}],
)


def script(directory: Path) -> str:
    path = directory / "script.json"
    path.write_text(json.dumps({"turns": [{"events": events} for events in TURNS]}))
    return f"scripted/{path}"


def project(directory: Path) -> Path:
    root = directory / "project"
    root.mkdir()
    (root / "a.txt").write_text(OLD)
    return root


async def asked(desk: DaemonEditor, count: int) -> None:
    """Until so many prompts were opened."""
    await desk.editor.wait_until(lambda: len(desk.editor.requests_of("window/showMessageRequest")) == count)


async def said(desk: DaemonEditor, text: str) -> None:
    await desk.editor.wait_until(lambda: any(text in message for message in desk.messages()))


async def act(desk: DaemonEditor, path: Path, title: str, line: int = 0) -> None:
    """Choose a code action at a line of a document: Kate's only way to a command."""
    at = {"line": line, "character": 0}
    params = {"textDocument": {"uri": path.as_uri()}, "range": {"start": at, "end": at}, "context": {"diagnostics": []}}
    offered = await desk.request("textDocument/codeAction", params)
    command = next(one["command"] for one in offered if one["title"].startswith(f"Placet: {title}"))
    await desk.command(command["command"], *command["arguments"])


def choosing(*titles: str | None) -> Callable[[dict[str, Any]], str | None]:
    left: Iterator[str | None] = iter(titles)

    def choose(_: dict[str, Any]) -> str | None:
        return next(left)

    return choose


async def test_helix_with_a_prompt_that_another_server_replaced(tmp_path: Path) -> None:
    root = project(tmp_path)
    file = root / "a.txt"
    async with daemon(HELIX, root, tmp_path, model=script(tmp_path)) as desk:
        buffer = desk.editor.open(file)
        desk.editor.type(file, "three, unsaved", instead_of="3")
        unsaved = buffer.text
        never = desk.editor.forever
        desk.editor.on_message = lambda params: never()
        await desk.command("placet.prompt", "go")
        await asked(desk, 1)
        desk.editor.another_server_asks()

        desk.editor.on_message = choosing("Hunk by hunk", "Reject", "Accept")
        await desk.command("placet.permission")
        await said(desk, "Done.")
        assert len(desk.editor.requests_of("window/showMessageRequest")) == 4
        # The one that was never answered.
        await desk.editor.wait_until(lambda: desk.editor.taken_off == ["window/showMessageRequest"])
        assert buffer.text == unsaved.replace("omega old", "omega new")
        assert file.read_text() == OLD, "an unsaved buffer is not saved by us"

        await desk.command("placet.undo")
        await said(desk, "restored")
        assert buffer.text == unsaved
        assert desk.editor.violations == []


async def test_kate_with_a_user_who_thinks_for_longer_than_it_takes_edits(tmp_path: Path) -> None:
    root = project(tmp_path)
    file = root / "a.txt"
    async with daemon(KATE, root, tmp_path, model=script(tmp_path)) as desk:
        # Whenever an edit could come, the last command is three seconds old.
        desk.editor.clock = itertools.count(100.0, 3.0).__next__
        buffer = desk.editor.open(file)
        await desk.request("agent/status", {})  # Then the agent is loaded, and its code actions are there.
        await act(desk, file, "Open the chat")
        await said(desk, "The chat is in ")
        [chat] = (tmp_path / "data" / "placet" / "chats").glob("*.md")
        desk.editor.open(chat)
        desk.editor.type(chat, "go", after="## You\n\n")
        desk.editor.save(chat)
        desk.editor.on_message = lambda params: None
        await act(desk, chat, "Send")
        await said(desk, "still waits")
        assert file.read_text() == OLD, "a prompt put away is no answer"

        await act(desk, file, "Show diff")
        await said(desk, "The diff is in ")
        [diff] = (tmp_path / "cache" / "placet" / "reviews").glob("review-*.diff")
        lines = diff.read_text().split("\n")
        await act(desk, diff, "Reject this hunk", lines.index("+alpha new"))
        await said(desk, "1 of 2 hunks are undecided.")
        await act(desk, diff, "Accept this hunk", lines.index("+omega new"))
        await said(desk, "Done.")
        assert desk.editor.requests_of("workspace/applyEdit") == [], "Kate would have refused it"
        assert file.read_text() == ONE_HUNK
        desk.editor.look_at_disk()
        assert (buffer.text, buffer.dirty) == (ONE_HUNK, False)

        await act(desk, chat, "Undo the last turn")
        await said(desk, "restored")
        desk.editor.look_at_disk()
        assert buffer.text == file.read_text() == OLD
        assert desk.editor.violations == []
    told = chat.read_text()
    assert "- [x] read it\n- [ ] **change it**\n" in told
    assert "_context: 1,234 tokens; cost: $0.0120_" in told
    assert told.endswith("## You\n\n")
