"""The user goes back to an earlier prompt in talk and files with one act, and forward again until the next prompt."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from placet.core.errors import RequestError
from placet.core.events import SessionBack, UserMessageAdded
from placet.core.hunks import Decision
from placet.core.messages import FilePart, TextPart, ToolCompleted, ToolPart, UserMessage
from placet.core.ports import PermissionAnswer, PermissionRequest
from placet.core.transcript import Transcript
from placet.sessions.going_back.acts import settle_acts
from placet.sessions.registry import Sessions
from placet.sessions.session import Session
from placet.storage.database import Database
from services_support import AnsweringUser, TempServices

TASK = {"call": "task", "arguments": {"description": "work", "prompt": "Do it.", "subagent_type": "general"}}


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    for name in "abc":
        (services.project / f"{name}.txt").write_bytes(f"{name} one\r\n{name} two\n{name} three".encode())
    return services


def read(name: str) -> list[dict[str, Any]]:
    return [{"call": "read", "arguments": {"filePath": f"{name}.txt"}}]


def edit(name: str, old: str, new: str) -> list[dict[str, Any]]:
    return [{"call": "edit", "arguments": {"filePath": f"{name}.txt", "oldString": old, "newString": new}}]


def bash(line: str, **more: Any) -> list[dict[str, Any]]:
    return [{"call": "bash", "arguments": {"command": line, **more}}]


def say(text: str = "Done.") -> list[dict[str, Any]]:
    return [{"text": text}]


FOUR_TURNS = (
    *(read("a"), edit("a", "a two", "A TWO"), say("First.")),
    *(bash("printf 'made\\n' > made.txt; rm b.txt; printf '\\377\\000' > raw.bin"), say("Second.")),
    *([TASK], read("c"), edit("c", "c two", "C TWO"), say("Sub."), say("Third.")),
    *(edit("a", "a three", "A THREE"), say("Fourth.")),
    *(say("Fifth."), say("Sixth.")),
)
"""A turn with an edit, a turn with a command, a turn with a subagent, a turn with an edit of the first file."""


async def four_turns(sessions: Sessions) -> tuple[Session, list[str]]:
    """Return a session after four prompts, and the ids of the prompts."""
    session = await sessions.create(title="t")
    for number in range(1, 5):
        assert (await session.prompt([TextPart(text=f"Prompt {number}.")])).stop_reason == "end_turn"
    return session, prompts(session)


def prompts(session: Session) -> list[str]:
    return [message.id for message in session.messages if isinstance(message, UserMessage)]


def files(services: TempServices) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in services.project.iterdir()}


async def stored(sessions: Sessions, session: Session) -> list[tuple[str, str]]:
    """Return all messages and parts in the store, to the byte."""
    await session.catch_up()  # Everything is written.
    query = "SELECT id, body FROM {} WHERE session_id = ? ORDER BY id"
    with closing(sqlite3.connect(sessions.locations.store)) as store:
        return [row for table in ("message", "part") for row in store.execute(query.format(table), (session.info.id,))]


def statuses(files: Any) -> dict[str, str]:
    return {file.path.name: file.status for file in files}


def shown(services: TempServices, session: Session) -> Transcript:
    """Return the conversation as a client shows it that was there from the beginning."""
    transcript = Transcript()
    for event in services.screen.events:
        if event.session_id == session.info.id:
            transcript.apply(event.update)
    return transcript


async def test_going_back_three_prompts_and_forward_again_gives_the_first_bytes(services: TempServices) -> None:
    async with services.open(services.script(*FOUR_TURNS), permission="allow") as sessions:
        session = await sessions.create(title="t")
        await session.prompt([TextPart(text="Prompt 1.")])
        before = files(services)
        for number in range(2, 5):
            await session.prompt([TextPart(text=f"Prompt {number}.")])
        after, messages, rows = files(services), session.messages, await stored(sessions, session)
        ids = prompts(session)
        assert after["c.txt"] == b"c one\r\nC TWO\nc three"
        assert after["raw.bin"] == b"\xff\x00"

        went = await session.going_back.go(ids[1])

        assert files(services) == before
        assert set(statuses(went.files).values()) == {"restored"}
        assert [part.text for part in went.parts if isinstance(part, TextPart)] == ["Prompt 2."]
        assert prompts(session) == ids[:1]
        assert session.info.back_to == ids[1]
        assert shown(services, session).messages == session.messages

        redone = await session.going_back.redo()

        assert set(statuses(redone.files).values()) == {"restored"}
        assert files(services) == after
        assert session.messages == messages
        assert await stored(sessions, session) == rows
        assert session.info.back_to is None
        assert shown(services, session).messages == messages


async def test_three_steps_back_are_redone_one_by_one(services: TempServices) -> None:
    async with services.open(services.script(*FOUR_TURNS), permission="allow") as sessions:
        session, ids = await four_turns(sessions)
        states = [(files(services), session.messages)]
        for number in (3, 2, 1):
            await session.going_back.go(ids[number])
            assert prompts(session) == ids[:number]
            states.append((files(services), session.messages))
        for state in reversed(states[:-1]):
            await session.going_back.redo()
            assert (files(services), session.messages) == state
            assert shown(services, session).messages == session.messages
        with pytest.raises(RequestError, match="no way forward"):
            await session.going_back.redo()


async def test_a_restart_between_back_and_forward_changes_nothing(services: TempServices) -> None:
    script = services.script(*FOUR_TURNS)
    async with services.open(script, permission="allow") as sessions:
        session, ids = await four_turns(sessions)
        after, messages, rows = files(services), session.messages, await stored(sessions, session)
        await session.going_back.go(ids[1])
    async with services.open(script, permission="allow") as sessions:
        session = await sessions.load(session.info.id)
        assert prompts(session) == ids[:1]
        assert (await sessions.info(session.info.id)).back_to == ids[1]
        replayed = [event.update for event in session.replay()]
        assert replayed[-1] == SessionBack(message_id=ids[1])
        assert not any(isinstance(update, UserMessageAdded) and update.message.id == ids[1] for update in replayed)
        await session.going_back.redo()
        assert (files(services), session.messages) == (after, messages)
        assert await stored(sessions, session) == rows


async def test_talk_alone_leaves_the_files_and_tells_the_model_of_their_changes(services: TempServices) -> None:
    async with services.open(services.script(*FOUR_TURNS), permission="allow") as sessions:
        session, ids = await four_turns(sessions)
        after = files(services)
        went = await session.going_back.go(ids[2], "talk")
        assert (went.files, files(services)) == ([], after)
        await session.prompt([TextPart(text="Another.")])
        told = [part.text for part in session.messages[-2].parts if isinstance(part, TextPart) and part.synthetic]
        assert any("went back" in text and "c.txt" in text and "a.txt" in text for text in told), told
        assert len(prompts(session)) == 3


async def test_files_alone_leave_the_talk_and_tell_the_model(services: TempServices) -> None:
    async with services.open(services.script(*FOUR_TURNS), permission="allow") as sessions:
        session, ids = await four_turns(sessions)
        after, messages = files(services), session.messages
        went = await session.going_back.go(ids[3], "files")
        assert statuses(went.files) == {"a.txt": "restored"}
        assert went.parts == ()
        assert prompts(session) == ids
        assert session.info.back_to is None
        await session.going_back.redo()
        assert (files(services), session.messages) == (after, messages)
        await session.going_back.go(ids[3], "files")
        await session.prompt([TextPart(text="Another.")])
        told = [part.text for part in session.messages[-2].parts if isinstance(part, TextPart) and part.synthetic]
        assert [text for text in told if "restored" in text and "a.txt" in text]
        assert not [text for text in told if "c.txt" in text]


@pytest.mark.parametrize("end", ["redo", "prompt"])
async def test_the_session_tells_that_the_files_alone_went_back_until_a_redo_or_a_prompt(
    services: TempServices, end: str
) -> None:
    script = services.script(*FOUR_TURNS)
    async with services.open(script, permission="allow") as sessions:
        session, ids = await four_turns(sessions)
        await session.going_back.go(ids[3], "files")
        assert services.screen.events[-1].update == SessionBack(files_back=True)
    async with services.open(script, permission="allow") as sessions:
        session = await sessions.load(session.info.id)
        assert session.info.files_back
        [listed], _ = await sessions.list()
        assert listed.files_back
        if end == "redo":
            await session.going_back.redo()
        else:
            await session.prompt([TextPart(text="Another.")])
        assert session.info.files_back is None
        assert (await sessions.info(session.info.id)).files_back is None
        backs = [event.update for event in services.screen.events if isinstance(event.update, SessionBack)]
        assert backs == [SessionBack(files_back=True), SessionBack()]


async def test_the_share_of_the_last_act_is_told_after_each_step(services: TempServices) -> None:
    async with services.open(services.script(*FOUR_TURNS), permission="allow") as sessions:
        session, ids = await four_turns(sessions)
        await session.going_back.go(ids[3], "talk")
        await session.going_back.go(ids[2], "files")
        assert (session.info.back_to, session.info.files_back) == (ids[3], True)
        await session.going_back.redo()
        assert (session.info.back_to, session.info.files_back) == (ids[3], None)
        await session.going_back.redo()
        assert (session.info.back_to, session.info.files_back) == (None, None)
        backs = [event.update for event in services.screen.events if isinstance(event.update, SessionBack)]
        assert backs == [
            SessionBack(message_id=ids[3]),
            SessionBack(message_id=ids[3], files_back=True),
            SessionBack(message_id=ids[3]),
            SessionBack(),
        ]


async def test_the_next_prompt_deletes_the_hidden_messages_for_good(services: TempServices) -> None:
    async with services.open(services.script(*FOUR_TURNS), permission="allow") as sessions:
        session, ids = await four_turns(sessions)
        await session.going_back.go(ids[1])
        await session.prompt([TextPart(text="Another.")])
        assert prompts(session)[:-1] == ids[:1]
        assert session.info.back_to is None
        assert shown(services, session).messages == session.messages
        kept = {id for id, _ in await stored(sessions, session)}
        assert not kept.intersection(ids[1:])
        with pytest.raises(RequestError, match="no way forward"):
            await session.going_back.redo()
        found, _ = await sessions.list(query="Second")
        assert found == []


async def test_the_next_prompt_of_a_session_leaves_the_way_forward_of_another_session(services: TempServices) -> None:
    async with services.open(services.script(say(), say(), say())) as sessions:
        one, other = await sessions.create(title="one"), await sessions.create(title="other")
        for session in (one, other):
            await session.prompt([TextPart(text="Go on.")])
        messages = other.messages
        for session in (one, other):
            await session.going_back.go(prompts(session)[0])
        await one.prompt([TextPart(text="Another.")])
        await other.going_back.redo()
        assert other.messages == messages
        with pytest.raises(RequestError, match="no way forward"):
            await one.going_back.redo()


async def test_the_deletion_of_hidden_messages_counts_as_a_change_of_the_session(services: TempServices) -> None:
    async with services.open(services.script(say())) as sessions:
        session = await sessions.create(title="t")
        await session.prompt([TextPart(text="Go on.")])
        await session.going_back.go(prompts(session)[0])
        await session.catch_up()

        database = Database(sessions.locations.store)
        (before,) = await database.read("SELECT seq FROM session", ())
        await settle_acts(database, session.info.id, ())
        (after,) = await database.read("SELECT seq FROM session", ())
        await database.close()
        assert after["seq"] > before["seq"]


async def test_a_search_finds_no_word_of_the_deleted_messages(services: TempServices) -> None:
    async with services.open(services.script(say("Zebra."), say(), say())) as sessions:
        session = await sessions.create(title="t")
        await session.prompt([TextPart(text="Find a quagga.")])
        words = ("quagga", "zebra")
        assert [len((await sessions.list(query=word))[0]) for word in words] == [1, 1]
        await session.going_back.go(prompts(session)[0])
        await session.prompt([TextPart(text="Another.")])
        assert [len((await sessions.list(query=word))[0]) for word in words] == [0, 0]


async def test_a_client_that_was_away_meanwhile_gets_the_conversation_as_it_is(services: TempServices) -> None:
    async with services.open(services.script(*FOUR_TURNS), permission="allow") as sessions:
        session, ids = await four_turns(sessions)
        away = shown(services, session)
        since = services.screen.events[-1].seq
        await session.going_back.go(ids[2])
        await session.prompt([TextPart(text="Another.")])
        await session.going_back.go(ids[1])
        await session.going_back.redo()
        for event in session.replay(since):
            away.apply(event.update)
        assert away.messages == session.messages


async def test_another_placet_that_shows_the_session_follows_back_and_forward(
    services: TempServices, tmp_path: Path
) -> None:
    script = services.script(*FOUR_TURNS)
    other = TempServices(tmp_path)
    async with services.open(script, permission="allow") as sessions, other.open(script) as others:
        session, _ = await four_turns(sessions)
        watched = await others.show(session.info.id)
        for event in watched.replay():
            other.screen.emit(event)
        for act in ("back", "prompt", "back", "redo", "files", "redo"):
            if act == "back":
                await session.going_back.go(prompts(session)[-1])
            elif act == "files":
                await session.going_back.go(prompts(session)[-1], "files")
            elif act == "redo":
                await session.going_back.redo()
            else:
                await session.prompt([TextPart(text="Another.")])
            await session.catch_up()
            await others.follow()
            assert watched.messages == session.messages, act
            assert watched.info.back_to == session.info.back_to
            assert watched.info.files_back == session.info.files_back
            assert shown(other, session).messages == session.messages, act


async def test_typing_in_the_same_lines_is_a_conflict_that_preview_and_act_name(services: TempServices) -> None:
    async with services.open(services.script(*FOUR_TURNS), permission="allow") as sessions:
        session, ids = await four_turns(sessions)
        typed = services.project / "a.txt"
        typed.write_bytes(typed.read_bytes().replace(b"A THREE", b"mine"))
        before = files(services)
        preview = await session.going_back.preview(ids[1])
        assert files(services) == before
        assert preview.prompts == 3
        by_name = {file.path.name: file for file in preview.files}
        assert by_name["a.txt"].status == "conflict"
        assert by_name["a.txt"].reason
        assert (by_name["c.txt"].status, by_name["c.txt"].additions, by_name["c.txt"].deletions) == ("restored", 1, 1)
        went = await session.going_back.go(ids[1])
        assert statuses(went.files) == statuses(preview.files)
        assert typed.read_bytes() == before["a.txt"]
        assert files(services)["c.txt"] == b"c one\r\nc two\nc three"
        await session.going_back.redo()
        assert files(services) == before


async def test_the_model_is_told_of_a_file_that_could_not_be_restored(services: TempServices) -> None:
    async with services.open(services.script(*FOUR_TURNS), permission="allow") as sessions:
        session, ids = await four_turns(sessions)
        typed = services.project / "a.txt"
        typed.write_bytes(typed.read_bytes().replace(b"A THREE", b"mine"))
        await session.going_back.go(ids[1])
        await session.prompt([TextPart(text="Another.")])
        told = [part.text for part in session.messages[-2].parts if isinstance(part, TextPart) and part.synthetic]
        assert [text for text in told if "went back" in text and "a.txt" in text and "c.txt" not in text], told


async def test_a_redo_of_the_undo_alone_leaves_the_way_forward_open(services: TempServices) -> None:
    async with services.open(services.script(*FOUR_TURNS), permission="allow") as sessions:
        session, ids = await four_turns(sessions)
        after, messages, rows = files(services), session.messages, await stored(sessions, session)
        await session.going_back.go(ids[2])
        await session.redo()
        assert files(services) == after
        assert prompts(session) == ids[:2]
        await session.going_back.redo()
        assert (files(services), session.messages) == (after, messages)
        assert await stored(sessions, session) == rows


async def twice_unreviewed(sessions: Sessions, services: TempServices) -> tuple[Session, list[str]]:
    """Return a session with two unreviewed hunks of two prompts in one file, and the ids of the prompts."""
    (services.project / "a.txt").write_text("a two\n" + "x\n" * 9 + "a three\n")
    session = await sessions.create(title="t")
    for _ in range(2):
        await session.prompt([TextPart(text="Go on.")])
    assert await marked(session) == ["A TWO\n", "A THREE\n"]
    return session, prompts(session)


async def marked(session: Session) -> list[str]:
    views = [view.proposed for view in await session.change_set.views()]
    return ["".join(hunk.new_lines) for proposed in views if proposed is not None for hunk in proposed.hunks]


TWICE = (read("a"), edit("a", "a two", "A TWO"), say(), edit("a", "a three", "A THREE"), say())


@pytest.mark.parametrize("what", ["all", "files"])
async def test_a_plain_redo_of_the_files_brings_the_marks_of_unreviewed_changes_too(
    services: TempServices, what: Any
) -> None:
    async with services.open(services.script(*TWICE), review="apply") as sessions:
        session, ids = await twice_unreviewed(sessions, services)
        await session.going_back.go(ids[1], what)
        await session.going_back.go(ids[0], what)
        assert await marked(session) == []
        await session.redo()
        assert await marked(session) == ["A TWO\n"]
        await session.going_back.redo()
        await session.going_back.redo()
        assert await marked(session) == ["A TWO\n", "A THREE\n"]


async def test_a_redo_after_an_undo_of_an_earlier_turn_brings_the_marks_of_its_own_changes(
    services: TempServices,
) -> None:
    async with services.open(services.script(*TWICE), review="apply") as sessions:
        session, ids = await twice_unreviewed(sessions, services)
        await session.going_back.go(ids[1])
        await session.undo()
        assert await marked(session) == []
        await session.going_back.redo()
        assert (services.project / "a.txt").read_text().startswith("a two\n")
        assert await marked(session) == ["A THREE\n"]
        await session.redo()
        assert await marked(session) == ["A TWO\n", "A THREE\n"]


async def test_a_redo_of_another_undo_marks_nothing_that_is_still_undone(services: TempServices) -> None:
    async with services.open(services.script(*TWICE), review="apply") as sessions:
        session, ids = await twice_unreviewed(sessions, services)
        await session.going_back.go(ids[1])
        await session.undo()
        await session.redo()
        (view,) = await session.change_set.views()
        assert ("A TWO" in view.file.text, "A THREE" in view.file.text) == (True, False)


async def test_a_plain_redo_brings_no_mark_of_a_file_about_which_the_user_has_decided_since(
    services: TempServices,
) -> None:
    async with services.open(services.script(*TWICE), review="apply") as sessions:
        session, ids = await twice_unreviewed(sessions, services)
        await session.going_back.go(ids[1])
        (view,) = await session.change_set.views()
        await session.change_set.decide([Decision(view.file.place, view.version, "accept")])
        await session.redo()
        assert await marked(session) == []


async def test_the_preview_names_what_stays(services: TempServices) -> None:
    turns = (
        *(read("a"), bash("ls"), bash("curl http://localhost:9 || true"), say()),
        *(bash("sleep 60", background=True), say()),
    )
    async with services.open(services.script(*turns), permission="allow") as sessions:
        session = await sessions.create(title="t")
        for _ in range(2):
            await session.prompt([TextPart(text="Go on.")])
        preview = await session.going_back.preview(prompts(session)[0])
        texts = [effect.text for effect in preview.effects]
        assert [effect.kind for effect in preview.effects] == ["command", "job", "job"]
        assert "curl" in texts[0]
        assert "still runs" in texts[2]
        assert not any(text.endswith(" ls") for text in texts)


class SilentUser(AnsweringUser):
    """User who never answers."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked = asyncio.Event()

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        self.is_asked.set()
        await asyncio.Event().wait()
        raise AssertionError


