"""A change set is the same after a restart in each state, and a turn that stages sends the editor nothing."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from change_set_support import DONE, GO, call, decide, edit, files, outputs, read, whole
from placet.changes.review.staged_file import StagedView
from placet.core.hunks import Decision
from placet.core.messages import UserMessage
from placet.core.ports import FileEdit, FileOutcome
from placet.project.files.disk import DiskDocuments
from placet.sessions.session import Session
from services_support import TempServices

NAMES = ["a.txt", "b.txt", "c.txt", "d.txt"]
PATCH = """*** Begin Patch
*** Add File: new.txt
+new
*** Delete File: c.txt
*** Update File: d.txt
*** Move to: moved.txt
@@
-d.txt 1
+moved
*** End Patch"""


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    for name in NAMES:
        (services.project / name).write_bytes("".join(f"{name} {number}\r\n" for number in range(9)).encode())
    return services


class UntouchedDocuments(DiskDocuments):
    """Documents that keep the edits sent to the editor."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[FileEdit] = []
        self.saved: list[Path] = []

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        self.sent += edits
        return await super().apply(edits, edit_id=edit_id, label=label, turn_id=turn_id)

    async def save(self, paths: Sequence[Path]) -> list[Path]:
        self.saved += paths
        return await super().save(paths)


async def shown(session: Session) -> list[tuple[str, str, str, str, str]]:
    """Return the set as a client sees the set, with the versions that decisions name."""
    views = await session.change_set.views()
    return [(view.file.state, view.file.kind, view.name, view.version, view.conflict) for view in views]


def of(views: Sequence[StagedView], name: str) -> StagedView:
    return next(view for view in views if view.file.place.name == name)


async def test_a_turn_that_stages_sends_no_edit_and_saves_no_buffer(services: TempServices) -> None:
    services.documents = documents = UntouchedDocuments()
    before = {path.name: path.read_bytes() for path in services.project.iterdir()}
    steps = [step for name in NAMES for step in (read(name), edit(name, 1, "one\n"), edit(name, 7, "seven\n"))]
    script = services.script(*steps, call("apply_patch", patchText=PATCH.replace("-d.txt 1", "-one")), DONE)
    async with services.open(script, review="stage") as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert len(await session.change_set.views()) == 5
        assert documents.sent == []
        assert not {path.name for path in documents.saved} & set(NAMES)
        assert {path.name: path.read_bytes() for path in services.project.iterdir()} == before


@pytest.mark.parametrize("review", ["stage", "apply"])
async def test_the_set_is_the_same_after_a_restart_in_each_state(services: TempServices, review: str) -> None:
    reads = [read(name) for name in NAMES]
    first = [*reads, edit("a.txt", 1, "one\n"), edit("a.txt", 7, "seven\n"), DONE]
    second = [*reads, edit("a.txt", 4, "four\n"), edit("b.txt", 1, "one\n"), call("apply_patch", patchText=PATCH), DONE]
    session_id = ""
    states: list[list[tuple[str, str, str, str, str]]] = []

    async def prompt(session: Session) -> None:
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert outputs(session)

    async def keep_a_hunk(session: Session) -> None:
        view = of(await session.change_set.views(), "a.txt")
        await decide(session, Decision(view.file.place, view.version, "accept", frozenset({1})))

    async def reject_a_hunk(session: Session) -> None:
        view = of(await session.change_set.views(), "a.txt")
        await decide(session, Decision(view.file.place, view.version, "reject", frozenset({2}), comment="No."))

    async def type_in_both_files(session: Session) -> None:
        for name in ("a.txt", "b.txt"):
            path = services.project / name
            path.write_bytes(path.read_bytes().replace(b" 0\r\n", b" typed\r\n").replace(b" 2\r\n", b" more\r\n"))

    async def make_a_conflict(session: Session) -> None:
        (services.project / "b.txt").write_bytes(b"\0\xff")

    async def go_back(session: Session) -> None:
        await session.going_back.go([message.id for message in session.messages if isinstance(message, UserMessage)][1])

    async def go_forward(session: Session) -> None:
        await session.going_back.redo()

    async def decide_the_rest(session: Session) -> None:
        views = [view for view in await session.change_set.views() if not view.conflict]
        assert len(views) == 4
        assert set(await decide(session, *(whole(view, "accept") for view in views))) <= {"written", "kept"}

    acts = (prompt, prompt, go_back, go_forward, keep_a_hunk, reject_a_hunk, type_in_both_files, make_a_conflict)
    for act in (*acts, decide_the_rest):
        async with services.open(services.script(*first, *second), review=review) as sessions:
            session = await (sessions.load(session_id) if session_id else sessions.create(title="t"))
            if act is prompt and states:
                await session.choices.set_model(services.script(*second, name="second.json"))
            assert await shown(session) == (states[-1] if states else [])
            await act(session)
            states.append(await shown(session))
            session_id = session.info.id
    names = [[name for _, _, name, _, _ in state] for state in states]
    assert names[0] == names[2] == ["a.txt"]
    assert sorted(names[1]) == sorted(names[3]) == ["a.txt", "b.txt", "c.txt", "moved.txt", "new.txt"]
    assert names[-1] == ["b.txt"]
    assert len({str(state) for state in states}) >= 6


async def test_of_two_sessions_the_second_accepted_names_the_conflict_and_loses_nothing(
    services: TempServices,
) -> None:
    first = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), edit("a.txt", 7, "seven\n"), DONE)
    second = services.script(read("a.txt"), edit("a.txt", 1, "uno\n"), read("a.txt"), DONE, DONE, name="second.json")
    async with services.open(first, review="stage") as sessions:
        one, two = await sessions.create(title="1"), await sessions.create(title="2", model=second)
        await one.prompt(GO)
        await two.prompt(GO)
        assert "one\n" not in outputs(two)[2]
        (staged,) = await one.change_set.views()
        assert await decide(one, whole(staged, "accept")) == ["written"]
        written = files(services)["a.txt"]
        (staged,) = await two.change_set.views()
        assert "same lines" in staged.reason_against
        assert await decide(two, whole(staged, "accept")) == ["conflict"]
        assert files(services)["a.txt"] == written
        assert await decide(two, whole(staged, "accept", edited=written.replace("one\n", "both\n"))) == ["written"]
        assert files(services)["a.txt"] == written.replace("one\n", "both\n")
        assert await two.change_set.views() == []


async def test_the_staged_text_of_another_session_is_read_by_no_search_and_no_subagent(
    services: TempServices,
) -> None:
    first = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE)
    task: dict[str, Any] = {"description": "Look", "prompt": "Look.", "subagent_type": "general"}
    second = services.script(
        *(call("grep", pattern="one"), call("task", **task), read("a.txt"), DONE, DONE), name="second.json"
    )
    async with services.open(first, review="stage") as sessions:
        one, two = await sessions.create(title="1"), await sessions.create(title="2", model=second)
        await one.prompt(GO)
        await two.prompt(GO)
        assert len(await one.change_set.views()) == 1
        assert await two.change_set.views() == []
        assert "a.txt" not in outputs(two)[0]
        read_by_subagent = [event for event in services.screen.events if "a.txt 0" in str(event)]
        assert read_by_subagent
        assert not [event for event in read_by_subagent if event.session_id != one.info.id and "\none\n" in str(event)]
