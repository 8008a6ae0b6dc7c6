"""The system prompt of a session stays as it was, and what has changed since is told once."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from placet.core.events import Compaction, UserMessageAdded
from placet.core.messages import AssistantMessage, CompactionPart, FilePart, Message, TextPart, ToolPart, UserMessage
from placet.model.base import ModelRequest
from placet.model.scripted import ScriptedModel
from placet.sessions.turns.system_prompts import Prompted
from services_support import TempServices

GO = [TextPart(text="Please go on.")]


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TempServices:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    return TempServices(tmp_path)


def talking(services: TempServices, turns: int = 30) -> str:
    return services.script(*([{"text": f"Answer {number}."}] for number in range(turns)))


def requests(session: Any) -> list[ModelRequest]:
    """What the session's model was asked, in order."""
    [model] = session.models.values()
    assert isinstance(model, ScriptedModel)
    return model.requests


def told(session: Any, words: str) -> int:
    """In how many texts that Placet has put into prompts the words stand."""
    return sum(
        words in part.text
        for message in session.messages
        if isinstance(message, UserMessage)
        for part in message.parts
        if isinstance(part, TextPart) and part.synthetic
    )


async def test_the_system_prompt_stays_and_a_change_is_told_exactly_once(services: TempServices) -> None:
    rules = services.project / "AGENTS.md"
    rules.write_text("Be brief.\n")
    async with services.open(talking(services)) as sessions:
        session = await sessions.create()
        for turn in range(20):
            if turn == 7:
                rules.write_text("Be long.\n")
            await session.prompt(GO)
        asked = requests(session)

        assert len(asked) == 20
        assert json.dumps(asked[0].system) == json.dumps(asked[19].system)
        assert f"Instructions from {rules}:\nBe brief." in asked[0].system[-1]
        assert told(session, "Be long.") == 1
        told_in = next(message for message in session.messages if "Be long." in message.model_dump_json())
        assert [message for message in session.messages if isinstance(message, UserMessage)].index(told_in) == 7
        assert "system-reminder" in told_in.parts[-1].text
        assert told_in in asked[19].messages


async def test_a_restart_changes_nothing_and_tells_what_changed_meanwhile(services: TempServices) -> None:
    rules = services.project / "AGENTS.md"
    rules.write_text("Be brief.\n")
    model = talking(services)
    async with services.open(model) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        rules.write_text("Be long.\n")
        await session.prompt(GO)
        before, session_id = requests(session)[0].system, session.info.id
    rules.write_text("Be kind.\n")
    async with services.open(model) as sessions:
        session = await sessions.load(session_id)
        await session.prompt(GO)
        await session.prompt(GO)

        assert [request.system for request in requests(session)] == [before, before]
        assert (told(session, "Be long."), told(session, "Be kind.")) == (1, 1)


