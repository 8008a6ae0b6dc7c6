"""A review that dies by SIGKILL at each of many points: `python -m changes_support.reviewed ROOT POINTS`.

Each run in ROOT/NNN stages and applies changes of eight files and decides about all. In the last act a call waits in
the set, and the user decides hunk by hunk. ROOT/NNN/progress names the acts that had ended. The points are spread
evenly over the files opened and renamed and the transactions stored in a run.
"""

import asyncio
import itertools
import os
import signal
import sys
from collections.abc import AsyncGenerator, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from changes_support.approver import PatientApprover
from language_server_support.no_features import NoFeatures
from placet.changes.call import ChangingCall
from placet.changes.journal.file_history import ChangedFile
from placet.changes.journal.journal import Journal
from placet.changes.ledger import Ledger
from placet.changes.pipeline import ChangePipeline, Changes
from placet.changes.propose.diagnostics_delta import DiagnosticsTracker
from placet.changes.review.change_sets import ChangeSets
from placet.changes.review.decisions import Reviews
from placet.changes.review.staged_file import StagedStep, StagedView
from placet.changes.undo.revert import Party, Undo, UndoneFile
from placet.core.hunks import Decision
from placet.permissions.gate import Caller, Gate
from placet.permissions.rules import builtin_rules
from placet.project.files.disk import DiskDocuments
from placet.project.paths import Workspace
from placet.settings import DiagnosticsSettings
from placet.settings.review_modes import ReviewMode
from placet.storage.database import Database, Statement
from placet.text.plan import EditPlan, PlannedFile

SESSION = "ses_1"
TEXT = "".join(f"line {number}\n" for number in range(12))
ONE, BOTH = TEXT.replace("line 1\n", "one\n"), TEXT.replace("line 1\n", "one\n").replace("line 8\n", "eight\n")
OLD = ("accepted", "parted", "kept", "undone", "deleted", "renamed", "asked")


class ReviewDesk:
    """Pipeline, change set and undo of one session over a directory and a store."""

    def __init__(self, root: Path) -> None:
        self.root = root / "project"
        self.mode: ReviewMode = "stage"
        self.database = Database(root / "store.db")
        self.database.write(
            "INSERT OR IGNORE INTO session (id, title, agent, model, roots, created, updated) "
            "VALUES (?, '', '', '', '[]', 0, 0)",
            (SESSION,),
        )
        self.documents = DiskDocuments()
        self.journal = Journal(self.database)
        tracker = DiagnosticsTracker(NoFeatures(), DiagnosticsSettings())
        change_sets = ChangeSets(self.journal.database)
        self.reviews = Reviews(self.documents, change_sets)
        self.approver = PatientApprover()
        self.pipeline = ChangePipeline(
            self.documents, Gate(self.approver), self.journal, tracker, self.reviews, root / "layers"
        )
        self.undoing = Undo(self.journal, self.documents, self.pipeline.unsure)
        self.workspace = Workspace((self.root,))

    def path(self, name: str) -> Path:
        return self.root / f"{name}.txt"

    def texts(self) -> dict[str, str]:
        return {path.stem: path.read_text() for path in self.root.iterdir()}

    def changes(self, turn: str) -> Changes:
        staging = self.pipeline.staging(SESSION, NoFeatures(), lambda: self.mode, lambda _: None)
        return self.pipeline.bind(self._call(turn), staging)

    async def propose(self, mode: ReviewMode, turn: str, *files: PlannedFile) -> None:
        self.mode = mode
        await self.changes(turn).propose(EditPlan("Change", files))

    def modify(self, name: str, text: str, before: str = TEXT) -> PlannedFile:
        return PlannedFile("modify", self.path(name), before, text)

    async def views(self) -> dict[str, StagedView]:
        return {view.file.place.stem: view for view in await self.reviews.views(SESSION, self.workspace)}

    async def decide(self, outcome: Literal["accept", "reject"], *names: str, hunks: Sequence[int] = ()) -> None:
        views = await self.views()
        chosen = frozenset(hunks) if hunks else None
        decisions = [Decision(views[name].file.place, views[name].version, outcome, chosen) for name in names]
        await self.reviews.decide(SESSION, decisions, self.workspace, self._bind, self._revert)

    async def ask(self, turn: str, file: PlannedFile, *outcomes: Literal["accept", "reject"]) -> None:
        """Propose a change that waits for the user, who decides about one hunk after the other."""
        call = asyncio.ensure_future(self.propose("ask", turn, file))
        await self.approver.shown("Change")
        for outcome in outcomes:
            listed = await self.reviews.views(SESSION, self.workspace, with_waiting=True)
            [view] = [view for view in listed if view.file.state == "waiting"]
            assert view.proposed is not None
            decision = Decision(view.file.place, view.version, outcome, frozenset((view.proposed.hunks[0].id,)))
            await self.reviews.decide(SESSION, [decision], self.workspace)
        await call

    async def undo(self) -> list[UndoneFile]:
        return await self.undoing.undo(SESSION, Party(lambda _: None, Ledger()), self._parties)

    @asynccontextmanager
    async def _bind(self, step: StagedStep) -> AsyncGenerator[Any]:
        yield self.pipeline.accepted(self._call(step.turn[1]))

    def _call(self, turn: str) -> ChangingCall:
        rules = builtin_rules(self.root / "tool-output")
        caller = Caller(SESSION, f"{turn}_answer", "call_1", "edit", (), rules)
        return ChangingCall(caller, turn, Ledger(), lambda _: None, self.workspace)

    async def _revert(self, files: Sequence[ChangedFile]) -> list[UndoneFile]:
        return await self.undoing.undo_files(SESSION, Party(lambda _: None, Ledger()), self._parties, files)

    @asynccontextmanager
    async def _parties(self, session_ids: Any) -> AsyncGenerator[dict[str, Party]]:
        yield dict.fromkeys(session_ids, Party(lambda _: None, Ledger()))


