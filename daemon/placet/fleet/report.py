"""Report of a fleet: counts, cost, rate and reasons. Pure."""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from placet.fleet.results import Result


class Report(Struct, frozen=True):
    tasks: int
    ended: int
    solved: int
    checked: int
    """Number of results with a check."""
    cost: float
    reasons: dict[str, int]
    """Number of results by the reason against the result, the most frequent first."""

    @property
    def cost_per_solved(self) -> float | None:
        return self.cost / self.solved if self.solved else None


def report_on(results: Sequence[Result], tasks: int) -> Report:
    """Return the report; a task without a check counts as solved if the turn ended by itself."""
    reasons = Counter(outcome(result) for result in results if not is_solved(result))
    return Report(
        tasks=tasks,
        ended=len(results),
        solved=sum(map(is_solved, results)),
        checked=sum(result.solved is not None for result in results),
        cost=sum(result.cost for result in results),
        reasons=dict(reasons.most_common()),
    )


def is_solved(result: Result) -> bool:
    return result.solved if result.solved is not None else result.status == "done"


def outcome(result: Result) -> str:
    """Return the outcome in one or two words: `solved`, `done`, `check`, or status and reason."""
    if result.solved:
        return "solved"
    if result.status == "done":
        return "done" if result.solved is None else "check failed"
    status = "no result" if result.status == "place" else result.status
    return f"{status}: {result.reason}" if result.reason else status
