"""What a subagent changed, the turn that had it work has changed: for undo, redo and the list of changes."""

import os

import pytest

from placet.core.errors import RequestError
from placet.core.messages import PatchPart, TextPart
from placet.core.ports import PermissionAnswer
from services_support import TempServices

GO = [TextPart(text="Please go on.")]
TASK = {"call": "task", "arguments": {"description": "work", "prompt": "Do it.", "subagent_type": "general"}}
BACKGROUND = {"call": "task", "arguments": {**TASK["arguments"], "background": True}}
DEEP = {"permission": "allow", "agent": {"general": {"permission": {"task": "allow"}}}}


@pytest.fixture
def services(tmp_path):
    services = TempServices(tmp_path)
    for name in ("a", "b", "c"):
        (services.project / f"{name}.txt").write_text("one\n")
    return services


def read(name: str) -> dict:
    return {"call": "read", "arguments": {"filePath": f"{name}.txt"}}


def edit(name: str, old: str = "one", new: str = "two") -> dict:
    return {"call": "edit", "arguments": {"filePath": f"{name}.txt", "oldString": old, "newString": new}}


def say(text: str = "Done.") -> list[dict]:
    return [{"text": text}]


def texts(services: TempServices) -> list[str]:
    return [(services.project / f"{name}.txt").read_text().strip() for name in "abc"]


def statuses(undone) -> dict[str, str]:
    return {file.path.stem: file.status for file in undone}


def patches(session) -> list[bool]:
    """Whether each change that the conversation shows is taken back."""
    return [part.reverted for message in session.messages for part in message.parts if isinstance(part, PatchPart)]


async def child_of(sessions, session):
    (child,) = await sessions._services.store.children(session.info.id)
    return await sessions.load(child)


FOREGROUND = ([read("a"), read("b")], [edit("b")], [TASK], [read("a")], [edit("a")], say(), say())
"""The user's own agent edits b, its subagent a."""


async def test_what_the_user_refused_a_subagent_is_listed_at_the_message_that_had_it_work(services):
    services.user.answer = lambda request: PermissionAnswer("once" if request.permission != "edit" else "reject")
    script = services.script([TASK], [read("a")], [edit("a")], say(), say())
    async with services.open(script) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        child = await child_of(sessions, session)

        (own,), (childs,) = await session.changes(), await child.changes()

        assert (own["state"], own["madeIn"], own["agent"]) == ("refused", child.info.id, "general")
        assert own["messageId"] in {message.id for message in session.messages}
        assert (own["id"], "madeIn" in childs) == (childs["id"], False)
        assert sessions.subagents_of(session.info.id) == [child.info.id]


async def test_undo_takes_back_what_the_subagents_of_the_turn_did_and_redo_brings_it_back(services):
    async with services.open(services.script(*FOREGROUND), permission="allow") as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        assert texts(services) == ["two", "two", "one"]
        child = await child_of(sessions, session)

        assert statuses(await session.undo()) == {"a": "restored", "b": "restored"}
        assert texts(services) == ["one", "one", "one"]
        assert (patches(session), patches(child)) == ([True], [True])

        assert set(statuses(await session.redo()).values()) == {"restored"}
        assert texts(services) == ["two", "two", "one"]
        assert (patches(session), patches(child)) == ([False], [False])


async def test_a_turn_a_message_and_files_name_what_subagents_did_as_well(services):
    async with services.open(services.script(*FOREGROUND), permission="allow") as sessions:
        session = await sessions.create()
        turn = (await session.prompt(GO)).message_id
        _, _, _, asking, _ = session.messages

        assert statuses(await session.undo(message_id=asking.id)) == {"a": "restored"}
        await session.redo()
        assert statuses(await session.undo(paths=[services.project / "a.txt"])) == {"a": "restored"}
        await session.redo()
        assert statuses(await session.undo(turn_id=turn, paths=[services.project / "a.txt"])) == {"a": "restored"}
        assert texts(services) == ["one", "two", "one"]
        await session.redo()
        assert statuses(await session.undo(turn_id=turn)) == {"a": "restored", "b": "restored"}
        assert texts(services) == ["one", "one", "one"]
        with pytest.raises(RequestError, match="no applied change"):
            await session.undo(turn_id=turn)


async def test_a_turn_that_only_had_a_subagent_work_is_the_last_that_did_anything(services):
    turns = ([read("b")], [edit("b")], say(), [TASK], [read("a")], [edit("a")], say(), say())
    async with services.open(services.script(*turns), permission="allow") as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        await session.prompt(GO)

        assert statuses(await session.undo()) == {"a": "restored"}
        assert statuses(await session.undo()) == {"b": "restored"}


