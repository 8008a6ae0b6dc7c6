"""The engine: when it asks, what it applies, and what it never sends."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from completion_support import CURSOR, marked_document
from corpus_support import rows
from placet.completion.engine import CompletionEngine, Selected, Suggestion
from placet.core.errors import ModelError, SettingsError
from placet.model.base import Finished, TextDelta
from placet.model.fill import FillRequest
from placet.settings.completion import CompletionSettings
from placet.text.buffer import Buffer
from placet.text.positions import Position
from time_support import wait_seconds

URI = "file:///project/a.py"
WARM = "numbers.py"
"""The name of the text with which the speed is measured."""


@dataclass(eq=False)
class Document:
    buffer: Buffer
    uri: str = URI
    path: Path | None = Path("/project/a.py")
    language_id: str = "python"
    version: int = 1


class ScriptedFill:
    """A model that answers by script; `held` keeps an answer back until the test lets the answer go."""

    id = "ollama/qwen2.5-coder"
    is_chat = False

    def __init__(self) -> None:
        self.answers: Callable[[FillRequest], list[str]] = lambda _: ["1"]
        self.requests: list[FillRequest] = []
        """Requests for the user's documents."""
        self.warm_requests: list[FillRequest] = []
        self.error: ModelError | None = None
        self.held: asyncio.Event | None = None
        self.ended = 0
        """Number of requests whose stream was closed before its end."""
        self.closed = asyncio.Event()
        """Set when a stream has ended."""
        self.in_flight = 0
        self.most_in_flight = 0
        self.seconds = 0.1
        self.clock = 0.0
        self._arrived = asyncio.Condition()

    async def fill(self, request: FillRequest) -> AsyncGenerator[TextDelta | Finished, None]:
        if request.path == WARM:
            self.warm_requests.append(request)
            self.clock += self.seconds
            yield Finished("stop")
            return
        self.requests.append(request)
        async with self._arrived:
            self._arrived.notify_all()
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        is_whole = False
        try:
            if self.error is not None:
                raise self.error
            for piece in self.answers(request):
                yield TextDelta(piece)
            if self.held is not None:
                await self.held.wait()
            yield Finished("stop")
            is_whole = True
        finally:
            self.in_flight -= 1
            self.ended += not is_whole
            self.closed.set()

    async def arrival(self, count: int) -> None:
        """Wait for the request number `count`."""
        async with asyncio.timeout(wait_seconds()), self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)


@dataclass(eq=False)
class Access:
    """The workspace, as a test sets it."""

    model: ScriptedFill
    settings: CompletionSettings = field(default_factory=lambda: CompletionSettings(model="ollama/qwen2.5-coder"))
    refused: str = ""
    edited: bool = False
    fault: str = ""

    def fill_model(self, name: str) -> ScriptedFill:
        if self.fault:
            raise SettingsError(self.fault)
        return self.model

    def is_local(self, name: str) -> bool:
        return True

    def name_of(self, path: Path) -> str:
        return path.relative_to("/project").as_posix()

    async def refusal(self, path: Path) -> str:
        return self.refused

    def is_edited_by_agent(self, path: Path) -> bool:
        return self.edited


async def settled() -> None:
    """Let all tasks take the steps that wait for nothing but the loop."""
    for _ in range(50):
        await asyncio.sleep(0)


