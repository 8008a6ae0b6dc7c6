import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.core.events import (
    AgentMessageChunk,
    AgentThoughtChunk,
    SessionEvent,
    ToolCall,
    ToolCallUpdate,
    TurnEnded,
    TurnStarted,
    Update,
    UsageUpdate,
)
from placet.core.messages import Tokens, ToolCompleted, ToolPart, ToolPending, ToolRunning
from placet.frontends.lsp.connection.editor_client import EditorError
from placet.frontends.lsp.connection.profile import Profile
from placet.frontends.lsp.ports.presenter import Presenter
from placet.frontends.lsp.ports.progress import session_of_token
from placet.frontends.lsp.protocol.standard import dump
from time_support import limited

Json = dict[str, Any]


class Editor:
    """A Peer that keeps what it is told."""

    def __init__(self, *, plain: bool = False, shows_progress: bool = False) -> None:
        self.profile = Profile(protocol=None if plain else 1, shows_progress=shows_progress)
        self.told: list[tuple[str, Json]] = []
        self.creates_progress = True
        self._news = asyncio.Condition()

    async def request(self, method: str, params: Any, *, timeout_seconds: float | None = None) -> Any:
        assert method == "window/workDoneProgress/create"
        if not self.creates_progress:
            raise EditorError(-32601, "no progress")

    def notify(self, method: str, params: Any) -> None:
        self.told.append((method, dump(params)))
        with contextlib.suppress(RuntimeError):
            asyncio.get_running_loop().create_task(self._tell())

    async def until(self, holds: Callable[[], bool]) -> None:
        async with limited(lambda: f"what is told; the last was {self.told[-3:]}"), self._news:
            await self._news.wait_for(holds)

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    @property
    def updates(self) -> list[Json]:
        return [params["update"] for method, params in self.told if method == "agent/update"]

    @property
    def progress(self) -> list[Json]:
        return [params["value"] for method, params in self.told if method == "$/progress"]


class Story:
    """Events of a session, numbered as they come."""

    def __init__(self, session_id: str = "ses_1") -> None:
        self.session_id = session_id
        self.seq = 0
        self.offsets: dict[str, int] = {}

    def event(self, update: Update) -> SessionEvent:
        self.seq += 1
        return SessionEvent(session_id=self.session_id, seq=self.seq, update=update)

    def text(self, text: str, part: str = "prt_1", kind: type[Any] = AgentMessageChunk, **more: Any) -> SessionEvent:
        offset = self.offsets.get(part, 0)
        self.offsets[part] = offset + len(text)
        return self.event(kind(message_id="msg_1", part_id=part, offset=offset, text=text, **more))

    def tool(self, call: str, title: str, *, done: bool = False) -> SessionEvent:
        running = ToolRunning(input={}, title=title, start=1)
        completed = ToolCompleted(input={}, title=title, output="", start=1, end=2)
        part = ToolPart(id=call, call_id=call, tool="bash", state=completed if done else running)
        return self.event(ToolCallUpdate(message_id="msg_1", part=part))


def usage() -> UsageUpdate:
    return UsageUpdate(message_id="msg_1", tokens=Tokens())


async def test_the_first_piece_of_a_text_goes_at_once_and_the_next_together() -> None:
    editor, story = Editor(), Story()
    presenter = Presenter(editor)

    for text in ("Once", " upon", " a", " time"):
        presenter.emit(story.text(text))
    assert [one["text"] for one in editor.updates] == ["Once"]

    await editor.until(lambda: len(editor.updates) == 2)
    assert [(one["text"], one["offset"]) for one in editor.updates[1:]] == [(" upon a time", 4)]
    assert editor.told[-1][1]["seq"] == 4


async def test_any_other_event_takes_along_what_came_before_it() -> None:
    editor, story = Editor(), Story()
    presenter = Presenter(editor)

    presenter.emit(story.text("a"))
    presenter.emit(story.text("b"))
    presenter.emit(story.text("thought", part="prt_2", kind=AgentThoughtChunk))
    presenter.emit(story.event(usage()))

    kinds = [one["kind"] for one in editor.updates]
    assert kinds == ["agent_message_chunk", "agent_message_chunk", "agent_thought_chunk", "usage_update"]


async def test_notes_on_a_call_are_put_together_but_each_state_is_shown() -> None:
    editor, story = Editor(), Story()
    presenter = Presenter(editor)
    part = ToolPart(id="c", call_id="c", tool="bash", state=ToolPending())

    presenter.emit(story.event(ToolCall(message_id="msg_1", part=part)))
    for line in ("1", "2", "3"):
        presenter.emit(story.tool("c", line))
    presenter.emit(story.tool("c", "3", done=True))

    states = [(one["part"]["state"]["status"], one["part"]["state"].get("title")) for one in editor.updates]
    assert states == [("pending", None), ("running", "3"), ("completed", "3")]


