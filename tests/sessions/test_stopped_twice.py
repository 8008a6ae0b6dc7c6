"""A user who stops a turn and closes the editor at once cancels the clean-up of the turn too: nothing is left all the
same.
"""

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from change_set_support import DONE, GO
from placet.project.inventory import inventory
from placet.sessions.session import Session, TurnResult
from placet.sessions.worktrees import isolation, making
from placet.sessions.worktrees.setup import worktree_setup
from placet.settings import Settings
from placet.worktrees.create import create_worktree
from placet.worktrees.listing import list_worktrees
from process_support import has_ended, written_pid
from services_support import TempServices
from time_support import wait_seconds
from worktree_support import Repository
from worktree_support.fixtures import repository as repository

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the lines are for bash")

ALLOWED = {"task": "allow", "bash": "allow"}
WAITING = [{"text": "I wait."}, {"wait": "never"}]


@pytest.fixture
def services(tmp_path: Path, repository: Repository) -> TempServices:
    repository.put("shared.txt", "one\n")
    repository.commit("First")
    return TempServices(tmp_path)


def with_subagent(services: TempServices, *, background: bool) -> dict[str, Any]:
    """Return the settings of a session with a subagent apart, which has a job in the background and waits."""
    job = {"command": f"echo $$ > {services.directory}/pid; exec sleep 600", "background": True}
    script = services.script([{"call": "bash", "arguments": job}], WAITING, name="one")
    order = {"description": "work", "prompt": "Do it.", "subagent_type": "one", "background": background}
    return {
        "model": services.script([{"call": "task", "arguments": order}], DONE, DONE),
        "agent": {"one": {"mode": "subagent", "isolation": "worktree", "model": script}},
        "permission": ALLOWED,
    }


async def at_work(
    services: TempServices, session: Session, *, background: bool
) -> tuple[asyncio.Task[TurnResult], int]:
    """Prompt the session, and return the prompt and the process of the job once the subagent waits."""
    prompt = asyncio.create_task(session.prompt(GO))
    pid = await written_pid(services.directory / "pid")
    while services.screen.kinds().count("agent_message_chunk") < 1 + background:
        await services.screen.wait_for_more()
    return prompt, pid


async def stop_again_and_again(session: Session) -> None:
    stopping = asyncio.create_task(session.cancel())
    while not stopping.done():
        session.stop()
        await asyncio.sleep(0)
    await stopping


@pytest.mark.parametrize("background", [True, False])
async def test_a_subagent_apart_that_is_stopped_again_and_again_leaves_no_job_and_no_worktree(
    services: TempServices, background: bool
) -> None:
    async with services.open(**with_subagent(services, background=background)) as sessions:
        session = await sessions.create()
        prompt, pid = await at_work(services, session, background=background)

        await stop_again_and_again(session)
        await prompt
        await session.close()

        assert has_ended(pid)
        assert await list_worktrees(services.locations.worktrees, services.project) == []
        assert services.screen.kinds().count("turn_ended") == 2
        assert sessions.subagents_of(session.info.id) == []


@pytest.mark.parametrize("background", [True, False])
async def test_all_is_closed_while_a_subagent_apart_works(services: TempServices, background: bool) -> None:
    async with services.open(**with_subagent(services, background=background)) as sessions:
        session = await sessions.create()
        prompt, pid = await at_work(services, session, background=background)
    await prompt
    assert has_ended(pid)
    assert await list_worktrees(services.locations.worktrees, services.project) == []


async def test_a_prompt_that_waits_is_not_begun_when_its_session_is_closed(services: TempServices) -> None:
    async with services.open(services.script(WAITING, DONE)) as sessions:
        session = await sessions.create()
        first = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")
        waiting = [asyncio.create_task(session.prompt(GO)) for _ in range(2)]
        while services.screen.kinds().count("queue_update") < 2:
            await services.screen.wait_for_more()

        await session.close()

        assert {(await prompt).stop_reason for prompt in (first, *waiting)} == {"cancelled"}
        assert len(session.messages) == 2
        # A session that is closed for its deletion, which then fails, goes on.
        assert (await session.prompt(GO)).stop_reason == "end_turn"