async def test_what_both_changed_in_one_file_is_taken_back_the_newest_first(services):
    turns = (
        [read("a")],
        [edit("a", "one", "two")],
        [TASK],
        [read("a")],
        [edit("a", "two", "three")],
        say(),
        [read("a")],
        [edit("a", "three", "four")],
        say(),
    )
    async with services.open(services.script(*turns), permission="allow") as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        assert texts(services)[0] == "four"

        assert statuses(await session.undo()) == {"a": "restored"}
        assert texts(services)[0] == "one"
        await session.redo()
        assert texts(services)[0] == "four"


async def test_what_a_subagents_subagent_did_counts_for_all_above_it(services):
    turns = ([TASK], [TASK], [read("a")], [edit("a")], say(), [read("b")], [edit("b")], say(), say())
    async with services.open(services.script(*turns), **DEEP) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        child = await child_of(sessions, session)
        grandchild = await child_of(sessions, child)

        assert statuses(await session.undo()) == {"a": "restored", "b": "restored"}
        assert (patches(child), patches(grandchild)) == ([True], [True])
        await session.redo()
        assert texts(services) == ["two", "two", "one"]

        assert statuses(await child.undo()) == {"a": "restored", "b": "restored"}
        assert (patches(child), patches(grandchild)) == ([True], [True])
        with pytest.raises(RequestError, match="no applied change"):
            await session.undo()
        await session.redo()  # What was undone further down can be brought back from above.
        assert texts(services) == ["two", "two", "one"]
        assert (patches(child), patches(grandchild)) == ([False], [False])

        assert statuses(await grandchild.undo()) == {"a": "restored"}
        assert statuses(await session.undo()) == {"b": "restored"}
        assert texts(services) == ["one", "one", "one"]


async def test_what_is_done_in_the_background_belongs_to_the_turn_that_began_it(services):
    general = services.script([read("a")], [edit("a")], say(), name="general.json")
    own = services.script([BACKGROUND], say(), [read("b")], [edit("b")], say())
    async with services.open(own, permission="allow", agent={"general": {"model": general}}) as sessions:
        session = await sessions.create()
        begun = (await session.prompt(GO)).message_id
        while len([kind for kind in services.screen.kinds() if kind == "turn_ended"]) < 3:
            await services.screen.wait_for_more()
        assert texts(services) == ["two", "two", "one"]
        assert [one["turnId"] == begun for one in await session.changes()] == [True, False]

        assert statuses(await session.undo()) == {"b": "restored"}  # Of the turn that its result began.
        assert statuses(await session.undo(turn_id=begun)) == {"a": "restored"}
        assert texts(services) == ["one", "one", "one"]


async def test_what_a_subagent_does_at_the_word_of_its_own_subagent_counts_for_the_user_as_well(services):
    # Of the subagents, either may be the first to speak; what comes last is answered when both have ended.
    general = services.script([BACKGROUND], say(), say(), [read("a")], [edit("a")], say(), name="general.json")
    agent = {"general": {"model": general, "permission": {"task": "allow"}}}
    async with services.open(services.script([TASK], say()), permission="allow", agent=agent) as sessions:
        session = await sessions.create()
        turn = (await session.prompt(GO)).message_id
        while len([kind for kind in services.screen.kinds() if kind == "turn_ended"]) < 4:
            await services.screen.wait_for_more()
        (change,) = await session.changes()
        assert (change["turnId"], change["madeIn"]) == (turn, (await child_of(sessions, session)).info.id)

        assert statuses(await session.undo(turn_id=turn)) == {"a": "restored"}


async def test_what_a_subagents_command_changed_is_taken_back(services):
    run = {"call": "bash", "arguments": {"command": "echo more >> a.txt; rm b.txt", "description": "change files"}}
    async with services.open(services.script([TASK], [run], say(), say()), permission="allow") as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        assert not (services.project / "b.txt").exists()

        assert statuses(await session.undo()) == {"a": "restored", "b": "restored"}
        assert texts(services) == ["one", "one", "one"]


async def test_the_changes_of_subagents_are_listed_at_the_message_that_had_them_work(services):
    async with services.open(services.script(*FOREGROUND), permission="allow") as sessions:
        session = await sessions.create()
        turn = (await session.prompt(GO)).message_id
        child = await child_of(sessions, session)
        asking = session.messages[3]

        own, subagents = await session.changes()
        assert (own["turnId"], "madeIn" in own) == (turn, False)
        assert (subagents["turnId"], subagents["messageId"]) == (turn, asking.id)
        assert (subagents["madeIn"], subagents["agent"]) == (child.info.id, "general")
        (seen_in_child,) = await child.changes()
        assert "madeIn" not in seen_in_child
        assert seen_in_child["id"] == subagents["id"]
        await session.undo()
        assert [(one["kind"], one["state"]) for one in await session.changes()] == [
            ("edit", "reverted"),
            ("edit", "reverted"),
            ("undo", "applied"),
        ]
        assert [one["state"] for one in await child.changes()] == ["reverted"]


