"""Conversion of the conversation to OpenAI's chat-completions messages, which litellm translates for every provider.

Pure. Every tool call is followed by exactly one result. Call ids are unique in the whole conversation and made of
[A-Za-z0-9_-] (Anthropic asks for both), and no text holds a lone surrogate.
"""

import base64
import binascii
import hashlib
import json
import re
import urllib.parse
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import assert_never

from placet.core.messages import (
    AgentPart,
    AssistantMessage,
    CompactionPart,
    DiagnosticsPart,
    FilePart,
    JsonObject,
    Message,
    Part,
    PatchPart,
    ReasoningPart,
    RetryPart,
    StepFinishPart,
    StepStartPart,
    SubtaskPart,
    TextPart,
    ToolCompleted,
    ToolFailed,
    ToolPart,
    ToolPending,
    ToolRunning,
    UserMessage,
    whole_characters,
)
from placet.model.base import ToolSpec
from placet.model.client.prompted import NOT_A_CALL, told_result, written_call
from placet.model.client.tool_schemas import suited_schema
from placet.model.quirks import DETAILS, REASONING_ITEM, REASONING_ITEMS, quirks_of

INTERRUPTED = "The call was interrupted; it has no result."
CLEARED = "[This result was cleared to save room. Make the call again if you need it.]"
_NO_OUTPUT = "(no output)"
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_TOOL_NAME = 64
_SEALS = (DETAILS, REASONING_ITEM)
"""Prefixes of thinking that goes back in a form of its own."""
_SIGNATURE = "__thought__"
"""Separator between the id of a call and Gemini's signature for the call, as litellm writes both."""


def bridged(chat: list[JsonObject], model: str) -> list[JsonObject]:
    """Add an answer between each result and the next user message, for models which want such an answer."""
    answer = _bridge(quirks_of(model).bridge)
    if answer is None:
        return chat
    made: list[JsonObject] = []
    for before, message in pairwise([{}, *chat]):
        if before.get("role") == "tool" and message["role"] == "user":
            made.append(answer)
        made.append(message)
    return made


@cache
def _bridge(text: str) -> JsonObject | None:
    """Return the same object each time, so that the host receives the object once."""
    return {"role": "assistant", "content": text} if text else None


def chat_system(system: Sequence[str]) -> list[JsonObject]:
    """Return the system prompt as one message, or no message if the prompt is empty."""
    text = _joined(system)
    return [{"role": "system", "content": text}] if text else []


def chat_message(
    message: Message, call_ids: Sequence[str], *, model: str, author: str | None = None, prompted: bool = False
) -> list[JsonObject]:
    """Return the chat messages for one message; the calls of the message get `call_ids`, in order.

    `model` is litellm's name of the model, and `author` the name of the model in its messages, if the names differ.
    `prompted`: the model has no form for calls, so the calls stand as text.
    """
    match message:
        case UserMessage():
            return _user(message.parts)
        case AssistantMessage():
            if prompted:
                return _assistant_as_text(message)
            return _assistant(message, call_ids, model, author or model)
        case _:
            assert_never(message)


def call_names(message: Message) -> tuple[str, ...]:
    """Return the ids which the model gave the calls of the message."""
    if isinstance(message, UserMessage):
        return ()
    return tuple(part.call_id for part in message.parts if isinstance(part, ToolPart))


class CallIds:
    """Call ids for the wire: Placet's ids are unique within a message only, and servers use their ids again."""

    def __init__(self, model: str = "") -> None:
        self._length = quirks_of(model).call_id_length
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}
        """Next number to append, by the id which `take` got before."""

    def take(self, name: str) -> str:
        """Return the id itself if the id is valid on the wire and free, else the id with a number."""
        plain = _FOREIGN.sub("_", name.partition(_SIGNATURE)[0]) or "call"
        free, number = _of_length(plain, self._length), self._next.get(plain, 2)
        while free in self._taken:
            free, number = _of_length(f"{plain}_{number}", self._length), number + 1
        self._taken.add(free)
        self._next[plain] = number
        return free


def _of_length(call_id: str, length: int | None) -> str:
    if length is None or (len(call_id) == length and call_id.isalnum()):
        return call_id
    return hashlib.sha256(call_id.encode()).hexdigest()[:length]


