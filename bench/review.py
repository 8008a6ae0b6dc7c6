"""The review of a change set of 300 files with 2,000 hunks: the list, and accepting, keeping and undoing all."""

import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from bench.report import Figure
from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.review.staged_file import FileState, StagedStep, UndecidedFile
from placet.core.hunks import Decision
from placet.core.messages import AssistantMessage, TextPart
from placet.core.ports import FileEdit
from placet.frontends.lsp.handlers.review import listed
from placet.project.files.disk import DiskDocuments, read_document
from placet.sessions.session import Session
from placet.text.diff import text_edits

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from services_support import TempServices

FILES = 300
HUNKS = 2000
LINES = 200
ROUNDS = 3
LIST_LIMIT_MS = 200


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as directory:
        floor = statistics.median([await written(Path(directory) / f"floor{number}") for number in range(ROUNDS)])
        lists, accepts = [], []
        for number in range(ROUNDS):
            async with stored_session(Path(directory) / f"staged{number}", "staged") as session:
                lists += [await _listed(session) for _ in range(ROUNDS)]
                accepts.append(await _decided(session, "accept"))
        undos = []
        for number in range(ROUNDS):
            async with stored_session(Path(directory) / f"unreviewed{number}", "unreviewed") as session:
                lists += [await _listed(session) for _ in range(ROUNDS)]
                undos.append(await _decided(session, "reject"))
    note = f"(limit: {LIST_LIMIT_MS} ms)"
    return [
        Figure("the list, with all hunks", statistics.median(lists) * 1000, "ms", note=note),
        Figure("accepting all", statistics.median(accepts), "s", floor, "writing the files", goal=2),
        Figure("undoing all unreviewed hunks", statistics.median(undos), "s", floor, "writing the files"),
    ]


def _texts(number: int) -> tuple[str, str]:
    """Return a file's text before and after, with the file's share of the hunks."""
    before = [f"file {number} line {line}\n" for line in range(LINES)]
    after, hunks = list(before), (number + 1) * HUNKS // FILES - number * HUNKS // FILES
    for hunk in range(hunks):
        after[hunk * (LINES // hunks)] = f"changed {number} {hunk}\n"
    return "".join(before), "".join(after)


async def written(directory: Path) -> float:
    """Return the seconds of writing the files, as the disk's documents write a change."""
    directory.mkdir()
    edits: list[FileEdit] = []
    for number in range(FILES):
        before, after = _texts(number)
        path = directory / f"file{number}.txt"
        path.write_text(before)
        edits.append(FileEdit("modify", path, read_document(path), after, text_edits(before, after)))
    start = time.perf_counter()
    outcomes = await DiskDocuments().apply(edits, edit_id="", label="")
    assert all(outcome.applied for outcome in outcomes)
    return time.perf_counter() - start


@asynccontextmanager
async def stored_session(directory: Path, state: FileState) -> AsyncGenerator[Session]:
    """Yield a session whose change set holds the files in this state."""
    directory.mkdir()
    services = TempServices(directory)
    async with services.open(services.script([{"text": "Done."}]), review="stage") as sessions:
        session = await sessions.create(title="review")
        await session.prompt([TextPart(text="Go on.")])
        answer = session.messages[-1]
        assert isinstance(answer, AssistantMessage)
        change_sets = sessions._services.change_sets  # pyright: ignore[reportPrivateUsage]
        change_set = await change_sets.of(session.info.id)
        places = (TurnRef(session.info.id, answer.parent_id, answer.id),)
        for number in range(FILES):
            before, after = _texts(number)
            path = services.project / f"file{number}.txt"
            path.write_text(before if state == "staged" else after)
            file = UndecidedFile("modify", path, before, after, steps=(StagedStep(places, after),), state=state)
            await change_sets.store(change_set.put(None, file))
        yield session


async def _listed(session: Session) -> float:
    start = time.perf_counter()
    files = await listed(await session.change_set.views(), contents=False)
    assert len(files.model_dump_json(by_alias=True)) > FILES
    assert sum(len(file.hunks) for file in files.files) == HUNKS
    return time.perf_counter() - start


async def _decided(session: Session, outcome: Literal["accept", "reject"]) -> float:
    views = await session.change_set.views()
    decisions = [Decision(view.file.place, view.version, outcome) for view in views]
    start = time.perf_counter()
    decided = await session.change_set.decide(decisions)
    seconds = time.perf_counter() - start
    assert {file.status for file in decided} == {"written" if outcome == "accept" else "undone"}
    return seconds
