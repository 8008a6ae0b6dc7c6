"""What an upgrade of litellm must not change: our readers say what litellm's own say, and providers stay captured."""

import json
from typing import Any

import pytest

from corpus_support import corpus
from model_support.asking import calls_of, failure, reason_of, request, text_of, thoughts_of
from placet.core.errors import ModelError
from placet.model.base import ModelEvent, UsageReport
from placet.model.client.host import HostedModel, ModelHost
from placet.settings import Settings
from wire_servers.answers import Answer, Call, Drop, Finish, Status, StreamError, Text, Thought, Truncate, Usage
from wire_servers.server import WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

CAPTURED = (
    *("openai", "anthropic", "azure", "deepseek", "groq", "xai", "mistral", "openrouter", "fireworks_ai"),
    *("together_ai", "hosted_vllm", "databricks", "snowflake", "minimax", "novita", "cerebras", "perplexity"),
    *("dashscope", "moonshot", "zai", "vercel_ai_gateway", "lm_studio", "litellm_proxy", "custom_openai"),
    *("nvidia_nim", "sambanova", "huggingface"),
)
RESPONSES = "openai/responses/gpt-4o"
"""litellm asks this one over OpenAI's Responses wire."""
MODELS = {provider: f"{provider}/some-model" for provider in CAPTURED} | {
    "openai": "openai/gpt-4o",
    "anthropic": "anthropic/claude-sonnet-4-5",
    "responses": RESPONSES,
    "gemini": "gemini/gemini-2.5-flash",
}
CALL = Call("read", {"filePath": "ä.py"}, id="call_a", pieces=5)

ANSWERS: dict[str, Answer] = {
    "text": (Text("Grüße, 世界 🙂. " * 20, pieces=50), Usage(input=100, output=50, cache_read=30)),
    "thinking": (Thought("Let me see.", signature="sealed"), Text("Seen."), Usage(output=9)),
    "calls": (Text("Reading."), CALL, Call("list", {"path": "b"}, id="call_b"), Usage(input=7, output=8)),
    "length": (Text("cut"), Finish("length"), Usage()),
    "filtered": (Text("cut"), Finish("content_filter"), Usage()),
}
FAULTS: dict[str, Answer] = {
    "400": (Status(400, "unknown field"),),
    "401": (Status(401, "no such key"),),
    "404": (Status(404, "no such model"),),
    "429": (Status(429, "slow down", retry_after=7),),
    "500": (Status(500, "boom"),),
    "503": (Status(503, "later"),),
    "too long": (Status(400, "This model's maximum context length is 128000 tokens."),),
    "error event": (StreamError("overloaded_error", "Overloaded"),),
    "error later": (Text("half"), StreamError("overloaded_error", "Overloaded")),
    "truncated": (Text("half"), Truncate()),
    "dropped": (Text("half"), Drop()),
}

EVERYTHING: Answer = (
    *(Thought("Let me see.", signature="sealed"), Text("Grüße, 世界 🙂. " * 20, pieces=50)),
    *(CALL, Call("list", {"path": "b"}, id="call_b"), Usage(input=100, output=50, cache_read=30)),
)
WIRES = ("openai", "anthropic", "responses", "gemini")
"""A reader is one of a wire: each answer and each fault is read once over each wire, and each provider is read once."""

READ_MORE = {"openrouter", "snowflake"}
"""litellm looks for thinking by one name only, and not at all."""
WE_TELL_MORE = {
    ("snowflake", "error event"),
    ("snowflake", "error later"),
    ("databricks", "error event"),
    ("databricks", "error later"),
    ("responses", "error event"),
    ("responses", "error later"),
    ("responses", "truncated"),
}
"""litellm takes no notice of the error event, or stumbles over it or over the early end."""

GIVES_OBJECTS = {"gemini"}
"""The arguments of a call come as an object, and each reader writes the object as text in its own way."""
STATUS_UNKNOWN_TO_LITELLM = {"gemini"}
"""litellm sends the request when the reading begins, and then takes any fault for a fault in the stream."""


