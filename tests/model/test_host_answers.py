"""The real litellm in the real host, asked over both wires."""

import asyncio
import json
from contextlib import aclosing

import pytest

from model_support.asking import (
    answer,
    assistant,
    calls_of,
    completed,
    failed,
    reason_of,
    request,
    text_of,
    thoughts_of,
    usage_of,
    user,
)
from model_support.wires import each_wire
from placet.core.messages import FilePart, ReasoningPart, Tokens
from placet.model.base import Finished, TextDelta
from time_support import wait_seconds
from wire_servers.answers import Call, Finish, Text, Thought, Usage, Wait
from wire_servers.server import RecordedRequest, Wire, WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


@each_wire
async def test_text_arrives_whole_and_ends_with_finished(open_model, server: WireServer, wire: Wire):
    server.play([(Text("Grüße, 世界 🙂. " * 20, pieces=200),)])

    events = await answer(open_model(wire))

    assert text_of(events) == "Grüße, 世界 🙂. " * 20
    assert reason_of(events) == "stop"
    assert len(events) < 100, "pieces that follow one another closely come together"


@each_wire
async def test_what_is_not_of_one_kind_or_call_is_not_joined(open_model, server: WireServer, wire: Wire):
    calls = [Call("read", {"path": name * 40}, id=f"call_{name}", pieces=8) for name in "ab"]
    thought = Thought("Let me see. " * 8, signature="sealed")
    server.play([(thought, Text("Two files. " * 8, pieces=8), *calls)])

    events = await answer(open_model(wire))

    assert thoughts_of(events)[0] == "Let me see. " * 8
    assert text_of(events) == "Two files. " * 8
    assert [(*head, json.loads(text)) for *head, text in calls_of(events)] == [
        (f"call_{name}", "read", {"path": name * 40}) for name in "ab"
    ]
    kinds = [type(event).__name__ for event in events]
    order = [kinds.index(kind) for kind in ("ThoughtDelta", "TextDelta", "CallStarted", "Finished")]
    assert order == sorted(order)


@each_wire
async def test_the_key_comes_from_the_environment_of_the_host(open_model, server: WireServer, wire: Wire):
    server.play([(Text("hi"),)])
    await answer(open_model(wire))

    name, value = {
        "openai": ("authorization", "Bearer the-openai-key"),
        "responses": ("authorization", "Bearer the-openai-key"),
        "anthropic": ("x-api-key", "the-anthropic-key"),
        "gemini": ("x-goog-api-key", "the-gemini-key"),
    }[wire]
    assert server.requests[0].headers[name] == value


@each_wire
async def test_thinking_arrives_before_the_text(open_model, server: WireServer, wire: Wire):
    server.play([(Thought("Let me see.", signature="sealed"), Text("Seen."))])

    events = await answer(open_model(wire))

    thinking, seals = thoughts_of(events)
    assert thinking == "Let me see."
    assert seals == (["sealed"] if wire == "anthropic" else [])
    assert text_of(events) == "Seen."


async def test_redacted_thinking_is_kept(open_model, server: WireServer):
    server.play([(Thought("", redacted="encrypted"), Text("Seen."))])

    assert thoughts_of(await answer(open_model("anthropic"))) == ("", ["encrypted"])


@each_wire
async def test_a_tool_call_in_several_deltas_is_put_together(open_model, server: WireServer, wire: Wire):
    server.play([(Text("Reading."), Call("read", {"filePath": "ä.py"}, id="call_a", pieces=6))])

    events = await answer(open_model(wire))

    assert [(*head, json.loads(text)) for *head, text in calls_of(events)] == [("call_a", "read", {"filePath": "ä.py"})]
    assert reason_of(events) == "tool_calls"


@each_wire
async def test_parallel_calls_are_kept_apart_and_in_order(open_model, server: WireServer, wire: Wire):
    server.play([tuple(Call("read", {"filePath": name}, id=f"call_{name}") for name in "abc")])

    calls = calls_of(await answer(open_model(wire)))

    assert [(*head, json.loads(text)) for *head, text in calls] == [
        (f"call_{name}", "read", {"filePath": name}) for name in "abc"
    ]