async def test_a_command_whose_question_was_never_answered_is_no_effect(services: TempServices) -> None:
    services.user = user = SilentUser()
    async with services.open(services.script(bash("curl http://localhost:9"), say()), permission="ask") as sessions:
        session = await sessions.create(title="t")
        running = asyncio.create_task(session.prompt([TextPart(text="Go on.")]))
        await user.is_asked.wait()
        await session.cancel()
        await running
        preview = await session.going_back.preview(prompts(session)[0])
        assert preview.effects == []


async def test_going_back_is_refused_while_the_agent_is_at_work(services: TempServices) -> None:
    async with services.open(services.script(say(), bash("sleep 60"), say()), permission="allow") as sessions:
        session = await sessions.create(title="t")
        await session.prompt([TextPart(text="One.")])
        running = asyncio.create_task(session.prompt([TextPart(text="Two.")]))
        await services.screen.wait_for("tool_call_update")
        with pytest.raises(RequestError, match="Stop the turn first"):
            await session.going_back.go(prompts(session)[0])
        await session.cancel()
        await running
        await session.going_back.go(prompts(session)[0])
        assert session.messages == ()


async def test_a_redo_that_follows_another_at_once_waits_for_it(services: TempServices) -> None:
    async with services.open(services.script(*FOUR_TURNS), permission="allow") as sessions:
        session, ids = await four_turns(sessions)
        state = files(services), session.messages
        for number in (3, 1):
            await session.going_back.go(ids[number])
        await asyncio.gather(session.going_back.redo(), session.going_back.redo())
        assert (files(services), session.messages) == state