async def test_a_sealed_thought_stays_by_itself() -> None:
    editor, story = Editor(), Story()
    presenter = Presenter(editor)
    for text, more in (("a", {}), ("b", {}), ("c", {"signature": "s"}), ("d", {})):
        presenter.emit(story.text(text, kind=AgentThoughtChunk, **more))
    presenter.flush()

    assert [(one["text"], one.get("signature")) for one in editor.updates] == [
        ("a", None),
        ("b", None),
        ("c", "s"),
        ("d", None),
    ]


async def test_an_editor_that_does_not_keep_up_gets_more_at_once() -> None:
    room = False
    editor, story = Editor(), Story()
    presenter = Presenter(editor, lambda: room)

    for _ in range(1000):
        presenter.emit(story.text("x"))
    presenter.emit(story.event(usage()))
    await asyncio.sleep(0.05)
    assert editor.updates == []
    room = True
    await editor.until(lambda: len(editor.updates) == 2)

    assert editor.updates[0]["text"] == "x" * 1000


pieces = st.lists(
    st.one_of(
        st.tuples(st.just("text"), st.sampled_from("ab"), st.text(max_size=3)),
        st.tuples(st.just("thought"), st.sampled_from("cd"), st.text(max_size=3)),
        st.tuples(st.just("tool"), st.sampled_from("ef"), st.text(max_size=3)),
        st.tuples(st.just("done"), st.sampled_from("ef"), st.text(max_size=3)),
        st.tuples(st.just("usage"), st.just(""), st.just("")),
        st.tuples(st.just("pause"), st.just(""), st.just("")),
    ),
    max_size=30,
)


@given(pieces)
async def test_nothing_is_lost_doubled_or_out_of_order(story_told: list[tuple[str, str, str]]) -> None:
    editor, story = Editor(), Story()
    presenter = Presenter(editor)
    order: list[str] = []
    texts: dict[str, str] = {}
    for kind, key, text in story_told:
        match kind:
            case "text" | "thought":
                chunk = AgentMessageChunk if kind == "text" else AgentThoughtChunk
                presenter.emit(story.text(text, part=key, kind=chunk))
                texts[key] = texts.get(key, "") + text
            case "tool" | "done":
                presenter.emit(story.tool(key, text, done=kind == "done"))
            case "usage":
                presenter.emit(story.event(usage()))
            case _:
                presenter.flush()
                continue
        order.append(key or kind)
    presenter.flush()
    await presenter.close()

    shown: dict[str, str] = {}
    keys: list[str] = []
    for one in editor.updates:
        if "text" in one:
            assert one["offset"] == len(shown.get(one["partId"], ""))
            shown[one["partId"]] = shown.get(one["partId"], "") + one["text"]
        keys.append(one.get("partId") or one.get("part", {}).get("id") or "usage")
    assert shown == texts
    assert _without_repeats(keys) == _without_repeats(order)
    numbers = [params["seq"] for method, params in editor.told if method == "agent/update"]
    assert numbers == sorted(set(numbers))


def _without_repeats(keys: list[str]) -> list[str]:
    return [key for index, key in enumerate(keys) if index == 0 or keys[index - 1] != key]


async def test_a_plain_editor_is_sent_none_of_it() -> None:
    editor, story = Editor(plain=True), Story()
    Presenter(editor).emit(story.text("a"))

    assert editor.told == []


async def test_a_turn_is_shown_as_progress_from_its_beginning_to_its_end() -> None:
    editor, story = Editor(plain=True, shows_progress=True), Story("ses_7")
    presenter = Presenter(editor)

    presenter.emit(story.event(TurnStarted(turn_id="msg_1")))
    await editor.until(lambda: len(editor.progress) == 1)
    for line in range(100):
        presenter.emit(story.tool("c", f"line {line}"))
    await editor.until(lambda: len(editor.progress) == 2)
    presenter.emit(story.event(TurnEnded(turn_id="msg_1", stop_reason="end_turn")))
    await editor.until(lambda: len(editor.progress) == 3)

    assert [one["kind"] for one in editor.progress] == ["begin", "report", "end"]
    assert editor.progress[1]["message"] == "bash: line 99"
    assert session_of_token(editor.told[0][1]["token"]) == "ses_7"
    await presenter.close()


async def test_progress_that_is_refused_is_left_at_that() -> None:
    editor, story = Editor(shows_progress=True), Story()
    editor.creates_progress = False
    presenter = Presenter(editor)

    presenter.emit(story.event(TurnStarted(turn_id="msg_1")))
    presenter.emit(story.event(TurnEnded(turn_id="msg_1", stop_reason="end_turn")))
    await presenter.close()

    assert editor.progress == []


@corpus("token", [None, 5, "", "other/ses_1/x", "placet/ses_1"])
def test_a_progress_of_somebody_else_is_no_sessions(token: Any) -> None:
    assert session_of_token(token) is None
