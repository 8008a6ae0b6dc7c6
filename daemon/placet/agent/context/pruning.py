"""Choice of old tool results which the model can do without: all before the newest, once enough have gathered. Pure.

Pruning happens between turns, so that the prompt cache holds within a turn. The screen keeps every result.
"""

from collections.abc import Iterator, Sequence

from placet.agent.context.history import opens_turn
from placet.core.events import ToolResultCleared
from placet.core.messages import AssistantMessage, CompactionPart, Message, ToolCompleted, ToolPart
from placet.model.token_estimate import result_tokens

KEPT_TURNS = 2
PROTECTED_TOKENS = 40_000
"""Number of tokens of the newest results, which are kept. All three figures are OpenCode's."""
LEAST_GAIN_TOKENS = 20_000
"""Least number of tokens to clear; a smaller gain is not worth the loss of a prompt cache."""
PROTECTED_TOOLS = frozenset(("skill",))


def prune(messages: Sequence[Message], at: int) -> list[ToolResultCleared]:
    """Return the events which clear results, oldest first; none if the gain is too small. `at`: now, in
    milliseconds."""
    seen = gained = 0
    cleared: list[ToolResultCleared] = []
    for message, part in _results_newest_first(messages):
        if part.tool in PROTECTED_TOOLS:
            continue
        tokens = result_tokens(part)
        seen += tokens
        if seen > PROTECTED_TOKENS:
            gained += tokens
            cleared.append(ToolResultCleared(message_id=message.id, part_id=part.id, at=at))
    return cleared[::-1] if gained > LEAST_GAIN_TOKENS else []


def _results_newest_first(messages: Sequence[Message]) -> Iterator[tuple[AssistantMessage, ToolPart]]:
    """Yield the results before the last turns, back to the last summary or to the first cleared result."""
    turns = 0
    for message in reversed(messages):
        if opens_turn(message):
            turns += 1
        if not isinstance(message, AssistantMessage):
            continue
        if any(isinstance(part, CompactionPart) for part in message.parts):
            return
        if turns < KEPT_TURNS:
            continue
        for part in reversed(message.parts):
            if isinstance(part, ToolPart) and isinstance(part.state, ToolCompleted):
                if part.state.compacted is not None:
                    return
                yield message, part
