"""Engine of inline completion for one editor: from a document, a position and a trigger to an edit at a version.

The engine asks only when a suggestion is wanted there and then, keeps one request in flight for each document, and
applies no answer to a text of another version.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from placet.completion.answer import AnswerContext, shown_text
from placet.completion.answer_cleaning import Unusable
from placet.completion.cache import AnswerCache, Answered, typed_along
from placet.completion.cursor_context import LOCAL_BUDGET, Budget, CursorContext, cursor_context
from placet.completion.rejections import Rejections
from placet.completion.requests import fill_request
from placet.completion.running_answer import RunningAnswer
from placet.completion.silence import document_silence, moment_silence
from placet.completion.speed import SLOW_SECONDS, line_seconds
from placet.core.errors import ModelError, PlacetError
from placet.core.values import replace
from placet.model.fill import FillModel
from placet.settings.completion import CompletionSettings
from placet.text.buffer import Buffer
from placet.text.positions import Position, PositionEncoding, units

logger = logging.getLogger(__name__)

DELAY_SECONDS = 0.075
"""Pause of the user's typing before a request; editors wait themselves too."""
GRACE_SECONDS = 0.3
"""Time for which an answer goes on after its question was taken back: an editor takes a question back at each key."""
_RETRY_SECONDS = 10.0
"""Time after a failure of the model in which only the user's key makes a request."""


