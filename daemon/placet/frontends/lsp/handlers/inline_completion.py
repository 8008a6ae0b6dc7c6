"""`textDocument/inlineCompletion`: the door of the standard to the engine of the inline completion.

The capability is registered only while completion is on, where the client can register capabilities later. The engine
is loaded by the first question.
"""

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from lsprotocol import types

from placet.frontends.lsp.connection.buffers import BufferStore, OpenBuffer
from placet.frontends.lsp.connection.editor_client import EditorClient, EditorError, EditorGone
from placet.project.paths import real
from placet.sessions.asks.permissions import Bound
from placet.sessions.registry import Sessions
from placet.sessions.services.config import Config
from placet.text.positions import Position

if TYPE_CHECKING:
    from pathlib import Path

    from placet.completion.engine import CompletionEngine, Selected, Suggestion
    from placet.permissions.rules import Rule

logger = logging.getLogger(__name__)

_REGISTRATION = "placet-inline-completion"
_REGISTER_SECONDS = 30.0


class InlineCompletion:
    """Inline completion of one editor; lives as long as the connection."""

    def __init__(self, sessions: Sessions, buffers: BufferStore, client: EditorClient) -> None:
        self._sessions = sessions
        self._buffers = buffers
        self._client = client
        self._engine: CompletionEngine | None = None
        self._is_registered = False
        self._registering: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Register the capability as far as the settings want, now and after each change of the settings."""
        if self._client.profile.inline_completion == "dynamic":
            self._sessions.config_watcher.subscribe(self._follow)
            self._follow(self._sessions.config)

    async def close(self) -> None:
        """End all requests."""
        if self._client.profile.inline_completion == "dynamic":
            with suppress(ValueError):  # An editor that is gone before `initialized` has not subscribed.
                self._sessions.config_watcher.unsubscribe(self._follow)
        if self._registering is not None:
            self._registering.cancel()
            await asyncio.gather(self._registering, return_exceptions=True)
        if self._engine is not None:
            await self._engine.close()

    async def complete(
        self, document: OpenBuffer, version: int, params: types.InlineCompletionParams
    ) -> types.InlineCompletionList | None:
        """Return the answer to `textDocument/inlineCompletion`, asked at this version of the document."""
        if not _is_on(self._sessions.config):
            return None
        suggestion = await self._opened().suggest(
            document,
            _position(params.position),
            self._buffers.encoding,
            version=version,
            is_asked=params.context.trigger_kind == types.InlineCompletionTriggerKind.Invoked,
            selected=_selected(params.context.selected_completion_info),
        )
        return None if suggestion is None else types.InlineCompletionList([_item(suggestion)])

    def snooze(self, seconds: float) -> None:
        """Make no suggestion by itself for so many seconds; 0 ends the snooze."""
        self._opened().snooze(seconds)

    def dismiss(self, uri: str) -> None:
        """Remember that the user does not want the suggestion on the screen of the document."""
        self._opened().reject(uri)

    def forget(self, uri: str) -> None:
        """Forget a document that was closed."""
        if self._engine is not None:
            self._engine.forget(uri)

    def status(self) -> str:
        """Return a line about the completion for the user."""
        return self._opened().status()

    def _opened(self) -> "CompletionEngine":
        if self._engine is None:
            from placet.completion.engine import CompletionEngine

            access = self._sessions.models.completion(self._rules, self._is_edited)
            self._engine = CompletionEngine(access, self._buffers.get)
        return self._engine

    def _rules(self) -> "tuple[Rule, ...]":
        return self._sessions.permissions.rules(Bound(self._sessions.agents.default))

    def _is_edited(self, path: "Path") -> bool:
        """Return whether a running turn has proposed changes to the file."""
        running = self._sessions.running
        return bool(running) and any(session.change_set.holds(real(path)) for session in running)

    # ---------------------------------------------------------------- the capability

    def _follow(self, config: Config) -> None:
        if _is_on(config) != self._is_registered:
            self._is_registered = not self._is_registered
            self._registering = asyncio.create_task(
                self._register(self._registering, is_on=self._is_registered), name="inline completion's capability"
            )

    async def _register(self, before: "asyncio.Task[None] | None", *, is_on: bool) -> None:
        if before is not None:
            await asyncio.wait([before])
        try:
            if is_on:
                await self._client.request(
                    types.CLIENT_REGISTER_CAPABILITY, _registration(), timeout_seconds=_REGISTER_SECONDS
                )
            else:
                ended = types.Unregistration(_REGISTRATION, types.TEXT_DOCUMENT_INLINE_COMPLETION)
                await self._client.request(
                    types.CLIENT_UNREGISTER_CAPABILITY,
                    types.UnregistrationParams([ended]),
                    timeout_seconds=_REGISTER_SECONDS,
                )
        except (EditorError, EditorGone, TimeoutError) as error:
            logger.warning("The editor did not register inline completion: %s", error or "no answer in time")


def _registration() -> types.RegistrationParams:
    schemes = [types.TextDocumentFilterScheme(scheme) for scheme in ("file", "untitled")]
    options = types.InlineCompletionRegistrationOptions(document_selector=schemes)
    return types.RegistrationParams([types.Registration(_REGISTRATION, types.TEXT_DOCUMENT_INLINE_COMPLETION, options)])


def _is_on(config: Config) -> bool:
    completion = config.settings.completion
    return completion.model is not None and completion.mode != "off"


def _position(position: types.Position) -> Position:
    return Position(position.line, position.character)


def _selected(info: types.SelectedCompletionInfo | None) -> "Selected | None":
    if info is None:
        return None
    from placet.completion.engine import Selected

    return Selected(_position(info.range.start), _position(info.range.end), info.text)


def _item(suggestion: "Suggestion") -> types.InlineCompletionItem:
    start, end = (types.Position(place.line, place.character) for place in (suggestion.start, suggestion.end))
    return types.InlineCompletionItem(insert_text=suggestion.text, range=types.Range(start, end))
