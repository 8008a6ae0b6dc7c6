"""A corpus: one fact about many rows, in one test which names each row that fails, what was wanted and what came."""

import functools
import inspect
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
from hypothesis import settings

Values = dict[str, Any]
Check = Callable[..., Any]

TESTS = Path(__file__).parents[1]
PLAN = "corpus_plan"


class Failures:
    """The rows of one test that failed so far."""

    def __init__(self) -> None:
        self._count = 0
        self._told: list[str] = []

    def row(self, name: str) -> "_Row":
        """Return the context in which the row is checked; a failure inside is kept, and the next row goes on."""
        self._count += 1
        return _Row(name, self._told)

    def tell(self) -> None:
        """Fail the test if a row failed, or if there was no row."""
        __tracebackhide__ = True
        assert self._count, "the corpus has no row"
        if self._told:
            head = f"{len(self._told)} of {self._count} rows fail"
            pytest.fail("\n\n".join((head, *self._told)), pytrace=False)


class _Row:
    """One row at work: keeps its failure with its name, and lets the other rows go on."""

    def __init__(self, name: str, told: list[str]) -> None:
        self._name = name
        self._told = told

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None or not isinstance(error, (Exception, pytest.fail.Exception)):
            return False
        places = [frame for frame in traceback.extract_tb(trace) if Path(frame.filename).is_relative_to(TESTS)]
        place = f"{Path(places[-1].filename).relative_to(TESTS)}:{places[-1].lineno}: " if places else ""
        self._told.append(f"--- {self._name}\n{place}{type(error).__name__}: {error}")
        return True


@contextmanager
def rows() -> Iterator[Failures]:
    """Collect the failures of rows, and tell all of them at the end."""
    failures = Failures()
    yield failures
    failures.tell()


def corpus(names: str | Sequence[str], values: Iterable[Any], **made: Callable[..., Any]) -> Callable[[Check], Check]:
    """Check a fact for each row of values in one test; names are parameters of the test, as for `parametrize`.

    The rows of several decorators are multiplied. Each row has a `tmp_path` and a `monkeypatch` of its own. A further
    keyword names what a function makes anew for each row, from fixtures and from what was made before by the names of
    its parameters; for an async test also an asynchronous context manager, which ends with the row. Any other fixture
    is the same for all rows.
    """
    listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [dict(zip(listed, value if len(listed) > 1 else (value,), strict=True)) for value in values]
    assert rows, f"the corpus of {listed} has no row"

    def decorate(check: Check) -> Check:
        plan = getattr(check, PLAN, None) or _Plan(check, [{}], {})
        return _Plan(plan.check, [row | below for row in rows for below in plan.rows], plan.made | made).test()

    return decorate


def examples(usual: int) -> int:
    """Return how many examples a property takes: the usual number, and four times as many under the profile "long".

    For the properties that guard what is promised about the user's text, files and machine. Any other takes the same
    number always.
    """
    return usual * (4 if settings.get_current_profile_name() == "long" else 1)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What one test checks, and for which rows."""

    check: Check
    rows: list[Values]
    made: dict[str, Callable[..., Any]]

    def test(self) -> Check:
        """Return the function which pytest runs: its parameters are the fixtures of the check and of what is made."""
        test = _awaited(self) if inspect.iscoroutinefunction(self.check) else _called(self)
        functools.update_wrapper(test, self.check)
        needed = dict.fromkeys(name for needs in map(_parameters, (self.check, *self.made.values())) for name in needs)
        fixtures = [name for name in needed if name not in {*self.rows[0], *self.made}]
        parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in fixtures]
        test.__signature__ = inspect.Signature(parameters)
        setattr(test, PLAN, self)
        return test

    @contextmanager
    def own(self, fixtures: Values, number: int) -> Iterator[Values]:
        """Give a row its values, and a folder and patches of its own if the test takes such."""
        given = fixtures | self.rows[number]
        if "tmp_path" in fixtures:
            given["tmp_path"] = fixtures["tmp_path"] / f"row-{number}"
            given["tmp_path"].mkdir()
        with pytest.MonkeyPatch.context() as patch:
            if "monkeypatch" in fixtures:
                given["monkeypatch"] = patch
            yield given

    def make(self, name: str, given: Values) -> Any:
        return self.made[name](**_taken(self.made[name], given))


def _taken(function: Callable[..., Any], given: Values) -> Values:
    return {name: given[name] for name in _parameters(function)}


def _parameters(function: Callable[..., Any]) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    return [parameter.name for parameter in parameters if parameter.default is parameter.empty]


def _called(plan: _Plan) -> Check:
    def test(**fixtures: Any) -> None:
        __tracebackhide__ = True
        with rows() as failures:
            for number, row in enumerate(plan.rows):
                with failures.row(_name(row)), plan.own(fixtures, number) as given:
                    for name in plan.made:
                        given[name] = plan.make(name, given)
                    plan.check(**_taken(plan.check, given))

    return test


def _awaited(plan: _Plan) -> Check:
    async def test(**fixtures: Any) -> None:
        __tracebackhide__ = True
        with rows() as failures:
            for number, row in enumerate(plan.rows):
                with failures.row(_name(row)), plan.own(fixtures, number) as given:
                    async with AsyncExitStack() as opened:
                        for name in plan.made:
                            made = plan.make(name, given)
                            is_opened = isinstance(made, AbstractAsyncContextManager)
                            given[name] = await opened.enter_async_context(made) if is_opened else made
                        await plan.check(**_taken(plan.check, given))

    return test


MOST_CHARACTERS = 200


def _name(row: Values) -> str:
    """Return the name of a row: its values, of which a long one is cut."""
    told = {name: repr(value) for name, value in row.items()}
    cut = {name: text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…" for name, text in told.items()}
    return ", ".join(f"{name}={text}" for name, text in cut.items())
