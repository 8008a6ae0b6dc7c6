"""One editor's place among those that share sessions: its connection, its buffers, and what serves it alone."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from placet.frontends.lsp.approver import LspApprover
from placet.frontends.lsp.buffers import BufferStore
from placet.frontends.lsp.connection import Connection
from placet.frontends.lsp.documents import LspDocuments
from placet.frontends.lsp.features import LspFeatures
from placet.frontends.lsp.presenter import Presenter
from placet.frontends.lsp.profile import Profile
from placet.sessions.setup import Setup
from placet.settings import Settings

if TYPE_CHECKING:
    from placet.frontends.lsp.plain import PlainEditor

_WARNING = 2
"""MessageType.Warning."""


class Seat:
    def __init__(
        self, connection: Connection, buffers: BufferStore, settings: Settings | None, roots: tuple[Path, ...]
    ) -> None:
        """`settings` are None while the sessions are being opened; `settle` brings them."""
        self.roots = roots
        """The folders of its window."""
        self.connection = connection
        self.buffers = buffers
        self.approver = LspApprover(connection)
        self.presenter = Presenter(connection, connection.has_room)
        self.documents = LspDocuments(connection, buffers, settings or Settings())
        self.features = LspFeatures(connection, buffers)
        self.plain: PlainEditor | None = None
        """Once it is served."""
        self.tell: Callable[[Setup], None] = lambda setup: None
        """Says what is wrong with the settings."""

    @property
    def profile(self) -> Profile:
        return self.connection.profile

    def settle(self, settings: Settings) -> None:
        """These are its settings."""
        self.documents.files_through_editor = settings.edit.files_through_editor

    def say(self, message: str) -> None:
        """Tell the user."""
        self.connection.notify("window/showMessage", {"type": _WARNING, "message": f"Placet: {message}"})