async def test_an_unknown_prompt_and_an_answer_are_no_place_to_go_back_to(services: TempServices) -> None:
    async with services.open(services.script(say())) as sessions:
        session = await sessions.create(title="t")
        await session.prompt([TextPart(text="One.")])
        for message_id in ("msg_unknown", session.messages[-1].id):
            with pytest.raises(RequestError, match="no prompt"):
                await session.going_back.go(message_id)


async def test_the_prompt_comes_back_with_its_attachments(services: TempServices) -> None:
    async with services.open(services.script(say())) as sessions:
        session = await sessions.create(title="t")
        attached = FilePart(uri=(services.project / "a.txt").as_uri())
        await session.prompt([TextPart(text="Look at @b.txt."), attached])
        went = await session.going_back.go(prompts(session)[0])
        assert [part.type for part in went.parts] == ["text", "file"]
        assert attached.uri in [part.uri for part in went.parts if isinstance(part, FilePart)]


async def test_a_text_that_the_editor_attached_comes_back_and_text_attached_by_placet_does_not(
    services: TempServices,
) -> None:
    async with services.open(services.script(say())) as sessions:
        session = await sessions.create(title="t")
        diff = TextPart(text="The user put beside this: the diff", synthetic=True)
        mention = TextPart(text="Look at @a.txt, please.")
        await session.prompt([mention, diff])
        went = await session.going_back.go(prompts(session)[0])
        assert [part.text for part in went.parts if isinstance(part, TextPart)] == [mention.text, diff.text]
        assert len(went.parts) == 2


