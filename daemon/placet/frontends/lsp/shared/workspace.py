"""Sessions over one set of folders, and the editors sharing the sessions. Editors come and go; turns go on."""

import asyncio
import logging
import os
from collections.abc import Callable
from contextvars import Context
from pathlib import Path

from placet.core.errors import PlacetError, StoreError
from placet.core.events import SessionEvent
from placet.core.ports import Ports
from placet.frontends.lsp.bootstrap import dispatcher_over
from placet.frontends.lsp.connection.buffers import BufferStore
from placet.frontends.lsp.connection.connection import Connection
from placet.frontends.lsp.dispatcher import Dispatcher
from placet.frontends.lsp.initialize import EditorSettings
from placet.frontends.lsp.lsp_server import OpenSessions
from placet.frontends.lsp.ports.watched_buffers import WatchedBuffers
from placet.frontends.lsp.protocol.rpc_errors import request_failed
from placet.frontends.lsp.shared.approver import SharedApprover
from placet.frontends.lsp.shared.connected_editor import ConnectedEditor
from placet.frontends.lsp.shared.connected_editors import ConnectedEditors
from placet.frontends.lsp.shared.documents import SharedDocuments
from placet.frontends.lsp.shared.features import SharedFeatures
from placet.languages.features import language_features
from placet.languages.servers.own import OwnServers
from placet.project.paths import real
from placet.sessions.registry import Sessions
from placet.sessions.services.config import Config
from placet.sessions.services.programs import contained_by
from placet.settings import Settings, default_locations

logger = logging.getLogger(__name__)

FOLLOWING_SECONDS = 0.25


