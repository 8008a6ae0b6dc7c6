"""Editors on a daemon, and `placet run` at work in their session."""

import asyncio
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from fake_editor.profiles import NEOVIM, VSCODE
from listen_support import home

READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}


def told(updates: Iterable[dict[str, Any]]) -> list[tuple[str, str]]:
    """What happened, without what an observer hears less of: the states that a call went through."""
    lasting = ("user_message", "turn_started", "agent_message_chunk", "tool_call", "change_applied", "turn_ended")
    return [(one["kind"], one.get("text", "")) for one in updates if one["kind"] in lasting]


async def test_what_a_run_does_is_on_the_screens_while_it_does_it_and_the_same_for_all(tmp_path: Path) -> None:
    go, script = tmp_path / "go", tmp_path / "run.json"
    turns = [{"text": "I read."}, READ], [{"wait_for_file": str(go)}, EDIT], [{"text": "Done."}]
    script.write_text(json.dumps({"turns": [{"events": events} for events in turns]}))
    async with home(tmp_path) as place, place.editor(VSCODE) as first:
        (place.project / "a.txt").write_text("one\nold\n")
        session_id = (await first.request("agent/session/new", {"title": "T"}))["id"]
        command = ("run", "--continue", "--json", "--allow", "edit", "--model", f"scripted/{script}", "go")
        run = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "placet", *command),
            cwd=place.project,
            env=place.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
        )
        # It stands still in mid-turn until there is the file.
        await first.editor.wait_until(lambda: bool(first.updates("tool_call")))
        assert [text for kind, text in told(first.updates("agent_message_chunk"))] == ["I read."]
        async with place.editor(NEOVIM) as late:
            loaded = await late.request("agent/session/load", {"sessionId": session_id})
            with pytest.raises(JsonRpcException, match="in use by another Placet"):
                await late.prompt(session_id, "and I")
            late.client.protocol.notify("agent/cancel", {"sessionId": session_id})
            await late.editor.wait_until(lambda: any("in use by another Placet" in one for one in late.messages()))
            go.touch()
            said, _ = await run.communicate()
            await late.editor.wait_until(lambda: bool(late.updates("turn_ended")))
            await first.editor.wait_until(lambda: bool(first.updates("turn_ended")))

        events = [json.loads(line) for line in said.splitlines()]
        assert run.returncode == events[-1]["exitCode"] == 0
        happened = [event["update"] for event in events[:-1]]
        heard = [params for method, params in first.editor.told if method == "agent/update"]
        assert told(event["update"] for event in heard) == told(happened)
        assert [event["seq"] for event in heard] == sorted({event["seq"] for event in heard})
        before = [event["update"] for event in loaded["events"]]
        since = [params["update"] for method, params in late.editor.told if method == "agent/update"]
        assert told([*before, *since]) == told(happened)
        assert (place.project / "a.txt").read_text() == "one\nnew\n"
