"""Levels and budgets of thinking, and the nearest which a model has."""

from corpus_support import corpus
from placet.core.effort import BUDGETS, LEVELS, Effort, Level, level_of, nearest_level, read_effort, suited


@corpus(
    ("effort", "level"),
    [
        *((level, level) for level in LEVELS),
        *((0, "none"), (1, "minimal"), (1023, "minimal"), (1024, "low"), (2047, "low"), (2048, "medium")),
        *((4096, "high"), (8192, "xhigh"), (16384, "max"), (10**9, "max")),
    ],
)
def test_a_budget_has_the_level_whose_budget_it_reaches(effort: Effort, level: Level) -> None:
    assert level_of(effort) == level


@corpus(
    ("effort", "levels", "nearest"),
    [
        ("max", ["low", "medium", "high"], "high"),
        ("none", ["low", "medium", "high"], "low"),
        ("medium", ["low", "high"], "high"),
        ("low", ["none", "high"], "high"),
        ("xhigh", ["low", "high", "max"], "max"),
        ("high", list(LEVELS), "high"),
        (3000, ["low", "medium", "high"], "medium"),
    ],
)
def test_what_a_model_lacks_is_the_nearest_level_and_the_higher_of_two(
    effort: Effort, levels: list[Level], nearest: Level
) -> None:
    assert nearest_level(effort, levels) == nearest


def test_a_model_without_levels_gets_no_effort_and_an_unknown_model_the_level_as_written() -> None:
    assert suited("high", [], takes_budget=False) is None
    assert suited("xhigh", None, takes_budget=False) == "xhigh"
    assert suited(5000, None, takes_budget=False) == "high"


def test_a_budget_stays_a_budget_where_the_model_takes_one() -> None:
    assert suited(5000, ["low"], takes_budget=True) == 5000
    assert suited(5000, ["low", "medium", "high"], takes_budget=False) == "high"
    assert suited(0, ["none", "low"], takes_budget=True) == "none"


def test_a_written_effort_is_read_back() -> None:
    assert [read_effort(str(effort)) for effort in (*LEVELS, 0, 4096)] == [*LEVELS, 0, 4096]
    assert [read_effort(text) for text in ("", "huge", "-1", "1.5", "²")] == [None] * 5


def test_each_level_has_a_budget() -> None:
    assert list(BUDGETS) == list(LEVELS)
