"""What one Placet does in a session, on the screens of another that has it open."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from change_set_support import decide, whole
from placet.core.errors import AtWorkElsewhere
from placet.core.events import AgentMessageChunk, Update
from placet.core.messages import TextPart
from placet.core.transcript import Transcript
from placet.sessions.turns import recorder
from placet.storage.database import Database
from services_support import Screen, TempServices
from time_support import limited

GO = [TextPart(text="Please go on.")]
READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    made = TempServices(tmp_path)
    (made.project / "a.txt").write_text("old\n")
    return made


async def heard(screen: Screen, fact: Callable[[Update], bool]) -> None:
    async with limited(lambda: f"an event; the last were {screen.events[-3:]}"):
        while not any(fact(event.update) for event in screen.events):
            await screen.wait_for_more()


def folded(screen: Screen) -> Transcript:
    transcript = Transcript()
    for event in screen.events:
        transcript.apply(event.update)
    return transcript


def told(screen: Screen) -> list[str]:
    """What happened, without what an observer hears less of: the states that a call went through."""
    return [kind for kind in screen.kinds() if kind not in ("tool_call_update", "usage_update", "agent_message")]


def sets_told(screen: Screen) -> list[int]:
    """Return the number of files of each report about the change set."""
    return [event.update.files for event in screen.events if event.update.kind == "change_set_update"]


async def test_a_turn_is_followed_while_it_runs_in_its_order_and_once(services: TempServices, tmp_path: Path) -> None:
    go = tmp_path / "go"
    model = services.script([{"text": "I read."}, READ], [{"wait_for_file": str(go)}, EDIT], [{"text": "Done."}])
    other = TempServices(tmp_path)
    async with services.open(model) as sessions, other.open(model) as others:
        session = await sessions.create(title="T")
        observed = await others.load(session.info.id)
        await others.follow()
        turn = asyncio.create_task(session.prompt(GO))
        await heard(
            services.screen, lambda one: one.kind == "tool_call_update" and one.part.state.status == "completed"
        )
        await session.catch_up()

        await others.follow()
        await others.follow()
        assert told(other.screen) == ["user_message", "turn_started", "agent_message_chunk", "tool_call"]
        with pytest.raises(AtWorkElsewhere):
            await others.load(session.info.id)
        assert (await observed.prompt(GO)).stop_reason == "error"
        refused = other.screen.events.pop()
        assert refused.update.kind == "turn_ended"

        go.touch()
        assert (await turn).stop_reason == "end_turn"
        await session.catch_up()
        await others.follow()
        here_alone = ("change_proposed", "change_set_update")  # The file waits for its decision in this process.
        assert told(other.screen) == [kind for kind in told(services.screen) if kind not in here_alone]
        seqs = [event.seq for event in other.screen.events]
        assert seqs == sorted(set(seqs))
        assert folded(other.screen).messages == observed.messages == session.messages
        both = (services.screen, other.screen)
        applied = [[one.update for one in screen.events if one.update.kind == "change_applied"] for screen in both]
        assert applied[0] == applied[1]


async def test_what_another_process_does_to_the_change_set_is_told_once(services: TempServices, tmp_path: Path) -> None:
    model = services.script([READ], [EDIT], [{"text": "Done."}])
    other = TempServices(tmp_path)
    async with services.open(model, review="stage") as sessions, other.open(model) as others:
        session = await sessions.create(title="T")
        shown = await others.load(session.info.id)
        assert await shown.change_set.views() == []
        await session.prompt(GO)
        await session.catch_up()
        await others.follow()
        await others.follow()
        assert sets_told(other.screen) == [1]

        await session.choices.set_title("Another title")
        await session.catch_up()
        await others.follow()
        assert sets_told(other.screen) == [1], "the set is as before"

        (view,) = await session.change_set.views()
        assert await decide(session, whole(view, "reject")) == ["rejected"]
        assert await shown.change_set.views() == [], "another look does not take the place of the report"
        await others.follow()
        await others.follow()
        assert sets_told(other.screen) == [1, 0]


async def test_text_that_grows_is_told_piece_by_piece(
    services: TempServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "STORE_GROWING_TEXT_EVERY_SECONDS", 0.0)
    go = tmp_path / "go"
    model = services.script([{"text": "Well "}, {"wait_for_file": str(go)}, {"text": "begun."}])
    other = TempServices(tmp_path)
    async with services.open(model) as sessions, other.open(model) as others:
        session = await sessions.create(title="T")
        await others.load(session.info.id)
        turn = asyncio.create_task(session.prompt(GO))
        await heard(services.screen, lambda one: one.kind == "agent_message_chunk")
        async with limited(lambda: f"a chunk; there are {other.screen.kinds()}"):
            while "agent_message_chunk" not in other.screen.kinds():
                await others.follow()
        go.touch()
        await turn
        await session.catch_up()
        await others.follow()
    pieces = [one.update for one in other.screen.events if isinstance(one.update, AgentMessageChunk)]
    assert [(piece.offset, piece.text) for piece in pieces] == [(0, "Well "), (5, "begun.")]


async def test_a_session_at_work_elsewhere_is_shown_and_is_closed_when_that_one_has_died(
    services: TempServices, tmp_path: Path
) -> None:
    model = services.script([{"text": "I wait."}, READ], [{"wait": "never"}])
    other = TempServices(tmp_path)
    async with services.open(model) as sessions, other.open(model) as others:
        session = await sessions.create(title="T")
        turn = asyncio.create_task(session.prompt(GO))
        await heard(
            services.screen, lambda one: one.kind == "tool_call_update" and one.part.state.status == "completed"
        )
        await session.catch_up()
        shown = await others.show(session.info.id)
        kinds = [event.update.kind for event in shown.replay()]
        assert "tool_call" in kinds
        assert "turn_ended" not in kinds
        assert await others.show(session.info.id) is shown

        dead = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
        await dead.wait()
        database = Database(services.locations.store)
        database.write("UPDATE session SET owner = ? WHERE id = ?", (f"{dead.pid}:", session.info.id))
        await database.close()
        await others.follow()
        ended = other.screen.events[-1].update
        assert ended.kind == "turn_ended"
        assert ended.error is not None
        assert ended.error.code == "interrupted"
        await session.cancel()
        await turn
