"""Reasoning effort: how much a model thinks before it answers, as a level or as a budget of tokens. Pure."""

from collections.abc import Sequence
from typing import Literal, get_args

Level = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
Effort = Level | int
"""Level of thinking, or a budget for thinking in tokens."""

LEVELS: tuple[Level, ...] = get_args(Level)
BUDGETS: dict[Level, int] = {
    "none": 0,
    "minimal": 1024,
    "low": 1024,
    "medium": 2048,
    "high": 4096,
    "xhigh": 8192,
    "max": 16384,
}
"""Budget in tokens of each level, for a model which takes budgets only; the budgets are litellm's."""


def level_of(effort: Effort) -> Level:
    """Return the level; for a budget the highest level whose budget is not larger."""
    if not isinstance(effort, int):
        return effort
    if effort <= 0:
        return "none"
    reached: Level = "minimal"
    for level in LEVELS[1:]:
        if effort >= BUDGETS[level]:
            reached = level
    return reached


def nearest_level(effort: Effort, levels: Sequence[Level]) -> Level:
    """Return the level of a model which is nearest to the effort; of two equally near levels the higher level."""
    wanted = LEVELS.index(level_of(effort))
    return min(levels, key=lambda level: (abs(LEVELS.index(level) - wanted), -LEVELS.index(level)))


def suited(effort: Effort, levels: Sequence[Level] | None, *, takes_budget: bool) -> Effort | None:
    """Return the nearest effort which the model has, or None for a model without levels.

    A model whose `levels` are unknown (None) gets the level as the user wrote it.
    """
    if levels is None:
        return effort if takes_budget else level_of(effort)
    if not levels:
        return None
    if isinstance(effort, int) and effort > 0 and takes_budget:
        return effort
    return nearest_level(effort, levels)


def named(effort: Effort) -> str:
    """Return the effort in words for the user."""
    return effort if isinstance(effort, str) else f"{effort} tokens"


def read_effort(text: str) -> Effort | None:
    """Return the effort which the user wrote, or None for a text which is no effort."""
    if text.isdecimal() and text.isascii():
        return int(text)
    return next((level for level in LEVELS if level == text), None)
