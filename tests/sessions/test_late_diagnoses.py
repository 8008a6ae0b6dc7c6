"""The answer to a decision does not wait for diagnostics; the diagnostics follow when the servers have judged."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from change_set_support import DONE, GO, decide, edit, read, told, whole
from language_server_support.no_features import NoFeatures
from placet.changes.review.staged_file import StagedView
from placet.core.events import DiagnosticsDelta
from placet.core.ports import Diagnostic, DiagnosticsReport
from placet.sessions.session import Session
from services_support import TempServices

LINES = "".join(f"a.txt {number}\n" for number in range(9))
TASK = "diagnostics after an accepted change"


class SlowLinter(NoFeatures):
    """Judges files on disk, each line with `bad` in it as an error; a text with `bad` only once the gate is open."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.judged: list[str] = []

    async def diagnostics(
        self,
        paths: Sequence[Path] | None,
        *,
        after: Mapping[Path, int] | None = None,
        timeout_seconds: float = 3.0,
    ) -> DiagnosticsReport:
        if any("bad" in path.read_text() for path in paths or ()):
            await self.gate.wait()
        found: list[Diagnostic] = []
        for path in paths or ():
            self.judged.append(path.read_text())
            rows = [row for row, line in enumerate(path.read_text().split("\n")) if "bad" in line]
            found += [Diagnostic(path, row, 0, row, 3, 1, "bad word", "linter") for row in rows]
        return DiagnosticsReport(tuple(found), frozenset(paths or ()), "linter")


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    services.features = SlowLinter()
    (services.project / "a.txt").write_text(LINES)
    return services


def linter(services: TempServices) -> SlowLinter:
    assert isinstance(services.features, SlowLinter)
    return services.features


def deltas(services: TempServices) -> list[DiagnosticsDelta]:
    """Return the events after the two staged edits."""
    events = [event.update for event in services.screen.events]
    return [update for update in events if isinstance(update, DiagnosticsDelta)][2:]


async def until_judged(services: TempServices) -> None:
    """Open the gate, and wait for the end of the diagnoses."""
    linter(services).gate.set()
    await asyncio.gather(*(task for task in asyncio.all_tasks() if task.get_name() == TASK))


async def first_view(session: Session) -> StagedView:
    return (await session.change_set.views())[0]


def two_hunks(services: TempServices) -> str:
    staged = [read("a.txt"), edit("a.txt", 1, "bad one\n"), edit("a.txt", 7, "bad seven\n"), DONE]
    return services.script(*staged, DONE, DONE)


async def test_two_hunks_are_accepted_while_the_servers_judge_and_one_delta_tells_of_both(
    services: TempServices,
) -> None:
    async with services.open(two_hunks(services), review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        for _ in range(2):
            view = await first_view(session)
            assert await decide(session, whole(view, "accept", hunks=frozenset((1,)))) == ["written"]
        assert (services.project / "a.txt").read_text().count("bad") == 2
        assert deltas(services) == []
        await until_judged(services)
        (delta,) = deltas(services)
        assert ([entry["line"] for entry in delta.added], delta.removed, delta.fresh) == ([2, 8], (), True)
        (first, _) = (event.update for event in services.screen.events if event.update.kind == "change_applied")
        assert (delta.change_id, delta.message_id) == (first.change_id, first.message_id)
        await session.prompt(GO)
        assert "After the user's decision about the changes:" in told(session)
        assert told(session).count("a.txt:2:1: error: bad word (linter)") == 1


async def test_a_model_that_was_asked_before_the_servers_judged_is_not_told_later(services: TempServices) -> None:
    async with services.open(two_hunks(services), review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        await decide(session, whole(await first_view(session), "accept"))
        await session.prompt(GO)
        assert "is accepted and written" in told(session)
        await until_judged(services)
        assert len(deltas(services)) == 1
        await session.prompt(GO)
        assert "bad word" not in told(session)


async def test_the_close_of_the_session_ends_the_diagnosis(services: TempServices) -> None:
    async with services.open(two_hunks(services), review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        await decide(session, whole(await first_view(session), "accept"))
        assert TASK in {task.get_name() for task in asyncio.all_tasks()}
        await sessions.unload(session.info.id)
        assert TASK not in {task.get_name() for task in asyncio.all_tasks()}
        linter(services).gate.set()
    assert deltas(services) == []


async def test_an_accepted_change_without_new_diagnostics_tells_the_model_nothing_of_diagnostics(
    services: TempServices,
) -> None:
    model = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE, DONE)
    async with services.open(model, review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        await decide(session, whole(await first_view(session), "accept"))
        await until_judged(services)
        await session.prompt(GO)
        assert "is accepted and written" in told(session)
        assert "Diagnostics" not in told(session)
