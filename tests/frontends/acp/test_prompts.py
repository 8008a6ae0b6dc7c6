"""Prompts, their parts, their ends and their cancelling, over the true wire."""

import asyncio
import base64
import json

import pytest

from acp_support import ALLOW, AcpClient, Refused, run_placet
from acp_support.shared import SharedPlace

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()


@pytest.fixture
def place(shared_place: SharedPlace) -> SharedPlace:
    return shared_place


def wait_for(file):
    return {"wait_for_file": str(file)}


async def test_text_and_thoughts_come_whole_and_in_order_before_the_answer(place):
    place.script([{"thought": "Let me see."}, {"text": "One two three four.", "pieces": 7}])
    async with AcpClient(place) as client:
        assert await client.prompt(await client.opened()) == "end_turn"
        assert client.text("agent_thought_chunk") == "Let me see."
        assert client.text() == "One two three four."
        ended = client.place_of(lambda one: "stopReason" in one.get("result", {}))
        kinds = [one["params"]["update"]["sessionUpdate"] for one in client.messages[ended + 1 :]]
        assert "agent_message_chunk" not in kinds
        assert client.updates("user_message_chunk") == []


async def test_the_parts_of_a_prompt_reach_the_model(own_place):
    (own_place.project / "b.txt").write_text("linked words\n")
    own_place.script([{"text": "Read."}])
    blocks = [
        {"type": "text", "text": "Look at all this."},
        {"type": "resource_link", "uri": (own_place.project / "b.txt").as_uri(), "name": "b.txt"},
        {"type": "resource_link", "uri": "https://example.com/x", "name": "x"},
        {"type": "resource", "resource": {"uri": "memory:1", "text": "embedded words", "mimeType": "text/plain"}},
        {"type": "image", "data": PNG, "mimeType": "image/png"},
    ]
    async with AcpClient(own_place) as client:
        session_id = await client.opened()
        await client.call("session/prompt", {"sessionId": session_id, "prompt": blocks})
        await client.call("session/load", {"sessionId": session_id, "cwd": str(own_place.project), "mcpServers": []})
        shown = [update["content"] for update in client.updates("user_message_chunk")]
        assert shown[0] == {"type": "text", "text": "Look at all this."}
        assert {"type": "image", "data": PNG, "mimeType": "image/png"} in shown
        assert any(block["type"] == "resource_link" and block["name"] == "b.txt" for block in shown)
    exported = (await asyncio.to_thread(run_placet, own_place, "sessions", "export", session_id)).stdout
    assert "linked words" in exported
    assert "embedded words" in exported
    assert "https://example.com/x" in exported


@pytest.mark.parametrize(
    ("blocks", "words"),
    [
        ([], "at least one"),
        ([{"type": "audio", "data": PNG, "mimeType": "audio/wav"}], "no audio"),
        ([{"type": "image", "data": "no base64!", "mimeType": "image/png"}], "base64"),
        ([{"type": "resource", "resource": {"uri": "memory:1"}}], "`text` or `blob`"),
        ([{"type": "video", "data": ""}], "video"),
        ([{"type": "text"}], "text"),
    ],
)
async def test_a_part_that_placet_cannot_take_is_refused_with_words_and_the_session_goes_on(place, blocks, words):
    place.script([{"text": "Fine."}])
    async with AcpClient(place) as client:
        session_id = await client.opened()
        with pytest.raises(Refused, match=words) as refused:
            await client.call("session/prompt", {"sessionId": session_id, "prompt": blocks})
        assert refused.value.code == -32602
        assert await client.prompt(session_id) == "end_turn"


async def test_an_unknown_session_is_not_found(place):
    async with AcpClient(place) as client:
        await client.initialize()
        with pytest.raises(Refused) as refused:
            await client.prompt("ses_nowhere")
        assert refused.value.code == -32002


