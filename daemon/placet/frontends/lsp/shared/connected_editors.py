"""Connected editors of one shared workspace, in the order of arrival."""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager

from placet.frontends.lsp.shared.connected_editor import ConnectedEditor
from placet.frontends.lsp.shared.current_editor import SPEAKER


class ConnectedEditors:
    """List of the editors that share the sessions of one set of folders, owned by the room of these folders.

    Belongs to the event loop, and lives as long as the room.
    """

    def __init__(self, answer_seconds: Callable[[], float]) -> None:
        """Create an empty list. `answer_seconds` returns the seconds for which a question waits without any editor."""
        self._answer_seconds = answer_seconds
        self._seats: list[ConnectedEditor] = []
        self._watchers: list[asyncio.Event] = []
        self._empty_since = asyncio.get_running_loop().time()

    @property
    def seats(self) -> tuple[ConnectedEditor, ...]:
        """Return the seats of all editors, in the order of arrival."""
        return tuple(self._seats)

    @property
    def answer_seconds(self) -> float:
        """Return the seconds for which a question waits once no editor is connected."""
        return self._answer_seconds()

    def add(self, seat: ConnectedEditor) -> None:
        """Add an editor. The watchers hear of the editor by `notify_watchers`, once the editor can be asked."""
        self._seats.append(seat)

    def remove(self, seat: ConnectedEditor) -> None:
        """Remove an editor which is gone."""
        if seat in self._seats:
            self._seats.remove(seat)
            self._empty_since = asyncio.get_running_loop().time()
            self.notify_watchers()

    def in_order(self) -> list[ConnectedEditor]:
        """Return the seats of the editors that can be talked to, first the editor whose message is being worked on."""
        speaker = SPEAKER.get()
        reachable = [seat for seat in self._seats if not seat.connection.is_leaving]
        return sorted(reachable, key=lambda seat: seat.connection is not speaker)

    def are_gone_since(self, seconds: float) -> bool:
        """Return whether no editor has been connected for so many seconds."""
        return not self._seats and asyncio.get_running_loop().time() - self._empty_since >= seconds

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
