"""Copies and titles of sessions, the usage of a turn, notices and compactions, over the true wire."""

from typing import Any

import pytest

from acp_support import ALLOW, AcpClient, Refused
from run_support import Place

Json = dict[str, Any]

NEWS: Json = {"session": {"notices": {}, "compaction": {}}}
DONE = [{"text": "Done."}]
LOST = {"name": "lost", "command": "/nowhere/lost", "args": [], "env": []}


def opening(place: Place, session_id: str) -> Json:
    return {"sessionId": session_id, "cwd": str(place.project), "mcpServers": []}


async def titles(client: AcpClient) -> dict[str, str]:
    return {one["sessionId"]: one["title"] for one in (await client.call("session/list", {}))["sessions"]}


async def test_a_fork_has_the_conversation_and_goes_its_own_way(place: Place) -> None:
    place.script([{"text": "First."}], [{"text": "Second."}])
    async with AcpClient(place) as client:
        capabilities = (await client.initialize())["agentCapabilities"]["sessionCapabilities"]
        assert capabilities["fork"] == capabilities["title"] == {}
        session_id = await client.new_session()
        await client.prompt(session_id, "One.")
        forked = await client.call("session/fork", opening(place, session_id))
        copy = forked["sessionId"]
        assert copy != session_id
        assert forked["modes"]["currentModeId"] == "build"
        assert [option["id"] for option in forked["configOptions"]] == [
            *("mode", "model", "effort", "profile", "review", "caution")
        ]
        assert client.updates("user_message_chunk") == []
        assert await client.prompt(copy, "Two.") == "end_turn"
        await client.call("session/load", opening(place, copy))
        prompts = [one["content"]["text"] for one in client.updates("user_message_chunk", session_id=copy)]
        assert prompts == ["One.", "Two."]
        await client.call("session/load", opening(place, session_id))
        prompts = [one["content"]["text"] for one in client.updates("user_message_chunk", session_id=session_id)]
        assert prompts == ["One."]


@pytest.mark.parametrize(("method", "more"), [("session/fork", {}), ("session/set_title", {"title": "T"})])
async def test_an_unknown_session_is_not_found(place: Place, method: str, more: Json) -> None:
    async with AcpClient(place) as client:
        await client.initialize()
        with pytest.raises(Refused) as refused:
            await client.call(method, {**opening(place, "ses_nobody"), **more})
        assert refused.value.code == -32002


async def test_a_title_is_stored_for_open_and_for_closed_sessions_and_stays(place: Place) -> None:
    place.script(DONE)
    async with AcpClient(place) as client:
        session_id = await client.opened()
        answer = await client.call("session/set_title", {"sessionId": session_id, "title": "  My\n title "})
        assert answer == {"title": "My title"}
        assert (await client.update("session_info_update", title="My title"))["title"] == "My title"
        await client.prompt(session_id)
        assert (await titles(client))[session_id] == "My title"
        await client.call("session/close", {"sessionId": session_id})
        await client.call("session/set_title", {"sessionId": session_id, "title": "Later"})
        assert (await titles(client))[session_id] == "Later"
        with pytest.raises(Refused, match="title") as refused:
            await client.call("session/set_title", {"sessionId": session_id, "title": " \n "})
        assert refused.value.code == -32602


async def test_the_result_of_a_prompt_has_the_tokens_of_its_turn(place: Place) -> None:
    usage = {"usage": {"input": 10, "output": 5, "cache_read": 3, "reasoning": 2}, "cost": 0.5}
    place.script([{"text": "Done."}, usage], DONE)
    async with AcpClient(place) as client:
        session_id = await client.opened()
        result = await client.answer(client.begin_prompt(session_id))
        assert result == {
            "stopReason": "end_turn",
            "usage": {
                "totalTokens": 18,
                "inputTokens": 10,
                "outputTokens": 5,
                "thoughtTokens": 2,
                "cachedReadTokens": 3,
            },
        }
        assert await client.answer(client.begin_prompt(session_id)) == {"stopReason": "end_turn"}


async def test_news_are_notices_where_the_client_takes_notices(place: Place) -> None:
    place.script(DONE)
    async with AcpClient(place, capabilities=NEWS) as client:
        await client.initialize()
        session_id = await client.new_session(mcpServers=[LOST])
        await client.prompt(session_id)
        shown = client.updates("notice")
        assert any("/nowhere/lost" in notice["title"] + notice.get("description", "") for notice in shown)
        assert {notice["severity"] for notice in shown} == {"info"}
        assert client.updates("agent_thought_chunk") == []


@pytest.mark.parametrize("capabilities", [{}, NEWS])
async def test_a_compaction_is_an_update_of_its_own_or_a_thought(place: Place, capabilities: Json) -> None:
    place.script([{"text": " ".join(map(str, range(5_000)))}], [{"text": "A summary of it all."}])
    async with AcpClient(place, capabilities=capabilities) as client:
        client.permission = lambda params: ALLOW
        session_id = await client.opened()
        await client.prompt(session_id)
        await client.prompt(session_id, "/compact")
        if capabilities:
            begin, update = client.updates("compaction_update")
            assert (begin["status"], update["status"]) == ("in_progress", "completed")
            assert begin["compactionId"] == update["compactionId"]
            assert update["summary"] == [{"type": "text", "text": "A summary of it all."}]
        else:
            assert client.updates("compaction_update") == []
            assert "summed up" in client.text("agent_thought_chunk")


async def test_a_compaction_that_fails_has_ended_for_the_client_with_the_reason(place: Place) -> None:
    async with AcpClient(place, capabilities=NEWS) as client:
        session_id = await client.opened()
        for _ in range(2):
            await client.prompt(session_id, "/compact")
        updates = client.updates("compaction_update")
        assert [update["status"] for update in updates] == ["in_progress", "failed"] * 2
        assert updates[0]["compactionId"] == updates[1]["compactionId"] != updates[2]["compactionId"]
        assert updates[1]["error"]
        assert updates[1]["error"] in client.text()


async def test_a_cancelled_compaction_has_ended_for_the_client(place: Place) -> None:
    place.script([{"text": " ".join(map(str, range(5_000)))}], [{"wait": "never"}, {"text": "Too late."}])
    async with AcpClient(place, capabilities=NEWS) as client:
        session_id = await client.opened()
        await client.prompt(session_id)
        compaction = client.begin_prompt(session_id, "/compact")
        await client.update("compaction_update", status="in_progress")
        client.notify("session/cancel", {"sessionId": session_id})
        assert (await client.answer(compaction))["stopReason"] == "cancelled"
        assert [update["status"] for update in client.updates("compaction_update")] == ["in_progress", "cancelled"]