@pytest.mark.parametrize(("fault", "code"), [("bad_request", -32603), ("authentication", -32000)])
async def test_a_failed_turn_is_an_error_with_words_and_the_session_goes_on(place, fault, code):
    place.script([{"error": fault, "message": "The key is wrong.", "hint": "Set another."}])
    async with AcpClient(place) as client:
        session_id = await client.opened()
        with pytest.raises(Refused) as refused:
            await client.prompt(session_id)
        assert refused.value.error["code"] == code
        assert refused.value.error["message"] == "The key is wrong."
        assert refused.value.error["data"]["hint"] == "Set another."


# ---------------------------------------------------------------- cancelling


async def _cancelled(client, place, session_id, prompt):
    """Cancel the prompt, twice; it has exactly one answer, and the session takes the next prompt."""
    client.notify("session/cancel", {"sessionId": session_id})
    client.notify("session/cancel", {"sessionId": session_id})
    assert await client.answer(prompt) == {"stopReason": "cancelled"}
    place.script([{"text": "Next."}])
    follower = await client.new_session()
    assert await client.prompt(follower, "Go on.") == "end_turn"
    assert len([one for one in client.messages if one.get("id") == prompt and "method" not in one]) == 1


async def test_a_prompt_cancelled_before_its_first_event_is_cancelled(place):
    place.script([wait_for(place.directory / "never")])
    async with AcpClient(place) as client:
        session_id = await client.opened()
        prompt = client.begin_prompt(session_id)
        await _cancelled(client, place, session_id, prompt)


async def test_a_prompt_cancelled_within_its_answer_is_cancelled(place):
    place.script([{"text": "I begin"}, wait_for(place.directory / "never")])
    async with AcpClient(place) as client:
        session_id = await client.opened()
        prompt = client.begin_prompt(session_id)
        await client.update("agent_message_chunk")
        await _cancelled(client, place, session_id, prompt)


async def test_a_prompt_cancelled_within_a_command_is_cancelled_and_its_call_failed(place):
    place.script([{"call": "bash", "arguments": {"command": "echo begun; sleep 300"}}])
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        session_id = await client.opened()
        prompt = client.begin_prompt(session_id)
        await client.until(
            lambda one: "begun" in json.dumps(one.get("params", {}).get("update", {}).get("content", ""))
        )
        await _cancelled(client, place, session_id, prompt)
        assert client.updates("tool_call_update", session_id=session_id)[-1]["status"] == "failed"


async def test_a_second_cancel_does_not_break_off_the_orderly_end_of_the_first(place):
    place.script([{"call": "bash", "arguments": {"command": "trap '' TERM; echo begun; sleep 300; sleep 300"}}])
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        session_id = await client.opened()
        prompt = client.begin_prompt(session_id)
        await client.until(
            lambda one: "begun\\n" in json.dumps(one.get("params", {}).get("update", {}).get("content", ""))
        )
        for _ in range(3):
            client.notify("session/cancel", {"sessionId": session_id})
            await client.call("session/list", {})  # The cancel before has been taken.
        assert await client.answer(prompt) == {"stopReason": "cancelled"}
        assert client.updates("tool_call_update")[-1]["status"] == "failed"
        ended = client.place_of(lambda one: one.get("id") == prompt)
        place.script([{"text": "Next."}])
        assert await client.prompt(await client.new_session()) == "end_turn"
        later = [one for one in client.messages[ended:] if one.get("params", {}).get("sessionId") == session_id]
        assert later == []


async def test_a_prompt_cancelled_within_a_question_withdraws_the_question_and_changes_nothing(place):
    async with AcpClient(place) as client:
        session_id = await client.opened()
        prompt = client.begin_prompt(session_id)
        request = await client.asked()
        await _cancelled(client, place, session_id, prompt)
        withdrawn = await client.until(lambda one: one.get("method") == "$/cancel_request")
        assert withdrawn["params"] == {"requestId": request["id"]}
        client.send({"id": request["id"], "result": ALLOW})  # Late, as some clients answer what they have forgotten.
        await client.call("session/list", {})
        assert place.file.read_text() == "one\nold\nthree\n"


