import asyncio

import pytest

from corpus_support import corpus
from placet.core.errors import RequestError
from placet.core.messages import AssistantMessage, PatchPart, TextPart, ToolPart, UserMessage
from placet.sessions.store.fork import before, fork_title, with_fresh_ids
from services_support import TempServices

GO = [TextPart(text="Please go on.")]
READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}
USAGE = {"usage": {"input": 10, "output": 5}, "cost": 0.25}


@pytest.fixture
def services(tmp_path):
    services = TempServices(tmp_path)
    (services.project / "a.txt").write_text("old\n")
    return services


def spoken(session) -> list[str]:
    return [part.text for message in session.messages for part in message.parts if isinstance(part, TextPart)]


def ids(session) -> list[str]:
    return [one for message in session.messages for one in (message.id, *(part.id for part in message.parts))]


async def test_a_fork_has_what_came_before_the_prompt_under_ids_of_its_own(services):
    model = services.script([{"text": "One."}], [{"text": "Two."}], [{"text": "Three."}])
    async with services.open(model) as sessions:
        session = await sessions.create(title="Talk")
        for word in ("a", "b"):
            await session.prompt([TextPart(text=word)])

        whole = await sessions.fork(session.info.id)
        part = await sessions.fork(session.info.id, session.messages[2].id)

        assert spoken(whole) == ["a", "One.", "b", "Two."]
        assert spoken(part) == ["a", "One."]
        assert not set(ids(session)) & (set(ids(whole)) | set(ids(part)))
        assert [message.id for message in whole.messages] == sorted(message.id for message in whole.messages)
        answer = whole.messages[1]
        assert isinstance(answer, AssistantMessage)
        assert answer.parent_id == whole.messages[0].id
        assert whole.info.title == "Talk (fork)"
        assert whole.info.forked_from == session.info.id
        assert whole.replay()[0].seq > 0

        part.models.update(session.models)
        assert (await part.prompt([TextPart(text="c")])).stop_reason == "end_turn"
        assert spoken(part) == ["a", "One.", "c", "Three."]
        assert spoken(session) == ["a", "One.", "b", "Two."]


async def test_a_fork_is_there_after_a_restart_and_after_its_first_session_is_deleted(services):
    async with services.open(services.script([{"text": "One."}])) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        fork = await sessions.fork(session.info.id)
        await sessions.delete(session.info.id)
        messages = fork.messages
    async with services.open() as sessions:
        assert (await sessions.load(fork.info.id)).messages == messages


async def test_undo_in_a_fork_touches_its_own_changes_alone(services):
    (services.project / "b.txt").write_text("old\n")
    other = {"filePath": "b.txt", "oldString": "old", "newString": "new"}
    model = services.script(
        [READ],
        [EDIT],
        [{"text": "Done."}],
        [{"call": "read", "arguments": {"filePath": "b.txt"}}],
        [{"call": "edit", "arguments": other}],
        [{"text": "Done."}],
    )
    async with services.open(model) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        fork = await sessions.fork(session.info.id)
        with pytest.raises(RequestError, match="no applied change"):
            await fork.undo()
        patch = next(part for message in fork.messages for part in message.parts if isinstance(part, PatchPart))
        with pytest.raises(RequestError, match="no applied change"):
            await fork.undo(change_ids=[patch.change_id])

        fork.models.update(session.models)
        await fork.prompt(GO)
        assert [file.path.name for file in await fork.undo()] == ["b.txt"]
        assert (services.project / "a.txt").read_text() == "new\n"
        assert [file.path.name for file in await session.undo()] == ["a.txt"]
        assert (services.project / "a.txt").read_text() == "old\n"


@pytest.mark.parametrize("text", ["old\n", "old and changed\n"])
async def test_a_fork_knows_a_file_of_its_messages_unless_the_file_has_changed(services, text):
    async with services.open(services.script([READ], [{"text": "Read."}], [EDIT], [{"text": "So."}])) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        (services.project / "a.txt").write_text(text)
        fork = await sessions.fork(session.info.id)
        fork.models.update(session.models)
        await fork.prompt(GO)

        edit = [part for message in fork.messages for part in message.parts if isinstance(part, ToolPart)][-1]
        is_changed = text != "old\n"
        assert edit.state.status == ("error" if is_changed else "completed")
        if is_changed:
            assert "has changed since you read it" in edit.state.error
            assert (services.project / "a.txt").read_text() == text


