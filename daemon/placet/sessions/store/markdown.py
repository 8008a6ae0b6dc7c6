"""Sessions as Markdown for a reader: prompts and answers as text, tool calls folded, changes as diffs."""

import re
from collections.abc import Iterator
from datetime import datetime
from html import escape
from typing import assert_never

from placet.core.messages import (
    AgentPart,
    AssistantMessage,
    CompactionPart,
    DiagnosticsPart,
    FilePart,
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
    UserMessage,
)
from placet.sessions.store.archive import ArchivedSession


def as_markdown(session: ArchivedSession) -> str:
    """Return the session and its subagents' sessions as Markdown."""
    return "\n".join(_session(session, "#")) + "\n"


def _session(session: ArchivedSession, heading: str) -> Iterator[str]:
    info = session.info
    yield f"{heading} {_line(info.title)}"
    yield ""
    yield f"{info.model}, agent {info.agent}, {_moment(info.created)}, `{info.id}`"
    role = ""
    for message in session.messages:
        lines = list(_message(message))
        if not lines:
            continue
        if message.role != role or isinstance(message, UserMessage):
            yield from ("", f"{heading}# {_speaker(message)}")
        role = message.role
        yield from lines
    for child in session.children:
        yield ""
        yield from _session(child, heading + "#")


def _speaker(message: Message) -> str:
    match message:
        case UserMessage(steers=None):
            return "User"
        case UserMessage():
            return "User, meanwhile"
        case AssistantMessage():
            return "Placet"
        case _:
            assert_never(message)


def _message(message: Message) -> Iterator[str]:
    for part in message.parts:
        yield from _part(part)
    if message.error is not None:
        yield from ("", f"> **{_line(message.error.message)}** {_line(message.error.hint)}".rstrip())


def _part(part: Part) -> Iterator[str]:
    match part:
        case TextPart(synthetic=True):
            yield from _folded("attached", _fenced(part.text))
        case TextPart():
            yield from ("", part.text)
        case ReasoningPart():
            if part.text:
                yield from _folded("thought", ["", part.text])
        case ToolPart():
            yield from _folded(_summary(part), _call(part))
        case FilePart():
            yield from ("", f"Attached: `{part.name or part.uri[:200]}`")
        case AgentPart():
            yield from ("", f"@{part.name}")
        case DiagnosticsPart():
            yield from ("", f"Attached: the diagnostics of {part.uri or 'all files'}")
        case SubtaskPart():
            yield from ("", f"For {part.agent}: {part.prompt}")
        case CompactionPart(summary=summary):
            yield from _folded("the conversation so far, summed up", ["", summary])
        case RetryPart():
            yield from ("", f"> Attempt {part.attempt} failed: {_line(part.error.message)}")
        case PatchPart(reverted=True):
            yield from ("", "> This change was taken back.")
        case PatchPart() | StepStartPart() | StepFinishPart():
            return
        case _:
            assert_never(part)


def _summary(part: ToolPart) -> str:
    title = "" if part.state.status == "pending" else part.state.title
    failed = " (failed)" if isinstance(part.state, ToolFailed) else ""
    return f"{part.tool} {_line(title)}".rstrip() + failed


def _call(part: ToolPart) -> Iterator[str]:
    """Yield the diff of the change, or else the call's arguments and result."""
    state = part.state
    if isinstance(state, ToolCompleted) and isinstance(diff := state.metadata.get("diff"), str) and diff:
        yield from _fenced(diff, "diff")
        return
    for name, value in state.input.items():
        text = str(value)
        yield from ("", f"{name}: {_code(text)}") if "\n" not in text else ("", f"{name}:", *_fenced(text))
    match state:
        case ToolCompleted(output=text):
            yield from _fenced(text)
        case ToolFailed(shown_error=words, error=text) if words != text:
            yield from ("", words, "", "The agent was told:", *_fenced(text))
        case ToolFailed(error=text):
            yield from _fenced(text)
        case _:
            yield from ("", "(not finished)")


def _folded(summary: str, lines: "Iterator[str] | list[str]") -> Iterator[str]:
    yield from ("", "<details>", f"<summary>{escape(summary, quote=False)}</summary>")
    yield from lines
    yield from ("", "</details>")


def _fenced(text: str, language: str = "") -> list[str]:
    """Return the text in a fence longer than any fence within."""
    longest = max((len(run) for run in re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return ["", fence + language, text.rstrip("\n"), fence]


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"{fence}{text}{fence}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _moment(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000).astimezone().strftime("%Y-%m-%d %H:%M")