class Typist:
    """A user with one document, and the engine that looks on."""

    def __init__(self, grace_seconds: float) -> None:
        self.model = ScriptedFill()
        self.access = Access(self.model)
        self.document = Document(Buffer(""))
        self.is_pausing = asyncio.Event()
        self.engine = CompletionEngine(
            self.access,
            lambda uri: self.document if uri == self.document.uri else None,
            clock=lambda: self.model.clock,
            pause=self._pause,
            grace_seconds=grace_seconds,
        )

    async def _pause(self, seconds: float) -> None:
        assert seconds > 0
        self.is_pausing.set()
        await asyncio.sleep(0)

    def shows(self, marked: str) -> Position:
        """Make the document's text, as of a new version, and return the cursor."""
        self.document.buffer, position = marked_document(marked)
        self.document.version += 1
        return position

    async def asks(self, marked: str, *, is_asked: bool = False, selected: Selected | None = None) -> str | None:
        position = self.shows(marked)
        found = await self.question(position, is_asked=is_asked, selected=selected)
        return None if found is None else found.text

    def question(
        self, position: Position, *, is_asked: bool, selected: Selected | None = None
    ) -> Coroutine[Any, Any, Suggestion | None]:
        """Return the question for the document's version of now."""
        return self.engine.suggest(
            self.document,
            position,
            "utf-16",
            version=self.document.version,
            is_asked=is_asked,
            selected=selected,
        )

    async def warmed(self) -> None:
        """Let the speed of the server be measured."""
        await self.asks(f"warm = {CURSOR}")
        await settled()


@asynccontextmanager
async def typist(*, is_warm: bool = True, grace_seconds: float = 0.0) -> AsyncGenerator[Typist]:
    made = Typist(grace_seconds)
    if is_warm:
        await made.warmed()
    yield made
    await made.engine.close()


# ---------------------------------------------------------------- when it asks


async def test_a_suggestion_comes_while_the_user_types_and_on_the_users_key():
    async with typist() as user:
        assert await user.asks("x = ¦\n") == "1"
        assert await user.asks("y = ¦\n", is_asked=True) == "1"
        assert len(user.model.requests) == 2


async def test_without_a_model_nothing_is_asked_and_the_status_says_why():
    async with typist(is_warm=False) as user:
        user.access.settings = CompletionSettings()
        assert await user.asks("x = ¦\n", is_asked=True) is None
        assert user.engine.status() == "off: no model is set (`completion.model`)"
        assert not user.model.requests
        assert not user.model.warm_requests


async def test_the_server_is_measured_with_a_text_of_placets_own_before_the_first_suggestion():
    async with typist(is_warm=False) as user:
        assert await user.asks("secret_name = ¦\n") is None
        await user.warmed()
        assert len(user.model.warm_requests) == 1
        assert "secret_name" not in user.model.warm_requests[0].prefix
        assert not user.model.requests
        assert await user.asks("x = ¦\n") == "1"


async def test_a_slow_server_answers_only_on_the_users_key():
    async with typist(is_warm=False) as user:
        user.model.seconds = 3.0
        await user.asks("x = ¦\n")
        await settled()
        assert len(user.model.warm_requests) == 2, "a second look, as the first may have loaded the model"
        assert await user.asks("y = ¦\n") is None
        assert await user.asks("y = ¦\n", is_asked=True) == "1"
        assert user.engine.status() == "on your key only, with ollama/qwen2.5-coder: a line takes 3.0 s"


async def test_the_places_and_moments_without_a_request():
    cases: list[tuple[str, Callable[[Typist], object], str, bool]] = [
        ("mode off", lambda user: setting(user, mode="off"), "x = ¦", True),
        ("mode ask", lambda user: setting(user, mode="ask"), "x = ¦", False),
        ("a language that is off", lambda user: setting(user, languages={"python": False}), "x = ¦", True),
        ("all languages off", lambda user: setting(user, languages={"*": False}), "x = ¦", True),
        ("an excluded file", lambda user: setting(user, exclude=("**/a.py",)), "x = ¦", True),
        ("a file that must not be read", lambda user: setattr(user.access, "refused", "a rule"), "x = ¦", True),
        ("a file that an agent changes", lambda user: setattr(user.access, "edited", True), "x = ¦", True),
        ("a file of keys", lambda user: file(user, ".env"), "A=¦", True),
        ("a certificate", lambda user: file(user, "tls/server.pem"), "¦", True),
        ("a lock file", lambda user: file(user, "package-lock.json"), "{¦", True),
        ("a minified file", lambda user: file(user, "a.min.js"), "x¦", True),
        ("a prompt", lambda user: language(user, "placet-chat"), "¦", True),
        ("a commit message", lambda user: language(user, "git-commit"), "¦", False),
        ("a view that is no file", lambda user: view(user, "output:tasks"), "¦", True),
        ("a snooze", lambda user: user.engine.snooze(60), "x = ¦", False),
        ("the middle of a line", lambda _: None, "x = ¦foo", False),
        ("a generated file", lambda _: None, "x = '" + "a" * 6_000 + "'\ny = ¦", True),
        ("a key on the line", lambda _: None, 'k = "sk-abcdefghijkl¦mnopqrstuv"', True),
        ("a control token", lambda _: None, "a = '<|fim_prefix|>'\nx = ¦", True),
    ]
    with rows() as failures:
        for name, prepare, marked, is_asked in cases:
            with failures.row(name):
                async with typist() as user:
                    prepare(user)
                    assert await user.asks(marked, is_asked=is_asked) is None
                    assert not user.model.requests


