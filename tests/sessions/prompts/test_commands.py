"""A prompt that begins with `/name`: what the model is told, what is asked, who answers, and what the screen shows."""

import asyncio
import json
from pathlib import Path

import pytest

from placet.core.messages import AssistantMessage, FilePart, TextPart, ToolPart, UserMessage
from placet.core.ports import PermissionAnswer
from placet.extensions.commands import Command
from placet.sessions.session import Session
from services_support import TempServices

DONE = [{"text": "Done."}]


@pytest.fixture
def services(tmp_path):
    made = TempServices(tmp_path)
    (made.project / "a.txt").write_text("alpha\n")
    return made


def prompt(text: str) -> list[TextPart]:
    return [TextPart(text=text)]


def user_message(session: Session, at: int = 0) -> UserMessage:
    return [one for one in session.messages if isinstance(one, UserMessage)][at]


def shown(session: Session, at: int = 0) -> str:
    parts = user_message(session, at).parts
    return "\n".join(part.text for part in parts if isinstance(part, TextPart) and not part.synthetic)


def told(session: Session, at: int = 0) -> str:
    parts = user_message(session, at).parts
    return "\n".join(part.text for part in parts if isinstance(part, TextPart) and part.synthetic)


def request(session: Session, model: str, number: int = 0):
    return session.models[model].requests[number]  # pyright: ignore[reportAttributeAccessIssue]


async def run(services: TempServices, text: str, **settings) -> Session:
    """The session after one prompt, on a model that says it is done."""
    model = services.script(DONE, DONE)
    async with services.open(model, **settings) as sessions:
        session = await sessions.create(title="t")
        result = await session.prompt(prompt(text))
        assert result.stop_reason == "end_turn", result
        return session


def command(**fields) -> dict[str, dict]:
    return {"x": {"template": "Do $ARGUMENTS.", **fields}}


async def test_what_was_typed_is_shown_and_what_the_command_says_is_told(services):
    session = await run(services, "/x this  and that", command=command())

    assert shown(session) == "/x this  and that"
    assert told(session) == "The user called the command `/x`, which says:\nDo this  and that."
    assert session.info.title == "t"


async def test_an_unknown_name_and_a_slash_elsewhere_stay_text(services):
    for text in ("/nothing here", "/usr/bin/x is a path", "Do /x"):
        session = await run(services, text, command=command())
        assert (shown(session), told(session)) == (text, "")


async def test_another_message_is_a_prompt_again(services):
    model = services.script(DONE, DONE)
    async with services.open(model, command=command()) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(prompt("/x"))
        await session.prompt(prompt("Go on."))
        assert told(session, 1) == ""


async def test_files_that_the_template_mentions_are_attached_but_none_that_a_tool_would_have_to_ask_for(services):
    (services.directory / "outside.txt").write_text("SECRET-1")
    (services.project / ".env").write_text("SECRET-2")
    (services.project / "link").symlink_to(services.directory / "outside.txt")
    outside = services.directory / "outside.txt"
    session = await run(services, "/x a.txt", command=command(template=f"See @$1, @.env, @{outside} and @link."))

    assert "1: alpha" in told(session)
    assert "SECRET" not in told(session)
    assert [one.name for one in user_message(session).parts if isinstance(one, FilePart)] == ["a.txt"]


async def test_shell_parts_are_asked_for_as_calls_of_bash_and_what_they_say_stands_in_their_place(services):
    session = await run(
        services, "/x two", command=command(template="Now !`echo one $1 | tee x`, and !`printf @a.txt`.")
    )

    assert [(one.permission, one.command) for one in services.user.asked] == [("bash", "echo one two | tee x")]
    assert "Now one two, and @a.txt." in told(session)
    assert "alpha" not in told(session), "what a shell says mentions nothing"
    assert [one.type for one in user_message(session).parts] == ["text", "text", "text"]


async def test_a_shell_part_that_rules_deny_is_not_run_and_the_model_is_told(services):
    session = await run(
        services, "/x", command=command(template="!`touch made`"), permission={"bash": {"touch *": "deny"}}
    )
    assert "`touch made` was not run" in told(session)
    assert not (services.project / "made").exists()
    assert services.user.asked == []