async def test_the_report_of_a_subagent_in_the_background_is_stopped_to_its_end(services: TempServices) -> None:
    script = services.script(DONE, name="one")
    order = {"description": "work", "prompt": "Do it.", "subagent_type": "one", "background": True}
    model = services.script([{"call": "task", "arguments": order}], DONE, WAITING)
    agent = {"one": {"mode": "subagent", "model": script}}
    async with services.open(model, agent=agent, permission=ALLOWED) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        while services.screen.kinds().count("agent_message_chunk") < 3:
            await services.screen.wait_for_more()
        assert session.running

        await session.cancel()

        assert not session.running
        assert services.screen.kinds().count("turn_ended") == 3


async def test_a_turn_never_outlives_the_prompt_that_is_cancelled_again_and_again(services: TempServices) -> None:
    async with services.open(services.script(WAITING, DONE)) as sessions:
        session = await sessions.create()
        prompt = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")
        while not prompt.done():
            prompt.cancel()
            await asyncio.sleep(0)
        assert "turn_ended" in services.screen.kinds()
        assert (await prompt).stop_reason == "cancelled"


async def test_the_job_of_a_session_ends_with_the_session_however_often_the_end_is_cancelled(
    services: TempServices,
) -> None:
    job = {"command": f"echo $$ > {services.directory}/pid; exec sleep 600", "background": True}
    model = services.script([{"call": "bash", "arguments": job}], DONE)
    async with services.open(model, permission=ALLOWED) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        pid = await written_pid(services.directory / "pid")
        closing = asyncio.create_task(sessions.unload(session.info.id))
        while not closing.done():
            await asyncio.sleep(0)
            closing.cancel()
        assert has_ended(pid)
        assert sessions.loaded(session.info.id) is None


@pytest.mark.parametrize("moment", ["the trust is handed on", "the sandbox is looked at"])
async def test_a_turn_that_is_stopped_while_a_worktree_is_made_for_a_subagent_leaves_no_worktree(
    services: TempServices, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    loop, has_come = asyncio.get_running_loop(), asyncio.Event()

    def noted(*arguments: Any) -> Any:
        loop.call_soon_threadsafe(has_come.set)
        return inventory(*arguments)

    async def waiting(*_: object) -> bool:
        has_come.set()
        return await asyncio.Event().wait()

    if moment == "the trust is handed on":
        monkeypatch.setattr(making, "inventory", noted)
    else:
        monkeypatch.setattr(isolation, "_is_contained", waiting)
    async with services.open(**with_subagent(services, background=False)) as sessions:
        session = await sessions.create()
        prompt = asyncio.create_task(session.prompt(GO))
        await has_come.wait()
        await stop_again_and_again(session)
        assert (await prompt).stop_reason == "cancelled"
        await session.close()
        assert await list_worktrees(services.locations.worktrees, services.project) == []


def processes_of_the_sandbox() -> Iterator[psutil.Process]:
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if child.name() in ("bwrap", "cat", "sleep"):
                yield child


@pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
async def test_the_preparation_of_a_worktree_ends_with_its_sandbox_however_often_it_is_cancelled(
    services: TempServices, repository: Repository
) -> None:
    worktree = (await create_worktree(repository.home, repository.top)).worktree
    settings = Settings.model_validate({"worktree": {"setup": "touch started; sleep 600"}})

    async def refuse(host: str, port: int) -> bool:
        return False

    async def set_up() -> None:
        async with worktree_setup(worktree, settings, services.locations) as setup:
            assert setup is not None
            await setup.run(refuse)

    running = asyncio.create_task(set_up())
    while not (worktree.path / "started").exists():  # noqa: ASYNC110 (made by another process)
        await asyncio.sleep(0.02)
    while not running.done():
        running.cancel()
        await asyncio.sleep(0)

    # The kernel may not have ended a killed process yet.
    _, left = psutil.wait_procs(list(processes_of_the_sandbox()), wait_seconds())
    assert left == []
    assert [*services.locations.temporary_of("any").parents[1].glob("*")] == []