@each_wire
async def test_the_presence_of_calls_decides_over_the_finish_reason(open_model, server: WireServer, wire: Wire):
    server.play([(Call("read", {}), Finish("stop")), (Text("cut"), Finish("length"))])
    model = open_model(wire)

    assert reason_of(await answer(model)) == "tool_calls"
    assert reason_of(await answer(model)) == "length"


@each_wire
async def test_usage_excludes_the_cached_tokens_and_has_a_cost(open_model, server: WireServer, wire: Wire):
    written = 20 if wire == "anthropic" else 0
    server.play([(Text("hi"), Usage(input=100, output=50, reasoning=0, cache_read=30, cache_write=written))])

    report = usage_of(await answer(open_model(wire)))

    assert report.tokens == Tokens(input=100, output=50, cache_read=30, cache_write=written)
    # Prices of a million tokens in dollars: input, output, read from the cache, written to the cache.
    prices = {
        "openai": (2.5, 10, 1.25, 0),
        "responses": (1.25, 10, 0.125, 0),
        "anthropic": (3, 15, 0.3, 3.75),
        "gemini": (0.3, 2.5, 0.03, 0),
    }[wire]
    cost = sum(tokens * price for tokens, price in zip((100, 50, 30, written), prices, strict=True))
    assert report.cost == pytest.approx(cost / 1e6)


async def test_a_model_without_a_price_costs_nothing(host, open_model, server: WireServer):
    from placet.settings import Settings

    server.play([(Text("hi"),)])
    model = host.model("openai/of-my-own", Settings.model_validate({"modelOptions": {"apiBase": server.openai_base}}))

    assert usage_of(await answer(model)).cost == 0
    assert model.context_size is None


@each_wire
async def test_the_context_size_comes_from_the_table_of_litellm(open_model, server: WireServer, wire: Wire):
    server.play([(Text("hi"),)])
    model = open_model(wire)
    await answer(model)

    sizes = {"openai": 128_000, "responses": 272_000, "anthropic": 200_000, "gemini": 1_048_576}
    assert model.context_size == sizes[wire]


async def test_a_stream_of_equal_chunks_is_not_taken_for_a_loop(open_model, server: WireServer):
    server.play([(Text("|---" * 400, pieces=400),)])

    assert text_of(await answer(open_model("openai"))) == "|---" * 400


@each_wire
async def test_no_delta_waits_for_what_comes_later(open_model, server: WireServer, wire: Wire):
    goes = [asyncio.Event(), asyncio.Event()]
    server.play([(Text("first", pieces=1), Wait(goes[0]), Text(" second third", pieces=2), Wait(goes[1]))])

    text = ""
    async with asyncio.timeout(wait_seconds()):
        async for event in open_model(wire).stream(request("hello")):
            if isinstance(event, TextDelta):
                text += event.text
                if text == "first":
                    goes[0].set()
                elif text == "first second third":
                    goes[1].set()

    assert text == "first second third"


@each_wire
async def test_several_streams_run_at_once(open_model, server: WireServer, wire: Wire):
    gates = {f"question {number}": asyncio.Event() for number in range(4)}

    def reply(asked: RecordedRequest):
        return Text("about "), Wait(gates[asked.question]), Text(asked.question)

    server.play(reply)
    model = open_model(wire)
    async with asyncio.TaskGroup() as group:
        tasks = {question: group.create_task(answer(model, question)) for question in gates}
        await server.wait_for_requests(4)
        for gate in reversed(gates.values()):
            gate.set()

    assert {question: text_of(task.result()) for question, task in tasks.items()} == {
        question: f"about {question}" for question in gates
    }


@each_wire
async def test_closing_the_iterator_closes_the_connection(open_model, server: WireServer, wire: Wire):
    server.play([(Text("one", pieces=1), Wait())])

    async with aclosing(open_model(wire).stream(request("hello"))) as stream:
        assert await anext(stream) == TextDelta("one")

    async with asyncio.timeout(wait_seconds()):
        await server.requests[0].disconnected.wait()


