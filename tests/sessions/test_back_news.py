"""The model is told of half acts of going back, and of at most fifty files by name."""

import pytest

from placet.sessions.going_back.acts import MOST_NAMED, Act, What, news_of


def act(what: What, *files: str) -> Act:
    return Act("act_1", what, "msg_1", None, "chg_1", files)


def test_only_files_that_went_back_alone_are_told() -> None:
    assert news_of([act("all", "a"), act("talk", "a"), act("files")], ()) == []
    (text,) = news_of([act("files", "a", "b")], ())
    assert text.endswith("before you edit them:\n- a\n- b")


def test_files_whose_changes_stay_are_told_once_before_the_acts() -> None:
    stays, restored = news_of([act("files", "b")], ["a"])
    assert stays.endswith("stay:\n- a")
    assert restored.endswith(":\n- b")


@pytest.mark.parametrize(("more", "last"), [(0, f"- {MOST_NAMED - 1}"), (2, "- and 2 more")])
def test_further_files_are_counted(more: int, last: str) -> None:
    (text,) = news_of([], [str(number) for number in range(MOST_NAMED + more)])
    lines = text.splitlines()[1:]
    assert lines[-1] == last
    assert len(lines) == MOST_NAMED + (1 if more else 0)
