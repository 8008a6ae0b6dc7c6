"""A file that the user removes within a turn: the model is told, whatever the model does next."""

from pathlib import Path
from typing import Any

import pytest

from change_set_support import DONE, GO, call, edit, read, told
from placet.core.messages import ToolCompleted, ToolFailed, ToolPart
from placet.core.ports import Document
from placet.project.files.disk import DiskDocuments
from placet.sessions.session import Session
from services_support import TempServices

SENTENCE = "The user or another program has removed or renamed these files since you read them: a.txt."
HAD = "The user or another program had removed or renamed the file since you read it."
REVIEWS = pytest.mark.parametrize("review", ["ask", "stage", "apply"])


class RemovedAfterReading(DiskDocuments):
    """Documents of which the user removes one as soon as it is read for the first time."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.path.write_text("a.txt 1\n")
        self.is_removed = False

    async def read(self, path: Path) -> Document:
        document = await super().read(path)
        if path == self.path and not self.is_removed:
            self.path.unlink()
            self.is_removed = True
        return document


async def run(directory: Path, review: str, *steps: list[dict[str, Any]]) -> Session:
    services = TempServices(directory)
    services.documents = RemovedAfterReading(services.project / "a.txt")
    async with services.open(services.script(*steps, DONE), review=review) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        return session


def results(session: Session) -> list[str]:
    """Return the outputs and errors of the calls."""
    states = [part.state for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
    texts = [
        state.output if isinstance(state, ToolCompleted) else state.error
        for state in states
        if isinstance(state, ToolCompleted | ToolFailed)
    ]
    assert len(texts) == len(states)
    return texts


@REVIEWS
async def test_a_removed_file_is_told_with_the_next_step_and_once(tmp_path: Path, review: str) -> None:
    session = await run(tmp_path, review, read("a.txt"), call("glob", pattern="*"), call("glob", pattern="*"))
    assert told(session).count(SENTENCE) == 1


@REVIEWS
async def test_a_file_that_the_agent_makes_anew_at_once_is_told_with_the_result(tmp_path: Path, review: str) -> None:
    made = call("write", filePath="a.txt", content="two\n")
    session = await run(tmp_path, review, [*read("a.txt"), *made], edit("a.txt", 1, "x"))
    assert HAD in results(session)[1]
    assert SENTENCE not in told(session)


@REVIEWS
async def test_a_file_that_the_agent_makes_anew_later_is_told_once(tmp_path: Path, review: str) -> None:
    made = call("write", filePath="a.txt", content="two\n")
    session = await run(tmp_path, review, read("a.txt"), made, call("glob", pattern="*"))
    assert told(session).count(SENTENCE) == 1
    assert HAD not in results(session)[1]


@REVIEWS
async def test_a_file_that_the_agent_has_removed_itself_is_not_told(tmp_path: Path, review: str) -> None:
    services = TempServices(tmp_path)
    for name in ("a.txt", "b.txt"):
        (services.project / name).write_text(f"{name} 1\n")
    patch = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"
    steps = [read("a.txt"), read("b.txt"), call("bash", command="rm b.txt"), call("apply_patch", patchText=patch)]
    async with services.open(services.script(*steps, call("glob", pattern="*"), DONE), review=review) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
    assert "has removed or renamed" not in told(session)
    assert "No longer there since you read them: b.txt." in results(session)[2]


async def test_an_edit_of_a_removed_file_says_so(tmp_path: Path) -> None:
    session = await run(tmp_path, "ask", [*read("a.txt"), *edit("a.txt", 1, "x")])
    assert "has been removed or renamed since you read it" in results(session)[1]
