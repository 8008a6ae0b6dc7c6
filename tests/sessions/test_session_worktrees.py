"""Sessions of several worktrees stand side by side in the list of worktrees, each with its state."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from placet.core.errors import RequestError
from placet.core.messages import TextPart
from placet.core.ports import PermissionAnswer, PermissionRequest, Question
from placet.sessions.bring_back import bring_back
from placet.sessions.registry import Sessions
from placet.worktrees.records import Worktree
from services_support import TempServices
from time_support import wait_seconds
from worktree_support import Repository
from worktree_support.fixtures import repository as repository

EDIT = [
    [{"call": "read", "arguments": {"filePath": "a.txt"}}],
    [{"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "two", "newString": "2"}}],
    [{"text": "Done."}],
]


class HesitatingUser:
    """ports.Approver that answers when the test says so."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.may_answer = asyncio.Event()

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        self.asked.set()
        await self.may_answer.wait()
        return PermissionAnswer("once")

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        return None


@pytest.fixture
def services(tmp_path: Path, repository: Repository) -> TempServices:
    return TempServices(tmp_path)


async def states(sessions: Sessions) -> dict[str, list[tuple[str, str]]]:
    entries = await sessions.worktrees.list()
    return {
        entry.listed.worktree.name: [(session.info.title, session.state) for session in entry.sessions]
        for entry in entries
    }


async def shown(sessions: Sessions, wanted: dict[str, list[tuple[str, str]]]) -> None:
    """Until the list shows the states; another process's question is in the store a moment later."""
    while await states(sessions) != wanted:
        pass  # Each look reads the store.


async def made(sessions: Sessions, name: str) -> Worktree:
    return (await sessions.worktrees.create(name, takes_changes=False)).worktree


async def test_a_session_in_a_worktree_waits_and_then_is_done(services: TempServices) -> None:
    model = services.script(*EDIT)
    async with services.open() as here:
        one, _two = await made(here, "one"), await made(here, "two")
        user = HesitatingUser()
        async with services.open(model, roots=(one.path,), user=user) as there:
            session = await there.create(title="In one")
            turn = asyncio.create_task(session.prompt([TextPart(text="Go.")]))
            await user.asked.wait()
            await asyncio.wait_for(shown(here, {"one": [("In one", "waits")], "two": []}), wait_seconds())
            user.may_answer.set()
            assert (await turn).stop_reason == "end_turn"
            assert await states(here) == {"one": [("In one", "done")], "two": []}
            assert (await here.worktrees.list())[0].listed.state == "changed"
            # A window in the worktree shows the same list.
            assert await states(there) == {"one": [("In one", "done")], "two": []}
            assert [entry.is_here for entry in await there.worktrees.list()] == [True, False]


async def test_a_session_whose_turn_runs_works(services: TempServices) -> None:
    async with services.open() as here:
        one = await made(here, "one")
        async with services.open(roots=(one.path,)) as there:
            session = await there.create(title="In one")
            async with session.party():  # Claims the session, as a turn does.
                assert await states(here) == {"one": [("In one", "works")]}
            assert await states(here) == {"one": [("In one", "done")]}


async def test_a_session_below_the_top_of_a_worktree_is_listed_for_the_same_place(
    services: TempServices, repository: Repository
) -> None:
    repository.put("sub/b.txt", "b\n")
    repository.commit("Sub")
    async with services.open(roots=(repository.top / "sub",)) as here:
        one = await made(here, "one")
        async with services.open(roots=(one.path / "sub",)) as there:
            await there.create(title="Below")
        assert await states(here) == {"one": [("Below", "done")]}


async def test_a_worktree_that_is_open_here_is_not_removed_and_not_brought_back_into_itself(
    services: TempServices,
) -> None:
    async with services.open() as here:
        one = await made(here, "one")
        (one.path / "a.txt").write_text("changed\n")
        async with services.open(roots=(one.path,)) as there:
            with pytest.raises(RequestError, match="open in this window"):
                await there.worktrees.remove("one", force=True)
            with pytest.raises(RequestError, match="Open that folder"):
                await bring_back(there, one)
        assert (await here.worktrees.remove("one", force=True)).kept_branch == ""
        assert await here.worktrees.list() == []


async def test_outside_of_a_repository_the_list_is_empty(tmp_path: Path) -> None:
    async with TempServices(tmp_path).open() as sessions:
        assert await sessions.worktrees.list() == []
        with pytest.raises(RequestError, match="in no git repository"):
            await sessions.worktrees.create(None, takes_changes=False)