async def test_a_prompt_taken_back_by_its_request_id_is_cancelled(place):
    place.script([{"text": "I begin"}, wait_for(place.directory / "never")])
    async with AcpClient(place) as client:
        session_id = await client.opened()
        prompt = client.begin_prompt(session_id)
        await client.update("agent_message_chunk")
        client.notify("$/cancel_request", {"requestId": prompt})
        client.notify("session/cancel", {"sessionId": session_id})
        assert await client.answer(prompt) == {"stopReason": "cancelled"}


async def test_a_cancel_without_a_prompt_changes_nothing(place):
    place.script([{"text": "Still here."}])
    async with AcpClient(place) as client:
        session_id = await client.opened()
        client.notify("session/cancel", {"sessionId": session_id})
        client.notify("session/cancel", {"sessionId": "ses_nowhere"})
        assert await client.prompt(session_id) == "end_turn"


async def test_a_second_prompt_waits_for_the_first(place):
    go = place.directory / "go"
    place.script([wait_for(go), {"text": "First."}], [{"text": "Second."}])
    async with AcpClient(place) as client:
        session_id = await client.opened()
        first, second = client.begin_prompt(session_id, "One."), client.begin_prompt(session_id, "Two.")
        go.touch()
        assert (await client.answer(second))["stopReason"] == "end_turn"
        assert (await client.answer(first))["stopReason"] == "end_turn"
        assert client.text() == "First.Second."


async def test_a_prompt_sent_right_behind_a_cancel_runs(place):
    place.script([{"text": "I begin"}, wait_for(place.directory / "never")], [{"text": "Second."}])
    async with AcpClient(place) as client:
        session_id = await client.opened()
        first = client.begin_prompt(session_id, "One.")
        await client.update("agent_message_chunk")
        client.notify("session/cancel", {"sessionId": session_id})
        second = client.begin_prompt(session_id, "Two.")
        assert (await client.answer(first))["stopReason"] == "cancelled"
        assert (await client.answer(second))["stopReason"] == "end_turn"


async def test_a_cancel_ends_the_waiting_prompts_too(place):
    place.script([{"text": "I begin"}, wait_for(place.directory / "never")])
    async with AcpClient(place) as client:
        session_id = await client.opened()
        prompts = [client.begin_prompt(session_id, f"{number}.") for number in range(3)]
        await client.update("agent_message_chunk")
        client.notify("session/cancel", {"sessionId": session_id})
        assert [(await client.answer(one))["stopReason"] for one in prompts] == ["cancelled"] * 3


# ---------------------------------------------------------------- other updates


async def test_a_todo_list_is_a_plan_and_usage_is_told_where_the_size_is_known(place):
    todos = [
        {"id": "1", "content": "Look", "status": "completed", "priority": "high"},
        {"id": "2", "content": "Change", "status": "in_progress", "priority": "medium"},
        {"id": "3", "content": "Sing", "status": "cancelled", "priority": "low"},
    ]
    place.script(
        [{"call": "todowrite", "arguments": {"todos": todos}}, {"usage": {"input": 10, "output": 5}, "cost": 0.5}],
        [{"text": "Done."}, {"usage": {"input": 20, "output": 5}, "cost": 0.25}],
    )
    script = place.directory / "script.json"
    script.write_text(json.dumps({"context_size": 8000, **json.loads(script.read_text())}))
    async with AcpClient(place) as client:
        await client.prompt(await client.opened())
        entries = (await client.update("plan"))["entries"]
        assert [(entry["content"], entry["status"]) for entry in entries] == [
            ("Look", "completed"),
            ("Change", "in_progress"),
        ]
        usage = client.updates("usage_update")[-1]
        assert usage["size"] == 8000
        assert usage["used"] > 0
        assert usage["cost"] == {"amount": 0.75, "currency": "USD"}