def setting(user: Typist, **changes: object) -> None:
    user.access.settings = CompletionSettings.model_validate({"model": "ollama/qwen2.5-coder", **changes})


def language(user: Typist, name: str) -> None:
    user.document.language_id = name


def file(user: Typist, name: str) -> None:
    user.document.path = Path("/project") / name


def view(user: Typist, uri: str) -> None:
    user.document.path, user.document.uri = None, uri


async def test_the_status_names_the_reason_for_silence_in_the_last_file():
    async with typist() as user:
        user.access.refused = "the file lies outside of the project"
        await user.asks("x = ¦", is_asked=True)
        assert user.engine.status() == (
            "on, with ollama/qwen2.5-coder; nothing in the last file: the file lies outside of the project"
        )
        setting(user, mode="off")
        assert user.engine.status() == "off: switched off by `completion.mode`"
        setting(user)
        user.access.refused = ""
        await user.asks("x = ¦", is_asked=True)
        assert user.engine.status() == "on, with ollama/qwen2.5-coder"


async def test_deleting_text_asks_nothing_and_retyping_finds_the_answer_again():
    async with typist() as user:
        user.model.answers = lambda _: ["value(1)"]
        assert await user.asks("x = v¦\n") == "value(1)"
        assert await user.asks("x = ¦\n") is None
        assert await user.asks("x = v¦\n") == "value(1)"
        assert len(user.model.requests) == 1


async def test_a_snooze_ends_by_itself_and_by_the_user():
    async with typist() as user:
        user.engine.snooze(60)
        assert "snoozed" in user.engine.status()
        user.model.clock += 61
        assert await user.asks("x = ¦\n") == "1"
        user.engine.snooze(60)
        user.engine.snooze(0)
        assert await user.asks("y = ¦\n") == "1"


async def test_typing_along_a_suggestion_asks_nothing_more():
    async with typist() as user:
        user.model.answers = lambda _: ["foo(a, b)"]
        texts = [await user.asks(f"x = {typed}¦\n") for typed in ("", "f", "fo", "foo")]
        assert texts == ["foo(a, b)", "oo(a, b)", "o(a, b)", "(a, b)"]
        assert await user.asks("x = foo(¦)\n") == "a, b", "the editor has closed the bracket"
        assert len(user.model.requests) == 1


async def test_what_the_user_types_over_does_not_come_again():
    async with typist() as user:
        user.model.answers = lambda _: ["foo(a, b)"]
        assert await user.asks("x = ¦\n") == "foo(a, b)"
        user.model.answers = lambda _: ["other"]
        assert await user.asks("x = b¦\n") == "other"
        user.model.answers = lambda _: ["foo(a, b)"]
        assert await user.asks("a = 1\nx = ¦\n") == "foo(a, b)", "another line above is another place"
        assert await user.asks("x = ¦\n ") is None
        assert await user.asks("x = ¦\n ", is_asked=True) == "foo(a, b)", "the user asks for it all the same"