@each_wire
async def test_cancelling_the_task_closes_the_connection_before_the_first_delta(
    open_model, server: WireServer, wire: Wire
):
    server.play([(Wait(),)])
    task = asyncio.create_task(answer(open_model(wire)))
    asked = await server.wait_for_requests(1)

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(wait_seconds()):
        await asked.disconnected.wait()


@each_wire
async def test_options_of_the_settings_and_of_the_request_are_sent(open_model, server: WireServer, wire: Wire):
    server.play([(Text("hi"),)])
    await answer(open_model(wire, temperature=0.25, maxOutputTokens=77))

    body = server.requests[0].body
    options = body.get("generationConfig", body)
    if wire != "responses":  # A model which reasons takes no temperature.
        assert options["temperature"] == 0.25
    assert 77 in options.values()


@pytest.fixture
def conversation():
    return (
        user("Look at this.", FilePart(uri="data:image/png;base64,iVBORw0KGgo=", mime="image/png", name="x.png")),
        assistant(
            ReasoningPart(text="Hm.", signature="sealed"),
            "I read both.",
            completed("read", {"filePath": "a"}, "text of a", call_id="call_1"),
            failed("read", {"filePath": "b"}, "no such file: b", call_id="call_2"),
            model="anthropic/claude-sonnet-4-5",
        ),
        assistant("One is there.", model="anthropic/claude-sonnet-4-5"),
        user("Go on."),
    )


async def test_a_conversation_reaches_openai_in_its_shape(open_model, server: WireServer, conversation):
    server.play([(Text("ok"),)])
    await answer(open_model("openai"), request(*conversation))

    system, picture, calls, first, second, text, last = server.requests[0].messages
    assert system == {"role": "system", "content": "You are a test."}
    assert [part["type"] for part in picture["content"]] == ["text", "image_url"]
    assert calls["content"] == "I read both."
    assert [call["id"] for call in calls["tool_calls"]] == ["call_1", "call_2"]
    assert "thinking_blocks" not in calls
    assert first == {"role": "tool", "tool_call_id": "call_1", "content": "text of a"}
    assert second == {"role": "tool", "tool_call_id": "call_2", "content": "no such file: b"}
    assert (text["content"], last["content"]) == ("One is there.", "Go on.")
    assert [tool["function"]["name"] for tool in server.requests[0].body["tools"]] == ["read"]


async def test_a_conversation_reaches_anthropic_in_its_shape(open_model, server: WireServer, conversation):
    server.play([(Text("ok"),)])
    await answer(open_model("anthropic", cache="off"), request(*conversation))

    body = server.requests[0].body
    assert body["system"] == [{"type": "text", "text": "You are a test."}]
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user", "assistant", "user"]
    picture, calls, results, _, last = (message["content"] for message in body["messages"])
    assert [block["type"] for block in picture] == ["text", "image"]
    assert [block["type"] for block in calls] == ["thinking", "text", "tool_use", "tool_use"]
    assert (calls[0]["thinking"], calls[0]["signature"]) == ("Hm.", "sealed")
    assert [(block["type"], block["tool_use_id"]) for block in results] == [
        ("tool_result", "call_1"),
        ("tool_result", "call_2"),
    ]
    assert "no such file: b" in str(results[1]["content"])
    assert last[-1]["text"] == "Go on."
    assert [tool["name"] for tool in body["tools"]] == ["read"]


@each_wire
async def test_a_history_with_calls_may_be_sent_without_tools(open_model, server: WireServer, conversation, wire: Wire):
    server.play([(Text("ok"),)])

    events = await answer(open_model(wire), request(*conversation, tools=()))

    assert events[-1] == Finished("stop")


@each_wire
async def test_a_lone_surrogate_does_not_break_the_call(open_model, server: WireServer, wire: Wire):
    server.play([(Text("ok"),)])

    assert text_of(await answer(open_model(wire), "half \ud83d of a pair")) == "ok"