async def test_the_cost_of_a_session_has_the_share_of_its_subagents_before_and_after_a_load(own_place):
    task = {"description": "Look", "prompt": "Look around.", "subagent_type": "general"}
    usage = {"input": 10, "output": 5}
    own_place.script(
        [{"call": "task", "arguments": task}, {"usage": usage, "cost": 0.5}],
        [{"text": "Seen."}, {"usage": usage, "cost": 0.25}],
        [{"text": "Done."}, {"usage": usage, "cost": 0.125}],
    )
    script = own_place.directory / "script.json"
    script.write_text(json.dumps({"context_size": 8000, **json.loads(script.read_text())}))
    cost = {"amount": 0.875, "currency": "USD"}
    async with AcpClient(own_place) as client:
        session_id = await client.opened()
        await client.prompt(session_id)
        assert client.updates("usage_update")[-1]["cost"] == cost
    async with AcpClient(own_place) as client:
        await client.initialize()
        await client.call("session/load", {"sessionId": session_id, "cwd": str(own_place.project), "mcpServers": []})
        assert (await client.update("usage_update"))["cost"] == cost


async def test_the_title_and_the_moment_of_the_last_change_are_told(place):
    place.script([{"text": "Done."}])
    async with AcpClient(place) as client:
        await client.prompt(await client.opened(), "Paint the fence")
        assert any("updatedAt" in update for update in client.updates("session_info_update"))
        (listed,) = (await client.call("session/list", {}))["sessions"]
        assert listed["title"] == "Paint the fence"


async def prompts_of(place, session_id):
    """The user's words in the stored session, as the next process shows them."""
    place.script([{"text": "Here I am."}])
    async with AcpClient(place) as client:
        await client.initialize()
        await client.call("session/load", {"sessionId": session_id, "cwd": str(place.project), "mcpServers": []})
        words = [update["content"]["text"] for update in client.updates("user_message_chunk")]
        assert "It ran." not in client.text()
        assert await client.prompt(session_id, "Go on.") == "end_turn"
    return words


async def two_prompts(place, client):
    """A session with a running turn and a prompt that waits for its end."""
    place.script([{"text": "I begin"}, wait_for(place.directory / "never")], [{"text": "It ran."}])
    session_id = await client.opened()
    first = client.begin_prompt(session_id, "First.")
    await client.update("agent_message_chunk")
    second = client.begin_prompt(session_id, "Second.")
    await client.call("session/list", {})
    return session_id, first, second


async def test_a_prompt_that_waits_when_stdin_is_closed_is_stored_and_not_run(place):
    async with AcpClient(place) as client:
        session_id, first, second = await two_prompts(place, client)
        client.close_input()
        assert (await client.answer(first))["stopReason"] == "cancelled"
        assert (await client.answer(second))["stopReason"] == "cancelled"
    assert await prompts_of(place, session_id) == ["First.", "Second."]


async def test_a_prompt_with_the_end_of_stdin_right_behind_is_stored(place):
    place.script([{"text": "I begin"}, wait_for(place.directory / "never")])
    async with AcpClient(place) as client:
        session_id = await client.opened()
        prompt = client.begin_prompt(session_id, "First.")
        client.close_input()
        assert (await client.answer(prompt))["stopReason"] == "cancelled"
    assert await prompts_of(place, session_id) == ["First."]


async def test_a_waiting_prompt_that_the_user_cancels_is_not_stored(own_place):
    async with AcpClient(own_place) as client:
        session_id, first, second = await two_prompts(own_place, client)
        client.notify("session/cancel", {"sessionId": session_id})
        assert (await client.answer(first))["stopReason"] == "cancelled"
        assert (await client.answer(second))["stopReason"] == "cancelled"
    assert await prompts_of(own_place, session_id) == ["First."]