class CompletedDocument(Protocol):
    """Open document, changed in place."""

    @property
    def uri(self) -> str: ...
    @property
    def path(self) -> Path | None: ...
    @property
    def language_id(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def buffer(self) -> Buffer: ...


class CompletionAccess(Protocol):
    """Settings, models and rules of the workspace, as of the moment."""

    @property
    def settings(self) -> CompletionSettings: ...

    def fill_model(self, name: str) -> FillModel:
        """Return the model. Raises PlacetError."""
        ...

    def is_local(self, name: str) -> bool:
        """Return whether the model's server is the user's own, so that a short prompt pays."""
        ...

    def name_of(self, path: Path) -> str:
        """Return the name of the file relative to the project, for exclusions and for the model."""
        ...

    async def refusal(self, path: Path) -> str:
        """Return the reason for which the text of the file must not be sent, or an empty text."""
        ...

    def is_edited_by_agent(self, path: Path) -> bool:
        """Return whether a running turn of an agent has proposed changes to the file."""
        ...


class Selected(Struct, frozen=True):
    """Entry that is selected in the editor's completion menu."""

    start: Position
    end: Position
    text: str


class Suggestion(Struct, frozen=True):
    """Text for a range of one document at one version."""

    version: int
    start: Position
    end: Position
    text: str
    """Text with the ends of lines of the document."""


class _Shown(Struct, frozen=True):
    context: CursorContext
    text: str


class CompletionEngine:
    """Engine of one editor; lives as long as the connection. Belongs to one event loop."""

    def __init__(
        self,
        access: CompletionAccess,
        find: Callable[[str], CompletedDocument | None],
        *,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        """`find` returns the open document of a URI; `pause` waits for so many seconds."""
        self._access = access
        self._find = find
        self._clock = clock
        self._pause = pause
        self._grace_seconds = grace_seconds
        self._cache = AnswerCache()
        self._rejections = Rejections()
        self._running: dict[str, RunningAnswer] = {}
        self._shown: dict[str, _Shown] = {}
        self._seen: dict[str, CursorContext] = {}
        """Text around the cursor at the last question, by the document."""
        self._model: FillModel | None = None
        self._model_of: object = None
        """Settings for which the model was opened."""
        self._line_seconds: float | None = None
        self._measuring: asyncio.Task[None] | None = None
        self._problem = ""
        self._left_out = ""
        """Reason for which the document of the last question gets no suggestion."""
        self._quiet_until = float("-inf")
        """Time until which a failure of the model keeps the engine from asking by itself."""
        self._snoozed_until = float("-inf")
        self._endings: set[asyncio.Task[None]] = set()

    # ---------------------------------------------------------------- questions

    async def suggest(
        self,
        document: CompletedDocument,
        position: Position,
        encoding: PositionEncoding,
        *,
        version: int,
        is_asked: bool,
        selected: Selected | None = None,
    ) -> Suggestion | None:
        """Return the suggestion for the document, or None. Cancelling takes the question back.

        `version` is the document's version at the arrival of the question: a task may begin after the next change.
        """
        name = self._access.name_of(document.path) if document.path is not None else ""
        if self._is_quiet(is_asked=is_asked):
            return None
        self._left_out = await self._silence(document, name, is_asked=is_asked)
        if self._left_out:
            return None
        if not self._is_current(document, version) or (model := self._opened_model()) is None:
            return None
        context = self._context(document.buffer, position, encoding, selected, model.id)
        if context is None:
            return None
        self._note_disagreement(document.uri, context)
        before, self._seen[document.uri] = self._seen.get(document.uri), context
        if moment_silence(context, before, is_asked=is_asked):
            return None
        asked = AnswerContext(context, document.language_id, is_asked=is_asked, is_chat=model.is_chat)
        try:
            answer = self._cache.find(document.uri, context) or await self._asked(document, model, asked, name)
            if answer is None or not self._is_current(document, version):
                return None
            text = shown_text(answer.text, replace(asked, is_cut_off=answer.is_cut_off))
        except Unusable as reason:
            logger.debug("No suggestion: %s", reason)
            return None
        if not is_asked and self._rejections.hold(document.uri, context, text):
            return None
        self._shown[document.uri] = _Shown(context, text)
        return _suggestion(document, position, encoding, context, text, selected)

    def reject(self, uri: str) -> None:
        """Remember that the user does not want what was shown last in the document."""
        if (shown := self._shown.pop(uri, None)) is not None:
            self._rejections.add(uri, shown.context, shown.text)

    def snooze(self, seconds: float) -> None:
        """Make no suggestion by itself for so many seconds; 0 ends the snooze."""
        self._snoozed_until = self._clock() + seconds if seconds > 0 else float("-inf")

    def forget(self, uri: str) -> None:
        """Forget a document that was closed."""
        self._shown.pop(uri, None)
        self._seen.pop(uri, None)
        self._rejections.forget(uri)
        self._end_running(uri)

    async def close(self) -> None:
        """End all requests."""
        for uri in list(self._running):
            self._end_running(uri)
        if self._measuring is not None:
            self._measuring.cancel()
            await asyncio.gather(self._measuring, return_exceptions=True)
        await asyncio.gather(*self._endings)

    def status(self) -> str:
        """Return a line about the completion for the user, with the reason for silence."""
        state = self._state()
        is_on = state.startswith("on")
        return f"{state}; nothing in the last file: {self._left_out}" if is_on and self._left_out else state

    def _state(self) -> str:
        settings = self._access.settings
        if settings.mode == "off":
            return "off: switched off by `completion.mode`"
        if settings.model is None:
            return "off: no model is set (`completion.model`)"
        if self._problem:
            return f"not available: {self._problem}"
        if self._clock() < self._snoozed_until:
            return f"on your key only: snoozed, with {settings.model}"
        if settings.mode == "ask":
            return f"on your key only, with {settings.model} (`completion.mode`)"
        if self._line_seconds is not None and self._line_seconds > SLOW_SECONDS:
            return f"on your key only, with {settings.model}: a line takes {self._line_seconds:.1f} s"
        return f"on, with {settings.model}"

    # ---------------------------------------------------------------- silence

    def _is_quiet(self, *, is_asked: bool) -> bool:
        """Return whether the settings, a snooze or a failure of the model keep the engine from asking now."""
        settings = self._access.settings
        if settings.model is None or settings.mode == "off":
            return True
        return not is_asked and (settings.mode == "ask" or self._clock() < max(self._snoozed_until, self._quiet_until))

    async def _silence(self, document: CompletedDocument, name: str, *, is_asked: bool) -> str:
        """Return the reason for which the document gets no suggestion now, or an empty text."""
        path = document.path
        if path is None and not document.uri.startswith("untitled:"):
            return "no file"
        if path is not None and self._access.is_edited_by_agent(path):
            return "an agent changes the file"
        reason = document_silence(self._access.settings, document.language_id, name, is_asked=is_asked)
        return reason or ("" if path is None else await self._access.refusal(path))

    def _is_current(self, document: CompletedDocument, version: int) -> bool:
        return self._find(document.uri) is document and document.version == version

    def _context(
        self,
        buffer: Buffer,
        position: Position,
        encoding: PositionEncoding,
        selected: Selected | None,
        model: str,
    ) -> CursorContext | None:
        """Return the text around the cursor, with the selected entry of the menu in place; None for an entry that is
        not at the cursor.
        """
        budget = LOCAL_BUDGET if self._access.is_local(model) else Budget()
        if selected is None:
            return cursor_context(buffer, position, encoding, budget)
        start, end = selected.start, selected.end
        if not (start.line == position.line == end.line and end == position) or "\n" in selected.text:
            return None
        before, after = (cursor_context(buffer, place, encoding, budget) for place in (start, end))
        return replace(
            before,
            prefix=before.prefix + selected.text,
            line_before=before.line_before + selected.text,
            suffix=after.suffix,
            line_after=after.line_after,
        )

    def _note_disagreement(self, uri: str, context: CursorContext) -> None:
        """Take typing that differs from the shown text as a rejection of the text."""
        shown = self._shown.get(uri)
        if shown is None or context.suffix != shown.context.suffix:
            return
        typed = context.prefix.removeprefix(shown.context.prefix)
        if len(typed) == len(context.prefix) or not typed:
            return
        if not shown.text.startswith(typed) and not typed.startswith(shown.text):
            self.reject(uri)

    # ---------------------------------------------------------------- the model

    def _opened_model(self) -> FillModel | None:
        """Return the model of the settings, opened anew after a change; None if the model cannot be opened."""
        settings = self._access.settings
        if self._model_of is not settings and settings.model is not None:
            self._model_of, self._line_seconds, self._problem = settings, None, ""
            self._quiet_until = float("-inf")
            self._cache.clear()
            try:
                self._model = self._access.fill_model(settings.model)
            except PlacetError as error:
                self._model, self._problem = None, str(error)
        return self._model

    async def _asked(
        self, document: CompletedDocument, model: FillModel, asked: AnswerContext, name: str
    ) -> Answered | None:
        """Return the model's answer, or None if the model is not to be asked now. Raises Unusable."""
        request = fill_request(asked, model.id, name)
        if not asked.is_asked and not self._is_fast(model):
            return None
        uri, version = document.uri, document.version
        running = self._agreeing(uri, asked)
        if running is None and not asked.is_asked:
            await self._pause(DELAY_SECONDS)
            running = self._agreeing(uri, asked)  # Another question may have asked meanwhile.
        if running is None:
            await self._end(uri)
        if not self._is_current(document, version):
            return None
        if running is None:
            running = self._running[uri] = RunningAnswer(model, request, asked)
        typed = running.typed_since(asked)
        answer = await self._awaited(uri, running)
        return None if answer is None or typed is None else typed_along(answer, typed)

    def _agreeing(self, uri: str, asked: AnswerContext) -> RunningAnswer | None:
        """Return the answer on its way with which the question agrees."""
        running = self._running.get(uri)
        return running if running is not None and running.typed_since(asked) is not None else None

    async def _awaited(self, uri: str, running: RunningAnswer) -> Answered | None:
        """Return the answer, and keep it; None after a failure, which the status tells."""
        try:
            answer = await running.answer()
        except ModelError as error:
            logger.info("Inline completion: %s", error)
            self._problem, self._quiet_until = str(error), self._clock() + _RETRY_SECONDS
            self._drop(uri, running)
            return None
        except asyncio.CancelledError:
            if running.is_ended:
                return None  # Another question has ended the request; this question was not taken back.
            asyncio.get_running_loop().call_later(self._grace_seconds, self._end_if_unwanted, uri, running)
            raise
        self._problem = ""
        self._cache.put(uri, running.asked.context, answer)
        self._drop(uri, running)
        return answer

    def _is_fast(self, model: FillModel) -> bool:
        """Return whether the model's server is known to be fast; the first call begins to measure."""
        if self._line_seconds is None and self._measuring is None:
            self._measuring = asyncio.create_task(self._measure(model), name="speed of inline completion")
        return self._line_seconds is not None and self._line_seconds <= SLOW_SECONDS

    async def _measure(self, model: FillModel) -> None:
        try:
            seconds = await line_seconds(model, self._clock)
            if self._model is model:
                self._line_seconds, self._problem = seconds, ""
        except ModelError as error:
            logger.info("Inline completion: %s", error)
            self._problem, self._quiet_until = str(error), self._clock() + _RETRY_SECONDS
        finally:
            self._measuring = None

    # ---------------------------------------------------------------- ends

    def _drop(self, uri: str, running: RunningAnswer) -> None:
        if self._running.get(uri) is running and running.is_done:
            del self._running[uri]

    def _end_if_unwanted(self, uri: str, running: RunningAnswer) -> None:
        if running.waiters == 0 and self._running.get(uri) is running:
            self._end_running(uri)

    def _end_running(self, uri: str) -> None:
        ending = asyncio.create_task(self._end(uri), name="end of an inline completion")
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)

    async def _end(self, uri: str) -> None:
        if (running := self._running.pop(uri, None)) is not None:
            await running.cancel()


def _suggestion(
    document: CompletedDocument,
    position: Position,
    encoding: PositionEncoding,
    context: CursorContext,
    text: str,
    selected: Selected | None,
) -> Suggestion:
    """Return the edit: an insertion at the cursor, or the range of the selected entry; several lines take the rest of
    the line, which is blank.
    """
    start, end, entry = position, position, ""
    if selected is not None:
        start, end, entry = selected.start, selected.end, selected.text
    if "\n" in text and context.line_after:
        end = Position(end.line, end.character + units(context.line_after, encoding))
    ending = document.buffer.line_ending_at(position.line)
    return Suggestion(document.version, start, end, entry + text.replace("\n", ending))
