"""Each fault of the model's wire through `placet --acp`: one answer to the prompt, in words, and the next works."""

import json
from pathlib import Path

from acp_support import AcpClient
from corpus_support import corpus
from model_support.turn_faults import CASES, DONE, PATIENT, Case
from run_support import Place
from wire_servers.answers import Answer, Usage
from wire_servers.server import RecordedRequest, WireServer

INTERNAL_ERROR = -32603
AUTH_REQUIRED = -32000
LIMITS = {"cut_off": "max_tokens", "context_overflow": "max_tokens"}
"""Faults that are the reason of an end, and no error."""
SETTINGS = sorted({(case.wait, case.impatient) for case in CASES})


@corpus(("wait", "impatient"), SETTINGS)
async def test_a_fault_is_answered_once_in_words_and_the_next_prompt_works(
    tmp_path: Path, wait: float, impatient: str
) -> None:
    place = Place(tmp_path)
    (place.project / "a.txt").write_text("one\n")
    async with WireServer() as server:
        limits = {**PATIENT, "maxRetryWaitSeconds": wait, **({impatient: 0.5} if impatient else {})}
        settings = {"model": "openai/gpt-4o", "modelOptions": {"apiBase": server.openai_base, **limits}}
        file = tmp_path / "CONFIG" / "placet" / "placet.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(settings))
        del place.environment["PLACET_MODEL"]
        place.environment["OPENAI_API_KEY"] = "one"
        async with AcpClient(place) as client:
            await client.initialize()
            play(server)  # The first answer of a process takes longer than the silence that is a fault.
            assert await client.prompt(await client.new_session()) == "end_turn"
            for case in CASES:
                if (case.wait, case.impatient) == (wait, impatient):
                    await _one_fault(case, client, server)


def play(server: WireServer, *answers: Answer) -> None:
    """Answer the requests of turns by the script, and all others, as for a title, without a fault."""
    script = iter(answers)
    server.play(lambda request: next(script, (*DONE, Usage())) if request.body.get("tools") else DONE)


def _of_turns(server: WireServer) -> list[RecordedRequest]:
    return [request for request in server.requests if request.body.get("tools")]


async def _one_fault(case: Case, client: AcpClient, server: WireServer) -> None:
    session_id = await client.new_session()
    before = len(_of_turns(server))
    play(server, *case.answers)
    prompt = client.begin_prompt(session_id)
    ended = await _ended(client, prompt, AUTH_REQUIRED if case.code == "authentication" else INTERNAL_ERROR)
    expected = LIMITS.get(case.code, "error") if case.stop == "error" else case.stop
    assert ended == expected, case.what
    assert len(_of_turns(server)) == before + case.requests, case.what
    answers = [message for message in client.messages if message.get("id") == prompt and "method" not in message]
    assert len(answers) == 1, case.what
    calls = {one["toolCallId"]: one["status"] for one in client.updates("tool_call", "tool_call_update")}
    assert set(calls.values()) <= {"completed", "failed"}, case.what
    if not case.impatient:
        play(server)
        assert await client.prompt(session_id, "Go on.") == "end_turn", case.what


async def _ended(client: AcpClient, prompt: int, error_code: int) -> str:
    """Return the stop reason, or `error` for an error of this code in words and with a remedy."""
    answer = await client.until(lambda message: message.get("id") == prompt and "method" not in message)
    if "result" in answer:
        return answer["result"]["stopReason"]
    assert answer["error"]["code"] == error_code
    assert answer["error"]["message"]
    assert answer["error"]["data"]["hint"]
    return "error"
