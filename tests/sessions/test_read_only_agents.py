"""What `plan` and `explore` cannot do they never can: their commands change nothing unless the user says so."""

from pathlib import Path

import pytest

from placet.core.messages import TextPart
from placet.core.ports import PermissionAnswer
from services_support import TempServices

GO = [TextPart(text="Please go on.")]
ALLOWED = {"permission": {"bash": "allow", "task": "allow"}}
DONE = [{"text": "Done."}]


def bash(command: str) -> dict:
    return {"call": "bash", "arguments": {"command": command}}


def task(agent: str) -> dict:
    return {"call": "task", "arguments": {"description": "work", "prompt": "Do it.", "subagent_type": agent}}


@pytest.mark.parametrize("command", ["touch b.txt", "sh -c 'touch b.txt'", "git -c alias.x='!touch b.txt' x"])
async def test_a_command_of_plan_that_may_change_files_is_asked_whatever_is_allowed(
    tmp_path: Path, command: str
) -> None:
    services = TempServices(tmp_path)
    services.user.answer = lambda _: PermissionAnswer("reject")
    async with services.open(services.script([bash(command)], DONE), **ALLOWED) as sessions:
        session = await sessions.create(agent="plan")
        await session.prompt(GO)
        [request] = services.user.asked
        assert request.permission == "bash"
        assert "unproved: it may change files" in request.patterns
        assert request.always == ()
        assert not (services.project / "b.txt").exists()
        explained = await sessions.permissions.explain("bash", command, await sessions.bound("plan"))
        assert explained.outcome == "ask"


async def test_commands_of_plan_that_only_read_run_by_the_rules(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    (services.project / "a.txt").write_text("a\n")
    async with services.open(
        services.script([bash("ls -la | head -n 2; cat a.txt; rg -n a .")], DONE), **ALLOWED
    ) as sessions:
        session = await sessions.create(agent="plan")
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert services.user.asked == []


@pytest.mark.parametrize("agent", ["explore", "general"])
async def test_the_subagents_of_plan_are_bound_as_it_is(tmp_path: Path, agent: str) -> None:
    services = TempServices(tmp_path)
    services.user.answer = lambda _: PermissionAnswer("reject")
    async with services.open(services.script([task(agent)], [bash("touch b.txt")], DONE), **ALLOWED) as sessions:
        session = await sessions.create(agent="plan")
        await session.prompt(GO)
        assert [request.permission for request in services.user.asked] == ["bash"]
        assert not (services.project / "b.txt").exists()


async def test_an_agent_that_may_edit_runs_what_is_allowed(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    async with services.open(services.script([bash("touch b.txt")], DONE), **ALLOWED) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        assert services.user.asked == []
        assert (services.project / "b.txt").exists()


async def test_a_shell_that_is_denied_is_not_offered_to_plan(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    async with services.open(permission={"bash": "deny"}) as sessions:
        assert sessions.permissions.not_offered("bash", await sessions.bound("plan"))
        assert (await sessions.permissions.explain("bash", "touch b", await sessions.bound("plan"))).outcome == "deny"