def chat_tools(tools: Sequence[ToolSpec], *, model: str = "") -> list[JsonObject]:
    """Return the tools as functions, in the order given, with schemas which suit the model."""
    quirks = quirks_of(model)
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": whole_characters(tool.description),
                "parameters": suited_schema(tool.parameters, quirks),
            },
        }
        for tool in tools
    ]


# ---------------------------------------------------------------- user


def _user(parts: Iterable[Part]) -> list[JsonObject]:
    content = [item for part in parts for item in _user_content(part)]
    if not content:
        return []
    return [{"role": "user", "content": _plainly(content)}]


def _plainly(content: list[JsonObject]) -> str | list[JsonObject]:
    """Return plain text if all content is text: even the simplest OpenAI-compatible server understands plain text."""
    if all(item["type"] == "text" for item in content):
        return _joined(item["text"] for item in content)
    return content


def _user_content(part: Part) -> list[JsonObject]:
    match part:
        case TextPart():
            return _text(part.text)
        case FilePart():
            return [_file(part)]
        case AgentPart():
            return _text(f"(The user names the agent `{part.name}`.)")
        case SubtaskPart():
            return _text(part.prompt)
        case (
            DiagnosticsPart()
            | ReasoningPart()
            | ToolPart()
            | StepStartPart()
            | StepFinishPart()
            | PatchPart()
            | RetryPart()
            | CompactionPart()
        ):
            return []
        case _:
            assert_never(part)


def _text(text: str) -> list[JsonObject]:
    return [{"type": "text", "text": whole_characters(text)}] if text.strip() else []


def _file(part: FilePart) -> JsonObject:
    """Return an image or a PDF as such, and a text in full; name only any other file, or a file of the project."""
    name = part.name or part.uri.rpartition("/")[2][:100]
    if not part.uri.startswith("data:"):
        lines = f", lines {part.range.start} to {part.range.end}" if part.range else ""
        return _text(f"(Attached: {_readable_path(part.uri)}{lines})")[0]
    if part.mime.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": part.uri}}
    if part.mime == "application/pdf":
        return {"type": "file", "file": {"filename": part.name or "file.pdf", "file_data": part.uri}}
    if part.mime.startswith("text/") and (text := _data_text(part.uri)) is not None:
        return _text(f"Attached `{part.name or 'text'}`:\n\n{text}")[0]
    return _text(f"(Attached, but not shown: `{part.name or name}`, {part.mime})")[0]


def _readable_path(uri: str) -> str:
    return urllib.parse.unquote(uri.removeprefix("file://"))


def _data_text(uri: str) -> str | None:
    """Return the text of a data URI (RFC 2397), or None if the text is not UTF-8."""
    head, _, data = uri.partition(",")
    try:
        content = base64.b64decode(data) if head.endswith(";base64") else urllib.parse.unquote_to_bytes(data)
        return content.decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


# ---------------------------------------------------------------- assistant


def _assistant(message: AssistantMessage, call_ids: Sequence[str], model: str, author: str) -> list[JsonObject]:
    """Return one assistant message, then the results in the order of the calls, then the attachments of the tools."""
    text = _joined((part.text for part in message.parts if isinstance(part, TextPart)), separator="")
    parts = (part for part in message.parts if isinstance(part, ToolPart))
    calls = list(zip(call_ids, parts, strict=True))
    if not text and not calls:
        return []
    assistant: JsonObject = {"role": "assistant", "content": text or None}
    is_its_own = message.model == author
    if is_its_own and (blocks := _thinking_blocks(message.parts)):
        assistant["thinking_blocks"] = blocks
    if is_its_own and (details := _reasoning_details(message.parts)):
        assistant["reasoning_details"] = details
    if is_its_own and (items := _reasoning_items(message.parts)):
        assistant[REASONING_ITEMS] = items
    if reasoning := _reasoning(message.parts if is_its_own else (), model):
        assistant["reasoning_content"] = reasoning
    if calls:
        assistant["tool_calls"] = [_call(call_id, part, signed=is_its_own) for call_id, part in calls]
    results = [{"role": "tool", "tool_call_id": call_id, "content": _result(part)} for call_id, part in calls]
    return [assistant, *results, *_attachments(part for _, part in calls)]


