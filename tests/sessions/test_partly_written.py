"""A decision about a change of two turns, of which the user's typing lets only one share be written."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from change_set_support import DONE, GO, edit, read, told, whole
from placet.core.ports import FileEdit, FileOutcome
from placet.project.files.disk import DiskDocuments
from services_support import TempServices

BASE = "".join(f"a.txt {number}\n" for number in range(9))


class TypedInto(DiskDocuments):
    """Documents in which the user types in a line just after a write."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.types_after: dict[str, str] = {}
        """Line that the user changes after the next write, with the user's line."""

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        outcomes = await super().apply(edits, edit_id=edit_id, label=label, turn_id=turn_id)
        for line, typed in self.types_after.items():
            self.path.write_text(self.path.read_text().replace(line, typed))
        self.types_after = {}
        return outcomes


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    path = services.project / "a.txt"
    path.write_text(BASE)
    services.documents = TypedInto(path)
    return services


TURNS = [read("a.txt"), edit("a.txt", 1, "one\n"), DONE, edit("a.txt", 7, "seven\n"), DONE, DONE]


@pytest.mark.parametrize("is_elsewhere", [False, True], ids=["one Placet", "two"])
async def test_a_staged_file_that_is_written_in_part_is_told_so_to_the_user_and_to_the_model(
    services: TempServices, is_elsewhere: bool
) -> None:
    others = TempServices(services.directory)
    documents = others.documents = services.documents
    assert isinstance(documents, TypedInto)
    model = services.script(*TURNS)
    async with services.open(model, review="stage") as sessions, others.open(model, review="stage") as other_sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        await session.prompt(GO)
        (staged,) = await session.change_set.views()
        documents.types_after = {"a.txt 7\n": "typed\n"}
        decider = await other_sessions.load(session.info.id) if is_elsewhere else session
        (decided,) = await decider.change_set.decide([whole(staged, "accept")])
        assert documents.path.read_text() == BASE.replace("a.txt 1\n", "one\n").replace("a.txt 7\n", "typed\n")
        assert decided.status == "failed"
        assert decided.reason == (
            "A part of the change is written; the rest is not, and still waits for your decision. "
            "The file has changed meanwhile."
        )
        (rest,) = await session.change_set.views()
        assert rest.hunks_in_conflict
        assert [step.text for step in rest.file.steps][-1].count("seven") == 1
        assert await _decided(session, whole(rest, "accept", edited=BASE)) == "written"
        assert documents.path.read_text() == BASE
        await session.prompt(GO)
        assert "- a.txt: a part of the change is accepted and written. The rest could not be written" in told(session)
        undone = await session.undo()
        assert [file.status for file in undone] == ["restored"]


@pytest.mark.parametrize("is_elsewhere", [False, True], ids=["one Placet", "two"])
async def test_an_unreviewed_file_that_is_undone_in_part_is_told_so_to_the_user_and_to_the_model(
    services: TempServices, is_elsewhere: bool
) -> None:
    others = TempServices(services.directory)
    documents = others.documents = services.documents
    assert isinstance(documents, TypedInto)
    model = services.script(*TURNS)
    async with services.open(model, review="apply") as sessions, others.open(model, review="apply") as other_sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        await session.prompt(GO)
        (unreviewed,) = await session.change_set.views()
        documents.types_after = {"one\n": "typed\n"}
        decider = await other_sessions.load(session.info.id) if is_elsewhere else session
        (decided,) = await decider.change_set.decide([whole(unreviewed, "reject")])
        assert documents.path.read_text() == BASE.replace("a.txt 1\n", "typed\n")
        assert decided.status == "failed"
        assert decided.reason.startswith("A part of the change is undone; the rest is not, and still")
        await session.prompt(GO)
        assert "- a.txt: a part of the change is undone. The rest could not be undone" in told(session)


async def test_a_file_of_which_nothing_is_written_is_told_in_words_for_the_user(services: TempServices) -> None:
    documents = services.documents
    assert isinstance(documents, TypedInto)
    async with services.open(services.script(*TURNS[:3], DONE), review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        (staged,) = await session.change_set.views()

        async def typing(*arguments: object, **more: object) -> list[FileOutcome]:
            documents.path.write_text(BASE.replace("a.txt 1\n", "typed\n"))
            return await DiskDocuments.apply(documents, *arguments, **more)  # pyright: ignore

        documents.apply = typing  # pyright: ignore
        (decided,) = await session.change_set.decide([whole(staged, "accept")])
        assert (decided.status, decided.reason) == ("moved", "The file has changed meanwhile.")
        assert documents.path.read_text() == BASE.replace("a.txt 1\n", "typed\n")
        assert len(await session.change_set.views()) == 1


async def _decided(session: object, decision: object) -> str:
    (decided,) = await session.change_set.decide([decision])  # pyright: ignore
    return decided.status
