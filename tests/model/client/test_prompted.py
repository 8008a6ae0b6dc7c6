"""Calls of a model that has no form for them: what it is told, and how what it writes is read."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from model_support.asking import READ, answer, assistant, calls_of, completed, failure, request, text_of, user
from model_support.chat import chat_messages
from placet.core.messages import TextPart, ToolFailed, ToolPart
from placet.model.base import Finished, ModelEvent, Remark
from placet.model.client.call_reader import CallReader
from placet.model.client.host import HostedModel, ModelHost
from placet.model.client.prompted import instructions, written_call
from placet.settings import Settings
from wire_servers.answers import Finish, Status, Text, Usage
from wire_servers.server import WireServer

OpenModel = Callable[..., HostedModel]
GOOD = written_call("read", {"filePath": "ä.py"})
OTHER = written_call("read", {"filePath": "b"})


def read(*pieces: str, reason: str = "stop") -> list[ModelEvent]:
    reader = CallReader()
    return [event for piece in pieces for event in reader.take(piece)] + list(reader.finish(reason))


def told(events: list[ModelEvent]) -> list[tuple[str, object]]:
    return [(name, json.loads(text)) for _, name, text in calls_of(events)]


@given(st.lists(st.integers(1, 200), max_size=40))
def test_text_and_calls_are_the_same_however_they_are_cut(sizes: list[int]) -> None:
    text = f"I look.\n```python\nx = 1\n```\n\n{GOOD}\n\n{OTHER}\n"
    pieces: list[str] = []
    for size in sizes:
        pieces.append(text[:size])
        text = text[size:]

    events = read(*pieces, text)

    assert text_of(events) == "I look.\n```python\nx = 1\n```"
    assert told(events) == [("read", {"filePath": "ä.py"}), ("read", {"filePath": "b"})]
    assert events[-1] == Finished("tool_calls")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r")).filter(lambda one: "```" not in one))
def test_text_without_calls_is_what_was_said(text: str) -> None:
    said = text_of(read(*text))

    assert text.startswith(said)
    assert text[len(said) :].strip("\n") == ""


def test_text_is_shown_as_it_comes() -> None:
    reader = CallReader()

    assert text_of(list(reader.take("I lo"))) == "I lo"
    assert text_of(list(reader.take("ok.\n``"))) == "ok."
    assert text_of(list(reader.take("`py\n"))) == "\n```py"


@corpus(
    ("block", "words"),
    [
        ('{"name": "read", "arguments": {', "not valid JSON"),
        ("[1]", "not a JSON object"),
        ('{"arguments": {}}', "`name`"),
        ('{"name": "read", "arguments": "a"}', "`arguments`"),
    ],
)
def test_a_call_in_another_form_fails_and_says_why(block: str, words: str) -> None:
    ((name, arguments),) = told(read(f"```tool_call\n{block}\n```\n"))

    assert name == "invalid"
    assert isinstance(arguments, dict)
    assert words in arguments["error"]
    assert "```tool_call" in arguments["error"]


@corpus("text", ['```json\n{"name": "read", "arguments": {}}\n```', f"So: {GOOD}", '{"name": "read", "arguments": {}}'])
def test_what_only_looks_like_a_call_is_none(text: str) -> None:
    assert calls_of(read(text)) == []


def test_what_follows_on_a_call_is_not_believed() -> None:
    events = read(f"{GOOD}\nResult of read:\nfake\n{OTHER}\n")

    assert told(events) == [("read", {"filePath": "ä.py"})]
    assert "fake" not in text_of(events)


def test_the_last_fence_may_be_missing_at_the_end() -> None:
    assert told(read(GOOD.removesuffix("\n```"))) == [("read", {"filePath": "ä.py"})]


def test_a_call_that_was_cut_off_is_one_whose_arguments_are_not_whole() -> None:
    events = read(GOOD[:-10], reason="length")

    ((_, _, raw),) = calls_of(events)
    with pytest.raises(ValueError):
        json.loads(raw)
    assert events[-1] == Finished("length")


def test_calls_and_results_stand_in_the_conversation_as_text() -> None:
    wrong = ToolPart(call_id="2", tool="invalid", state=ToolFailed(input={}, error="no form", start=1, end=2))
    made = assistant("I look.", completed("read", {"filePath": "a"}, "text of a", call_id="1"), wrong, model="m")

    _, said, results = chat_messages((), (user("hi"), made), model="m", prompted=True)

    assert said == {
        "role": "assistant",
        "content": f"I look.\n{written_call('read', {'filePath': 'a'})}\n(A call in no good form.)",
    }
    assert results == {"role": "user", "content": "Result of read:\ntext of a\n\nResult of invalid:\nno form"}


def test_each_tool_is_told_with_its_schema() -> None:
    text = instructions((READ,))

    assert "## read\nReads a file." in text
    assert '{"type":"object","properties":{"filePath":{"type":"string"}}}' in text


@pytest.mark.asyncio(loop_scope="session")
async def test_a_model_that_is_set_so_is_asked_without_tools(open_model: OpenModel, server: WireServer) -> None:
    server.play([(Text(f"I look.\n{GOOD}", pieces=9), Usage(input=7)), (Text("Seen."),)])
    model = open_model("openai", tools="prompted")

    events = await answer(model)
    said = assistant(TextPart(text="I look."), completed("read", {"filePath": "a"}, "one", call_id="1"))
    again = await answer(model, request(user("hello"), said))

    assert isinstance(events[0], Remark)
    assert not any(isinstance(event, Remark) for event in again), "it is said once"
    assert text_of(events) == "I look."
    assert told(events) == [("read", {"filePath": "ä.py"})]
    first, second = server.requests
    assert "tools" not in first.body
    assert "## read" in first.messages[0]["content"]
    assert [message["role"] for message in second.messages] == ["system", "user", "assistant", "user"]


@pytest.mark.asyncio(loop_scope="session")
async def test_a_server_that_refuses_tools_is_asked_without_them(open_model: OpenModel, server: WireServer) -> None:
    server.play([(Status(400, "registry.ollama.ai/library/x does not support tools"),), (Text(GOOD),), (Text("ok"),)])
    model = open_model("openai")

    events = await answer(model)
    await answer(model)

    assert told(events) == [("read", {"filePath": "ä.py"})]
    assert ["tools" in one.body for one in server.requests] == [True, False, False]


@pytest.mark.asyncio(loop_scope="session")
async def test_whoever_wants_native_calls_hears_that_there_are_none(open_model: OpenModel, server: WireServer) -> None:
    server.play([(Status(400, "this model does not support tools"),)])

    _, fault = await failure(open_model("openai", tools="native"))

    assert fault.code == "bad_request"
    assert len(server.requests) == 1


@pytest.mark.asyncio(loop_scope="session")
async def test_a_model_known_to_have_no_tools_is_asked_without_them(host: ModelHost, server: WireServer) -> None:
    server.play([(Text(GOOD), Finish("stop"))])
    name = "deepseek/deepseek-reasoner"
    settings = Settings.model_validate({"model": name, "modelOptions": {"apiBase": server.openai_base}})

    events = await answer(host.model(name, settings))

    assert told(events) == [("read", {"filePath": "ä.py"})]
    assert "tools" not in server.requests[0].body


@pytest.mark.asyncio(loop_scope="session")
async def test_a_call_that_a_model_with_tools_writes_as_text_is_read_and_the_user_is_told_once(
    open_model: OpenModel, server: WireServer
) -> None:
    written = 'I read it.\n```json\n{"name": "read", "arguments": {"filePath": "ä.py"}}\n```'
    server.play([(Text(written, pieces=9), Usage(input=7)), (Text(written),)])
    model = open_model("openai")

    events, again = await answer(model), await answer(model)

    assert text_of(events) == "I read it."
    assert told(events) == told(again) == [("read", {"filePath": "ä.py"})]
    assert events[-1] == Finished("tool_calls")
    assert [event.code for event in [*events, *again] if isinstance(event, Remark)] == ["written_calls"]
    assert "tools" in server.requests[0].body
