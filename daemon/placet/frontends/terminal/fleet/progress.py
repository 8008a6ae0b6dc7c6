"""Progress of a fleet in the terminal: a line for each result, and at a terminal a last line that changes."""

import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Protocol

from placet.core.visible_text import one_line
from placet.fleet.report import Report, outcome, report_on
from placet.fleet.results import Result
from placet.frontends.terminal.output import say
from placet.sessions.store.usage import dollars


class Line(Protocol):
    """Line at the bottom of the terminal."""

    def update(self, status: str) -> None: ...


class Progress:
    """Progress of one run; `results` begins with the results of earlier runs."""

    def __init__(self, tasks: int, results: Sequence[Result], line: Line | None, *, as_json: bool) -> None:
        self._tasks = tasks
        self._results = list(results)
        self._line = line
        self._as_json = as_json
        self._began = time.monotonic()
        self._new = 0
        self._show()

    def take(self, result: Result) -> None:
        """Tell a new result."""
        self._results.append(result)
        self._new += 1
        if self._as_json:
            say(result.model_dump_json(by_alias=True, exclude_none=True))
        else:
            count = f"{len(self._results)}/{self._tasks}"
            say(f"{count:>9}  {result.id}  {one_line(outcome(result))}  {result.seconds:.1f} s{_cost(result.cost)}")
        self._show()

    def _show(self) -> None:
        if self._line is not None:
            minutes = max(time.monotonic() - self._began, 0.001) / 60
            rate = f"{self._new / minutes:.1f} a minute"
            self._line.update("  ".join([*summary(report_on(self._results, self._tasks)), rate]))


def summary(report: Report) -> list[str]:
    """Return the report in a few words each."""
    reasons = ", ".join(f"{one_line(reason)} {count}" for reason, count in report.reasons.items())
    good = "solved" if report.checked else "done"  # Without a check, nobody knows whether a task is solved.
    words = [f"{report.ended} of {report.tasks} tasks", f"{report.solved} {good}", f"cost {dollars(report.cost)}"]
    if report.cost_per_solved is not None:
        words.append(f"{dollars(report.cost_per_solved)} per {good} task")
    return [*words, *([f"({reasons})"] if reasons else [])]


@contextmanager
def shown_progress(tasks: int, results: Sequence[Result], *, as_json: bool) -> Generator[Progress]:
    """Yield the progress of a run."""
    if as_json or not sys.stdout.isatty():
        yield Progress(tasks, results, None, as_json=as_json)
        return
    from rich.console import Console

    with Console(markup=False, highlight=False).status("") as status:
        yield Progress(tasks, results, status, as_json=False)


def _cost(cost: float) -> str:
    return f"  {dollars(cost)}" if cost else ""
