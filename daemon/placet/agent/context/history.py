"""History for the model: after a compaction the summary, the kept end, and all later messages. Pure.

The transcript itself keeps everything: for the screen, for undo, for export.
"""

from collections.abc import Sequence

from msgspec import Struct

from placet.agent.context.loaded_skills import LoadedSkill, skills_of
from placet.agent.texts import text_for
from placet.core.messages import (
    AssistantMessage,
    CompactionPart,
    FilePart,
    Message,
    Part,
    ReasoningPart,
    TextPart,
    ToolPart,
    UserMessage,
)

LONGEST_ATTACHED = 2000
"""Maximum number of characters of an attached text repeated with a prompt after the prompt itself is gone."""


class LastCompaction(Struct, frozen=True):
    at: int
    """Index of the message with the compaction."""
    message: AssistantMessage
    part: CompactionPart


def model_history(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages of a request. Each is an entry of `messages` or made from entries in the same way every time.

    A call and the call's result stand in the same message, so neither can be present without the other.
    """
    if not any(map(_is_summary, messages)):
        return tuple(messages)
    compaction = last_compaction(messages)
    if compaction is None:
        return tuple(message for message in messages if not _is_summary(message))
    kept_messages = _heard(messages[kept_start(messages, compaction) : compaction.at])
    since = _heard(messages[compaction.at + 1 :])
    skills = skills_of(messages[: compaction.at], compaction.part.skills) if compaction.part.skills else ()
    summary = _summary(compaction, skills, _opening_left_out(messages, compaction))
    is_answered = not since or not opens_turn(since[0])
    if compaction.part.auto and is_answered and (not kept_messages or isinstance(kept_messages[-1], AssistantMessage)):
        return (summary, *kept_messages, _go_on(compaction), *since)
    return (summary, *kept_messages, *since)


def last_compaction(messages: Sequence[Message]) -> LastCompaction | None:
    """Return the compaction in force, or None; an interrupted compaction has no part, and changed nothing."""
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if isinstance(message, AssistantMessage) and message.summary:
            part = next((part for part in message.parts if isinstance(part, CompactionPart)), None)
            if part is not None:
                return LastCompaction(at, message, part)
    return None


def kept_start(messages: Sequence[Message], compaction: LastCompaction) -> int:
    """Return the index of the first message which the compaction left unchanged."""
    kept_from = compaction.part.kept_from
    if kept_from is not None:
        for at in range(compaction.at - 1, -1, -1):
            if messages[at].id == kept_from:
                return at
    return compaction.at


def is_heard(message: Message) -> bool:
    """Return whether the message says anything to the model: a summary and an answer which failed at once do not."""
    return isinstance(message, UserMessage) or (
        not message.summary and any(isinstance(part, TextPart | ReasoningPart | ToolPart) for part in message.parts)
    )


def _is_summary(message: Message) -> bool:
    return isinstance(message, AssistantMessage) and message.summary


def opens_turn(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.steers is None


def _heard(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if is_heard(message)]


def _opening_left_out(messages: Sequence[Message], compaction: LastCompaction) -> UserMessage | None:
    """Return the prompt of the turn which went on after the compaction, or None if the kept messages hold the prompt.

    None as well if no turn went on, because the user had asked for the compaction.
    """
    if not compaction.part.auto:
        return None
    prompt_id = compaction.message.parent_id
    for at in range(kept_start(messages, compaction) - 1, -1, -1):
        message = messages[at]
        if isinstance(message, UserMessage) and message.id == prompt_id:
            return message
    return None


def _summary(compaction: LastCompaction, skills: Sequence[LoadedSkill], prompt: UserMessage | None) -> UserMessage:
    texts = [f"{text_for('compacted')}\n\n<summary>\n{compaction.part.summary.strip()}\n</summary>"]
    texts += (
        f"The skill `{skill.name}`, which you go on to follow, word for word:\n\n{skill.text}" for skill in skills
    )
    if prompt is not None:
        texts.append("The user's last message was this, word for word:")
    repeated = repeated_parts(prompt.parts) if prompt is not None else ()
    opening = TextPart(id=f"{compaction.part.id}_summary", text="\n\n".join(texts), synthetic=True)
    return _made(compaction, "summary", (opening, *repeated))


def repeated_parts(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return a prompt as repeated after the message is gone: the user's words in full, attached content in short."""
    repeated: list[Part] = []
    for part in parts:
        match part:
            case TextPart(synthetic=True, text=text) if len(text) > LONGEST_ATTACHED:
                repeated.append(
                    part.model_copy(update={"text": f"{text[:LONGEST_ATTACHED]}\n[cut short; read it anew]"})
                )
            case FilePart(uri=uri) if uri.startswith("data:"):
                repeated.append(TextPart(id=part.id, text=f"[Attached: {part.name or part.mime}]", synthetic=True))
            case _:
                repeated.append(part)
    return tuple(repeated)


def _go_on(compaction: LastCompaction) -> UserMessage:
    part = TextPart(id=f"{compaction.part.id}_go_on", text=text_for("go_on"), synthetic=True)
    return _made(compaction, "go_on", (part,))


def _made(compaction: LastCompaction, name: str, parts: tuple[Part, ...]) -> UserMessage:
    message = compaction.message
    return UserMessage(
        id=f"{message.id}_{name}", created=message.created, parts=parts, steers=message.parent_id, agent=message.agent
    )