class SharedWorkspace:
    """Workspace of one set of folders, held by SharedSessions and used in the event loop alone. The first editor's
    settings hold for the workspace's whole life.
    """

    def __init__(
        self,
        open_sessions: OpenSessions,
        roots: tuple[Path, ...],
        editor_settings: EditorSettings,
        *,
        answer_seconds: Callable[[], float],
        is_trusted: bool,
    ) -> None:
        self._editors = ConnectedEditors(answer_seconds)
        self._roots = list(roots)
        """Folders open in any of the workspace's editors, in the order of arrival."""
        self._editor_settings = editor_settings
        self._settings: Settings | None = None
        # No editor owns the task: the opening editor may be gone before the end.
        self._opening = asyncio.create_task(self._open(open_sessions, is_trusted), context=Context())
        self._following = asyncio.create_task(self._follow(), context=Context())

    # ---------------------------------------------------------------- editors come and go

    async def join(
        self, connection: Connection, buffers: BufferStore, roots: tuple[Path, ...], editor_settings: EditorSettings
    ) -> Dispatcher:
        """Connect an editor, and return the editor's dispatcher. Raises JsonRpcException with the reason when the
        sessions cannot be opened.
        """
        editor = ConnectedEditor(connection, buffers, self._settings, roots, self._show_in_generic_editor)
        self._editors.add(editor)
        try:
            sessions = await asyncio.shield(self._opening)
        except PlacetError as error:
            self._editors.remove(editor)
            raise request_failed(str(error)) from error
        except asyncio.CancelledError:
            self._editors.remove(editor)
            raise
        editor.tell(sessions.config)
        if editor_settings != self._editor_settings:
            editor.say("Another editor has opened these folders with other settings. These settings apply here too.")
        if not connection.profile.trusts_folders:
            await sessions.config_watcher.editor_says(trusted=False)

        watch = WatchedBuffers(buffers, editor.documents.has_unsaved, sessions.store_path)

        async def leave() -> None:
            self._editors.remove(editor)
            await watch.close()
            if self._editors.all:
                await self._open_folders(sessions)

        async def open_folders(roots: tuple[Path, ...]) -> None:
            editor.open_folders(roots)
            await self._open_folders(sessions)

        dispatcher = dispatcher_over(
            sessions,
            connection,
            buffers,
            editor.chat,
            editor.approver,
            editor.presenter,
            leave=leave,
            open_folders=open_folders,
        )
        self._editors.notify_watchers()  # The new editor can be asked from here on.
        return dispatcher

    async def _open_folders(self, sessions: Sessions) -> None:
        """Work in all folders open in any of the editors: a folder inside for one editor is inside for every editor of
        the workspace.
        """
        self._roots[:] = dict.fromkeys(root for editor in self._editors.all for root in editor.roots)
        await sessions.open_folders(tuple(self._roots))

    @property
    def key(self) -> tuple[str, ...]:
        """Key by which an editor opening the same folders finds the workspace."""
        return tuple(os.path.normcase(real(root)) for root in self._roots)

    # ---------------------------------------------------------------- running turns

    def emit(self, event: SessionEvent) -> None:
        """Tell every editor of every event (see EventSink)."""
        for editor in self._editors.all:
            editor.presenter.emit(event)

    def _show_in_generic_editor(self, editor: ConnectedEditor, event: SessionEvent) -> None:
        """Write an event into the chat document: a session has one chat document, and so only one editor writes the
        document.
        """
        writers = (writer for writer in self._editors.all if writer.chat.session_id == event.session_id)
        if next(writers, None) is editor:
            editor.chat.emit(event)

    @property
    def has_failed(self) -> bool:
        opening = self._opening
        return opening.done() and (opening.cancelled() or opening.exception() is not None)

    @property
    def is_busy(self) -> bool:
        """Return whether the sessions are being opened, or a turn runs."""
        if not self._opening.done():
            return True
        return not self.has_failed and bool(self._opening.result().running)

    def is_unused_since(self, seconds: float) -> bool:
        return not self.is_busy and self._editors.is_empty_since(seconds)

    async def _follow(self) -> None:
        """While editors are connected, show the editors the work of other processes in the sessions, such as `placet
        run`.
        """
        await asyncio.wait([self._opening])
        if self.has_failed:
            return
        sessions, is_reported = self._opening.result(), False
        while True:
            await asyncio.sleep(FOLLOWING_SECONDS)
            if self._editors.all:
                try:
                    await sessions.follow()
                    is_reported = False
                except StoreError as error:
                    if not is_reported:
                        logger.warning("What others do in the sessions cannot be followed: %s", error)
                    is_reported = True

    async def close(self) -> None:
        """Stop every turn, and put the sessions away."""
        self._following.cancel()
        await asyncio.gather(self._following, return_exceptions=True)
        self._opening.cancel()
        (sessions,) = await asyncio.gather(self._opening, return_exceptions=True)
        if isinstance(sessions, Sessions):
            await sessions.close()

    # ---------------------------------------------------------------- opening

    async def _open(self, open_sessions: OpenSessions, is_trusted: bool) -> Sessions:
        opened: list[OwnServers] = []

        def ports(settings: Settings) -> Ports:
            self._settings = settings
            for editor in self._editors.all:
                editor.settle(settings)
            documents = SharedDocuments(self._editors)
            contain = contained_by(lambda: self._settings or settings, default_locations())
            servers = OwnServers(documents, self._roots, settings.languages, may_start=False, contain=contain)
            opened.append(servers)
            features = language_features(documents, self._roots, servers, editor=SharedFeatures(self._editors))
            return Ports(documents, features, SharedApprover(self._editors), self)

        def follow(config: Config) -> None:
            opened[0].follow(config.settings.languages, may_start=config.may_start_programs)
            self._settings = config.settings
            for editor in self._editors.all:
                editor.settle(config.settings)
                editor.tell(config)

        def report_trouble(message: str) -> None:
            for editor in self._editors.all:
                editor.say(message)

        def show_notice(message: str) -> bool:
            reachable = self._editors.in_order()[:1]
            for editor in reachable:
                editor.say(message)
            return bool(reachable)

        sessions = await open_sessions(ports, tuple(self._roots), self._editor_settings, is_trusted)
        follow(sessions.config)
        sessions.config_watcher.subscribe(follow)
        sessions.extensions.on_trouble(report_trouble)
        sessions.notices.subscribe(show_notice)
        return sessions
