"""An editor among the editors that share sessions, with the editor's own connection, buffers and ports."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from lsprotocol.types import MessageType

from placet.core.events import SessionEvent
from placet.frontends.lsp.asks.approver import LspApprover
from placet.frontends.lsp.bootstrap import chat_of, teller
from placet.frontends.lsp.connection.buffers import BufferStore
from placet.frontends.lsp.connection.connection import Connection
from placet.frontends.lsp.connection.profile import Profile
from placet.frontends.lsp.connection.showing import show_message
from placet.frontends.lsp.ports.documents import LspDocuments
from placet.frontends.lsp.ports.features import LspFeatures
from placet.frontends.lsp.ports.presenter import Presenter
from placet.settings import Settings


class ConnectedEditor:
    """Connected editor, held by ConnectedEditors until the editor leaves."""

    def __init__(
        self,
        connection: Connection,
        buffers: BufferStore,
        settings: Settings | None,
        roots: tuple[Path, ...],
        on_generic: "Callable[[ConnectedEditor, SessionEvent], None]",
    ) -> None:
        """Make the editor's parts.

        `settings` are None while the sessions are being opened; `settle` brings the settings. `on_generic` shows events
        in an editor without our plugin.
        """
        self._roots = roots
        self.connection = connection
        self.buffers = buffers
        self.approver = LspApprover(connection)
        self.presenter = Presenter(connection, connection.has_room, partial(on_generic, self))
        self.documents = LspDocuments(connection, buffers, settings or Settings())
        self.chat = chat_of(connection, buffers, self.documents)
        """Chat documents, for an editor without our plugin."""
        self.features = LspFeatures(connection, buffers)
        self.tell = teller(connection)
        """Function which tells the user of problems in the settings."""

    @property
    def profile(self) -> Profile:
        return self.connection.profile

    @property
    def roots(self) -> tuple[Path, ...]:
        """Folders of the editor's window."""
        return self._roots

    def open_folders(self, roots: tuple[Path, ...]) -> None:
        """Note the folders of the editor's window after a change of the folders."""
        self._roots = roots

    def settle(self, settings: Settings) -> None:
        """Take over the settings."""
        self.documents.follow(settings)

    def say(self, message: str) -> None:
        """Show the user a warning."""
        show_message(self.connection, f"Placet: {message}", MessageType.Warning)
