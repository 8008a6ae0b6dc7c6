"""Plan of a compaction: the part of a conversation to sum up, and the end to keep word for word. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from placet.agent.history import is_heard, kept_start, last_compaction, opens_turn
from placet.agent.size import message_tokens
from placet.messages import AssistantMessage, Message, UserMessage

KEPT_TURNS = 2
MOST_KEPT_TOKENS = 8000
LEAST_KEPT_TOKENS = 2000
"""Limits of the kept end; all three figures are OpenCode's."""


def kept_tokens(usable_tokens: int) -> int:
    """Return the tokens of the end to keep where no setting says so: a quarter of the usable tokens, within bounds."""
    return min(MOST_KEPT_TOKENS, max(LEAST_KEPT_TOKENS, usable_tokens // 4))


@dataclass(frozen=True, slots=True)
class Plan:
    previous: str
    """Summary to bring up to date; empty for the first compaction."""
    head: tuple[Message, ...]
    """Messages to sum up."""
    kept_from: str | None


def plan_compaction(messages: Sequence[Message], turn_id: str, kept_tokens: int) -> Plan | None:
    """Return the part to sum up and the part to keep, or None if nothing can be summed up."""
    last = last_compaction(messages)
    start = kept_start(messages, last) if last is not None else 0
    for budget in (kept_tokens, 0):
        cut = _cut(messages, start, budget)
        head = tuple(message for message in messages[start:cut] if is_heard(message))
        # The prompt of the turn is repeated after the summary: alone it is nothing to sum up.
        if any(message.id != turn_id for message in head):
            kept = next((message.id for message in messages[cut:] if is_heard(message)), None)
            return Plan(last.part.summary if last is not None else "", head, kept)
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
