"""Rules, grants and answers in real sessions: from the settings to what the model is told."""

import json
from pathlib import Path
from typing import Any

import pytest

from placet.core.errors import NobodyToAsk, RequestError, SettingsError
from placet.core.messages import TextPart, ToolCompleted, ToolFailed, ToolPart
from placet.core.ports import PermissionAnswer, PermissionRequest, Scope
from placet.sessions.registry import Sessions
from placet.sessions.session import Session
from services_support import TempServices

GO = [TextPart(text="Please go on.")]


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    return TempServices(tmp_path)


def running(services: TempServices, *lines: str, name: str = "script.json") -> str:
    """A model that runs each line in a step of its own."""
    turns = [[{"call": "bash", "arguments": {"command": line}}] for line in lines]
    return services.script(*turns, [{"text": "Done."}], name=name)


def results(session: Session) -> list[ToolCompleted | ToolFailed]:
    parts = [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
    return [part.state for part in parts if isinstance(part.state, ToolCompleted | ToolFailed)]


def always(scope: Scope) -> Any:
    return lambda request: PermissionAnswer("always", scope=scope)


async def test_a_grant_for_the_project_outlives_the_daemon_and_one_for_the_session_does_not(
    services: TempServices,
) -> None:
    for scope, command, asked_again in (("project", "touch a", 0), ("session", "mkdir -p a", 1)):
        services.user.asked.clear()
        services.user.answer = always(scope)
        async with services.open(running(services, command, command)) as sessions:
            await (await sessions.create()).prompt(GO)
            assert len(services.user.asked) == 1
        async with services.open(running(services, command)) as sessions:
            await (await sessions.create()).prompt(GO)
        assert len(services.user.asked) == 1 + asked_again
    (record,) = json.loads((services.locations.config / "grants.json").read_text())["grants"]
    assert (record["pattern"], record["roots"]) == ("touch *", [services.project.resolve().as_posix()])


async def test_a_grant_for_the_session_holds_when_the_session_is_loaded_again(services: TempServices) -> None:
    services.user.answer = always("session")
    async with services.open(running(services, "mkdir -p a", "mkdir -p b")) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        assert [grant.pattern for grant in sessions.permissions.granted(session.info.id)] == ["mkdir *"]
        assert await sessions.load(session.info.id) is session
        assert len(services.user.asked) == 1


async def test_a_revoked_grant_is_asked_again(services: TempServices) -> None:
    services.user.answer = always("project")
    async with services.open(running(services, "mkdir -p a")) as sessions:
        await (await sessions.create()).prompt(GO)
        (grant,) = sessions.permissions.granted()
        await sessions.permissions.revoke(grant.id)
        assert sessions.permissions.granted() == ()
        with pytest.raises(RequestError, match=grant.id):
            await sessions.permissions.revoke(grant.id)


async def test_the_request_says_which_rule_asks_and_what_becomes_of_each_command(services: TempServices) -> None:
    rules = {"bash": {"*": "ask", "ls *": "allow"}}
    async with services.open(running(services, "ls -l && touch b"), permission=rules) as sessions:
        await (await sessions.create()).prompt(GO)
    (request,) = services.user.asked
    assert request.rule == "`bash: *` -> ask (your settings)"
    assert [(part.pattern, part.action) for part in request.parts] == [("ls -l", "allow"), ("touch b", "ask")]


@pytest.mark.parametrize("by", ["absolute", "home"])
async def test_an_absolute_pattern_binds_a_tool_that_asks_by_a_relative_name(
    services: TempServices, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: services.directory)
    base = services.project.as_posix() if by == "absolute" else "~/project"
    services.project.joinpath("secret").mkdir()
    services.project.joinpath("secret", "a.txt").write_text("hidden\n")
    services.project.joinpath("pub").symlink_to(services.project / "secret")
    calls = [{"call": tool, "arguments": arguments} for tool, arguments in (
        ("read", {"filePath": "secret/a.txt"}),
        ("read", {"filePath": "pub/a.txt"}),
        ("grep", {"pattern": "hidden"}),
        ("bash", {"command": "true"}),
    )]  # fmt: skip
    script = services.script(*([call] for call in calls), [{"text": "Done."}])
    async with services.open(script, permission={"read": {f"{base}/secret/*": "deny"}}) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        first, second, found, _ = results(session)
    for refused in (first, second):
        assert isinstance(refused, ToolFailed)
        assert "/secret/*` -> deny (your settings)" in refused.error
    assert isinstance(found, ToolCompleted)
    assert "hidden" not in found.output.replace("pattern hidden", "")


async def test_a_wrong_example_keeps_the_sessions_from_opening(services: TempServices) -> None:
    rules = {"bash": {"git *": {"action": "allow", "match": ["hg status"]}}}
    with pytest.raises(SettingsError, match=r"your settings: the rule `bash: git \*` .* `hg status`"):
        async with services.open(permission=rules):
            pass


async def test_a_tool_that_is_denied_outright_is_not_there_for_the_model(services: TempServices) -> None:
    for denying in ({"permission": {"bash": "deny"}}, {"tools": {"bash": False}}):
        async with services.open(running(services, "ls"), **denying) as sessions:
            session = await sessions.create()
            await session.prompt(GO)
            (result,) = results(session)
        assert "There is no tool `bash`" in (result.output if isinstance(result, ToolCompleted) else result.error)
    assert services.user.asked == []


async def test_a_rejection_with_a_reason_is_told_to_the_model_which_goes_on(services: TempServices) -> None:
    services.user.answer = lambda request: PermissionAnswer("reject", feedback="use make")
    async with services.open(running(services, "touch a")) as sessions:
        session = await sessions.create()
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        (result,) = results(session)
    assert isinstance(result, ToolFailed)
    assert "use make" in result.error


async def test_a_rejection_without_a_word_ends_the_turn_and_no_other_session(services: TempServices) -> None:
    def answer(request: PermissionRequest) -> PermissionAnswer:
        return PermissionAnswer("reject" if request.session_id == first.info.id else "once")

    services.user.answer = answer
    async with services.open() as sessions:
        first = await sessions.create(model=running(services, "touch a", name="one.json"))
        second = await sessions.create(model=running(services, "touch b", name="two.json"))
        assert (await first.prompt(GO)).stop_reason == "rejected"
        assert (await second.prompt(GO)).stop_reason == "end_turn"
    assert not (services.project / "a").exists()
    assert (services.project / "b").exists()


async def test_with_nobody_there_an_ask_is_an_error_at_once_that_names_the_rule(services: TempServices) -> None:
    def nobody(request: PermissionRequest) -> PermissionAnswer:
        raise NobodyToAsk("Nobody is there to ask.")

    services.user.answer = nobody
    async with services.open(running(services, "touch a")) as sessions:
        session = await sessions.create()
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        (result,) = results(session)
    assert isinstance(result, ToolFailed)
    assert "`bash: *` -> ask (built in)" in result.error


async def explained(sessions: Sessions, session: Session, permission: str, subject: str) -> str:
    bound = await sessions.bound(session_id=session.info.id)
    return (await sessions.permissions.explain(permission, subject, bound)).outcome


async def test_a_call_is_explained_as_the_session_is_bound(services: TempServices) -> None:
    async with services.open(permission={"bash": {"make *": "allow"}, "edit": "allow"}) as sessions:
        session = await sessions.create()
        assert await explained(sessions, session, "bash", "make test") == "allow"
        assert await explained(sessions, session, "edit", "a.py") == "allow"
        assert await explained(sessions, session, "edit", "../a.py") == "ask"
        await session.choices.set_agent("plan")
        assert await explained(sessions, session, "edit", "a.py") == "deny"
        plan = services.locations.plans / f"{session.info.id}.md"
        assert await explained(sessions, session, "edit", str(plan)) == "allow"
        with pytest.raises(RequestError):
            await sessions.bound("nobody")
        with pytest.raises(RequestError):
            await sessions.bound(session_id="ses_none")