def models(host: ModelHost, server: WireServer, provider: str) -> tuple[HostedModel, HostedModel]:
    """The same model, read by ourselves and by litellm."""
    base = server.address if provider in {"anthropic", "gemini"} else server.openai_base
    fast, plain = (
        host.model(MODELS[provider], Settings.model_validate({"modelOptions": {"apiBase": base, "transport": name}}))
        for name in ("auto", "compatible")
    )
    return fast, plain


async def collect(model: HostedModel) -> tuple[list[ModelEvent], ModelError | None]:
    events: list[ModelEvent] = []
    try:
        async for event in model.stream(request("hello")):
            events.append(event)
    except ModelError as error:
        return events, error
    return events, None


def summary(events: list[ModelEvent]) -> dict[str, Any]:
    usage = [event for event in events if isinstance(event, UsageReport)]
    return {
        "text": text_of(events),
        "thinking": thoughts_of(events),
        "calls": calls_of(events),
        "usage": usage,
        "finish": reason_of(events),
    }


@corpus(
    ("provider", "answer"),
    [
        *((wire, answer) for wire in WIRES for answer in ANSWERS.values()),
        *((provider, EVERYTHING) for provider in MODELS),
    ],
)
async def test_an_answer_is_the_same_whoever_reads_it(
    host: ModelHost, server: WireServer, provider: str, answer: Answer
):
    fast, plain = models(host, server, provider)
    server.play(lambda _: answer)

    ours, error = await collect(fast)
    assert error is None, error
    assert host.transport(MODELS[provider]) == "fast", "litellm no longer uses our transport"
    theirs, error = await collect(plain)
    assert error is None, error
    assert host.transport(MODELS[provider]) == "compatible"

    mine, its = summary(ours), summary(theirs)
    if not mine["usage"]:
        # The provider was not asked for figures; litellm makes some up.
        del mine["usage"], its["usage"]
    if provider in GIVES_OBJECTS:
        for told in (mine, its):
            told["calls"] = [(*head, json.loads(text)) for *head, text in told["calls"]]
    if provider in READ_MORE:
        assert (mine.pop("thinking"), its.pop("thinking")) == (("Let me see.", []), ("", []))
    assert mine == its


@corpus(
    ("provider", "name"),
    [
        *((wire, fault) for wire in WIRES for fault in FAULTS),
        *((provider, "429") for provider in CAPTURED if provider not in WIRES),
        *(row for row in sorted(WE_TELL_MORE) if row[0] not in WIRES),
    ],
)
async def test_a_fault_is_the_same_whoever_reads_it(host: ModelHost, server: WireServer, provider: str, name: str):
    fast, plain = models(host, server, provider)
    server.play(lambda _: FAULTS[name])

    ours, mine = await failure(fast)
    if (provider, name) == ("gemini", "truncated"):
        assert mine.code == "interrupted"
        assert (await collect(plain))[1] is None, "litellm takes an answer of Gemini's without an end for whole"
        return
    theirs, its = await failure(plain)

    assert text_of(ours) == text_of(theirs)
    if (provider, name) in WE_TELL_MORE:
        assert mine.code == ("interrupted" if name == "truncated" else "overloaded") != its.code
        return
    assert (mine.code, mine.before_first_delta) == (its.code, its.before_first_delta)
    assert mine.status == its.status or (provider in STATUS_UNKNOWN_TO_LITELLM and its.status is None)
    assert mine.retry_after == its.retry_after
    assert mine.hint == its.hint


async def test_a_provider_with_another_wire_is_read_by_litellm(host: ModelHost, server: WireServer):
    chunk = {"model": "x", "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": "hi"}}
    server.play_lines([{**chunk, "done": False}, {**chunk, "done": True, "done_reason": "stop"}])
    settings = Settings.model_validate({"modelOptions": {"apiBase": server.address, "transport": "compatible"}})
    model = host.model("ollama_chat/some-model", settings)

    events, error = await collect(model)

    assert error is None, error
    assert text_of(events) == "hihi"
    assert host.transport("ollama_chat/some-model") == "compatible"