async def test_of_a_running_turn_a_fork_has_what_is_finished(services):
    model = services.script([{"text": "I look."}, READ], [{"text": "Now"}, {"wait": "never"}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        turn = asyncio.create_task(session.prompt(GO))
        while spoken(session)[-1:] != ["Now"]:
            await services.screen.wait_for_more()

        fork = await sessions.fork(session.info.id)

        assert spoken(fork) == ["Please go on.", "I look."]
        user, answer = fork.messages
        assert isinstance(user, UserMessage)
        assert user.stop_reason == "cancelled"
        assert isinstance(answer.parts[-1], ToolPart)
        assert answer.parts[-1].state.status == "completed"
        assert not turn.done()


async def test_a_prompt_without_a_finished_step_is_not_in_the_fork(services):
    async with services.open(services.script([{"text": "I"}, {"wait": "never"}])) as sessions:
        session = await sessions.create()
        turn = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")

        assert (await sessions.fork(session.info.id)).messages == ()
        assert not turn.done()


async def test_a_turn_cut_off_before_a_steering_prompt_counts_as_cancelled(services):
    wait = {"wait_for_file": str(services.directory / "go")}
    async with services.open(services.script([{"text": "I look."}, wait, READ], [{"text": "Done."}])) as sessions:
        session = await sessions.create()
        turn = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")
        steering = asyncio.create_task(session.prompt([TextPart(text="Use tabs.")], queue="steer"))
        while services.screen.kinds().count("user_message") < 2:
            await services.screen.wait_for_more()
        (services.directory / "go").touch()
        await asyncio.gather(turn, steering)
        steers = next(one for one in session.messages if isinstance(one, UserMessage) and one.steers)

        fork = await sessions.fork(session.info.id, steers.id)

        assert spoken(fork) == ["Please go on.", "I look."]
        assert isinstance(fork.messages[0], UserMessage)
        assert fork.messages[0].stop_reason == "cancelled"


async def test_what_a_fork_copies_it_has_not_spent(services):
    async with services.open(services.script([{"text": "One."}, USAGE], [{"text": "Two."}, USAGE])) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        fork = await sessions.fork(session.info.id)
        await fork.prompt(GO)

        usage = (await sessions.info(fork.info.id)).usage
        assert usage is not None
        assert (usage.cost, usage.tokens.input) == (0.25, 10)
        assert usage.inherited is not None
        assert usage.inherited.cost == 0.25
        days = await sessions._services.store.accounts.by_day(1)
        assert sum(day.cost for day in days) == 0.5


async def test_a_fork_of_what_is_not_there_is_a_clear_error(services):
    async with services.open(services.script([{"text": "One."}])) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        with pytest.raises(RequestError, match="no session `ses_x`"):
            await sessions.fork("ses_x")
        with pytest.raises(RequestError, match="no prompt `msg_x`"):
            await sessions.fork(session.info.id, "msg_x")
        with pytest.raises(RequestError, match="no prompt"):
            await sessions.fork(session.info.id, session.messages[1].id)


def test_whatever_names_an_old_id_names_the_new_one():
    user = UserMessage(parts=(TextPart(text="hi"),), stop_reason="end_turn")
    answer = AssistantMessage(parent_id=user.id, completed=1)
    steering = UserMessage(steers=user.id)
    fresh_user, fresh_answer, fresh_steering = with_fresh_ids([user, answer, steering])

    assert fresh_answer.parent_id == fresh_user.id != user.id
    assert fresh_steering.steers == fresh_user.id
    assert before((user, answer, steering), None) == (user, answer, steering)


@corpus(
    ("title", "expected"),
    [
        ("Talk", "Talk (fork)"),
        ("Talk (fork)", "Talk (fork 2)"),
        ("Talk (fork 9)", "Talk (fork 10)"),
        ("(fork) of", "(fork) of (fork)"),
    ],
)
def test_forks_are_numbered(title, expected):
    assert fork_title(title) == expected