async def test_the_screens_of_both_conversations_are_told(services):
    async with services.open(services.script(*FOREGROUND), permission="allow") as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        child = await child_of(sessions, session)
        (change,) = await child.changes()
        asking = session.messages[3]

        for act, kind in ((session.undo, "change_reverted"), (session.redo, "change_applied")):
            services.screen.events.clear()
            await act()
            told = [
                (event.session_id, event.update.message_id, event.update.made_in)
                for event in services.screen.events
                if event.update.kind == kind and event.update.change_id == change["id"]
            ]
            assert told == [
                (child.info.id, change["messageId"], None),
                (session.info.id, asking.id, child.info.id),
            ]
        assert patches(session) == [False]  # Its own change alone.


async def test_the_subagents_conversation_is_right_whether_it_was_open_or_not(services):
    async with services.open(services.script(*FOREGROUND), permission="allow") as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        child = await child_of(sessions, session)
        async with TempServices(services.directory).open() as others:
            await (await others.load(session.info.id)).undo()
            (stored,) = await others._services.store.children(session.info.id)
            assert patches(await others.load(stored)) == [True]

        assert patches(await sessions.load(child.info.id)) == [True]


async def test_an_undo_needs_the_sessions_of_the_subagents_that_it_is_about(services):
    async with services.open(services.script(*FOREGROUND), permission="allow") as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        child = await child_of(sessions, session)
        # As the other process sees it: at work in one that lives, which is not this one.
        owner = f"{os.getppid()}:"
        sessions._services.database.write("UPDATE session SET owner = ? WHERE id = ?", (owner, child.info.id))

        with pytest.raises(RequestError, match=f"{child.info.id}` is in use by another Placet"):
            await session.undo()
        assert texts(services) == ["two", "two", "one"]
        assert statuses(await session.undo(paths=[services.project / "b.txt"])) == {"b": "restored"}


async def test_a_subagent_goes_on_from_what_is_there_after_an_undo(services):
    async with services.open(services.script(*FOREGROUND), permission="allow") as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        child = await child_of(sessions, session)
        assert child.files_read

        await session.undo()
        assert child.files_read == ()


@pytest.mark.parametrize("is_undone_before", [False, True])
async def test_the_changes_of_a_deleted_subagent_stay_the_users_to_undo(services, is_undone_before):
    turns = ([TASK], [TASK], [read("a")], [edit("a")], say(), [read("b")], [edit("b")], say(), say())
    async with services.open(services.script(*turns), **DEEP) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        child = await child_of(sessions, session)
        if is_undone_before:
            await child.undo()

        await sessions.delete(child.info.id)  # And its own subagent's with it.

        if is_undone_before:
            assert set(statuses(await session.redo()).values()) == {"restored"}
        assert texts(services) == ["two", "two", "one"]
        assert statuses(await session.undo(message_id=session.messages[1].id)) == {"a": "restored", "b": "restored"}
        assert texts(services) == ["one", "one", "one"]
        assert await sessions._services.database.read("SELECT * FROM change_for") == []
    async with services.open() as sessions:
        again = await sessions.load(session.info.id)
        await again.redo()
        assert texts(services) == ["two", "two", "one"]
        assert patches(await sessions.load(session.info.id)) == [False, False]
        await sessions.delete(session.info.id)
        for table in ("change", "change_file", "change_for", "content"):
            assert await sessions._services.database.read(f"SELECT * FROM {table}") == [], table


async def test_the_nearest_that_stays_inherits_from_a_deleted_subagent(services):
    turns = ([TASK], [TASK], [read("a")], [edit("a")], say(), say(), say())
    async with services.open(services.script(*turns), **DEEP) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        child = await child_of(sessions, session)
        await sessions.delete((await child_of(sessions, child)).info.id)

        assert [one["madeIn"] for one in await session.changes()] == [child.info.id]
        assert statuses(await child.undo()) == {"a": "restored"}
        await session.redo()
        assert statuses(await session.undo()) == {"a": "restored"}


async def test_what_the_user_asks_of_a_subagent_directly_is_no_doing_of_the_turn_before(services):
    turns = (*FOREGROUND, [read("c")], [edit("c")], say())
    async with services.open(services.script(*turns), permission="allow") as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        child = await child_of(sessions, session)
        await child.prompt(GO)
        assert texts(services) == ["two", "two", "two"]

        assert statuses(await session.undo()) == {"a": "restored", "b": "restored"}
        assert statuses(await child.undo()) == {"c": "restored"}
