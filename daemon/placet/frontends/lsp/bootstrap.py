"""Opening of the agent for one editor: the ports served through the editor's connection, and the sessions over the
ports.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

from lsprotocol.types import MessageType

from placet.core.errors import PlacetError
from placet.core.ports import Documents, Ports
from placet.frontends.lsp.asks.approver import LspApprover
from placet.frontends.lsp.connection.buffers import BufferStore
from placet.frontends.lsp.connection.connection import Connection
from placet.frontends.lsp.connection.showing import show_message
from placet.frontends.lsp.dispatcher import Dispatcher
from placet.frontends.lsp.generic.chat import GenericChat
from placet.frontends.lsp.generic.editor import GenericEditor
from placet.frontends.lsp.handlers.define import HandlerContext
from placet.frontends.lsp.handlers.editor_context import EditorContext
from placet.frontends.lsp.handlers.inline_completion import InlineCompletion
from placet.frontends.lsp.initialize import EditorSettings
from placet.frontends.lsp.ports.documents import LspDocuments
from placet.frontends.lsp.ports.features import LspFeatures
from placet.frontends.lsp.ports.presenter import Presenter
from placet.frontends.lsp.ports.watched_buffers import WatchedBuffers
from placet.frontends.lsp.protocol.rpc_errors import request_failed
from placet.languages.features import language_features
from placet.languages.servers.own import OwnServers
from placet.sessions.registry import Sessions
from placet.sessions.services.config import Config
from placet.sessions.services.programs import contained_by
from placet.settings import Settings, default_locations


async def open_dispatcher(
    connection: Connection,
    buffers: BufferStore,
    open_sessions: Callable[[Callable[[Settings], Ports], tuple[Path, ...], EditorSettings, bool], Awaitable[Sessions]],
    roots: tuple[Path, ...],
    editor_settings: EditorSettings,
) -> Dispatcher:
    """Serve the ports through the connection, and open the sessions over the ports.

    Raises JsonRpcException with the reason when opening fails, so the reason is the answer to the editor's request.
    """
    opened: list[tuple[LspDocuments, OwnServers, GenericChat, Presenter]] = []
    present_settings: list[Settings] = []
    contain = contained_by(lambda: present_settings[0], default_locations())
    folders = list(roots)
    """Folders which language servers and symbol searches look at, as the folders are at the moment."""

    def ports(settings: Settings) -> Ports:
        documents = LspDocuments(connection, buffers, settings)
        present_settings[:] = (settings,)
        servers = OwnServers(documents, folders, settings.languages, may_start=False, contain=contain)
        chat = chat_of(connection, buffers, documents)
        presenter = Presenter(connection, connection.has_room, chat.emit)
        opened.append((documents, servers, chat, presenter))
        features = language_features(documents, folders, servers, editor=LspFeatures(connection, buffers))
        return Ports(documents, features, approver, presenter)

    try:
        approver = LspApprover(connection)
        sessions = await open_sessions(ports, roots, editor_settings, connection.profile.trusts_folders)
    except PlacetError as error:
        raise request_failed(str(error)) from error
    documents, servers, chat, presenter = opened[0]
    tell = teller(connection)

    def follow(config: Config) -> None:
        present_settings[:] = (config.settings,)
        documents.follow(config.settings)
        servers.follow(config.settings.languages, may_start=config.may_start_programs)
        tell(config)

    follow(sessions.config)
    sessions.config_watcher.subscribe(follow)

    _show_trouble(sessions, connection)

    async def open_folders(roots: tuple[Path, ...]) -> None:
        folders[:] = roots
        await sessions.open_folders(roots)

    watch = WatchedBuffers(buffers, documents.has_unsaved, sessions.store_path)

    async def leave() -> None:
        await watch.close()
        await sessions.close()

    return dispatcher_over(
        sessions, connection, buffers, chat, approver, presenter, leave=leave, open_folders=open_folders
    )


def _show_trouble(sessions: Sessions, connection: Connection) -> None:
    """Show the editor's user what the extensions and the sessions report."""

    def warn(message: str) -> None:
        show_message(connection, f"Placet: {message}", MessageType.Warning)

    def show(notice: str) -> bool:
        warn(notice)
        return True

    sessions.extensions.on_trouble(warn)
    sessions.notices.subscribe(show)


def dispatcher_over(
    sessions: Sessions,
    connection: Connection,
    buffers: BufferStore,
    chat: GenericChat,
    approver: LspApprover,
    presenter: Presenter,
    *,
    leave: Callable[[], Awaitable[None]],
    open_folders: Callable[[tuple[Path, ...]], Awaitable[None]],
) -> Dispatcher:
    """Return the dispatcher of one editor. `leave` is called when the editor is gone, `open_folders` when the
    editor's folders change.
    """
    context = HandlerContext(
        sessions,
        connection,
        approver,
        buffers,
        EditorContext(connection, sessions),
        InlineCompletion(sessions, buffers, connection),
    )
    return Dispatcher(
        context,
        presenter,
        GenericEditor(sessions, connection, approver, chat),
        leave=leave,
        open_folders=open_folders,
    )


def chat_of(connection: Connection, buffers: BufferStore, documents: Documents) -> GenericChat:
    """Return the chat documents of an editor without our plugin."""
    return GenericChat(connection.profile, buffers, documents, default_locations().data / "chats")


def teller(connection: Connection) -> Callable[[Config], None]:
    """Return a function telling the user of problems in the settings, each problem once until the problem is mended."""
    reported: set[str] = set()

    def tell(config: Config) -> None:
        problems = dict.fromkeys(config.problems)
        if new := [problem for problem in problems if problem not in reported]:
            show_message(connection, "Placet: " + "\n".join(new), MessageType.Warning)
        reported.clear()
        reported.update(problems)

    return tell
