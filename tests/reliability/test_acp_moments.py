"""`placet --acp` at each moment of a turn: there stdin is closed or the prompt is cancelled, and then work goes on."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from acp_support import ALLOW, EDIT, NO_ANSWER, READ, AcpClient, children_of, terminals
from acp_support.terminals import CAPABILITY, ClientTerminals, switch_on
from process_support import has_ended
from run_support import Place

BOTH = {"fs": {"readTextFile": True, "writeTextFile": True}}
OLD = "one\nold\nthree\n"


@dataclass(frozen=True)
class Moment:
    name: str
    turns: Callable[[Place], list[list[dict[str, Any]]]]
    reached: Callable[[AcpClient], Awaitable[object]]
    """Wait until the turn is there."""
    silent: str = ""
    """Method of the client's terminals without an answer; commands run in the terminals."""


def never(place: Place) -> dict[str, Any]:
    return {"wait_for_file": str(place.directory / "never")}


def shows(words: str) -> Callable[[AcpClient], Awaitable[object]]:
    def has_shown(message: dict[str, Any]) -> bool:
        return message.get("method") == "session/update" and words in json.dumps(message["params"]["update"])

    return lambda client: client.until(has_shown)


def asks(method: str) -> Callable[[AcpClient], Awaitable[object]]:
    return lambda client: client.until(lambda message: message.get("method") == method)


def task(*_: Place) -> dict[str, Any]:
    return {
        "call": "task",
        "arguments": {"description": "write", "prompt": "Change a.txt", "subagent_type": "general"},
    }


def bash(command: str) -> dict[str, Any]:
    return {"call": "bash", "arguments": {"command": command, "description": "wait"}}


async def taken(client: AcpClient) -> None:
    await client.call("session/list", {})


MOMENTS = [
    Moment("before the first event", lambda place: [[never(place)]], taken),
    Moment("in a thought", lambda place: [[{"thought": "I begin"}, never(place)]], shows("I begin")),
    Moment("in an answer", lambda place: [[{"text": "I begin"}, never(place)]], shows("I begin")),
    Moment(
        "in the wait for another attempt",
        lambda place: [[{"error": "rate_limit", "message": "Slow down.", "retry_after": 30}]],
        shows("Trying again"),
    ),
    Moment("in a command", lambda place: [[bash("echo begun; sleep 300")]], shows("begun\\n")),
    Moment("in a question", lambda place: [[READ], [EDIT]], asks("session/request_permission")),
    Moment("in a subagent's question", lambda place: [[task()], [READ], [EDIT]], asks("session/request_permission")),
    Moment("in a write of the client", lambda place: [[READ], [EDIT]], asks("fs/write_text_file")),
    *(
        Moment(f"in {method}", lambda place, line=line: [[bash(line)]], asks(method), silent=method)
        for method, line in [
            ("terminal/create", "echo begun; sleep 300"),
            ("terminal/wait_for_exit", "echo begun; sleep 300"),
            ("terminal/output", "echo begun"),
            ("terminal/release", "echo begun"),
        ]
    ),
]
every_moment = pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.name)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


class Turn:
    """A turn of a client with buffers, at the moment."""

    def __init__(self, place: Place, moment: Moment) -> None:
        place.script(*moment.turns(place))
        self._place, self._moment = place, moment
        self.client = AcpClient(place, capabilities={**BOTH, **CAPABILITY}, name="zed")
        if moment.silent:
            switch_on(place)
            self.client.terminals = ClientTerminals()
            self.client.terminals.quirks[moment.silent] = lambda params: terminals.NO_ANSWER
        self.client.files = self._file
        if "question" not in moment.name:
            self.client.permission = lambda params: ALLOW

    def _file(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        return NO_ANSWER if method == "fs/write_text_file" else {"content": self._place.file.read_text()}

    async def begin(self) -> None:
        self.session_id = await self.client.opened()
        self.prompt = self.client.begin_prompt(self.session_id)
        await self._moment.reached(self.client)


async def works_afterwards(place: Place, session_id: str) -> None:
    """The next process loads the session without an open call, and works in it."""
    place.script([{"text": "Here I am."}])
    async with AcpClient(place) as client:
        await client.initialize()
        await client.call("session/load", {"sessionId": session_id, "cwd": str(place.project), "mcpServers": []})
        calls = {call["toolCallId"]: call["status"] for call in client.updates("tool_call", "tool_call_update")}
        assert set(calls.values()) <= {"completed", "failed"}
        assert client.updates("user_message_chunk")[0]["content"]["text"] == "Do it."
        assert await client.prompt(session_id, "Go on.") == "end_turn"
        assert client.text().endswith("Here I am.")


@every_moment
async def test_closed_stdin_ends_all_in_order_and_the_next_process_goes_on(place: Place, moment: Moment) -> None:
    turn = Turn(place, moment)
    async with turn.client as client:
        await turn.begin()
        children = children_of(client.process.pid)
        client.close_input()
        assert await client.ended() == 0
        assert all(map(has_ended, children))
    assert b"Traceback" not in client.stderr
    assert place.file.read_text() == OLD
    await works_afterwards(place, turn.session_id)


@every_moment
async def test_a_cancelled_prompt_is_answered_once_and_the_session_takes_the_next(place: Place, moment: Moment) -> None:
    turn = Turn(place, moment)
    async with turn.client as client:
        await turn.begin()
        client.notify("session/cancel", {"sessionId": turn.session_id})
        assert await client.answer(turn.prompt) == {"stopReason": "cancelled"}
        ended = len(client.messages)
        place.script([{"text": "Next."}])
        follower = await client.new_session()
        assert await client.prompt(follower, "Go on.") == "end_turn"
        answers = [
            message for message in client.messages if message.get("id") == turn.prompt and "method" not in message
        ]
        assert len(answers) == 1
        late = [
            message
            for message in client.messages[ended:]
            if message.get("method") == "session/update" and message["params"]["sessionId"] == turn.session_id
        ]
        assert late == []
        calls = {call["toolCallId"]: call["status"] for call in client.updates("tool_call", "tool_call_update")}
        assert set(calls.values()) <= {"completed", "failed"}
        if client.terminals is not None and client.terminals.opened:
            await client.terminals.until(lambda one: "terminal/release" in one.methods())
    assert place.file.read_text() == OLD


async def test_a_second_answer_to_a_question_changes_nothing(place: Place) -> None:
    async with AcpClient(place) as client:
        session_id = await client.opened()
        prompt = client.begin_prompt(session_id)
        request = await client.asked()
        client.send({"id": request["id"], "result": {"outcome": {"outcome": "selected", "optionId": "reject"}}})
        client.send({"id": request["id"], "result": ALLOW})
        assert (await client.answer(prompt))["stopReason"] == "end_turn"
        assert place.file.read_text() == OLD


async def test_an_error_in_place_of_an_answer_to_a_question_allows_nothing(place: Place) -> None:
    async with AcpClient(place) as client:
        session_id = await client.opened()
        prompt = client.begin_prompt(session_id)
        request = await client.asked()
        client.send({"id": request["id"], "error": {"code": -32603, "message": "no window"}})
        await client.answer(prompt)
        assert place.file.read_text() == OLD
