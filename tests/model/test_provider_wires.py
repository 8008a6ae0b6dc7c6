"""Each family of providers with a wire or a habit of its own, in recorded shapes, through the real litellm."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from corpus_support import corpus
from model_support.asking import (
    answer,
    assistant,
    calls_of,
    completed,
    failure,
    reason_of,
    request,
    text_of,
    thoughts_of,
    usage_of,
    user,
)
from model_support.provider_server import ProviderServer, amazon_events, event_stream, json_lines, json_reply
from placet.core.messages import Message, ReasoningPart, ToolPart
from placet.model.base import ModelEvent, ToolSpec
from placet.model.client.host import HostedModel, ModelHost
from placet.settings import Settings

pytestmark = pytest.mark.asyncio(loop_scope="session")

GEMINI, DEEPSEEK, MISTRAL = "gemini/gemini-3-pro-preview", "deepseek/deepseek-chat", "mistral/mistral-large-latest"
OLLAMA, BEDROCK = "ollama_chat/qwen3", "bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0"


@pytest_asyncio.fixture(loop_scope="session")
async def provider() -> AsyncIterator[ProviderServer]:
    async with ProviderServer() as server:
        yield server


def opened(host: ModelHost, server: ProviderServer, name: str, path: str = "", **options: Any) -> HostedModel:
    settings = {"model": name, "modelOptions": {"apiBase": server.address + path, "tools": "native", **options}}
    return host.model(name, Settings.model_validate(settings))


# ---------------------------------------------------------------- Gemini


def gemini(*parts: dict[str, Any], reason: str | None = None, usage: dict[str, int] | None = None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    made: dict[str, Any] = {"candidates": [candidate | ({"finishReason": reason} if reason else {})]}
    return made | ({"usageMetadata": usage} if usage else {})


SIGNATURE = "Cs8BAdHtim+/9abc=="
GEMINI_USAGE = {
    "promptTokenCount": 100,
    "cachedContentTokenCount": 40,
    "candidatesTokenCount": 20,
    "thoughtsTokenCount": 7,
    "totalTokenCount": 127,
}
GEMINI_CALLS = event_stream(
    [
        gemini({"text": "Let me see.", "thought": True}),
        gemini({"text": "Reading "}),
        gemini({"text": "both."}),
        gemini(
            {"functionCall": {"name": "read", "args": {"filePath": "ä.py"}}, "thoughtSignature": SIGNATURE},
            {"functionCall": {"name": "read", "args": {"filePath": "b"}}},
            reason="STOP",
            usage=GEMINI_USAGE,
        ),
    ]
)


async def test_gemini_thinks_speaks_and_calls_in_parallel(host: ModelHost, provider: ProviderServer):
    provider.replies = [GEMINI_CALLS]

    events = await answer(opened(host, provider, GEMINI))

    assert thoughts_of(events)[0] == "Let me see."
    assert text_of(events) == "Reading both."
    assert [(name, json.loads(text)) for _, name, text in calls_of(events)] == [
        ("read", {"filePath": "ä.py"}),
        ("read", {"filePath": "b"}),
    ]
    assert reason_of(events) == "tool_calls"
    tokens = usage_of(events).tokens
    assert (tokens.input, tokens.output, tokens.reasoning, tokens.cache_read) == (60, 27, 7, 40)
    (asked,) = provider.asked
    assert asked.body["tools"][0]["function_declarations"][0]["name"] == "read"


async def test_gemini_gets_back_the_signature_of_its_call(host: ModelHost, provider: ProviderServer):
    provider.replies = [GEMINI_CALLS, event_stream([gemini({"text": "Seen."}, reason="STOP")])]
    model = opened(host, provider, GEMINI)

    events = await answer(model)
    await answer(model, request(user("hello"), replayed(events, GEMINI), user("Go on.")))

    contents = provider.asked[1].body["contents"]
    calls = [part for content in contents for part in content["parts"] if "function_call" in part]
    assert [part.get("thoughtSignature") for part in calls] == [SIGNATURE, None]


async def test_another_model_gets_no_signature_of_geminis(host: ModelHost, provider: ProviderServer):
    provider.replies = [GEMINI_CALLS, CHAT_DONE]
    events = await answer(opened(host, provider, GEMINI))

    await answer(opened(host, provider, DEEPSEEK), request(user("hello"), replayed(events, GEMINI), user("Go on.")))

    assert "thought" not in json.dumps(provider.asked[1].body["messages"])


async def test_a_schema_reaches_gemini_as_it_takes_it(host: ModelHost, provider: ProviderServer):
    provider.replies = [event_stream([gemini({"text": "ok"}, reason="STOP")])]
    parameters = {
        "type": "object",
        "properties": {"level": {"type": "integer", "enum": [1, 2]}, "names": {"type": "array"}},
        "required": ["level", "gone"],
    }

    await answer(opened(host, provider, GEMINI), request("hi", tools=(ToolSpec("set", "Sets.", parameters),)))

    sent = provider.asked[0].body["tools"][0]["function_declarations"][0]["parameters"]
    assert sent["properties"]["level"]["enum"] == ["1", "2"]
    assert sent["properties"]["level"]["type"].lower() == "string"
    assert sent["properties"]["names"]["items"]["type"].lower() == "string"
    assert sent["required"] == ["level"]


async def test_a_fault_of_geminis_is_told(host: ModelHost, provider: ProviderServer):
    error = {"error": {"code": 429, "message": "Resource has been exhausted", "status": "RESOURCE_EXHAUSTED"}}
    provider.replies = [json_reply(error, 429)]

    _, fault = await failure(opened(host, provider, GEMINI))

    assert fault.code == "rate_limit"
    assert fault.before_first_delta
    assert "Resource has been exhausted" in fault.message


# ---------------------------------------------------------------- DeepSeek, Mistral, Moonshot


def chunk(delta: dict[str, Any], reason: str | None = None, **more: Any) -> dict[str, Any]:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], **more}


def called(index: int, call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


DONE = b"data: [DONE]\n\n"
CHAT_DONE = event_stream([chunk({"role": "assistant", "content": "ok"}), chunk({}, "stop")], ends=DONE)
DEEPSEEK_CALLS = event_stream(
    [
        chunk({"role": "assistant", "content": None, "reasoning_content": "Let "}),
        chunk({"content": None, "reasoning_content": "me see."}),
        chunk({"content": "Reading.", "reasoning_content": None}),
        chunk({"tool_calls": [called(0, "call_00_a", "read", "")]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"filePath": "a"}'}}]}),
        chunk({"tool_calls": [called(1, "call_01_b", "read", '{"filePath": "b"}')]}),
        chunk(
            {"content": ""},
            "tool_calls",
            usage={
                "prompt_tokens": 100,
                "completion_tokens": 30,
                "total_tokens": 130,
                "prompt_cache_hit_tokens": 64,
                "prompt_cache_miss_tokens": 36,
                "completion_tokens_details": {"reasoning_tokens": 12},
            },
        ),
    ],
    ends=DONE,
)


async def test_deepseek_thinks_calls_and_gets_its_thinking_back(host: ModelHost, provider: ProviderServer):
    provider.replies = [DEEPSEEK_CALLS, CHAT_DONE]
    model = opened(host, provider, DEEPSEEK)

    events = await answer(model)
    foreign = assistant(ReasoningPart(text="Elsewhere."), "Said by another.", model="openai/gpt-4o")
    await answer(model, request(user("hello"), foreign, user("and?"), replayed(events, DEEPSEEK), user("Go on.")))

    assert thoughts_of(events) == ("Let me see.", [])
    assert [name for name, *_ in calls_of(events)] == ["call_00_a", "call_01_b"]
    tokens = usage_of(events).tokens
    assert (tokens.input, tokens.output, tokens.reasoning, tokens.cache_read) == (36, 30, 12, 64)
    said = [message for message in provider.asked[1].body["messages"] if message["role"] == "assistant"]
    assert [message["reasoning_content"] for message in said] == [" ", "Let me see."]


ROUTED = "openrouter/anthropic/claude-sonnet-4.5"


def detail(type: str, **more: Any) -> dict[str, Any]:
    return {"type": f"reasoning.{type}", "format": "anthropic-claude-v1", "index": 0, **more}


async def test_openrouter_gets_the_reasoning_details_back_that_it_sent(host: ModelHost, provider: ProviderServer):
    hidden = detail("encrypted", index=1, data="c2VjcmV0", id="call_a")
    thinking = [
        chunk({"role": "assistant", "reasoning": "Let ", "reasoning_details": [detail("text", text="Let ")]}),
        chunk({"reasoning": "me see.", "reasoning_details": [detail("text", text="me see.", signature=None)]}),
        chunk({"reasoning": None, "reasoning_details": [detail("text", signature="EqQB+/x==")]}),
    ]
    calls = [called(0, "call_a", "read", '{"filePath": "a"}')]
    provider.replies = [
        event_stream([*thinking, chunk({"tool_calls": calls, "reasoning_details": [hidden]}, "tool_calls")], ends=DONE),
        CHAT_DONE,
        CHAT_DONE,
    ]
    model = opened(host, provider, ROUTED)

    events = await answer(model)
    said = replayed(events, ROUTED)
    await answer(model, request(user("hello"), said, user("Go on.")))
    await answer(opened(host, provider, "openrouter/openai/gpt-5"), request(user("hello"), said, user("And?")))

    assert thoughts_of(events)[0] == "Let me see."
    told, elsewhere = (
        next(message for message in asked.body["messages"] if message["role"] == "assistant")
        for asked in provider.asked[1:]
    )
    assert told["reasoning_details"] == [detail("text", text="Let me see.", signature="EqQB+/x=="), hidden]
    assert "thinking_blocks" not in told
    assert "reasoning_details" not in elsewhere


async def test_thinking_is_told_again_to_none_but_those_who_want_it(host: ModelHost, provider: ProviderServer):
    provider.replies = [CHAT_DONE]
    name = "hosted_vllm/some-model"
    said = assistant(ReasoningPart(text="Hm."), "Yes.", model=name)

    await answer(opened(host, provider, name, "/v1"), request(user("hello"), said, user("Go on.")))

    assert "Hm." not in json.dumps(provider.asked[0].body)


async def test_mistral_gets_ids_of_nine_and_no_user_after_a_result(host: ModelHost, provider: ProviderServer):
    thinking = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    provider.replies = [
        event_stream(
            [
                chunk({"role": "assistant", "content": thinking}),
                chunk({"content": [{"type": "text", "text": "Reading."}]}),
                chunk({"tool_calls": [called(0, "D681PevKs", "read", '{"filePath": "a"}')]}, "tool_calls", usage=usage),
            ],
            ends=DONE,
        ),
        CHAT_DONE,
    ]
    model = opened(host, provider, MISTRAL, "/v1")

    events = await answer(model)
    long = assistant(completed("read", {}, "text", call_id="call_function_0123"), model="openai/gpt-4o")
    await answer(model, request(user("hello"), long, replayed(events, MISTRAL), user("Go on.")))

    assert (thoughts_of(events)[0], text_of(events)) == ("Hm.", "Reading.")
    assert (usage_of(events).tokens.input, usage_of(events).tokens.output) == (10, 5)
    messages = provider.asked[1].body["messages"]
    ids = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    assert ids[1] == "D681PevKs"
    assert all(len(one) == 9 and one.isalnum() for one in ids)
    assert [message["tool_call_id"] for message in messages if message["role"] == "tool"] == ids
    assert [message["role"] for message in messages[-3:]] == ["tool", "assistant", "user"]
    assert messages[-2]["content"] == "Done."


async def test_a_schema_reaches_moonshot_as_it_takes_it(host: ModelHost, provider: ProviderServer):
    provider.replies = [CHAT_DONE]
    pair = {"type": "array", "items": [{"type": "string"}, {"type": "number"}]}
    parameters = {
        "type": "object",
        "properties": {"place": {"$ref": "#/$defs/Place", "description": "where"}, "pair": pair},
        "$defs": {"Place": {"type": "string"}},
    }
    tool = ToolSpec("set", "Sets.", parameters)

    await answer(opened(host, provider, "moonshot/kimi-k2-0905-preview", "/v1"), request("hi", tools=(tool,)))

    body = provider.asked[0].body
    sent = body["tools"][0]["function"]["parameters"]["properties"]
    assert sent == {"place": {"$ref": "#/$defs/Place"}, "pair": {"type": "array", "items": {"type": "string"}}}
    assert body["temperature"] == 0.6


# ---------------------------------------------------------------- Ollama


def line(message: dict[str, Any], **more: Any) -> dict[str, Any]:
    head = {"model": "qwen3", "created_at": "2026-01-01T00:00:00Z"}
    return {**head, "message": {"role": "assistant", "content": "", **message}, "done": False, **more}


OLLAMA_CALLS = json_lines(
    [
        line({"thinking": "Let me see."}),
        line({"content": "Reading "}),
        line({"content": "both."}),
        line({"tool_calls": [{"function": {"name": "read", "arguments": {"filePath": "a"}}}]}),
        line({"tool_calls": [{"function": {"name": "read", "arguments": {"filePath": "b"}}}]}),
        line({}, done=True, done_reason="stop", prompt_eval_count=26, eval_count=9),
    ]
)


@corpus("transport", ["auto", "compatible"])
async def test_ollama_thinks_speaks_and_calls(host: ModelHost, transport: str):
    async with ProviderServer(pages={"/api/show": json_reply({})}) as provider:  # litellm looks for a price there.
        provider.replies = [OLLAMA_CALLS, json_lines([line({"content": "ok"}, done=True, done_reason="stop")])]
        model = opened(host, provider, OLLAMA, transport=transport)

        events = await answer(model)
        await answer(model, request(user("hello"), replayed(events, OLLAMA), user("Go on.")))

    assert host.transport(OLLAMA) == ("fast" if transport == "auto" else "compatible")
    assert thoughts_of(events) == ("Let me see.", [])
    assert_ollama_spoke_and_called(events)
    first, second = (asked for asked in provider.asked if asked.path != "/api/show")
    assert first.path == "/api/chat"
    assert first.body["tools"][0]["function"]["name"] == "read"
    assert [message["role"] for message in second.body["messages"]][-4:] == ["assistant", "tool", "tool", "user"]


def assert_ollama_spoke_and_called(events: list[ModelEvent]) -> None:
    assert text_of(events) == "Reading both."
    assert [(name, json.loads(text)) for _, name, text in calls_of(events)] == [
        ("read", {"filePath": "a"}),
        ("read", {"filePath": "b"}),
    ]
    assert reason_of(events) == "tool_calls"
    assert (usage_of(events).tokens.input, usage_of(events).tokens.output) == (26, 9)


async def test_a_model_that_ollama_does_not_have_is_not_found(host: ModelHost, provider: ProviderServer):
    provider.replies = [json_reply({"error": "model 'qwen3' not found"}, 404)]

    _, fault = await failure(opened(host, provider, OLLAMA))

    assert (fault.code, fault.status) == ("not_found", 404)
    assert "not found" in fault.message


# ---------------------------------------------------------------- Bedrock


BEDROCK_CALLS = amazon_events(
    [
        ("messageStart", {"role": "assistant"}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "Let me see."}}}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "sealed"}}}),
        ("contentBlockStop", {"contentBlockIndex": 0}),
        ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "Reading."}}),
        ("contentBlockStop", {"contentBlockIndex": 1}),
        *(
            event
            for index, name in ((2, "a"), (3, "b"))
            for event in (
                (
                    "contentBlockStart",
                    {
                        "contentBlockIndex": index,
                        "start": {"toolUse": {"toolUseId": f"tooluse_{name}", "name": "read"}},
                    },
                ),
                (
                    "contentBlockDelta",
                    {"contentBlockIndex": index, "delta": {"toolUse": {"input": f'{{"filePath": "{name}"}}'}}},
                ),
                ("contentBlockStop", {"contentBlockIndex": index}),
            )
        ),
        ("messageStop", {"stopReason": "tool_use"}),
        (
            "metadata",
            {
                "usage": {"inputTokens": 30, "outputTokens": 8, "totalTokens": 58, "cacheReadInputTokens": 20},
                "metrics": {"latencyMs": 1},
            },
        ),
    ]
)


async def test_bedrock_thinks_speaks_and_calls(host: ModelHost, provider: ProviderServer):
    pytest.importorskip("botocore", reason="litellm signs and reads Amazon's wire with it")
    provider.replies = [BEDROCK_CALLS]

    events = await answer(opened(host, provider, BEDROCK))

    assert thoughts_of(events) == ("Let me see.", ["sealed"])
    assert text_of(events) == "Reading."
    assert calls_of(events) == [
        ("tooluse_a", "read", '{"filePath": "a"}'),
        ("tooluse_b", "read", '{"filePath": "b"}'),
    ]
    assert usage_of(events).tokens.output == 8


def replayed(events: list[ModelEvent], model: str) -> Message:
    """What the conversation keeps of an answer, each call with a result."""
    thinking, seals = thoughts_of(events)
    parts: list[Any] = [ReasoningPart(text=thinking, signature=seals[0] if seals else None)] if thinking else []
    calls: list[ToolPart] = [
        completed(name, json.loads(arguments), "text", call_id=call_id) for call_id, name, arguments in calls_of(events)
    ]
    return assistant(*parts, text_of(events), *calls, model=model)