def _assistant_as_text(message: AssistantMessage) -> list[JsonObject]:
    """Return the answer with the calls as the model wrote the calls, then the results as a message of the user."""
    calls = [part for part in message.parts if isinstance(part, ToolPart)]
    texts = [part.text for part in message.parts if isinstance(part, TextPart)]
    written = [
        written_call(part.tool, part.state.input) if part.tool != NOT_A_CALL else "(A call in no good form.)"
        for part in calls
    ]
    answer = "\n".join(text for text in (_joined(texts, separator=""), *map(whole_characters, written)) if text)
    if not answer:
        return []
    content = [item for part in calls for item in _text(told_result(part.tool, _result(part)))]
    content += [item for attached in _attachments(calls) for item in attached["content"]]
    results = [{"role": "user", "content": _plainly(content)}] if content else []
    return [{"role": "assistant", "content": answer}, *results]


def _reasoning(parts: Iterable[Part], model: str) -> str:
    """Return unsigned thinking, for models which want to read their earlier thinking."""
    repeated = quirks_of(model).reasoning
    if repeated == "no":
        return ""
    thoughts = (part.text for part in parts if isinstance(part, ReasoningPart) and part.signature is None)
    return _joined(thoughts, separator="") or (" " if repeated == "always" else "")


def _thinking_blocks(parts: Iterable[Part]) -> list[JsonObject]:
    """Return signed or redacted thinking; no provider which signs thinking asks for unsigned thinking again."""
    blocks: list[JsonObject] = []
    for part in parts:
        match part:
            case ReasoningPart(redacted=str(data)):
                blocks.append({"type": "redacted_thinking", "data": data})
            case ReasoningPart(text=text, signature=str(signature)) if not signature.startswith(_SEALS):
                blocks.append({"type": "thinking", "thinking": whole_characters(text), "signature": signature})
            case _:
                pass
    return blocks


def _reasoning_details(parts: Iterable[Part]) -> list[JsonObject]:
    """Return thinking in OpenRouter's form, in the order in which OpenRouter sent the thinking."""
    seals = (part.signature for part in parts if isinstance(part, ReasoningPart) and part.signature is not None)
    return [detail for seal in seals if seal.startswith(DETAILS) for detail in json.loads(seal.removeprefix(DETAILS))]


def _reasoning_items(parts: Iterable[Part]) -> list[JsonObject]:
    """Return encrypted thinking as items of OpenAI's Responses API, under litellm's name for such items."""
    seals = (part.signature for part in parts if isinstance(part, ReasoningPart) and part.signature is not None)
    return [json.loads(seal.removeprefix(REASONING_ITEM)) for seal in seals if seal.startswith(REASONING_ITEM)]


def _call(call_id: str, part: ToolPart, *, signed: bool) -> JsonObject:
    name = _FOREIGN.sub("_", part.tool)[:_LONGEST_TOOL_NAME] or "unknown"
    arguments = whole_characters(json.dumps(part.state.input, ensure_ascii=False))
    call: JsonObject = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    signature = part.call_id.partition(_SIGNATURE)[2]
    if signed and signature:
        call["provider_specific_fields"] = {"thought_signature": signature}
    return call


def _result(part: ToolPart) -> str:
    match part.state:
        case ToolCompleted(compacted=int()):
            return CLEARED
        case ToolCompleted(output=output):
            return whole_characters(output) if output.strip() else _NO_OUTPUT
        case ToolFailed(error=error):
            return whole_characters(error) or INTERRUPTED
        case ToolPending() | ToolRunning():
            return INTERRUPTED
        case _:
            assert_never(part.state)


def _attachments(parts: Iterable[ToolPart]) -> list[JsonObject]:
    """Return the attachments of tools in a separate message: not every provider takes images in a result."""
    content: list[JsonObject] = []
    for part in parts:
        if isinstance(part.state, ToolCompleted) and part.state.attachments and part.state.compacted is None:
            content += _text(f"(Attached by the tool {part.tool}:)")
            content += [_file(attachment) for attachment in part.state.attachments]
    return [{"role": "user", "content": content}] if content else []


def _joined(texts: Iterable[str], *, separator: str = "\n\n") -> str:
    joined = separator.join(text for text in map(whole_characters, texts) if text)
    return joined if joined.strip() else ""
