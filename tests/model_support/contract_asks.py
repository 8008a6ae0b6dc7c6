"""Conversations and tools of the contract with litellm, as the daemon sends them to the model host."""

from collections.abc import Iterable
from typing import Any

from placet.model import frames

Message = dict[str, Any]
Messages = list[Message]

IMAGE = "data:image/png;base64,iVBORw0KGgo="
PDF = "data:application/pdf;base64,JVBERi0="
SYSTEM: Message = {"role": "system", "content": "You are a test.\n\nBe brief."}
CLEARED = "[This result was cleared to save room. Make the call again if you need it.]"


def says(text: str | None, *calls: Message, **more: Any) -> Message:
    """Return a message of the assistant."""
    return {"role": "assistant", "content": text, **more} | ({"tool_calls": list(calls)} if calls else {})


def asks(content: Any = "hello") -> Message:
    """Return a message of the user."""
    return {"role": "user", "content": content}


def call(call_id: str, name: str = "read", arguments: str = '{"path": "a.py"}', **more: Any) -> Message:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def result(call_id: str, text: str = "ok") -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def text(content: str) -> Message:
    return {"type": "text", "text": content}


_STEP: Messages = [asks(), says(None, call("c1")), result("c1")]
_PARALLEL = (
    call("c1"),
    call("c2", "grep", '{"q": "é", "n": [1, 2.5, null, true, {"a": "b"}]}'),
    call("c3", "ls", "{}"),
)
IMAGE_ITEM = {"type": "image_url", "image_url": {"url": IMAGE}}
PDF_ITEM = {"type": "file", "file": {"filename": "a.pdf", "file_data": PDF}}
_THINKING = [{"type": "thinking", "thinking": "hm", "signature": "sig1"}, {"type": "redacted_thinking", "data": "abc"}]
_LONG = [
    message
    for number in range(40)
    for message in (
        asks(f"question {number}"),
        says(None, call(f"c{number}")),
        result(f"c{number}", f"result {number}"),
        says(f"answer {number}"),
    )
]

CONVERSATIONS: dict[str, Messages] = {
    "plain": [SYSTEM, asks()],
    "without a system prompt": [asks()],
    "two turns": [SYSTEM, asks(), says("hi"), asks("again")],
    "neighbours of one side": [SYSTEM, asks(), asks("and"), says("one"), says("two"), asks("x")],
    "a call": [SYSTEM, *_STEP],
    "a call after text": [SYSTEM, asks(), says("Let me look.", call("c1")), result("c1"), says("done"), asks("next")],
    "parallel calls": [
        *(SYSTEM, asks(), says("x", *_PARALLEL)),
        *(result("c1"), result("c2", "(no output)"), result("c3"), asks("go on")),
    ],
    "a call without arguments": [SYSTEM, asks(), says(None, call("c1", arguments="")), result("c1")],
    "an image": [SYSTEM, asks([text("see"), IMAGE_ITEM])],
    "an image alone": [SYSTEM, asks([IMAGE_ITEM])],
    "a PDF": [SYSTEM, asks([PDF_ITEM, text("read")])],
    "an image from a tool": [SYSTEM, *_STEP, asks([text("(Attached by the tool read:)"), IMAGE_ITEM])],
    "thinking": [SYSTEM, asks(), says("x", call("c1"), thinking_blocks=_THINKING), result("c1")],
    "thinking without text": [SYSTEM, asks(), says(None, call("c1"), thinking_blocks=_THINKING[:1]), result("c1")],
    "unsigned thinking": [SYSTEM, asks(), says("x", call("c1"), reasoning_content="hm"), result("c1")],
    "the assistant last": [SYSTEM, asks(), says("I think  \n")],
    "foreign scripts": [
        {"role": "system", "content": "你好 – مرحبا 🌍"},
        *(asks('Grüße \u2028 \x00 \u200f 😀 "q" \\ /'), says("答え"), asks("𝒳")),
    ],
    "a cleared result": [SYSTEM, asks(), says(None, call("c1")), result("c1", CLEARED), says("k"), asks("n")],
    "a result of JSON": [SYSTEM, asks(), says(None, call("c1")), result("c1", ' {"a": [1.5, "é"], "b": null} ')],
    "a result of a list": [SYSTEM, asks(), says(None, call("c1")), result("c1", "[1, 2]")],
    "a result of broken JSON": [SYSTEM, asks(), says(None, call("c1")), result("c1", '{"a": ')],
    "an interrupted call": [SYSTEM, asks(), says("x", call("c1")), result("c1", "It has no result."), asks("again")],
    "a long history": [SYSTEM, *_LONG, asks("end")],
}

TOOLS: Messages = [
    {
        "type": "function",
        "function": {
            "name": "read",
            "description": "Reads a file.",
            "parameters": {
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "The path.", "minLength": 1},
                    "lines": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None, "title": "Lines"},
                    "ends": {"type": "array", "items": {"type": "string", "enum": ["lf", "crlf"]}},
                },
                "required": ["path"],
                "additionalProperties": False,
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "grep",
            "description": "Searches.",
            "parameters": {
                "type": "object",
                "title": "Grep",
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "properties": {"kind": {"$ref": "#/$defs/Kind"}, "where": {"$ref": "#/$defs/Where"}},
                "$defs": {
                    "Kind": {"type": "string", "enum": ["a", "b"], "pattern": "^[ab]$"},
                    "Where": {"type": "object", "properties": {"kind": {"$ref": "#/$defs/Kind"}}},
                },
            },
        },
    },
    {"type": "function", "function": {"name": "nothing", "description": "Does nothing.", "parameters": {}}},
]


EVERYTHING = "everything"
"""Name of the conversation which holds all the others, one after the other, without a PDF."""
CONVERSATIONS_AND_ALL = CONVERSATIONS | {
    EVERYTHING: [
        SYSTEM,
        *(
            message
            for name, messages in CONVERSATIONS.items()
            if name != "a PDF"
            for message in messages
            if message["role"] != "system"
        ),
    ]
}


def in_turn(*columns: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return as few rows as hold each value of each column: a shorter column begins anew."""
    listed = [list(column) for column in columns]
    return [tuple(column[row % len(column)] for column in listed) for row in range(max(map(len, listed)))]


def ask(model: str, conversation: str = "a call after text", **more: Any) -> frames.Ask:
    """Return an ask with the tools and with all that the daemon sends by default."""
    usual: dict[str, Any] = {"tools": TOOLS, "cache": "auto", "cache_key": "the-session"}
    return frames.Ask(1, model, CONVERSATIONS_AND_ALL[conversation], **(usual | more))
