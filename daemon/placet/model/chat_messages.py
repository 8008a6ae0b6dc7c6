"""Our conversation as OpenAI's chat-completions messages, which litellm translates for every provider. Pure.

Every tool call is followed by exactly one result, ids are unique in the whole conversation and made of [A-Za-z0-9_-]
(Anthropic asks for both), and no text holds a lone surrogate.
"""

import base64
import binascii
import json
import re
import urllib.parse
from collections.abc import Iterable, Sequence
from typing import assert_never

from placet.messages import (
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
)
from placet.model.base import ToolSpec

INTERRUPTED = "The call was interrupted; it has no result."
CLEARED = "[This result was cleared to save room. Make the call again if you need it.]"
_NO_OUTPUT = "(no output)"
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_TOOL_NAME = 64


def chat_messages(system: Sequence[str], messages: Sequence[Message], *, model: str) -> list[JsonObject]:
    """The system prompt as one message, then the conversation.

    Thinking is replayed to the model it came from only: to another its signature means nothing.
    """
    call_ids = CallIds()
    chat = chat_system(system)
    for message in messages:
        chat += chat_message(message, [call_ids.take(name) for name in call_names(message)], model=model)
    return chat


def chat_system(system: Sequence[str]) -> list[JsonObject]:
    """The system prompt as one message, or none."""
    text = _joined(system)
    return [{"role": "system", "content": text}] if text else []


def chat_message(message: Message, call_ids: Sequence[str], *, model: str) -> list[JsonObject]:
    """What one message becomes; its calls get these ids, in their order."""
    match message:
        case UserMessage():
            return _user(message.parts)
        case AssistantMessage():
            return _assistant(message, call_ids, with_thinking=message.model == model)
        case _:
            assert_never(message)


def call_names(message: Message) -> tuple[str, ...]:
    """The ids that the model gave the calls of the message."""
    if isinstance(message, UserMessage):
        return ()
    return tuple(part.call_id for part in message.parts if isinstance(part, ToolPart))


class CallIds:
    """Call ids for the wire: ours are unique within a message only, and servers reuse theirs."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}
        """The number to go on with, for ids that were asked for before."""

    def take(self, name: str) -> str:
        """The id itself if it may stand on the wire and is free, else it with a number."""
        plain = _FOREIGN.sub("_", name) or "call"
        free, number = plain, self._next.get(plain, 2)
        while free in self._taken:
            free, number = f"{plain}_{number}", number + 1
        self._taken.add(free)
        self._next[plain] = number
        return free


def chat_tools(tools: Sequence[ToolSpec]) -> list[JsonObject]:
    """The tools as functions, in the order given."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": clean(tool.description), "parameters": tool.parameters},
        }
        for tool in tools
    ]


def clean(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which no encoding of the wire can carry."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


# ---------------------------------------------------------------- user


def _user(parts: Iterable[Part]) -> list[JsonObject]:
    content = [item for part in parts for item in _user_content(part)]
    if not content:
        return []
    if all(item["type"] == "text" for item in content):
        # Plain text is what the least of OpenAI-compatible servers understands.
        return [{"role": "user", "content": _joined(item["text"] for item in content)}]
    return [{"role": "user", "content": content}]


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
    return [{"type": "text", "text": clean(text)}] if text.strip() else []


def _file(part: FilePart) -> JsonObject:
    """An image or PDF as such, a text in full; anything else, and a file of the project, by its name only."""
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
    """The text of a data URI (RFC 2397); None when it is not UTF-8."""
    head, _, data = uri.partition(",")
    try:
        content = base64.b64decode(data) if head.endswith(";base64") else urllib.parse.unquote_to_bytes(data)
        return content.decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


# ---------------------------------------------------------------- assistant


def _assistant(message: AssistantMessage, call_ids: Sequence[str], *, with_thinking: bool) -> list[JsonObject]:
    """One assistant message, then its results in the order of its calls, then what the tools attached."""
    text = _joined((part.text for part in message.parts if isinstance(part, TextPart)), separator="")
    parts = (part for part in message.parts if isinstance(part, ToolPart))
    calls = list(zip(call_ids, parts, strict=True))
    if not text and not calls:
        return []
    assistant: JsonObject = {"role": "assistant", "content": text or None}
    if with_thinking and (blocks := _thinking_blocks(message.parts)):
        assistant["thinking_blocks"] = blocks
    if calls:
        assistant["tool_calls"] = [_call(call_id, part) for call_id, part in calls]
    results = [{"role": "tool", "tool_call_id": call_id, "content": _result(part)} for call_id, part in calls]
    return [assistant, *results, *_attachments(part for _, part in calls)]


def _thinking_blocks(parts: Iterable[Part]) -> list[JsonObject]:
    """Signed or redacted thinking; unsigned thinking is not asked for again by any provider that signs."""
    blocks: list[JsonObject] = []
    for part in parts:
        match part:
            case ReasoningPart(redacted=str(data)):
                blocks.append({"type": "redacted_thinking", "data": data})
            case ReasoningPart(text=text, signature=str(signature)):
                blocks.append({"type": "thinking", "thinking": clean(text), "signature": signature})
            case _:
                pass
    return blocks


def _call(call_id: str, part: ToolPart) -> JsonObject:
    name = _FOREIGN.sub("_", part.tool)[:_LONGEST_TOOL_NAME] or "unknown"
    arguments = clean(json.dumps(part.state.input, ensure_ascii=False))
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _result(part: ToolPart) -> str:
    match part.state:
        case ToolCompleted(compacted=int()):
            return CLEARED
        case ToolCompleted(output=output):
            return clean(output) if output.strip() else _NO_OUTPUT
        case ToolFailed(error=error):
            return clean(error) or INTERRUPTED
        case ToolPending() | ToolRunning():
            return INTERRUPTED
        case _:
            assert_never(part.state)


def _attachments(parts: Iterable[ToolPart]) -> list[JsonObject]:
    """What tools attached, in a message of its own: not every provider takes images in a result."""
    content: list[JsonObject] = []
    for part in parts:
        if isinstance(part.state, ToolCompleted) and part.state.attachments and part.state.compacted is None:
            content += _text(f"(Attached by the tool {part.tool}:)")
            content += [_file(attachment) for attachment in part.state.attachments]
    return [{"role": "user", "content": content}] if content else []


def _joined(texts: Iterable[str], *, separator: str = "\n\n") -> str:
    joined = separator.join(text for text in map(clean, texts) if text)
    return joined if joined.strip() else ""
