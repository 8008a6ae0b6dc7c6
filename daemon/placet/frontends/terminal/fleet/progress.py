"""Progress of a fleet in the terminal: a line for each result, and at a terminal a last line that changes."""

import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from placet.core.visible_text import one_line, shortened, spelled_out
from placet.fleet.report import Report, outcome, report_on
from placet.fleet.results import Result
from placet.frontends.terminal.output import say
from placet.sessions.store.usage import dollars
from placet.text.counted import counted

_FRAMES = "|/-\\"
_FRAMES_A_SECOND = 4
_DETAIL_CHARACTERS = 200


class Progress:
    """Progress of one run; `results` begins with the results of earlier runs."""

    def __init__(
        self, tasks: int, results: Sequence[Result], say_line: Callable[[str], None], *, as_json: bool
    ) -> None:
        self._tasks = tasks
        self._results = list(results)
        self._say_line = say_line
        self._as_json = as_json
        self._began = time.monotonic()
        self._new = 0

    def take(self, result: Result) -> None:
        """Tell a new result."""
        self._results.append(result)
        self._new += 1
        if self._as_json:
            self._say_line(result.model_dump_json(by_alias=True, exclude_none=True))
            return
        count = f"{len(self._results)}/{self._tasks}"
        cost = f"  {dollars(result.cost)}" if result.cost else ""
        self._say_line(f"{count:>9}  {result.id}  {_told(result)}  {result.seconds:.1f} s{cost}")

    def status(self) -> str:
        """Return the state in one line: tasks, cost, rate, and failures by reason."""
        report = report_on(self._results, self._tasks)
        rate = self._new * 60 / max(time.monotonic() - self._began, 0.001)
        failures = f" ({reasons(report)})" if report.reasons else ""
        return f"{_counts(report)}, {rate:.1f} a minute{failures}"


def summary(report: Report) -> str:
    """Return the counts and the cost."""
    if report.cost_per_solved is None:
        return _counts(report)
    return f"{_counts(report)}, {dollars(report.cost_per_solved)} per {_good(report)} task"


def reasons(report: Report) -> str:
    """Return the reasons against results with their counts; empty if all tasks are solved."""
    return ", ".join(f"{one_line(reason)} {count}" for reason, count in report.reasons.items())


def say_report(report: Report) -> None:
    """Print the report of a fleet."""
    say(summary(report))
    if report.reasons:
        say(f"not {_good(report)}: {reasons(report)}")


@contextmanager
def shown_progress(tasks: int, results: Sequence[Result], *, as_json: bool) -> Generator[Progress]:
    """Yield the progress of a run."""
    if as_json or not sys.stdout.isatty():
        yield Progress(tasks, results, _say_now, as_json=as_json)
        return
    from rich.live import Live
    from rich.text import Text

    from placet.frontends.terminal.terminal_escape import PipedConsole

    # rich must not take stdout for itself: the guard of stdout would show the controls of the last line as signs.
    console = PipedConsole(markup=False, highlight=False)
    progress = Progress(tasks, results, lambda line: console.print(Text(spelled_out(line))), as_json=False)

    def last_line() -> Text:
        frame = _FRAMES[int(time.monotonic() * _FRAMES_A_SECOND) % len(_FRAMES)]
        return Text(f"{frame} {progress.status()}", no_wrap=True, overflow="ellipsis", end="")

    with Live(
        console=console,
        get_renderable=last_line,
        refresh_per_second=_FRAMES_A_SECOND,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ):
        yield progress


def _say_now(line: str) -> None:
    """Print the line into a pipe, whose reader follows the progress too."""
    say(line)
    sys.stdout.flush()


def _counts(report: Report) -> str:
    ended = f"{report.ended} of {counted(report.tasks, 'task')}"
    return f"{ended}, {report.solved} {_good(report)}, cost {dollars(report.cost)}"


def _good(report: Report) -> str:
    return "solved" if report.checked else "done"  # Without a check, nobody knows whether a task is solved.


def _told(result: Result) -> str:
    """Return the outcome, with the last words of a failed program or model."""
    words = result.detail.strip().rpartition("\n")[2] if result.status in ("place", "error") else ""
    return f"{one_line(outcome(result))}{f' ({shortened(one_line(words), _DETAIL_CHARACTERS)})' if words else ''}"
