"""Connected editors of one shared workspace, in the order of arrival."""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager

from placet.frontends.lsp.shared.connected_editor import ConnectedEditor
from placet.frontends.lsp.shared.current_editor import CURRENT_EDITOR


class ConnectedEditors:
    """List of the editors that share the sessions of one set of folders, owned by the shared workspace of these
    folders.

    Belongs to the event loop, and lives as long as the workspace.
    """

    def __init__(self, answer_seconds: Callable[[], float]) -> None:
        """Create an empty list. `answer_seconds` returns the seconds for which a question waits without any editor."""
        self._answer_seconds = answer_seconds
        self._editors: list[ConnectedEditor] = []
        self._watchers: list[asyncio.Event] = []
        self._empty_since = asyncio.get_running_loop().time()

    @property
    def all(self) -> tuple[ConnectedEditor, ...]:
        """Return all editors, in the order of arrival."""
        return tuple(self._editors)

    @property
    def answer_seconds(self) -> float:
        """Return the seconds for which a question waits once no editor is connected."""
        return self._answer_seconds()

    def add(self, editor: ConnectedEditor) -> None:
        """Add an editor. The watchers hear of the editor by `notify_watchers`, once the editor can be asked."""
        self._editors.append(editor)

    def remove(self, editor: ConnectedEditor) -> None:
        """Remove an editor which is gone."""
        if editor in self._editors:
            self._editors.remove(editor)
            self._empty_since = asyncio.get_running_loop().time()
            self.notify_watchers()

    def in_order(self) -> list[ConnectedEditor]:
        """Return the editors that can be asked, first the editor whose message is being worked on."""
        current = CURRENT_EDITOR.get()
        reachable = [editor for editor in self._editors if not editor.connection.is_leaving]
        return sorted(reachable, key=lambda editor: editor.connection is not current)

    def is_empty_since(self, seconds: float) -> bool:
        """Return whether no editor has been connected for so many seconds."""
        return not self._editors and asyncio.get_running_loop().time() - self._empty_since >= seconds

    @contextmanager
    def watched(self) -> Generator[asyncio.Event]:
        """Yield an event which is set whenever an editor has come or gone."""
        event = asyncio.Event()
        self._watchers.append(event)
        try:
            yield event
        finally:
            self._watchers.remove(event)

    def notify_watchers(self) -> None:
        """Tell the watchers that an editor has come or gone."""
        for event in self._watchers:
            event.set()
