"""Our conversation in the shape of chat-completions."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from model_support.asking import READ, assistant, completed, failed, user
from model_support.chat import chat_messages
from placet.core.messages import (
    FilePart,
    LineRange,
    ReasoningPart,
    ToolPart,
    ToolPending,
    ToolRunning,
    whole_characters,
)
from placet.model.client.messages import INTERRUPTED, chat_tools


def chat(*messages, system=(), model="m"):
    return chat_messages(system, messages, model=model)


def test_the_system_prompt_comes_first_as_one_message():
    assert chat(user("hi"), system=("One.", "", "Two.")) == [
        {"role": "system", "content": "One.\n\nTwo."},
        {"role": "user", "content": "hi"},
    ]


def test_texts_of_a_user_are_one_plain_text():
    assert chat(user("first", " \n", "second")) == [{"role": "user", "content": "first\n\nsecond"}]


def test_empty_messages_are_left_out():
    assert chat(user(""), assistant(), assistant(ReasoningPart(text="only thought")), user("hi")) == [
        {"role": "user", "content": "hi"}
    ]


def test_an_image_makes_the_content_a_list():
    image = FilePart(uri="data:image/png;base64,AAAA", mime="image/png")

    (message,) = chat(user("look", image))

    assert message["content"] == [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]


def test_a_pdf_is_sent_as_a_file():
    uri = "data:application/pdf;base64,AAAA"
    (message,) = chat(user(FilePart(uri=uri, mime="application/pdf", name="a.pdf")))

    assert message["content"] == [{"type": "file", "file": {"filename": "a.pdf", "file_data": uri}}]


def test_a_text_carried_along_is_sent_in_full():
    (message,) = chat(user(FilePart(uri="data:text/plain;base64,R3LDvMOfZQ==", mime="text/plain", name="a.txt")))

    assert message["content"] == "Attached `a.txt`:\n\nGrüße"


def test_what_cannot_be_shown_is_named():
    zipped = FilePart(uri="data:application/zip;base64,AAAA", mime="application/zip", name="a.zip")
    named = FilePart(uri="file:///home/u/a%20b.py", range=LineRange(start=3, end=9))

    (message,) = chat(user(zipped, named))

    assert "`a.zip`, application/zip" in message["content"]
    assert "/home/u/a b.py, lines 3 to 9" in message["content"]
    assert "AAAA" not in message["content"]


def test_each_call_has_its_result_in_the_order_of_the_calls():
    step = assistant(
        "I look.",
        completed("read", {"filePath": "ä"}, "text", call_id="one"),
        failed("grep", {}, "bad pattern", call_id="two"),
        completed("bash", {}, "", call_id="three"),
    )

    asked, *results = chat(step)

    assert asked["content"] == "I look."
    assert asked["tool_calls"][0] == {
        "id": "one",
        "type": "function",
        "function": {"name": "read", "arguments": '{"filePath": "ä"}'},
    }
    assert [(result["tool_call_id"], result["content"]) for result in results] == [
        ("one", "text"),
        ("two", "bad pattern"),
        ("three", "(no output)"),
    ]


def test_calls_that_never_ended_have_a_result_too():
    pending = ToolPart(call_id="a", tool="read", state=ToolPending(raw='{"fileP'))
    running = ToolPart(call_id="b", tool="read", state=ToolRunning(input={}, start=1))

    asked, *results = chat(assistant(pending, running))

    assert len(asked["tool_calls"]) == 2
    assert [result["content"] for result in results] == [INTERRUPTED, INTERRUPTED]


def test_ids_used_again_in_a_later_message_are_told_apart():
    first, _, second, result = chat(
        assistant(completed("read", {}, "x", call_id="call_0")), assistant(completed("read", {}, "y", call_id="call_0"))
    )

    assert first["tool_calls"][0]["id"] == "call_0"
    assert second["tool_calls"][0]["id"] == result["tool_call_id"] == "call_0_2"


def test_signed_thinking_goes_back_to_its_own_model_only():
    thinking = assistant(
        ReasoningPart(text="Hm.", signature="seal"),
        ReasoningPart(text="", redacted="encrypted"),
        ReasoningPart(text="unsigned"),
        "Yes.",
        model="m",
    )

    (own,) = chat(thinking, model="m")
    (other,) = chat(thinking, model="another")

    assert own["thinking_blocks"] == [
        {"type": "thinking", "thinking": "Hm.", "signature": "seal"},
        {"type": "redacted_thinking", "data": "encrypted"},
    ]
    assert other == {"role": "assistant", "content": "Yes."}


def test_what_a_tool_attached_follows_the_results():
    image = FilePart(uri="data:image/png;base64,AAAA", mime="image/png")
    step = assistant(
        completed("read", {}, "an image", call_id="a", attachments=(image,)), completed("read", {}, "x", call_id="b")
    )

    assert [message["role"] for message in chat(step)] == ["assistant", "tool", "tool", "user"]
    assert chat(step)[-1]["content"][1]["type"] == "image_url"


def test_tools_are_functions():
    assert chat_tools([READ]) == [
        {
            "type": "function",
            "function": {"name": "read", "description": "Reads a file.", "parameters": READ.parameters},
        }
    ]


@given(st.text(st.characters(), max_size=20))
def test_clean_texts_can_be_encoded_and_others_are_kept(text: str):
    cleaned = whole_characters(text)

    cleaned.encode()
    if not re.search("[\ud800-\udfff]", text):
        assert cleaned == text


STATES = st.sampled_from(["completed", "failed", "pending"])


@given(st.lists(st.lists(st.tuples(st.text(max_size=3), STATES), max_size=4), max_size=5))
def test_every_call_has_exactly_one_result_and_an_id_of_its_own(steps: list[list[tuple[str, str]]]):
    def part(call_id: str, state: str) -> ToolPart:
        match state:
            case "completed":
                return completed("read", {"x": call_id}, "out", call_id=call_id)
            case "failed":
                return failed("read", {}, "", call_id=call_id)
            case _:
                return ToolPart(call_id=call_id, tool="read", state=ToolPending())

    messages = chat(*(assistant("step", *(part(*call) for call in step)) for step in steps))

    calls = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    results = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert calls == results
    assert len(set(calls)) == len(calls) == sum(map(len, steps))
    assert all(re.fullmatch("[A-Za-z0-9_-]+", call_id) for call_id in calls)
    json.dumps(messages).encode()
