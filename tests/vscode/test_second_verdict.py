"""A suite that fails in its window has a second verdict, alone in a fresh window."""

from collections.abc import Callable
from pathlib import Path

import pytest

from vscode_support.windows import MOST_FLAKY, ONE_FOLDER, Failure, FlakySuite, Kind, Windows

pytestmark = pytest.mark.filterwarnings("error")


class Verdicts(Windows):
    """Windows in which the suites end as told, one verdict after the other."""

    def __init__(self, directory: Path, *verdicts: str) -> None:
        super().__init__(directory)
        self._verdicts = list(verdicts)
        self._pictures = directory

    def outcome(self, suite: Path, kind: Kind, given: object = None) -> Failure | None:
        problem = self._verdicts.pop(0)
        return Failure(f"{suite.stem}: {problem}", "", self._pictures) if problem else None


@pytest.fixture
def verdicts(tmp_path: Path) -> Callable[..., Verdicts]:
    (tmp_path / "failed-1-review.png").write_bytes(b"")
    return lambda *told: Verdicts(tmp_path, *told)


def test_a_suite_that_passes_is_run_once(verdicts: Callable[..., Verdicts]) -> None:
    windows = verdicts("")

    windows.run_suite("review", ONE_FOLDER)

    assert windows._verdicts == []


def test_a_suite_that_passes_the_second_time_is_told_of_with_its_picture(verdicts: Callable[..., Verdicts]) -> None:
    with pytest.warns(FlakySuite, match=r"(?s)^FLAKY review: .*no comment came.*picture: .*failed-1-review\.png"):
        verdicts("no comment came", "").run_suite("review", ONE_FOLDER)


def test_a_suite_that_fails_twice_fails_with_both_problems(verdicts: Callable[..., Verdicts]) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"(?s)the second.*the first"):
        verdicts("the first", "the second").run_suite("review", ONE_FOLDER)


def test_more_than_a_few_flaky_suites_fail_the_run(verdicts: Callable[..., Verdicts]) -> None:
    windows = verdicts(*(["once", ""] * (MOST_FLAKY + 1)))
    for suite in range(MOST_FLAKY):
        with pytest.warns(FlakySuite):
            windows.run_suite(f"suite{suite}", ONE_FOLDER)

    with pytest.raises(pytest.fail.Exception, match=f"{MOST_FLAKY + 1} suites of this run were flaky"):
        windows.run_suite("review", ONE_FOLDER)
