"""What of a conversation is summed up, and what is kept of its end word for word. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from placet.agent.history import is_heard, kept_start, last_compaction, opens_turn
from placet.agent.size import message_tokens
from placet.messages import AssistantMessage, Message, UserMessage

KEPT_TURNS = 2
MOST_KEPT_TOKENS = 8000
LEAST_KEPT_TOKENS = 2000
"""All three figures: opencode.md 4, Compaction."""


def kept_tokens(usable_tokens: int) -> int:
    """How much of the end is kept where no setting says so: a quarter of what can be used, within bounds."""
    return min(MOST_KEPT_TOKENS, max(LEAST_KEPT_TOKENS, usable_tokens // 4))


@dataclass(frozen=True, slots=True)
class Plan:
    previous: str
    """The summary that is brought up to date; empty for the first."""
    head: tuple[Message, ...]
    """What is summed up."""
    kept_from: str | None


def plan_compaction(messages: Sequence[Message], turn_id: str, kept_tokens: int) -> Plan | None:
    """What to sum up and what to keep; None when there is nothing to sum up."""
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
    """Where the kept end begins: at most the last two turns, and of them what fits, message by message.

    What the user has said since the last answer, without opening the turn by it, is kept at any size.
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