async def test_a_prompt_before_a_compaction_is_gone_back_to_and_the_talk_before_is_whole(
    services: TempServices,
) -> None:
    async with services.open(services.script(*FOUR_TURNS), permission="allow") as sessions:
        session, ids = await four_turns(sessions)
        rows = await stored(sessions, session)
        await session.compact()
        messages = session.messages
        await session.going_back.go(ids[1])
        assert prompts(session) == ids[:1]
        assert not any(getattr(message, "summary", False) for message in session.messages)
        await session.going_back.redo()
        assert session.messages == messages
        assert [row for row in await stored(sessions, session) if row in rows] == rows


async def test_staged_changes_of_the_turns_leave_the_set_and_come_back(services: TempServices) -> None:
    turns = (
        *(read("a"), edit("a", "a two", "A TWO"), say()),
        *(edit("a", "a three", "A THREE"), read("b"), edit("b", "b two", "B TWO"), say()),
    )
    async with services.open(services.script(*turns, say()), review="stage") as sessions:
        session = await sessions.create(title="t")
        for _ in range(2):
            await session.prompt([TextPart(text="Go on.")])
        before = [(view.name, view.proposed.diff) for view in await session.change_set.views() if view.proposed]
        first, second = prompts(session)
        assert [path.name for path in (await session.going_back.preview(second)).staged] == ["a.txt", "b.txt"]
        await session.going_back.go(second)
        (left,) = await session.change_set.views()
        assert left.proposed is not None
        assert "A TWO" in left.proposed.new_text
        assert "A THREE" not in left.proposed.new_text
        await session.going_back.go(first)
        assert await session.change_set.views() == []
        await session.going_back.redo()
        await session.going_back.redo()
        views = await session.change_set.views()
        assert [(view.name, view.proposed.diff) for view in views if view.proposed] == before


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_a_staged_file_that_a_later_turn_took_back_is_staged_again_before_that_turn(
    services: TempServices, is_restarted: bool
) -> None:
    patch = "*** Begin Patch\n*** Delete File: new.txt\n*** End Patch"
    turns = (
        *([{"call": "write", "arguments": {"filePath": "new.txt", "content": "new\n"}}],),
        *(read("a"), edit("a", "a two", "A TWO"), say()),
        *([{"call": "apply_patch", "arguments": {"patchText": patch}}], edit("a", "A TWO", "a two"), say()),
        *(read("b"), edit("b", "b two", "B TWO"), say()),
    )

    async def shown() -> list[tuple[str, str]]:
        return [(view.name, view.proposed.diff) for view in await session.change_set.views() if view.proposed]

    async with services.open(services.script(*turns), review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt([TextPart(text="Go on.")])
        first = await shown()
        assert [name for name, _ in first] == ["new.txt", "a.txt"]
        await session.prompt([TextPart(text="Go on.")])
        assert await shown() == []
        assert await sessions.with_undecided_changes() == frozenset()
        await session.prompt([TextPart(text="Go on.")])
        last = await shown()
    async with services.open(services.script(*turns), review="stage") as sessions:
        session = await sessions.load(session.info.id)
        ids = prompts(session)
        if not is_restarted:
            await session.going_back.go(ids[2])
            assert await shown() == []
        previewed = (await session.going_back.preview(ids[1])).staged
        assert {path.name for path in previewed} == {"new.txt", "a.txt", *(["b.txt"] if is_restarted else [])}
        await session.going_back.go(ids[1])
        assert sorted(await shown()) == sorted(first)
        assert len((await session.going_back.preview(ids[0])).staged) == 2
        await session.going_back.go(ids[0])
        assert await shown() == []
        for _ in range(2 if is_restarted else 3):
            await session.going_back.redo()
        assert await shown() == last
        await session.going_back.go(ids[2], "talk")
        assert await shown() == last
        await session.going_back.go(ids[1], "files")
        assert sorted(await shown()) == sorted(first)
        assert set(files(services)) == {"a.txt", "b.txt", "c.txt"}


async def test_each_staged_change_that_was_taken_back_is_staged_again_before_its_turn(services: TempServices) -> None:
    delete = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"
    text = (services.project / "a.txt").read_text()
    create = [{"call": "write", "arguments": {"filePath": "a.txt", "content": text}}]
    turns = (
        *(read("a"), edit("a", "a two", "A TWO"), say()),
        *(edit("a", "A TWO", "a two"), say()),
        *([{"call": "apply_patch", "arguments": {"patchText": delete}}], say()),
        *(create, say()),
        *(read("a"), edit("a", "a two", "other"), say()),
        *(edit("a", "other", "a two"), say()),
    )
    shown: list[list[tuple[str, str, str]]] = []

    async def present() -> list[tuple[str, str, str]]:
        views = await session.change_set.views()
        return [(view.name, view.file.kind, view.proposed.diff) for view in views if view.proposed]

    async with services.open(services.script(*turns), review="stage") as sessions:
        session = await sessions.create(title="t")
        for _ in range(6):
            shown.append(await present())
            await session.prompt([TextPart(text="Go on.")])
        shown.append(await present())
        assert [[kind for _, kind, _ in state] for state in shown] == [
            [],
            ["modify"],
            [],
            ["delete"],
            [],
            ["modify"],
            [],
        ]
    async with services.open(services.script(*turns), review="stage") as sessions:
        session = await sessions.load(session.info.id)
        ids = prompts(session)
        for number in (5, 3, 1):
            await session.going_back.go(ids[number])
            assert await present() == shown[number]
        for number in (3, 5, 6):
            await session.going_back.redo()
            assert await present() == shown[number]
        await session.going_back.go(ids[1])
        assert await present() == shown[1]
        assert (services.project / "a.txt").read_text() == text


async def test_a_redo_brings_no_file_back_about_which_the_user_has_decided_since(services: TempServices) -> None:
    turns = (
        *(read("a"), edit("a", "a two", "A TWO"), say()),
        *(edit("a", "a three", "A THREE"), read("b"), edit("b", "b two", "B TWO"), say()),
    )
    async with services.open(services.script(*turns), review="stage") as sessions:
        session = await sessions.create(title="t")
        for _ in range(2):
            await session.prompt([TextPart(text="Go on.")])
        await session.going_back.go(prompts(session)[1])
        (left,) = await session.change_set.views()
        await session.change_set.decide([Decision(left.file.place, left.version, "reject")])
        went = await session.going_back.redo()
        assert [path.name for path in went.staged] == ["b.txt"]
        assert [view.name for view in await session.change_set.views()] == ["b.txt"]


@pytest.mark.parametrize("what", ["all", "talk"])
async def test_the_model_must_read_a_file_again_whose_last_state_only_hidden_messages_show(
    services: TempServices, what: Any
) -> None:
    turns = (
        *(read("a"), say()),
        *(edit("a", "a two", "A TWO"), read("b"), say()),
        *(edit("a", "a three", "A THREE"), edit("b", "b three", "B THREE"), say()),
    )
    async with services.open(services.script(*turns), permission="allow") as sessions:
        session = await sessions.create(title="t")
        for _ in range(2):
            await session.prompt([TextPart(text="Go on.")])
        await session.going_back.go(prompts(session)[1], what)
        await session.prompt([TextPart(text="Go on.")])
        states = [part.state for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
        assert [state.status for state in states] == ["completed", "error", "error"]
        assert "b three" in services.project.joinpath("b.txt").read_text()


async def test_a_subagents_session_goes_back_only_with_the_session_that_called_the_subagent(
    services: TempServices,
) -> None:
    turns = ([TASK], bash("sleep 60", background=True), say("Sub."), say())
    async with services.open(services.script(*turns), permission="allow") as sessions:
        session = await sessions.create(title="t")
        await session.prompt([TextPart(text="Go on.")])
        (task,) = [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
        assert isinstance(task.state, ToolCompleted)
        subagent = await sessions.load(task.state.metadata["sessionId"])
        with pytest.raises(RequestError, match="session of a subagent"):
            await subagent.going_back.go(prompts(subagent)[0])
        effects = (await session.going_back.preview(prompts(session)[0])).effects
        assert [effect.kind for effect in effects] == ["job", "job"]
        assert "still runs" in effects[1].text


async def test_unreviewed_changes_of_the_turns_are_undone_and_come_back_unreviewed(services: TempServices) -> None:
    turns = (
        *(read("a"), edit("a", "a two", "A TWO"), say()),
        *(edit("a", "a three", "A THREE"), read("b"), edit("b", "b two", "B TWO"), say()),
    )
    async with services.open(services.script(*turns, say()), review="apply") as sessions:
        session = await sessions.create(title="t")
        for _ in range(2):
            await session.prompt([TextPart(text="Go on.")])
        after = files(services)
        before = [(view.name, view.proposed.diff) for view in await session.change_set.views() if view.proposed]
        await session.going_back.go(prompts(session)[1])
        assert files(services)["a.txt"] == b"a one\r\nA TWO\na three"
        (left,) = await session.change_set.views()
        assert left.proposed is not None
        assert "A TWO" in left.proposed.new_text
        await session.going_back.redo()
        assert files(services) == after
        views = await session.change_set.views()
        assert [(view.name, view.proposed.diff) for view in views if view.proposed] == before


@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("review", ["ask", "stage", "apply"])
async def test_after_talk_alone_and_a_new_prompt_decisions_about_the_deleted_turns_changes_end_whole(
    services: TempServices, review: str, is_restarted: bool
) -> None:
    turns = (*(read("a"), edit("a", "a two", "A TWO"), say()), say(), say())
    script = services.script(*turns)
    async with services.open(script, review=review) as sessions:
        session = await sessions.create(title="t")
        await session.prompt([TextPart(text="Change.")])
        await session.going_back.go(prompts(session)[0], "talk")
        await session.prompt([TextPart(text="Another.")])
        if not is_restarted:
            await decided(session, services, review)
    if is_restarted:
        async with services.open(script, review=review) as sessions:
            await decided(await sessions.load(session.info.id), services, review)


async def decided(session: Session, services: TempServices, review: str) -> None:
    """Decide about the change, or undo and redo the change; each act ends whole."""
    file = services.project / "a.txt"
    if review != "ask":
        (view,) = await session.change_set.views()
        await session.change_set.decide([Decision(view.file.place, view.version, "accept")])
        assert await session.change_set.views() == []
    assert "A TWO" in file.read_text()
    assert statuses(await session.undo(paths=[file])) == {"a.txt": "restored"}
    assert "A TWO" not in file.read_text()
    assert statuses(await session.redo()) == {"a.txt": "restored"}
    assert "A TWO" in file.read_text()
    assert len(prompts(session)) == 1
