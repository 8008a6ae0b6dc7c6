"""Options and plan of a compaction: the part of a conversation to sum up, and the end to keep word for word. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from placet.agent.context.history import is_heard, kept_start, last_compaction, opens_turn
from placet.agent.context.loaded_skills import latest_of_each, skills_in, skills_of, skills_to_keep
from placet.core.effort import Effort
from placet.core.messages import AssistantMessage, Message, UserMessage
from placet.model.base import Model
from placet.model.token_estimate import message_tokens

KEPT_TURNS = 2
MOST_KEPT_TOKENS = 8000
LEAST_KEPT_TOKENS = 2000
"""Limits of the kept end; all three figures are OpenCode's."""


RESERVED_TOKENS = 20_000
"""Number of tokens kept free for the answer where neither the user nor the model says otherwise."""


def _nothing(history: Sequence[Message]) -> None:
    pass


@dataclass(frozen=True, slots=True)
class CompactionOptions:
    """Options for summing up a session's conversation."""

    prompt: str = ""
    """Prompt of the hidden agent."""
    temperature: float | None = None
    effort: Effort | None = None
    model: Model | None = None
    """Model which sums up; None: the model which answers."""
    auto: bool = True
    reserved_tokens: int | None = None
    """Number of tokens kept free for the answer."""
    kept_tokens: int | None = None
    """Number of tokens of the conversation's end which are kept word for word."""
    output_limit: Callable[[], int | None] = lambda: None
    """Function which returns the number of tokens the model can answer with, as soon as the number is known."""
    after: Callable[[Sequence[Message]], None] = field(default=_nothing)
    """Function which gets the messages the model still has."""

    def usable_tokens(self, context_size: int | None) -> int | None:
        """Return the tokens the context may hold before room is made, or None if the context's size is not known."""
        if context_size is None:
            return None
        reserved = self.reserved_tokens
        if reserved is None:
            reserved = min(RESERVED_TOKENS, self.output_limit() or RESERVED_TOKENS)
        return context_size - min(reserved, context_size // 2)


def kept_tokens(usable_tokens: int) -> int:
    """Return the tokens of the end to keep where no setting says so: a quarter of the usable tokens, within bounds."""
    return min(MOST_KEPT_TOKENS, max(LEAST_KEPT_TOKENS, usable_tokens // 4))


class Plan(Struct, frozen=True):
    previous: str
    """Summary to bring up to date; empty for the first compaction."""
    head: tuple[Message, ...]
    """Messages to sum up."""
    kept_from: str | None
    skills: tuple[str, ...]
    """Parts of `head`, or kept by the last compaction, with a skill to keep word for word."""


def plan_compaction(messages: Sequence[Message], turn_id: str, kept_tokens: int) -> Plan | None:
    """Return the part to sum up and the part to keep, or None if nothing can be summed up."""
    last = last_compaction(messages)
    start = kept_start(messages, last) if last is not None else 0
    for budget in (kept_tokens, 0):
        cut = _cut(messages, start, budget)
        head = tuple(message for message in messages[start:cut] if is_heard(message))
        # The prompt of the turn is repeated after the summary: the prompt alone needs no summary.
        if any(message.id != turn_id for message in head):
            kept_from = next((message.id for message in messages[cut:] if is_heard(message)), None)
            kept_before = skills_of(messages, last.part.skills) if last is not None else []
            skills = skills_to_keep(latest_of_each([*kept_before, *skills_in(head)]), kept_tokens)
            return Plan(last.part.summary if last is not None else "", head, kept_from, skills)
    return None


def _cut(messages: Sequence[Message], start: int, budget: int) -> int:
    """Return the index where the kept end begins: at most the last two turns, cut message by message to fit the budget.

    Messages which the user has sent since the last answer, without opening the turn, are kept at any size.
    """
    openings = [at for at in range(start, len(messages)) if opens_turn(messages[at])]
    earliest = openings[-KEPT_TURNS] if len(openings) >= KEPT_TURNS else start
    cut, left, answered = len(messages), budget, False
    while cut > earliest:
        message = messages[cut - 1]
        left -= message_tokens(message) if is_heard(message) else 0
        answered = answered or (isinstance(message, AssistantMessage) and is_heard(message))
        is_steering = isinstance(message, UserMessage) and message.steers is not None and not answered
        if left < 0 and not is_steering:
            break
        cut -= 1
    return cut
