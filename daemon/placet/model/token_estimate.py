"""Estimate of the context which messages take: four characters a token, as in OpenCode. Pure."""

import json
from collections.abc import Iterable, Sequence
from typing import assert_never

from placet.core.messages import (
    FilePart,
    Message,
    Part,
    ReasoningPart,
    SubtaskPart,
    TextPart,
    ToolCompleted,
    ToolFailed,
    ToolPart,
    ToolPending,
    ToolRunning,
)
from placet.model.base import ToolSpec

CHARACTERS_PER_TOKEN = 4
MEDIA_TOKENS = 1500
"""Number of tokens of an image, whatever the size in bytes: providers scale the image down first."""
_FRAME_TOKENS = 4
"""Number of tokens which a message, or a call, takes beside the text."""


def text_tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def message_tokens(message: Message) -> int:
    """Return the tokens of a message with all calls and their results."""
    return _FRAME_TOKENS + sum(part_tokens(part) for part in message.parts)


def messages_tokens(messages: Iterable[Message]) -> int:
    return sum(message_tokens(message) for message in messages)


def part_tokens(part: Part) -> int:
    match part:
        case TextPart(text=text) | SubtaskPart(prompt=text):
            return text_tokens(text)
        case ReasoningPart(text=text, redacted=redacted):
            return text_tokens(text) + text_tokens(redacted or "")
        case FilePart():
            return _file_tokens(part)
        case ToolPart():
            call = _FRAME_TOKENS + text_tokens(json.dumps(part.state.input, ensure_ascii=False))
            return call + result_tokens(part)
        case _:
            return 0


def result_tokens(part: ToolPart) -> int:
    """Return the tokens of the call's result as the model gets the result; a cleared result takes only the frame."""
    match part.state:
        case ToolCompleted(compacted=int()):
            return _FRAME_TOKENS
        case ToolCompleted(output=output, attachments=attachments):
            return _FRAME_TOKENS + text_tokens(output) + sum(map(_file_tokens, attachments))
        case ToolFailed(error=error):
            return _FRAME_TOKENS + text_tokens(error)
        case ToolPending() | ToolRunning():
            return _FRAME_TOKENS
        case _:
            assert_never(part.state)


def fixed_tokens(system: Sequence[str], tools: Iterable[ToolSpec]) -> int:
    """Return the tokens which every request takes before the first message."""
    prompt = sum(map(text_tokens, system))
    return prompt + sum(text_tokens(f"{tool.description}{json.dumps(tool.parameters)}") for tool in tools)


def _file_tokens(part: FilePart) -> int:
    is_text_along = part.mime.startswith("text/") and part.uri.startswith("data:")
    if is_text_along:
        return text_tokens(part.uri)
    return MEDIA_TOKENS if part.uri.startswith("data:") else text_tokens(part.uri)