async def run(root: Path) -> None:
    desk = ReviewDesk(root)
    with (root / "progress").open("wb", buffering=0) as progress:
        for number, act in enumerate(_acts(desk)):
            await act
            progress.write(f"{number}\n".encode())
    await desk.database.close()


def _acts(desk: ReviewDesk) -> Any:
    """Yield the acts of a run: turns that stage and apply changes, then the user's decisions."""
    yield desk.propose("stage", "turn1", desk.modify("accepted", ONE), desk.modify("parted", BOTH))
    yield desk.propose("apply", "turn2", desk.modify("kept", BOTH), desk.modify("undone", ONE))
    created = PlannedFile("create", desk.path("created"), None, "new\n")
    deleted = PlannedFile("delete", desk.path("deleted"), TEXT, None)
    renamed = PlannedFile("rename", desk.path("renamed"), TEXT, ONE, desk.path("moved"))
    yield desk.propose("apply", "turn3", created, deleted, renamed)
    yield desk.propose("apply", "turn4", desk.modify("undone", BOTH, ONE))
    yield desk.decide("accept", "accepted")
    yield desk.decide("accept", "parted", hunks=[1])
    yield desk.decide("reject", "parted")
    yield desk.decide("accept", "kept", hunks=[1])
    yield desk.decide("reject", "kept")
    yield desk.decide("reject", "undone", "created", "deleted", "moved")
    yield desk.ask("turn5", desk.modify("asked", BOTH), "accept", "reject")


def _prepare(root: Path) -> None:
    (root / "project").mkdir(parents=True)
    for name in OLD:
        (root / "project" / f"{name}.txt").write_text(TEXT)


class _Points:
    """Points of a run: each file opened or renamed below the root, and each transaction's begin and end."""

    def __init__(self, root: Path, last: int | None) -> None:
        """End the process at the point `last`."""
        self.passed = 0
        self._numbers = itertools.count(1)
        self._last = last
        self._root = str(root)
        sys.addaudithook(self._hear)
        self._stored = Database.transaction
        Database.transaction = lambda *arguments, **more: self._store(*arguments, **more)  # type: ignore[method-assign]

    def _pass(self) -> None:
        self.passed = next(self._numbers)
        if self.passed == self._last:
            os.kill(os.getpid(), signal.SIGKILL)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        is_own = event == "open" and self._root in str(arguments[0])
        if is_own or event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir"):
            self._pass()

    def _store(self, database: Database, statements: Sequence[Statement], *, durable: bool = False) -> Future[None]:
        self._pass()
        future = self._stored(database, statements, durable=durable)
        future.add_done_callback(lambda _: self._pass())
        return future


def _forked(root: Path, last: int | None) -> int:
    """Run in a process of its own below the root, up to the point `last`; return the number of passed points."""
    _prepare(root)
    if (process := os.fork()) == 0:
        points = _Points(root, last)
        asyncio.run(run(root))
        (root / "points").write_text(str(points.passed))
        os._exit(0)
    os.waitpid(process, 0)
    return int((root / "points").read_text()) if (root / "points").exists() else 0


def _tell(name: str) -> None:
    """Tell the reader that a run has ended: the reader looks at the run while the next one runs."""
    sys.stdout.write(f"{name}\n")
    sys.stdout.flush()


def main(root: Path, count: int) -> None:
    total = _forked(root / "whole", None)
    assert total >= count, total
    _tell("whole")
    for number in range(count):
        _forked(root / f"{number:03}", 1 + number * total // count)
        _tell(f"{number:03}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
