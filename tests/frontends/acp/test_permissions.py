"""Permission requests and questions over the true wire."""

import asyncio
import json

import pytest

from acp_support import ALLOW, DISMISS, EDIT, READ, REJECT, AcpClient, run_placet
from acp_support.shared import SharedPlace

WRITE = {"call": "write", "arguments": {"filePath": "new.txt", "content": "fresh\n"}}
RUN = {"call": "bash", "arguments": {"command": "touch made && echo ran", "description": "Makes a file"}}
ASK = {
    "call": "question",
    "arguments": {
        "questions": [
            {
                "header": "Colour",
                "question": "Which colour?",
                "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}],
            }
        ]
    },
}


@pytest.fixture
def place(shared_place: SharedPlace) -> SharedPlace:
    return shared_place


def select(option_id):
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


async def test_an_allowed_edit_is_written_and_its_diff_stands_in_the_request_and_in_the_call(place):
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        assert await client.prompt(await client.opened()) == "end_turn"

        assert place.file.read_text() == "one\nnew\nthree\n"
        request = (await client.asked())["params"]
        diff = {"type": "diff", "path": str(place.file), "oldText": "one\nold\nthree\n", "newText": "one\nnew\nthree\n"}
        assert request["toolCall"]["content"][0] == diff
        assert request["toolCall"]["kind"] == "edit"
        assert request["toolCall"]["title"]
        assert [option["kind"] for option in request["options"]] == ["allow_once", "allow_always", "reject_once"]

        call_id = request["toolCall"]["toolCallId"]
        shown = [update for update in client.updates() if update.get("toolCallId") == call_id]
        assert shown[0]["sessionUpdate"] == "tool_call"
        assert {update["sessionUpdate"] for update in shown[1:]} == {"tool_call_update"}
        assert shown[-1]["status"] == "completed"
        assert shown[-1]["content"][0] == diff
        assert shown[-1]["locations"] == [{"path": str(place.file), "line": 1}]
        assert client.text() == "All done."


async def test_the_call_with_its_diff_is_shown_before_the_request(place):
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        await client.prompt(await client.opened())
        call_id = (await client.asked())["params"]["toolCall"]["toolCallId"]
        asked = client.place_of(lambda one: one.get("method") == "session/request_permission")
        before = [one["params"]["update"] for one in client.messages[:asked] if one.get("method") == "session/update"]
        assert [one for one in before if one.get("toolCallId") == call_id][-1]["content"][0]["type"] == "diff"


@pytest.mark.parametrize(
    "result", [REJECT, DISMISS, select("unknown"), select("always:user"), {}, None, {"outcome": "once"}, []]
)
async def test_anything_but_an_offered_option_rejects_and_no_file_changes(place, result):
    async with AcpClient(place) as client:
        await client.initialize()
        session_id = await client.new_session()
        prompt = client.begin_prompt(session_id)
        request = await client.asked()
        client.send({"id": request["id"], "result": result})
        assert (await client.answer(prompt))["stopReason"] == "end_turn"
        assert place.file.read_text() == "one\nold\nthree\n"
        assert (await client.update("tool_call_update", status="failed"))["title"]


async def test_a_client_that_cannot_ask_gets_no_file_changed(place):
    async with AcpClient(place) as client:
        prompt = client.begin_prompt(await client.opened())
        request = await client.asked()
        client.send({"id": request["id"], "error": {"code": -32601, "message": "Unknown method"}})
        await client.until(lambda one: one.get("id") == prompt and "method" not in one)
        assert place.file.read_text() == "one\nold\nthree\n"


async def test_always_is_remembered_and_names_its_scope_and_pattern(place):
    other = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "three", "newString": "four"}}
    place.script([READ], [EDIT], [other], [{"text": "Done."}])
    async with AcpClient(place) as client:

        def always(params):
            option = next(one for one in params["options"] if one["kind"] == "allow_always")
            assert "in this" in option["name"]
            return select(option["optionId"])

        client.permission = always
        assert await client.prompt(await client.opened()) == "end_turn"
        assert place.file.read_text() == "one\nnew\nfour\n"
        assert len(client.requests("session/request_permission")) == 1


