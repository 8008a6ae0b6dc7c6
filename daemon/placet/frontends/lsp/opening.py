"""The agent opened for one editor: the ports served through its connection, and the sessions over them."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pygls.exceptions import JsonRpcException

from placet.errors import PlacetError
from placet.frontends.lsp.approver import LspApprover
from placet.frontends.lsp.buffers import BufferStore
from placet.frontends.lsp.completion import PromptCompletion
from placet.frontends.lsp.connection import Connection
from placet.frontends.lsp.documents import LspDocuments
from placet.frontends.lsp.features import LspFeatures
from placet.frontends.lsp.handlers import REQUEST_FAILED, Handlers
from placet.frontends.lsp.plain import PlainEditor
from placet.frontends.lsp.plain_chat import PlainChat
from placet.frontends.lsp.presenter import Presenter
from placet.languages.features import language_features
from placet.ports import Ports
from placet.sessions.registry import Sessions
from placet.sessions.setup import Setup
from placet.settings import Settings, default_locations

_WARNING = 2
"""MessageType.Warning."""


async def open_handlers(
    connection: Connection,
    buffers: BufferStore,
    open_sessions: Callable[[Callable[[Settings], Ports], tuple[Path, ...], dict[str, Any]], Awaitable[Sessions]],
    roots: tuple[Path, ...],
    editor_settings: dict[str, Any],
) -> Handlers:
    """Serve the ports through the connection, and open the sessions over them.

    Raises JsonRpcException with the reason when that cannot be done, so that it is the answer to what was asked.
    """
    approver = LspApprover(connection)
    presenter = Presenter(connection, connection.has_room)

    opened: list[LspDocuments] = []

    def ports(settings: Settings) -> Ports:
        documents = LspDocuments(connection, buffers, settings)
        opened.append(documents)
        features = language_features(documents, roots, settings, editor=LspFeatures(connection, buffers))
        return Ports(documents, features, approver, presenter)

    try:
        sessions = await open_sessions(ports, roots, editor_settings)
    except PlacetError as error:
        raise JsonRpcException(str(error), code=REQUEST_FAILED) from error
    tell = _teller(connection)
    tell(sessions.setup)
    sessions.renewal.listeners.append(tell)
    sessions.extensions.on_trouble(
        lambda trouble: connection.notify("window/showMessage", {"type": _WARNING, "message": f"Placet: {trouble}"})
    )
    locations = default_locations()
    chat = PlainChat(connection.profile, buffers, opened[0], locations.data / "chats")
    plain = PlainEditor(sessions, connection, approver, chat)
    presenter.on_plain = plain.emit
    return Handlers(
        sessions,
        approver,
        presenter,
        plain,
        PromptCompletion(sessions.completion, buffers),
        connection,
    )


def _teller(connection: Connection) -> Callable[[Setup], None]:
    """Tells what is wrong with the settings, each thing once until it is mended."""
    told: set[str] = set()

    def tell(setup: Setup) -> None:
        problems = dict.fromkeys(setup.problems)
        if new := [problem for problem in problems if problem not in told]:
            connection.notify("window/showMessage", {"type": _WARNING, "message": "Placet: " + "\n".join(new)})
        told.clear()
        told.update(problems)

    return tell