async def test_a_rejected_text_stays_away_until_the_line_changes():
    async with typist() as user:
        assert await user.asks("x = ¦\n") == "1"
        user.engine.reject(URI)
        assert await user.asks("x = ¦\n") is None
        assert await user.asks("xy = ¦\n") == "1"


# ---------------------------------------------------------------- one request in flight


async def test_a_question_that_agrees_joins_the_request_in_flight():
    async with typist() as user:
        user.model.answers, user.model.held = lambda _: ["foo", "(1)"], asyncio.Event()
        first = asyncio.create_task(user.asks("x = ¦\n"))
        await user.model.arrival(1)
        second = asyncio.create_task(user.asks("x = fo¦\n"))
        await settled()
        user.model.held.set()
        assert await second == "o(1)"
        assert await first is None, "its version is past"
        assert len(user.model.requests) == 1


async def test_a_question_that_disagrees_ends_the_request_in_flight():
    async with typist() as user:
        user.model.answers, user.model.held = lambda _: ["foo(1)"], asyncio.Event()
        first = asyncio.create_task(user.asks("x = ¦\n"))
        await user.model.arrival(1)
        second = asyncio.create_task(user.asks("x = b¦\n"))
        await user.model.arrival(2)
        assert user.model.ended == 1
        user.model.held.set()
        assert await first is None
        assert await second == "foo(1)"
        assert user.model.most_in_flight == 1


async def test_a_question_of_another_manner_or_with_other_text_behind_the_cursor_is_asked_anew():
    for marked, is_asked in (("x = ¦\n", True), ("x = ¦\ny = 2\n", False)):
        async with typist() as user:
            user.model.held = asyncio.Event()
            first = asyncio.create_task(user.asks("x = ¦\n"))
            await user.model.arrival(1)
            second = asyncio.create_task(user.asks(marked, is_asked=is_asked))
            await user.model.arrival(2)
            user.model.held.set()
            assert (await first, await second) == (None, "1")
            assert user.model.most_in_flight == 1


async def test_a_question_taken_back_ends_its_request_after_a_moment():
    async with typist() as user:
        user.model.held = asyncio.Event()
        question = asyncio.create_task(user.asks("x = ¦\n"))
        await user.model.arrival(1)
        question.cancel()
        with pytest.raises(asyncio.CancelledError):
            await question
        async with asyncio.timeout(wait_seconds()):
            await user.model.closed.wait()


async def test_the_next_key_joins_the_request_of_a_question_that_the_editor_has_just_taken_back():
    async with typist(grace_seconds=60) as user:
        user.model.answers, user.model.held = lambda _: ["foo", "(1)"], asyncio.Event()
        first = asyncio.create_task(user.asks("x = ¦\n"))
        await user.model.arrival(1)
        first.cancel()
        await settled()
        second = asyncio.create_task(user.asks("x = f¦\n"))
        await settled()
        user.model.held.set()
        assert await second == "oo(1)"
        assert first.cancelled()
        assert len(user.model.requests) == 1


async def test_a_text_that_changes_during_the_pause_is_not_asked_about():
    async with typist() as user:
        user.is_pausing.clear()
        question = asyncio.create_task(user.asks("x = ¦\n"))
        async with asyncio.timeout(wait_seconds()):
            await user.is_pausing.wait()
        user.shows("x = 12¦\n")
        assert await question is None
        assert not user.model.requests


async def test_an_answer_is_never_applied_to_another_version():
    async with typist() as user:
        user.model.held = asyncio.Event()
        question = asyncio.create_task(user.asks("x = ¦\n"))
        await user.model.arrival(1)
        user.shows("import os\nx = ¦\n")
        user.model.held.set()
        assert await question is None


# ---------------------------------------------------------------- what leaves, and what comes


