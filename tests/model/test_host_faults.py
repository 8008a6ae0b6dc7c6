"""A provider's faults, through the real litellm: a code by status, words for humans, and what to do."""

import asyncio

import pytest

from corpus_support import corpus
from model_support.asking import answer, failure, request, text_of
from model_support.wires import each_wire
from placet.core.errors import ModelError
from placet.model.base import TextDelta
from placet.model.client.host import ModelHost
from placet.settings import Settings
from time_support import LoopClock
from wire_servers.answers import Call, Drop, Finish, Status, StreamError, Text, Truncate, Wait
from wire_servers.server import Wire, WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


@each_wire
@corpus(
    ("status", "code"),
    [
        (Status(400, "prompt is too long: 250000 tokens > 200000 maximum"), "context_overflow"),
        (Status(500, "boom", type="invalid_request_error"), "server_error"),
    ],
)
async def test_the_words_and_the_type_of_a_status_count_too(
    open_model, server: WireServer, wire: Wire, status: Status, code: str
):
    server.play([(status,)])

    events, error = await failure(open_model(wire))

    assert (events, error.code, error.status) == ([], code, status.status)
    assert error.before_first_delta
    assert error.hint
    assert status.message.rstrip(".") in error.message
    assert "litellm" not in error.message
    assert "{" not in error.message
    assert len(server.requests) == 1, "litellm must not retry by itself"


async def test_a_missing_key_is_told_without_asking_anyone(host: ModelHost):
    _, error = await failure(host.model("groq/llama-3.3-70b-versatile", Settings()))

    assert error.code == "authentication"
    assert "GROQ_API_KEY" in error.hint


async def test_a_server_of_ones_own_needs_no_key(host: ModelHost, server: WireServer):
    server.play([(Text("hi"),)])
    settings = Settings.model_validate({"modelOptions": {"apiBase": server.openai_base}})

    assert text_of(await answer(host.model("fireworks_ai/mine", settings))) == "hi"


async def test_a_model_without_a_provider_is_told(host: ModelHost):
    _, error = await failure(host.model("nothing-like-this", Settings()))

    assert error.code == "no_model"
    assert "provider/name" in error.hint


@each_wire
@corpus("end", [Drop(), Truncate()])
async def test_a_stream_that_breaks_off_is_never_a_quiet_end(open_model, server: WireServer, wire: Wire, end):
    server.play([(Text("half an answer"), end), (Call("read", {"filePath": "a"}), end), (end,)])
    model = open_model(wire)

    events, error = await failure(model)
    assert text_of(events) == "half an answer"
    assert (error.code, error.before_first_delta) == ("interrupted", False)

    _, error = await failure(model)
    assert (error.code, error.before_first_delta) == ("interrupted", False)

    events, error = await failure(model)
    assert (events, error.code, error.before_first_delta) == ([], "interrupted", True)


@each_wire
async def test_an_error_in_the_stream_is_a_failure(open_model, server: WireServer, wire: Wire):
    server.play([(Text("half"), StreamError("overloaded_error", "Overloaded")), (StreamError("api_error", "boom"),)])
    model = open_model(wire)

    events, error = await failure(model)
    assert (text_of(events), error.code, error.before_first_delta) == ("half", "overloaded", False)

    _, error = await failure(model)
    assert (error.code, error.before_first_delta) == ("server_error", True)


@each_wire
@corpus("before", [(), (Text("one", pieces=1),)])
async def test_a_silent_server_is_a_timeout(
    open_model, server: WireServer, wire: Wire, before, monkeypatch: pytest.MonkeyPatch
):
    server.play([(*before, Wait())])
    clock = LoopClock(monkeypatch)
    stream = open_model(wire, idleTimeoutSeconds=60).stream(request("hello"))

    events = [await anext(stream) for _ in before]
    waiting = asyncio.ensure_future(anext(stream))
    await server.wait_for_requests(1)
    await asyncio.sleep(0)  # Now it waits, if it did not yet.
    clock.skip(60)
    with pytest.raises(ModelError) as caught:
        await waiting

    assert events == [TextDelta(step.text) for step in before]
    assert (caught.value.code, caught.value.before_first_delta) == ("timeout", not before)
    assert "idleTimeoutSeconds" in caught.value.hint
    await server.requests[0].disconnected.wait()


@each_wire
async def test_an_empty_answer_is_a_failure(open_model, server: WireServer, wire: Wire):
    server.play([(), (Finish("length"),)])
    model = open_model(wire)

    _, error = await failure(model)
    assert (error.code, error.before_first_delta) == ("empty_answer", True)

    _, error = await failure(model)
    assert "maxOutputTokens" in error.hint


@each_wire
async def test_a_failed_call_leaves_the_host_well(open_model, server: WireServer, wire: Wire):
    server.play([(Status(500),), (Text("x"), Drop()), (Text("fine"),)])
    model = open_model(wire)
    await failure(model)
    await failure(model)

    assert text_of(await answer(model)) == "fine"
