"""Texts of skills in a conversation, which a compaction keeps word for word as far as there is room. Pure."""

from collections.abc import Container, Sequence

from msgspec import Struct

from placet.core.messages import Message, Part, TextPart, ToolCompleted, ToolPart
from placet.model.token_estimate import text_tokens
from placet.project.skills import skill_given_in


class LoadedSkill(Struct, frozen=True):
    name: str
    part_id: str
    """Part of a message that holds the text: a call of the tool `skill`, or what a slash command gave the model."""
    text: str


def skills_in(messages: Sequence[Message]) -> list[LoadedSkill]:
    """Return the skills in the messages, in the order of loading."""
    return [skill for message in messages for part in message.parts if (skill := _skill_in(part)) is not None]


def skills_of(messages: Sequence[Message], part_ids: Container[str]) -> list[LoadedSkill]:
    """Return the skills in these parts of the messages, in the order of loading."""
    return [skill for skill in skills_in(messages) if skill.part_id in part_ids]


def latest_of_each(skills: Sequence[LoadedSkill]) -> list[LoadedSkill]:
    """Return each skill once, with the text loaded last, in the order of that loading."""
    latest: dict[str, LoadedSkill] = {}
    for skill in skills:
        latest.pop(skill.name, None)
        latest[skill.name] = skill
    return list(latest.values())


def skills_to_keep(skills: Sequence[LoadedSkill], budget: int) -> tuple[str, ...]:
    """Return the part ids of the skills that fit into `budget` tokens, the last loaded first in the choice."""
    kept: list[str] = []
    for skill in reversed(skills):
        tokens = text_tokens(skill.text)
        if tokens <= budget:
            budget -= tokens
            kept.append(skill.part_id)
    return tuple(reversed(kept))


def _skill_in(part: Part) -> LoadedSkill | None:
    match part:
        case ToolPart(tool="skill", state=ToolCompleted(metadata={"name": str(name)}, output=text)):
            return LoadedSkill(name, part.id, text)
        case TextPart(synthetic=True, text=text) if (name := skill_given_in(text)) is not None:
            return LoadedSkill(name, part.id, text)
        case _:
            return None