async def test_keys_elsewhere_in_the_text_do_not_leave():
    async with typist() as user:
        assert await user.asks('KEY = "sk-abcdefghijklmnopqrstuvwx"\nx = ¦\n# ghp_abcdefghijklmnopqrstuvwxyz012345\n')
        (request,) = user.model.requests
        sent = request.prefix + request.suffix + request.prompt
        assert "sk-abc" not in sent
        assert "ghp_" not in sent
        assert request.path == "a.py"


async def test_a_failure_is_told_by_the_status_and_keeps_the_engine_quiet_for_a_while():
    async with typist() as user:
        user.model.error = ModelError("connection", "The server cannot be reached.")
        assert await user.asks("x = ¦\n") is None
        assert user.engine.status() == "not available: The server cannot be reached."
        assert await user.asks("y = ¦\n") is None
        assert len(user.model.requests) == 1
        user.model.error = None
        assert await user.asks("y = ¦\n", is_asked=True) == "1", "on the user's key it is tried again"
        assert user.engine.status() == "on, with ollama/qwen2.5-coder"


async def test_a_model_that_cannot_be_opened_is_told_by_the_status():
    async with typist(is_warm=False) as user:
        user.access.fault = "there is no such model"
        assert await user.asks("x = ¦\n", is_asked=True) is None
        assert user.engine.status() == "not available: there is no such model"


async def test_other_settings_open_the_model_anew_and_forget_the_answers():
    async with typist() as user:
        assert await user.asks("x = ¦\n") == "1"
        setting(user)
        user.model.answers = lambda _: ["2"]
        assert await user.asks("x = ¦\n", is_asked=True) == "2"


async def suggested(marked: str, answer: str, selected: Selected | None = None) -> Suggestion | None:
    async with typist() as user:
        user.model.answers = lambda _: [answer]
        position = user.shows(marked)
        return await user.question(position, is_asked=True, selected=selected)


async def test_the_edit_has_the_version_the_range_and_the_line_ends_of_the_document():
    found = await suggested("def f():¦  \r\n", "\n    a = 1\n    return a")
    assert found is not None
    assert found.text == "\r\n    a = 1\r\n    return a"
    assert (found.start, found.end) == (Position(0, 8), Position(0, 10)), "several lines reach the end of the line"
    single = await suggested("s = '😀¦'\n", "é'")
    assert single is not None
    assert (single.start, single.end, single.text) == (Position(0, 7), Position(0, 7), "é")


async def test_the_selected_entry_of_the_menu_is_continued():
    entry = Selected(Position(0, 3), Position(0, 5), "path")
    found = await suggested("os.pa¦\n", ".join(a)", entry)
    assert found is not None
    assert (found.start, found.end, found.text) == (Position(0, 3), Position(0, 5), "path.join(a)")
    assert await suggested("os.pa¦\n", ".join(a)", Selected(Position(0, 0), Position(0, 2), "os")) is None


KEYS = st.sampled_from(["a", "b", "(", ")", "⌫", "\n", "😀"])
ANSWERS = st.sampled_from(["ab(a)", "b", "a\nb", ")", "😀a", ""])


@given(st.lists(st.tuples(KEYS, ANSWERS, st.booleans(), st.integers(0, 12)), max_size=12))
def test_whatever_is_typed_meanwhile_a_suggestion_fits_the_text_of_its_version(keys: list[tuple[str, str, bool, int]]):
    asyncio.run(typed_while_asking(keys))


async def typed_while_asking(keys: list[tuple[str, str, bool, int]]) -> None:
    async with typist() as user:
        text, questions = "", list[tuple[int, asyncio.Task[Suggestion | None]]]()
        for key, answer, is_asked, steps in keys:
            user.model.answers = lambda _, answer=answer: [answer]
            text = text[:-1] if key == "⌫" else text + key
            position = user.shows(text + CURSOR)
            asked = user.question(position, is_asked=is_asked)
            questions.append((user.document.version, asyncio.create_task(asked)))
            for _ in range(steps):
                await asyncio.sleep(0)
        answers = [(version, await question) for version, question in questions]
        assert user.model.most_in_flight <= 1
        assert all(found is None or found.version == version for version, found in answers)
