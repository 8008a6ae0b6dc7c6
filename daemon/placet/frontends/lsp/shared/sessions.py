"""Sessions shared by the editors of one daemon: the sessions of the same folders are the same sessions.

The module imports nothing of the agent: an editor's `initialize` may come first.
"""

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from placet.frontends.lsp.connection.buffers import BufferStore
from placet.frontends.lsp.connection.connection import Connection
from placet.frontends.lsp.connection.detached_prompts import Prompts
from placet.frontends.lsp.initialize import EditorSettings
from placet.frontends.lsp.lsp_server import OpenSessions
from placet.project.paths import real

if TYPE_CHECKING:
    from placet.frontends.lsp.dispatcher import Dispatcher
    from placet.frontends.lsp.shared.workspace import SharedWorkspace

ANSWER_SECONDS = 600.0


class SharedSessions:
    """Shared workspaces of a daemon: a workspace for each set of folders, opened by the first editor in need."""

    def __init__(self, open_sessions: OpenSessions) -> None:
        self.open_sessions = open_sessions
        self._answer_seconds = ANSWER_SECONDS
        self.prompts = Prompts()
        self._workspaces: list[SharedWorkspace] = []

    async def join(
        self, connection: Connection, buffers: BufferStore, roots: tuple[Path, ...], editor_settings: EditorSettings
    ) -> "Dispatcher":
        """Return the dispatcher of one editor. Raises JsonRpcException with the reason when the sessions cannot
        be opened.
        """
        from placet.frontends.lsp.shared.workspace import SharedWorkspace

        key = tuple(os.path.normcase(real(root)) for root in roots)
        workspace = next(
            (workspace for workspace in self._workspaces if workspace.key == key and not workspace.has_failed), None
        )
        if workspace is None:
            trusts = connection.profile.trusts_folders
            workspace = SharedWorkspace(
                self.open_sessions,
                roots,
                editor_settings,
                answer_seconds=lambda: self._answer_seconds,
                is_trusted=trusts,
            )
            self._workspaces = [*(workspace for workspace in self._workspaces if not workspace.has_failed), workspace]
        return await workspace.join(connection, buffers, roots, editor_settings)

    def set_answer_seconds(self, seconds: float) -> None:
        """Let a question wait for so long for an editor once no editor is connected."""
        self._answer_seconds = seconds

    @property
    def is_busy(self) -> bool:
        """Return whether a turn runs anywhere, or a prompt waits for its turn."""
        return bool(self.prompts) or any(workspace.is_busy for workspace in self._workspaces)

    async def put_away_unused(self, after_seconds: float) -> None:
        """Close the sessions of folders which no editor has had open for so long, and in which no turn runs."""
        if self.prompts:
            return  # A prompt that has not found its session yet may need them.
        unused = [workspace for workspace in self._workspaces if workspace.is_unused_since(after_seconds)]
        self._workspaces = [workspace for workspace in self._workspaces if workspace not in unused]
        await asyncio.gather(*(workspace.close() for workspace in unused))

    async def close(self) -> None:
        """Stop every turn, begin no waiting turn, and put all sessions away."""
        await self.prompts.stop()
        workspaces, self._workspaces = self._workspaces, []
        await asyncio.gather(*(workspace.close() for workspace in workspaces))
