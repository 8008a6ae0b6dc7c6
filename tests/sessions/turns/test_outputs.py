"""Whole outputs of tools: a session looks into its own and into those of whom it works with, and into no others."""

from pathlib import Path
from typing import Any

from placet.core.messages import TextPart, ToolPart
from placet.sessions.registry import Sessions
from placet.sessions.session import Session
from services_support import TempServices

GO = [TextPart(text="Please go on.")]
LONG = {"call": "bash", "arguments": {"command": "seq 5000"}}
TASK = {"call": "task", "arguments": {"description": "work", "prompt": "Do it.", "subagent_type": "general"}}
ALLOWED = {"bash": "allow", "task": "allow"}


def told(session: Session) -> list[dict[str, Any]]:
    """What each call has left for the screen."""
    states = [part.state for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
    return [state.metadata for state in states if state.status == "completed"]


def output_of(session: Session) -> Path:
    [path] = {one["outputPath"] for one in told(session) if "outputPath" in one}
    return Path(path)


async def asked_for_reading(services: TempServices, session: Session, *paths: Path) -> list[str]:
    """The permissions that the session is asked for when it looks at the outputs by each tool."""
    calls = [
        call
        for path in paths
        for call in (
            {"call": "read", "arguments": {"filePath": str(path)}},
            {"call": "grep", "arguments": {"pattern": "4999", "path": str(path)}},
            {"call": "list", "arguments": {"path": str(path.parent)}},
            {"call": "glob", "arguments": {"pattern": "*", "path": str(path.parent)}},
        )
    ]
    services.user.asked.clear()
    await session.choices.set_model(services.script(calls, [{"text": "Seen."}], name=f"{session.info.id}.json"))
    assert (await session.prompt(GO)).stop_reason == "end_turn"
    return [one.permission for one in services.user.asked]


async def made(services: TempServices, sessions: Sessions, *turns: list[dict[str, Any]]) -> Session:
    session = await sessions.create(model=services.script(*turns, [{"text": "Done."}]))
    assert (await session.prompt(GO)).stop_reason == "end_turn"
    return session


async def test_a_session_looks_into_its_own_outputs_and_not_into_anothers(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    async with services.open(permission=ALLOWED) as sessions:
        session = await made(services, sessions, [LONG])
        path = output_of(session)
        assert path.parent == services.locations.tool_output / session.info.id
        assert await asked_for_reading(services, session, path) == []
        other = await sessions.create()
        assert await asked_for_reading(services, other, path) == ["external_directory"], "one question for four calls"
        above = services.locations.tool_output / "any"
        assert await asked_for_reading(services, session, above) == ["external_directory"]


async def test_a_session_and_its_subagents_share_outputs_and_a_fork_has_those_it_tells_of(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    async with services.open(permission=ALLOWED) as sessions:
        session = await made(services, sessions, [LONG, TASK], [LONG], [{"text": "Done."}])
        child = await sessions.load(next(one["sessionId"] for one in told(session) if "sessionId" in one))
        paths = (output_of(session), output_of(child))
        fork = await sessions.fork(session.info.id)
        for one in (session, child, fork):
            assert await asked_for_reading(services, one, *paths) == []


async def test_explain_tells_what_holds_in_the_session(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    async with services.open() as sessions:
        session, other = await sessions.create(), await sessions.create()
        path = str(services.locations.outputs_of(session.info.id) / "tool_1")
        for one, outcome in ((session, "allow"), (other, "ask")):
            bound = await sessions.bound(session_id=one.info.id)
            explained = await sessions.permissions.explain("read", path, bound)
            assert explained.outcome == outcome