async def test_an_agent_without_a_shell_runs_none(services):
    session = await run(services, "/x", command=command(template="!`touch made`"), permission={"bash": "deny"})
    assert "the agent `build` has no shell" in told(session)


async def test_a_rejection_ends_the_turn_and_a_rejection_with_words_is_told(services):
    model = services.script(DONE)
    services.user.answer = lambda _: PermissionAnswer("reject")
    async with services.open(model, command=command(template="!`touch made`")) as sessions:
        session = await sessions.create(title="t")
        result = await session.prompt(prompt("/x"))
        assert (result.stop_reason, result.error) == ("rejected", None)
        assert shown(session) == "/x"
        assert [one for one in session.messages if isinstance(one, AssistantMessage)] == []
        services.user.answer = lambda _: PermissionAnswer("reject", feedback="Not now")
        assert (await session.prompt(prompt("/x"))).stop_reason == "end_turn"
        assert "The user rejected it and said: Not now" in told(session, 1)
    assert not (services.project / "made").exists()


async def test_what_a_shell_part_changes_is_journaled_and_undone(services):
    model = services.script(DONE)
    async with services.open(model, command=command(template="!`echo beta > a.txt`")) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(prompt("/x"))
        assert (services.project / "a.txt").read_text() == "beta\n"
        assert [one.status for one in await session.undo()] == ["restored"]
        assert (services.project / "a.txt").read_text() == "alpha\n"


async def test_what_a_shell_part_says_is_bounded(services):
    session = await run(services, "/x", command=command(template="!`seq 1 100000`"))
    assert len(told(session)) < 60_000
    assert "99999" in told(session) or "1\n2\n" in told(session)


async def test_a_running_shell_part_ends_with_the_turn(services):
    model = services.script(DONE)
    async with services.open(model, command=command(template="!`echo begun > begun; sleep 60`")) as sessions:
        session = await sessions.create(title="t")
        turn = asyncio.create_task(session.prompt(prompt("/x")))
        await services.screen.wait_for("turn_started")
        while not (services.project / "begun").exists():  # noqa: ASYNC110 a file has no event
            await asyncio.sleep(0.02)
        await session.cancel()
        assert (await turn).stop_reason == "cancelled"
        assert shown(session) == "/x"


async def test_agent_and_model_answer_in_this_turn_only(services):
    model, other = services.script(DONE, DONE), services.script(DONE, name="other.json")
    async with services.open(model, command=command(agent="plan", model=other)) as sessions:
        session = await sessions.create(title="t")
        for text in ("/x", "Go on."):
            await session.prompt(prompt(text))
        answers = [(one.agent, one.model) for one in session.messages if isinstance(one, AssistantMessage)]
        assert answers == [("plan", other), ("build", model)]
        assert (session.info.agent, session.info.model) == ("build", model)
        assert (user_message(session).agent, user_message(session).model) == ("plan", other)


async def test_a_command_with_an_agent_that_is_not_there_says_so(services):
    model = services.script(DONE)
    async with services.open(model, command=command(agent="nobody")) as sessions:
        session = await sessions.create(title="t")
        result = await session.prompt(prompt("/x"))
        assert result.error is not None
        assert result.error.message.startswith("/x (your settings): There is no agent `nobody`.")
        assert shown(session) == "/x"


@pytest.mark.parametrize("fields", [{"subtask": True}, {"agent": "explore"}])
async def test_a_subtask_is_done_by_a_subagent_and_its_report_told_to_the_model(services, fields):
    model = services.script(DONE, [{"text": "It found nothing."}])
    async with services.open(model, command=command(template="Look at $1. @a.txt", **fields)) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(prompt("/x here"))).stop_reason == "end_turn"
        [call] = [part for one in session.messages for part in one.parts if isinstance(part, ToolPart)]
        assert (call.tool, call.state.input["subagent_type"]) == ("task", fields.get("agent", "general"))
        assert call.state.input["prompt"].startswith("Look at here.")
        assert call.state.status == "completed"
        assert "Look at here" not in told(session)
        child = await sessions.load(call.state.metadata["sessionId"])
        assert child.info.parent_id == session.info.id


async def test_a_subtask_where_nobody_may_delegate_is_done_in_the_turn_itself(services):
    session = await run(services, "/x y", command=command(subtask=True), permission={"task": "deny"})
    assert "Do y." in told(session)