async def test_after_a_compaction_what_was_told_stands_in_the_prompt(services: TempServices) -> None:
    rules = services.project / "AGENTS.md"
    rules.write_text("Be brief.\n")
    async with services.open(talking(services)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        compacted(session)
        await session.prompt(GO)
        assert requests(session)[1].system == requests(session)[0].system

        rules.write_text("Be long.\n")
        await session.prompt(GO)
        compacted(session)
        for _ in range(2):
            await session.prompt(GO)
        *_, third, fourth, fifth = requests(session)
        assert third.system == requests(session)[0].system
        assert "Be long." in fourth.system[-1]
        assert "Be brief." not in fourth.system[-1]
        assert fourth.system == fifth.system
        assert told(session, "Be long.") == 1


def compacted(session: Any) -> None:
    """All so far is summed up, and nothing kept as it was."""
    summary = AssistantMessage(parent_id=session.messages[-1].id, summary=True)
    part = CompactionPart(summary="We talked.")
    session._recorder.emit(UserMessageAdded(message=UserMessage(parts=(TextPart(text="Sum up.", synthetic=True),))))
    session._recorder.transcript.apply(_began(summary))
    session._recorder.emit(Compaction(message_id=summary.id, part=part))


def _began(message: Message) -> Any:
    from placet.core.events import AgentMessageChanged

    return AgentMessageChanged(message=message)


async def test_a_compaction_within_a_turn_loses_nothing_either(services: TempServices) -> None:
    rules = services.project / "AGENTS.md"
    rules.write_text("Be brief.\n")
    full = {"error": "context_overflow"}
    model = services.script(
        [{"text": "One."}], [{"text": "Two. " + "x" * 20_000}], [full], [{"text": "A summary."}], [{"text": "Three."}]
    )
    async with services.open(model, compaction={"keepTokens": 1}) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        rules.write_text("Be long.\n")
        await session.prompt(GO)
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        asked = requests(session)
        assert "Be long." not in "".join(message.model_dump_json() for message in asked[-1].messages)
        assert "Be long." in asked[-1].system[-1]


async def test_every_agent_has_its_own_and_learns_of_a_change(services: TempServices) -> None:
    rules = services.project / "AGENTS.md"
    rules.write_text("Be brief.\n")
    async with services.open(talking(services)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        await session.choices.set_agent("plan")
        await session.prompt(GO)
        rules.write_text("Be long.\n")
        await session.prompt(GO)
        await session.choices.set_agent("build")
        await session.prompt(GO)
        build, plan, plan_again, build_again = (request.system for request in requests(session))

        assert build != plan
        assert (plan_again, build_again) == (plan, build)
        assert told(session, "Be long.") == 1


async def test_a_change_that_an_agent_cannot_have_understood_is_told_again(services: TempServices) -> None:
    rules = services.project / "AGENTS.md"
    rules.write_text("One.\n")
    async with services.open(talking(services)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        rules.write_text("Two.\n")
        await session.choices.set_agent("plan")
        await session.prompt(GO)
        assert "Two." in requests(session)[1].system[-1]
        assert told(session, "Two.") == 0
        rules.write_text("Three.\n")
        await session.prompt(GO)
        await session.choices.set_agent("build")
        await session.prompt(GO)
        assert told(session, "Three.") == 2


async def test_a_new_day_is_told(services: TempServices, monkeypatch: pytest.MonkeyPatch) -> None:
    class Later(date):
        @classmethod
        def today(cls) -> date:
            return date(2999, 1, 2)

    async with services.open(talking(services)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        monkeypatch.setattr("placet.agent.prompt.system_prompt.date", Later)
        await session.prompt(GO)
        await session.prompt(GO)
        assert told(session, "Today: 2999-01-02") == 1
        assert len({request.system for request in requests(session)}) == 1


async def test_rules_come_from_the_user_the_project_and_the_settings(services: TempServices) -> None:
    services.locations.config.mkdir()
    own = services.locations.config / "AGENTS.md"
    own.write_text("Mine.\n")
    (services.project / "docs").mkdir()
    (services.project / "docs/style.md").write_text("Styled.\n")
    (services.project / "CLAUDE.md").write_text("Theirs.\n")
    async with services.open(talking(services), instructions=["docs/*.md", "http://user@127.0.0.1/x"]) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        assert requests(session)[0].system[-1] == (
            f"Instructions from {own}:\nMine.\n\n"
            f"Instructions from {services.project / 'CLAUDE.md'}:\nTheirs.\n\n"
            f"Instructions from {services.project / 'docs/style.md'}:\nStyled.\n\n"
            "Instructions from http://user@127.0.0.1/x:\n(They could not be fetched: An address with a user name or "
            "password in it cannot be fetched: leave them out.)"
        )


async def test_links_of_a_project_bring_in_nothing_that_was_not_meant(services: TempServices) -> None:
    secret = services.directory / "secret.txt"
    secret.write_text("hidden")
    (services.project / ".env").write_text("hidden")
    (services.project / "AGENTS.md").symlink_to(secret)
    async with services.open(talking(services)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        (services.project / "AGENTS.md").unlink()
        (services.project / "AGENTS.md").symlink_to(services.project / ".env")
        await session.prompt(GO)
        assert "a link that leads out of the project" in requests(session)[0].system[-1]
        assert told(session, "what it links to may not be read without asking") == 1
        assert "hidden" not in "".join(message.model_dump_json() for message in session.messages)


async def test_rules_in_the_system_prompt_do_not_come_with_a_file_again(services: TempServices) -> None:
    (services.project / "AGENTS.md").write_text("Be brief.\n")
    (services.project / "deep").mkdir()
    (services.project / "deep/AGENTS.md").write_text("Use tabs.\n")
    (services.project / "deep/a.py").write_text("a\n")
    read = {"call": "read", "arguments": {"filePath": "deep/a.py"}}
    model = services.script([{"text": "Hello."}], [read], [{"text": "Read."}], [read], [{"text": "Read."}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        session_id = session.info.id
    (services.directory / "script.json").write_text(json.dumps({"turns": [{"events": [read]}, {"events": []}]}))
    async with services.open(model) as sessions:
        session = await sessions.load(session_id)
        await session.prompt(GO)
        [call] = [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
        assert "Use tabs." in call.state.output
        assert "Be brief." not in call.state.output


async def test_what_a_user_mentions_is_read_and_what_a_model_mentions_is_not(services: TempServices) -> None:
    (services.project / ".env").write_text("KEY=1\n")
    task = {"description": "look at it", "prompt": "Look at @.env", "subagent_type": "explore"}
    model = services.script(
        [{"text": "Seen."}], [{"call": "task", "arguments": task}], [{"text": "I see."}], [{"text": "Done."}]
    )
    async with services.open(model) as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text="Look at @.env")])
        assert told(session, "1: KEY=1") == 1
        await session.prompt(GO)
        [call] = [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
        child = await sessions.load(call.state.metadata["sessionId"])
        assert told(child, "KEY=1") == 0
        assert child.messages[0].parts[0].text == "Look at @.env"


async def test_a_mentioned_image_is_stored_once(services: TempServices) -> None:
    (services.project / "pic.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 400)
    async with services.open(talking(services)) as sessions:
        session = await sessions.create()
        for _ in range(3):
            await session.prompt([TextPart(text="See @pic.png")])
        files = [part for message in session.messages for part in message.parts if isinstance(part, FilePart)]
        assert sum(part.uri.startswith("data:image/png") for part in files) == 1


async def test_the_prompt_of_a_session_deleted_meanwhile_does_not_fail_the_store(services: TempServices) -> None:
    async with services.open(talking(services)) as sessions:
        session, other = await sessions.create(), await sessions.create()
        database = sessions._services.database
        database.write("DELETE FROM session WHERE id = ?", (session.info.id,))
        agent = session._services.agents.default
        system = await session._context.within_turn(Prompted(agent, "scripted/none"), lambda permission, pattern: "ask")
        assert system
        await database.flushed()
        assert await database.read("SELECT * FROM system_prompt") == []
        assert (await other.prompt(GO)).stop_reason == "end_turn"


async def test_a_projects_rules_import_only_what_may_be_read_without_asking(services: TempServices) -> None:
    (services.directory / "outside.md").write_text("OUTSIDE_TEXT\n")
    (services.project / ".env").write_text("KEY=SECRET_TEXT\n")
    (services.project / "docs").mkdir()
    (services.project / "docs/rules.md").write_text("IMPORTED_TEXT\n")
    (services.project / "CLAUDE.md").write_text("@docs/rules.md @.env @../outside.md\n")
    async with services.open(services.script([{"text": "Done."}])) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        system = requests(session)[0].system[-1]
    assert "IMPORTED_TEXT" in system
    assert "SECRET_TEXT" not in system
    assert "OUTSIDE_TEXT" not in system
    assert "it may not be read without asking" in system
    assert "import it from outside of the project" in system
