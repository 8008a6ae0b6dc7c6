"""Retelling of a conversation as text, for a model which sums up the conversation: media left out, results cut. Pure.

The result is text and not messages, so that a request without tools may speak of calls with any provider.
"""

import json
from collections.abc import Iterator, Sequence
from typing import assert_never

from placet.core.messages import (
    AgentPart,
    FilePart,
    Message,
    Part,
    PatchPart,
    SubtaskPart,
    TextPart,
    ToolCompleted,
    ToolFailed,
    ToolPart,
    ToolPending,
    ToolRunning,
    UserMessage,
)

LONGEST_RESULT = 2000
"""Maximum number of characters of a result, which is OpenCode's. Content attached to a prompt counts as a result."""
LONGEST_TEXT = 20_000
_HEAD_SHARE = 0.6


def message_texts(messages: Sequence[Message]) -> list[str]:
    """Return a text for each message which says anything, in order."""
    return [text for message in messages if (text := _message(message))]


def newest_half(texts: Sequence[str]) -> list[str]:
    """Return the end of the texts, about half of the characters; for a single text the second half of the text."""
    if len(texts) == 1:
        return [texts[0][len(texts[0]) // 2 :]]
    return within(texts, sum(map(len, texts)) // 2) or [texts[-1]]


def within(texts: Sequence[str], characters: int) -> list[str]:
    """Return as many of the last texts as have room, whole."""
    last_texts: list[str] = []
    for text in reversed(texts):
        characters -= len(text)
        if characters < 0:
            break
        last_texts.append(text)
    return last_texts[::-1]


def shortened(text: str, longest: int) -> str:
    """Return the beginning and the end of a text which is too long: important parts often come last."""
    if len(text) <= longest:
        return text
    head = int(longest * _HEAD_SHARE)
    tail = longest - head
    return f"{text[:head]}\n[… {len(text) - longest} characters left out …]\n{text[-tail:]}"


def _message(message: Message) -> str:
    author = "User" if isinstance(message, UserMessage) else "Agent"
    lines = [line for part in message.parts for line in _part(part)]
    return f"[{author}]\n" + "\n".join(lines) if lines else ""


def _part(part: Part) -> Iterator[str]:
    match part:
        case TextPart(text=text, synthetic=synthetic):
            if text.strip():
                yield shortened(text.strip(), LONGEST_RESULT if synthetic else LONGEST_TEXT)
        case SubtaskPart(agent=agent, prompt=prompt):
            yield f"(A task for the agent {agent}: {shortened(prompt, LONGEST_TEXT)})"
        case AgentPart(name=name):
            yield f"(The user names the agent {name}.)"
        case FilePart():
            yield f"(Attached: {_name(part)})"
        case ToolPart():
            arguments = shortened(json.dumps(part.state.input, ensure_ascii=False), LONGEST_RESULT)
            yield f"(Called {part.tool} with {arguments})"
            yield _result(part)
        case PatchPart(uris=uris, reverted=reverted):
            yield f"({'Taken back' if reverted else 'Applied'}: changes to {', '.join(uris)})"
        case _:
            return


def _result(part: ToolPart) -> str:
    match part.state:
        case ToolCompleted(output=output, attachments=attachments):
            attached = "".join(f"\n(Attached: {_name(file)})" for file in attachments)
            return f"(It gave: {shortened(output.strip(), LONGEST_RESULT)}){attached}"
        case ToolFailed(error=error):
            return f"(It failed: {shortened(error.strip(), LONGEST_RESULT)})"
        case ToolPending() | ToolRunning():
            return "(It was interrupted.)"
        case _:
            assert_never(part.state)


def _name(part: FilePart) -> str:
    named = part.name or ("" if part.uri.startswith("data:") else part.uri)
    return f"{named}, {part.mime}" if named else part.mime