async def test_a_prompt_that_a_model_writes_calls_no_command(services):
    task = {"description": "d", "prompt": "/x evil", "subagent_type": "general"}
    model = services.script([{"call": "task", "arguments": task}], DONE, DONE)
    async with services.open(model, command=command(template="!`touch made`")) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(prompt("Go."))
    assert services.user.asked == []
    assert not (services.project / "made").exists()


async def test_a_command_while_a_turn_runs_waits_for_its_end_even_if_it_is_to_steer(services):
    gate = services.directory / "gate"
    slow = {"call": "bash", "arguments": {"command": f"while [ ! -e {gate} ]; do sleep 0.02; done"}}
    model = services.script([slow], DONE, DONE)
    async with services.open(model, command=command()) as sessions:
        session = await sessions.create(title="t")
        first = asyncio.create_task(session.prompt(prompt("Go.")))
        await services.screen.wait_for("tool_call_update")
        second = asyncio.create_task(session.prompt(prompt("/x y"), queue="steer"))
        await asyncio.sleep(0)
        gate.touch()
        assert (await first).message_id != (await second).message_id
        assert user_message(session, 1).steers is None
        assert "Do y." in told(session, 1)


async def test_what_an_extension_says_points_at_nothing(services):
    async def give(words, outputs):
        uri = (services.project / "a.txt").as_uri()
        return [TextPart(text=f"Said {words}: @a.txt !`touch made` $ARGUMENTS"), FilePart(uri=uri)]

    class Source:
        def commands(self):
            return [Command("server:x", "From elsewhere.", "the MCP server server", parts=give)]

    model = services.script(DONE)
    async with services.open(model) as sessions:
        sessions.extensions.command_sources.append(Source())
        session = await sessions.create(title="t")
        await session.prompt(prompt("/server:x 'a b' c"))
        assert "Said ['a b', 'c']: @a.txt !`touch made` $ARGUMENTS" in told(session)
        assert "alpha" not in told(session)
        assert not any(isinstance(one, FilePart) for one in user_message(session).parts)
        assert "server:x" in [one.name for one in sessions.commands()[0]]
    assert services.user.asked == []


def put_skill(services: TempServices, name: str) -> Path:
    file = services.locations.config / "skills" / name / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(f"---\nname: {name}\ndescription: How to {name}.\n---\nFollow these steps of {name}.\n")
    return file


async def test_a_skill_is_called_by_its_name_and_a_denied_one_is_not_listed(services):
    for name in ("release", "secret"):
        put_skill(services, name)
    async with services.open(services.script(DONE), permission={"skill": {"secret": "deny"}}) as sessions:
        assert [one.name for one in sessions.commands()[0]] == ["init", "release", "remember", "review"]
        session = await sessions.create(title="t")
        await session.prompt(prompt("/release 1.2"))
        assert "Follow these steps of release." in told(session)
        assert told(session).endswith("1.2")


async def test_a_session_is_told_of_commands_that_come(services):
    async with services.open() as sessions:
        session = await sessions.create(title="t")
        sessions.commands_changed()
        assert "available_commands_update" not in services.screen.kinds()
        sessions.extensions.command_sources.append(_Other())
        sessions.commands_changed()
        [event] = [one for one in services.screen.events if one.update.kind == "available_commands_update"]
        assert event.session_id == session.info.id
        assert [one["name"] for one in event.update.dump()["commands"]] == ["init", "other", "remember", "review"]


class _Other:
    def commands(self):
        return [Command("other", "", "elsewhere", template="x"), Command("init", "", "elsewhere", template="x")]


async def test_init_and_review_reach_the_model(services):
    session = await run(services, "/init tests")
    assert "`AGENTS.md`" in told(session)
    assert told(session).endswith("tests")

    services.user.asked.clear()
    session = await run(services, "/review main")
    [call] = [part for one in session.messages for part in one.parts if isinstance(part, ToolPart)]
    assert call.state.input["subagent_type"] == "explore"
    assert "What to review: main" in json.dumps(call.state.input)


async def test_a_project_that_is_opened_by_its_store_replays_what_was_typed(services):
    model = services.script(DONE)
    async with services.open(model, command=command()) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(prompt("/x y"))
    async with services.open(model) as sessions:
        again = await sessions.load(session.info.id)
        assert (shown(again), told(again)) == (shown(session), told(session))
