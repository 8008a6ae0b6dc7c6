"""Each wire's reader, over the streams the scripted servers send and over what single providers make of them."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from model_support.folding import Folded, fold
from placet.model import frames
from placet.model.host.readers.anthropic_messages import AnthropicReader
from placet.model.host.readers.gemini import GeminiReader
from placet.model.host.readers.lines import EventLines
from placet.model.host.readers.ollama import OllamaReader
from placet.model.host.readers.openai_chat import OpenAiChatReader
from placet.model.host.readers.openai_responses import OpenAiResponsesReader
from placet.model.host.readers.stream import NoJson, StreamFault, StreamReader, closing_pieces
from wire_servers import anthropic_wire, gemini_wire, openai_wire, responses_wire
from wire_servers.answers import Answer, Call, Finish, Text, Thought, Usage

WIRES: dict[str, tuple[type[StreamReader], Any]] = {
    "openai": (OpenAiChatReader, openai_wire),
    "anthropic": (AnthropicReader, anthropic_wire),
    "responses": (OpenAiResponsesReader, responses_wire),
    "gemini": (GeminiReader, gemini_wire),
}
ANSWER: Answer = (
    Thought("Hm, 世界.", signature="sealed"),
    Text("Grüße 🙂!"),
    Call("read", {"filePath": "ä.py"}, id="one"),
    Call("list", {}, id="two"),
    Usage(input=100, output=20, cache_read=30),
)


def stream_of(wire: str, answer: Answer) -> bytes:
    items = WIRES[wire][1].stream(answer, {"model": "m", "stream_options": {"include_usage": True}})
    return b"".join(item for item in items if isinstance(item, bytes))


def read(wire: str, *chunks: bytes) -> Folded:
    reader = WIRES[wire][0]()
    lines = EventLines()
    pieces: list[frames.Piece] = []
    for chunk in chunks:
        pieces += reader.read(lines.feed(chunk))
    pieces += reader.read(lines.finish())
    assert reader.ended
    usage = [] if reader.usage is None else [reader.usage]
    return fold([*pieces, *usage, *closing_pieces(reader.calls, reader.reason or "stop")])


def read_events(wire: str, *events: dict[str, Any]) -> Folded:
    return read(wire, *(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events))


each_wire = corpus("wire", WIRES)


@each_wire
def test_an_answer_is_read_whole(wire: str):
    folded = read(wire, stream_of(wire, ANSWER))

    assert folded.text == "Grüße 🙂!"
    assert folded.thinking == "Hm, 世界."
    assert folded.seals == (["sealed"] if wire == "anthropic" else [])
    assert {name: json.loads(arguments or "{}") for name, arguments in folded.calls.values()} == {
        "read": {"filePath": "ä.py"},
        "list": {},
    }
    assert list(folded.calls) == ["one", "two"]
    assert folded.usage == frames.Usage(100, 20, 0, 30, 0)
    assert folded.finish == "tool_calls"


@each_wire
def test_a_cut_at_any_byte_gives_the_same(wire: str):
    stream = stream_of(wire, ANSWER)
    whole = read(wire, stream)

    for cut in range(len(stream)):
        assert read(wire, stream[:cut], stream[cut:]) == whole
    assert read(wire, *(stream[i : i + 1] for i in range(len(stream)))) == whole


@given(st.sampled_from(list(WIRES)), st.sets(st.integers(1, 2000), max_size=40), st.booleans())
def test_any_cuts_and_line_ends_give_the_same(wire: str, cuts: set[int], crlf: bool):
    stream = stream_of(wire, ANSWER)
    whole = read(wire, stream)
    if crlf:
        stream = stream.replace(b"\n", b"\r\n")
    places = [0, *sorted(cut for cut in cuts if cut < len(stream)), len(stream)]

    assert read(wire, *(stream[a:b] for a, b in itertools.pairwise(places))) == whole


@each_wire
def test_pieces_of_one_read_are_joined(wire: str):
    reader = WIRES[wire][0]()

    pieces = reader.read(EventLines().feed(stream_of(wire, (Text("x" * 100, pieces=100),))))

    assert pieces == [frames.Text("x" * 100)]


@each_wire
def test_a_finish_reason_of_the_provider_is_told_in_openais_words(wire: str):
    assert read(wire, stream_of(wire, (Text("cut"), Finish("length")))).finish == "length"


@each_wire
def test_a_stream_without_an_end_has_not_ended(wire: str):
    whole = stream_of(wire, (Text("hello"),))
    reader = WIRES[wire][0]()
    reader.read(EventLines().feed(whole[: whole.index(b"he")]))

    assert not reader.ended


@each_wire
def test_what_is_no_json_is_told_with_what_came_before_it(wire: str):
    reader = WIRES[wire][0]()
    payloads = EventLines().feed(stream_of(wire, (Text("before"),)))

    with pytest.raises(NoJson, match="<html>"):
        reader.read([*payloads[:-1], b"<html>"])
    assert fold(reader.out.take()).text == "before"


def test_events_without_blank_lines_between_them_are_read():
    stream = stream_of("openai", ANSWER)

    assert read("openai", stream.replace(b"\n\n", b"\n")) == read("openai", stream)


@each_wire
@corpus(
    ("error", "status"),
    [
        ({"type": "overloaded_error", "message": "busy"}, 529),
        ({"type": "rate_limit_error", "message": "busy"}, 429),
        ({"message": "busy", "code": 502}, 502),
        ({"message": "busy", "code": "429", "type": "x"}, 429),
        ({"message": "busy", "code": None, "type": "invalid_request_error"}, 400),
        ({"message": "busy", "code": "context_length_exceeded"}, 400),
        ({"message": "busy"}, 500),
        ("busy", 500),
        ({"detail": "busy"}, 500),
    ],
)
def test_an_error_event_has_a_status(wire: str, error: Any, status: int):
    reader = WIRES[wire][0]()

    with pytest.raises(StreamFault, match="busy") as caught:
        reader.read([json.dumps({"type": "error", "error": error}).encode()])

    assert caught.value.status_code == status


def chunk(delta: dict[str, Any], finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **fields}


def call(index: int | None, call_id: str | None = None, name: str | None = None, arguments: Any = None) -> dict:
    return chunk({"tool_calls": [{"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}]})


def test_a_new_id_is_a_new_call_at_the_same_index():
    folded = read_events(
        "openai", call(0, "a", "read", "1"), call(0, "b", "read", "2"), call(0, None, None, "3"), chunk({}, "stop")
    )

    assert folded.calls == {"a": ["read", "1"], "b": ["read", "23"]}
    assert folded.finish == "tool_calls"


def test_interleaved_arguments_go_to_their_calls():
    parts = [call(i % 2, None, None, text) for i, text in enumerate("{{1234}}")]
    folded = read_events("openai", call(0, "a", "read", ""), call(1, "b", "read", ""), *parts, chunk({}, "tool_calls"))

    assert folded.calls == {"a": ["read", "{13}"], "b": ["read", "{24}"]}


def test_arguments_may_come_as_an_object_and_without_an_index():
    folded = read_events("openai", call(None, "a", "read", {"x": 1}), chunk({}, "stop"))

    assert folded.calls == {"a": ["read", '{"x":1}']}


def test_an_empty_object_before_the_arguments_is_no_part_of_them():
    """Databricks begins a call with `{}` and then sends what is meant."""
    start = call(0, "a", "read", "{}")
    end = chunk({}, "tool_calls")

    assert read_events("openai", start, call(0, None, None, '{"x"'), call(0, None, None, ":1}"), end).calls == {
        "a": ["read", '{"x":1}']
    }
    assert read_events("openai", start, end).calls == {"a": ["read", "{}"]}


@corpus("name", ["reasoning_content", "reasoning"])
def test_thinking_has_two_names(name: str):
    assert read_events("openai", chunk({name: "Hm."}), chunk({"content": "x"}, "stop")).thinking == "Hm."


def test_content_may_be_a_list_of_blocks():
    mistral = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"type": "text", "text": "Yes."}]
    databricks = [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "So."}]}]
    folded = read_events("openai", chunk({"content": mistral}), chunk({"content": databricks}), chunk({}, "stop"))

    assert (folded.thinking, folded.text) == ("Hm.So.", "Yes.")


def test_usage_may_come_with_the_finish_or_after_it_with_no_choices():
    figures = {"prompt_tokens": 10, "completion_tokens": 5, "prompt_cache_hit_tokens": 4}
    expected = frames.Usage(input=6, output=5, cache_read=4)

    assert read_events("openai", chunk({"content": "x"}, "stop", usage=figures)).usage == expected
    after = {"choices": [], "usage": figures}
    assert read_events("openai", chunk({"content": "x"}, "stop"), after).usage == expected
    assert read_events("openai", chunk({"content": "x"}, "stop", usage=None)).usage is None


def test_thinking_counted_beside_the_answer_is_added_to_it():
    figures = {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "total_tokens": 40,
        "completion_tokens_details": {"reasoning_tokens": 25},
    }

    assert read_events("openai", chunk({"content": "x"}, "stop", usage=figures)).usage == frames.Usage(10, 30, 25)


def test_nothing_after_the_last_word_counts():
    reader = OpenAiChatReader()
    pieces = reader.read([b'{"choices":[{"delta":{"content":"x"}}]}', b"[DONE]", b"<html>"])

    assert pieces == [frames.Text("x")]
    assert reader.ended


def test_redacted_thinking_and_whole_inputs_of_anthropic_are_kept():
    folded = read_events(
        "anthropic",
        {"type": "content_block_start", "index": 0, "content_block": {"type": "redacted_thinking", "data": "secret"}},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "a", "name": "read", "input": {"x": 1}},
        },
        {"type": "content_block_stop", "index": 1},
        {"type": "ping"},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    )

    assert folded.seals == ["secret"]
    assert folded.calls == {"a": ["read", '{"x":1}']}
    assert folded.usage == frames.Usage(output=3)


def test_arguments_in_deltas_win_over_those_at_the_start():
    start = {"type": "tool_use", "id": "a", "name": "read", "input": {"x": 0}}
    folded = read_events(
        "anthropic",
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"x":1}'}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_stop"},
    )

    assert folded.calls == {"a": ["read", '{"x":1}']}


def test_the_tools_of_anthropics_own_servers_are_no_calls():
    start = {"type": "server_tool_use", "id": "a", "name": "web_search", "input": {}}
    folded = read_events(
        "anthropic",
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
    )

    assert folded.calls == {}
    assert folded.finish == "stop"


def of_gemini(*parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts)}, **fields}]}


def test_the_signature_of_geminis_call_is_a_part_of_the_id():
    folded = read_events(
        "gemini",
        of_gemini(
            {"functionCall": {"name": "read", "args": {"x": 1}, "id": "a"}, "thoughtSignature": "seal=="},
            {"functionCall": {"name": "read", "args": {"x": 1}}},
            {"functionCall": {"name": "list"}},
        ),
        of_gemini(finishReason="STOP"),
    )

    (signed, *others) = folded.calls
    assert signed == "a__thought__seal=="
    assert all(call_id.startswith("call_") for call_id in others)
    assert list(folded.calls.values()) == [["read", '{"x":1}'], ["read", '{"x":1}'], ["list", "{}"]]
    assert folded.finish == "tool_calls"


@corpus("reason", ["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "OTHER"])
def test_gemini_ends_an_unsafe_answer_with_a_filter(reason: str):
    assert read_events("gemini", of_gemini({"text": "x"}, finishReason=reason)).finish == "content_filter"


def test_gemini_refuses_an_unsafe_prompt():
    assert read_events("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}).finish == "content_filter"


@corpus(("total", "output"), [(127, 27), (120, 20)])
def test_gemini_counts_thinking_beside_or_within_the_answer(total: int, output: int):
    figures = {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 40,
        "candidatesTokenCount": 20,
        "thoughtsTokenCount": 7,
        "totalTokenCount": total,
    }

    folded = read_events("gemini", of_gemini({"text": "x"}, finishReason="STOP") | {"usageMetadata": figures})

    assert folded.usage == frames.Usage(input=60, output=output, reasoning=7, cache_read=40)


def test_gemini_may_say_null_for_what_is_not_there():
    part = {"text": "x", "thought": None, "thoughtSignature": None, "functionCall": None}

    folded = read_events("gemini", of_gemini(part, finishReason=None), of_gemini(finishReason="STOP", index=0))

    assert (folded.text, folded.finish) == ("x", "stop")


# ---------------------------------------------------------------- Ollama: a line of JSON for each piece


OLLAMA_LINES: list[dict[str, Any]] = [
    {"message": {"role": "assistant", "thinking": "Hm, 世界."}, "done": False},
    {"message": {"role": "assistant", "content": "Grüße "}, "done": False},
    {"message": {"role": "assistant", "content": "🙂!"}, "done": False},
    {"message": {"tool_calls": [{"id": "one", "function": {"name": "read", "arguments": {"filePath": "ä.py"}}}]}},
    {"message": {"tool_calls": [{"function": {"index": 0, "name": "list", "arguments": {}}}]}},
    {"message": {"tool_calls": [{"function": {"index": 0, "name": "list", "arguments": {}}}]}},
    {"message": {"content": ""}, "done": True, "done_reason": "stop", "prompt_eval_count": 100, "eval_count": 20},
]
OLLAMA_STREAM = b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in OLLAMA_LINES)


def read_ollama(*chunks: bytes) -> tuple[OllamaReader, Folded]:
    reader, lines = OllamaReader(), EventLines()
    pieces = [piece for chunk in chunks for piece in reader.read(lines.feed(chunk))]
    pieces += reader.read(lines.finish())
    return reader, fold([*pieces, *closing_pieces(reader.calls, reader.reason or "stop")])


def test_ollamas_answer_is_read_whole_wherever_it_is_cut():
    for cut in range(len(OLLAMA_STREAM) + 1):
        reader, folded = read_ollama(OLLAMA_STREAM[:cut], OLLAMA_STREAM[cut:])

        assert (folded.text, folded.thinking, folded.finish) == ("Grüße 🙂!", "Hm, 世界.", "tool_calls"), cut
        assert [(name, json.loads(arguments or "{}")) for name, arguments in folded.calls.values()] == [
            ("read", {"filePath": "ä.py"}),
            ("list", {}),
            ("list", {}),
        ], cut
        assert (reader.ended, reader.usage) == (True, frames.Usage(100, 20)), cut


def test_an_answer_of_ollama_without_its_last_line_has_not_ended():
    assert not read_ollama(OLLAMA_STREAM[: OLLAMA_STREAM.index(b'"done": true') - 30])[0].ended


def test_a_fault_of_ollama_in_mid_answer_is_told():
    with pytest.raises(StreamFault, match="out of memory"):
        read_ollama(OLLAMA_STREAM.splitlines(keepends=True)[0], b'{"error": "out of memory"}\n')


def test_an_answer_that_fills_ollamas_context_ends_for_its_length():
    done = {"message": {"content": "x"}, "done": True, "done_reason": "length"}

    assert read_ollama(json.dumps(done).encode())[1].finish == "length"