async def test_a_command_is_the_title_of_its_call_and_of_its_request(place):
    place.script([RUN], [{"text": "Done."}])
    async with AcpClient(place) as client:
        client.permission = lambda params: REJECT
        await client.prompt(await client.opened())
        call = (await client.asked())["params"]["toolCall"]
        assert "touch made && echo ran" in call["title"]
        assert call["kind"] == "execute"
        assert call["content"][0]["path"] == str(place.project / "made")
        assert (await client.update("tool_call"))["title"] == "touch made && echo ran"
        assert not (place.project / "made").exists()


async def test_a_new_file_has_a_diff_without_old_text(place):
    place.script([WRITE], [{"text": "Done."}])
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        await client.prompt(await client.opened())
        diff = (await client.asked())["params"]["toolCall"]["content"][0]
        assert diff == {"type": "diff", "path": str(place.project / "new.txt"), "newText": "fresh\n"}
        assert (place.project / "new.txt").read_text() == "fresh\n"


async def test_a_question_answered_in_a_terminal_is_withdrawn(place):
    async with AcpClient(place) as client:
        prompt = client.begin_prompt(await client.opened())
        request = await client.asked()
        for _ in range(200):
            listed = json.loads((await asyncio.to_thread(run_placet, place, "pending", "--json")).stdout or "[]")
            if listed:
                break
        assert (await asyncio.to_thread(run_placet, place, "approve", listed[0]["id"])).returncode == 0
        assert (await client.answer(prompt))["stopReason"] == "end_turn"
        withdrawn = await client.until(lambda one: one.get("method") == "$/cancel_request")
        assert withdrawn["params"] == {"requestId": request["id"]}
        assert place.file.read_text() == "one\nnew\nthree\n"
        # The client's late answer is no answer.
        client.send({"id": request["id"], "result": REJECT})
        assert await client.call("session/list", {})


@pytest.mark.parametrize(("option", "label"), [("choice:0", "Red"), ("choice:1", "Blue")])
async def test_a_question_of_one_choice_is_asked_by_its_options(place, option, label):
    place.script([ASK], [{"text": "Thanks."}])
    async with AcpClient(place) as client:
        client.permission = lambda params: select(option)
        assert await client.prompt(await client.opened()) == "end_turn"
        request = (await client.asked())["params"]
        assert [one["name"] for one in request["options"]] == ["Red", "Blue", "Decline to answer"]
        assert request["toolCall"]["title"] == "Which colour?"
        done = await client.update("tool_call_update", status="completed")
        assert label in json.dumps(done["content"])


async def test_a_question_that_needs_a_form_is_not_put_and_the_model_is_told(place):
    several = {**ASK["arguments"]["questions"][0], "multiple": True}
    place.script([{"call": "question", "arguments": {"questions": [several]}}], [{"text": "Then not."}])
    async with AcpClient(place) as client:
        await client.prompt(await client.opened())
        failed = await client.update("tool_call_update", status="failed")
        assert "no forms" in json.dumps(failed["content"])
        assert client.requests("session/request_permission") == []


async def test_trust_is_asked_for_with_the_refusal_first_and_after_the_session_is_known(place):
    tools = place.project / ".placet" / "tools"
    tools.mkdir(parents=True)
    (tools / "one.py").write_text("from placet.tools import tool\n@tool\ndef one() -> str:\n    return ''\n")
    async with AcpClient(place) as client:
        session_id = await client.opened()
        request = await client.asked()
        assert client.messages.index(request) > client.place_of(lambda one: "sessionId" in one.get("result", {}))
        assert request["params"]["sessionId"] == session_id
        names = [option["name"] for option in request["params"]["options"]]
        assert names[:2] == ["Do not trust the project", "Trust the project"]


async def test_a_subagent_asks_and_works_under_the_session_that_the_client_knows(place):
    task = {
        "call": "task",
        "arguments": {"description": "Change it", "prompt": "Change a.txt.", "subagent_type": "general"},
    }
    place.script([task], [READ], [EDIT], [{"text": "Changed."}], [{"text": "All done."}])
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        assert place.file.read_text() == "one\nnew\nthree\n"
        request = (await client.asked())["params"]
        assert request["sessionId"] == session_id
        assert {one["params"]["sessionId"] for one in client.messages if "params" in one and "method" in one} == {
            session_id
        }
        task_call = next(one for one in client.updates("tool_call") if one["kind"] == "think")
        edit = next(one for one in client.updates("tool_call_update") if one["kind"] == "edit")
        assert edit["title"].startswith("general: ")
        assert edit["_meta"] == {"placet/parent": task_call["toolCallId"]}
        assert client.text() == "All done."
