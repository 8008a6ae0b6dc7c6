"""Facts that hold in each way of reviewing, with one Placet and with a second Placet on the same store."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from change_set_support import DONE, GO, call, decide, edit, read, whole
from placet.changes.undo.revert import UndoneFile
from placet.core.hunks import Decision
from placet.core.messages import ToolCompleted, ToolPart, UserMessage
from placet.sessions.registry import Sessions
from placet.sessions.session import Session
from services_support import TempServices

BASE = "".join(f"a.txt {number}\n" for number in range(5))
MODES = pytest.mark.parametrize("review", ["ask", "stage", "apply"])
PROCESSES = pytest.mark.parametrize("has_second", [False, True], ids=["one Placet", "two"])


Steps = Sequence[list[dict[str, Any]]]


class Place:
    """A session of one Placet, and the same session in another Placet, which may be the same."""

    def __init__(self, directory: Path) -> None:
        self.services = TempServices(directory)
        self.file = self.services.project / "a.txt"
        self.file.write_text(BASE)

    @asynccontextmanager
    async def sessions(
        self, review: str, steps: Steps, later: Steps, *, has_second: bool
    ) -> AsyncGenerator[tuple[Session, "SecondLook"]]:
        """Yield the session, and a function that gives the session as the second Placet loads the session.

        The second Placet plays the later steps.
        """
        model = self.services.script(*steps, *(() if has_second else later))
        async with self.services.open(model, review=review) as first:
            session = await first.create(title="t")
            if not has_second:
                yield session, SecondLook(session)
                return
            async with TempServices(self.services.directory).open(model, review=review) as second:
                yield session, SecondLook(session, second, lambda: self.services.script(*later))


class SecondLook:
    """The session as the second Placet loads the session, whose model plays the later steps under the same name."""

    def __init__(self, session: Session, others: Sessions | None = None, begin: Callable[[], Any] = str) -> None:
        self._session, self._others, self._begin = session, others, begin

    async def __call__(self) -> Session:
        if self._others is None:
            return self._session
        self._begin()
        return await self._others.load(self._session.info.id)


async def accept_all(session: Session) -> None:
    views = await session.change_set.views()
    statuses = await decide(session, *(whole(view, "accept") for view in views))
    assert set(statuses) <= {"written", "kept"}, statuses


def outputs(session: Session) -> list[str]:
    """Return the outputs of the calls that have succeeded."""
    parts = [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
    assert all(isinstance(part.state, ToolCompleted) for part in parts), [part.state for part in parts]
    return [part.state.output for part in parts if isinstance(part.state, ToolCompleted)]


@PROCESSES
@MODES
async def test_a_command_of_the_agent_is_not_taken_for_the_user(tmp_path: Path, review: str, has_second: bool) -> None:
    place = Place(tmp_path)
    steps = [
        read("a.txt"),
        call("bash", command="sed -i 's/a.txt 1/sed/' a.txt"),
        DONE,
    ]
    # Another Placet knows of the text that was read by its hash alone, and cannot tell the changes since.
    later = [*([read("a.txt")] if has_second else []), edit("a.txt", 2, "two\n"), DONE]
    async with place.sessions(review, steps, later, has_second=has_second) as (session, second):
        await session.prompt(GO)
        if review == "stage":
            await accept_all(session)
        session = await second()
        await session.prompt(GO)
        await accept_all(session)
        assert "user" not in outputs(session)[-1].partition("The user reviews")[0]
    assert place.file.read_text() == BASE.replace("a.txt 1", "sed").replace("a.txt 2", "two")


@PROCESSES
@MODES
async def test_the_undo_of_a_file_that_was_removed_and_made_anew_ends_whole(
    tmp_path: Path, review: str, has_second: bool
) -> None:
    place = Place(tmp_path)
    made = call("write", filePath="a.txt", content="new\n")
    steps = [read("a.txt"), edit("a.txt", 1, "one\n"), DONE]
    async with place.sessions(review, steps, [made, DONE], has_second=has_second) as (session, second):
        await session.prompt(GO)
        await accept_all(session)
        assert "one\n" in place.file.read_text()
        place.file.unlink()
        session = await second()
        await session.prompt(GO)
        await accept_all(session)
        assert place.file.read_text() == "new\n"
        (undone,) = await session.undo()
        assert (undone.status, place.file.exists()) == ("restored", False)


@PROCESSES
@MODES
async def test_the_tools_see_what_the_session_has_created_and_deleted(
    tmp_path: Path, review: str, has_second: bool
) -> None:
    place = Place(tmp_path)
    patch = "*** Begin Patch\n*** Add File: new/b.txt\n+needle\n*** Delete File: a.txt\n*** End Patch"
    looks = [call("glob", pattern="**/*.txt"), call("list"), read("."), call("grep", pattern="needle|a.txt")]
    steps = [read("a.txt"), call("apply_patch", patchText=patch), DONE]
    async with place.sessions(review, steps, [*looks, DONE], has_second=has_second) as (session, second):
        await session.prompt(GO)
        session = await second()
        await session.prompt(GO)
        globbed, listed, entries, found = outputs(session)[-4:]
    assert globbed == str(place.services.project / "new/b.txt")
    assert "a.txt" not in listed + entries + found
    assert "    b.txt" in listed
    assert "\nnew/\n" in entries
    assert found.startswith("Found 1 match\n")
    assert "unsaved" not in found


TWO_EDITS = (read("a.txt"), edit("a.txt", 1, "one\n"), edit("a.txt", 3, "three\n"), DONE)
CHANGED = BASE.replace("a.txt 1", "one").replace("a.txt 3", "three")


@PROCESSES
@MODES
async def test_decisions_about_the_changes_of_a_turn_that_was_gone_back_from_end_whole(
    tmp_path: Path, review: str, has_second: bool
) -> None:
    place = Place(tmp_path)
    async with place.sessions(review, [*TWO_EDITS, DONE, DONE], [], has_second=has_second) as (first, second):
        await first.prompt(GO)
        other = await second()
        await first.going_back.go(prompts(first)[0], "talk")
        await first.prompt(GO)
        if review != "ask":
            (view,) = await other.change_set.views()
            await decided(other, Decision(view.file.place, view.version, "accept", frozenset([1])))
            (view,) = await first.change_set.views()
            await decided(first, Decision(view.file.place, view.version, "reject", frozenset([1])))
            assert await other.change_set.views() == []
            kept = BASE.replace("a.txt 1", "one")
        else:
            kept = CHANGED
        assert place.file.read_text() == kept
        for session in (other, first):
            await restored(session.undo(paths=[place.file]))
            assert place.file.read_text() == BASE
            await restored(session.redo())
            assert place.file.read_text() == kept
        await other.catch_up()
        assert prompts(other) == prompts(first)
        await first.prompt(GO)
        await other.catch_up()
        assert prompts(other) == prompts(first)


@PROCESSES
@MODES
async def test_going_back_and_forward_brings_each_placet_the_files_and_the_change_set(
    tmp_path: Path, review: str, has_second: bool
) -> None:
    place = Place(tmp_path)
    async with place.sessions(review, [*TWO_EDITS, DONE], [], has_second=has_second) as (first, second):
        await first.prompt(GO)
        other = await second()
        text, listed = place.file.read_text(), await shown(first)
        for back, forth in ((first, other), (other, first)):
            await back.going_back.go(prompts(back)[0])
            assert place.file.read_text() == BASE
            assert await shown(forth) == []
            await forth.going_back.redo()
            assert place.file.read_text() == text
            assert [await shown(back), await shown(forth)] == [listed, listed]
            await back.catch_up()
            assert prompts(back) == prompts(forth)
        await other.going_back.go(prompts(other)[0], "files")
        assert [place.file.read_text(), await shown(first)] == [BASE, []]
        await first.going_back.redo()
        assert [place.file.read_text(), await shown(other)] == [text, listed]
        await accept_all(other)
        assert [place.file.read_text(), await shown(first)] == [CHANGED, []]
        await restored(first.undo())
        await restored(other.redo())
        assert place.file.read_text() == CHANGED


def prompts(session: Session) -> list[str]:
    return [message.id for message in session.messages if isinstance(message, UserMessage)]


async def shown(session: Session) -> list[tuple[str, str]]:
    """Return the state and the difference of each file in the change set."""
    views = await session.change_set.views()
    return [(view.file.state, view.proposed.diff) for view in views if view.proposed is not None]


async def decided(session: Session, decision: Decision) -> None:
    (file,) = await session.change_set.decide([decision])
    assert file.status in ("written", "kept", "rejected", "undone"), file


async def restored(undoing: Awaitable[Sequence[UndoneFile]]) -> None:
    assert [file.status for file in await undoing] == ["restored"]
