"""`placet --listen`: the daemon shared by several editors, from first to last moment.

Each data directory has at most one such daemon: a lock decides which. The daemon listens on a socket of the user's own,
or on a port of this machine with a token, serves each editor by an LSP server of its own, and ends after no editor has
been connected for long enough.
"""

import asyncio
import logging
import os
import signal
import socket
import sys
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from placet import __version__
from placet.core.stdio.garbage import collect_only_the_young
from placet.frontends.lsp.shared import endpoint_address
from placet.frontends.lsp.shared.endpoint import Endpoint
from placet.frontends.lsp.shared.endpoint_address import Greeting
from placet.frontends.lsp.shared.socket_transport import Refusal, SocketWire, Welcome

if TYPE_CHECKING:
    from placet.frontends.lsp.lsp_server import LspServer, OpenSessions
    from placet.frontends.lsp.shared.sessions import SharedSessions
    from placet.settings import DaemonSettings

logger = logging.getLogger(__name__)

Way = Literal["socket", "loopback"]
CLOSING_SECONDS = 10.0
LAST_WORDS_SECONDS = 2.0
COMING_SECONDS = 10.0
"""Time in which the editor that started the daemon may connect, however short the idle time is."""
LOOKS_AN_IDLE_TIME = 10
"""Number of checks per idle time whether a turn still runs."""


def serve(open_sessions: "OpenSessions", way: Way | None = None) -> int:
    """Serve editors until the daemon has been idle for long enough or is told to end; return at once if another daemon
    serves.
    """
    collect_only_the_young()  # Until all is loaded, in lsp_server.py.
    usual: Way = "socket" if hasattr(socket, "AF_UNIX") and sys.platform != "win32" else "loopback"
    try:
        point = Endpoint(Path(endpoint_address.meeting_place()), way or usual)
        with point.held() as is_held:
            if is_held:
                return asyncio.run(_serve(open_sessions, point))
    except (endpoint_address.Unsafe, OSError) as error:
        sys.stderr.write(f"placet: {error}\n")
        return 1
    say_ready("another daemon is already running")
    return 0


async def _serve(open_sessions: "OpenSessions", point: Endpoint) -> int:
    # Not while an editor waits for its first answer.
    import_module("placet.frontends.lsp.lsp_server")
    from placet.frontends.lsp.shared.sessions import SharedSessions

    daemon = Daemon(point, SharedSessions(open_sessions))
    if sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, daemon.end)
    await daemon.serve()
    return 0


def _read_settings() -> "DaemonSettings":
    """Read the daemon's settings from the user's own files. Blocks, also for the imports."""
    from placet.settings import default_locations, load_settings

    return load_settings(default_locations()).daemon


def say_ready(how: str) -> None:
    """Tell the process which started the daemon of the daemon's state; later output goes to stderr."""
    with suppress(OSError):
        sys.stdout.write(f"placet: {how}\n")
        sys.stdout.flush()
    with suppress(OSError):
        os.dup2(2, 1)


class Daemon:
    """Daemon of one data directory: the connected editors, and the sessions shared by the editors."""

    def __init__(self, point: Endpoint, shared: "SharedSessions") -> None:
        self._point = point
        self._shared = shared
        self._editors: set[asyncio.Task[None]] = set()
        self._ending = asyncio.Event()

    async def serve(self) -> None:
        """Serve until the daemon ends. The meeting point is free for the next daemon before all work is put away."""
        await self._point.listen(lambda: SocketWire(__version__, self._greeted))
        say_ready(f"listening on {self._point.address}")
        idling = asyncio.create_task(self._end_when_idle())
        try:
            await self._ending.wait()
        finally:
            idling.cancel()
            await self._point.leave()
            for editor in self._editors:
                editor.cancel()
            await asyncio.gather(*self._editors, return_exceptions=True)
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSING_SECONDS):
                    await self._shared.close()

    def end(self) -> None:
        """Accept no more editors, and stop all running work."""
        self._ending.set()

    @property
    def is_idle(self) -> bool:
        return not self._editors and not self._shared.is_busy

    async def _end_when_idle(self) -> None:
        settings = await asyncio.to_thread(_read_settings)
        self._shared.set_answer_seconds(settings.answer_seconds)
        loop = asyncio.get_running_loop()
        idle_since = loop.time() + max(0.0, COMING_SECONDS - settings.idle_seconds)
        while (left := idle_since + settings.idle_seconds - loop.time()) > 0:
            await asyncio.sleep(min(left, settings.idle_seconds / LOOKS_AN_IDLE_TIME))
            if not self.is_idle:
                idle_since = loop.time()
            await self._shared.put_away_unused(settings.idle_seconds)
        self.end()

    # ---------------------------------------------------------------- one editor

    def _greeted(self, wire: SocketWire, greeting: Greeting | None) -> Welcome | Refusal:
        if not self._point.lets_in(None if greeting is None else greeting.token):
            logger.warning("Somebody without the token was turned away")
            return "refused" if greeting is not None else "busy"
        if self._ending.is_set():
            return "leaving"
        if greeting is not None and greeting.version != __version__:
            if not self.is_idle:
                return "busy"
            self.end()
            self._point.when_left.append(wire.close)
            return "leaving"
        return self._take_in(wire, greeting)

    def _take_in(self, wire: SocketWire, greeting: Greeting | None) -> Welcome:
        """Serve the editor in a task of its own, and return the receiver of the editor's messages."""
        from placet.frontends.lsp.lsp_server import LspServer
        from placet.frontends.lsp.shared.current_editor import CURRENT_EDITOR

        directory = Path(greeting.directory) if greeting is not None and greeting.directory else Path.home()
        shared = self._shared
        server = LspServer(shared.open_sessions, join=shared.join, prompts=shared.prompts, directory=directory)
        connection = server.connection
        connection.set_writer(wire)
        context = copy_context()
        context.run(CURRENT_EDITOR.set, connection)
        task = asyncio.create_task(_serve_editor(server, wire), context=context)
        self._editors.add(task)
        task.add_done_callback(self._has_left)
        return Welcome(deliver=partial(context.run, connection.receive), on_end=connection.lose)

    def _has_left(self, task: asyncio.Task[None]) -> None:
        self._editors.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("An editor could not be served to its end", exc_info=error)


async def _serve_editor(server: "LspServer", wire: SocketWire) -> None:
    """Serve an editor until the editor leaves or is gone; work running in its sessions goes on."""
    from placet.frontends.lsp.server import watch_parent

    watching = asyncio.create_task(watch_parent(server))
    try:
        await server.connection.ended
    finally:
        watching.cancel()
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await server.close()
        except TimeoutError:
            logger.error("What ran for an editor did not stop in %d s", CLOSING_SECONDS)  # noqa: TRY400
        await wire.finish(LAST_WORDS_SECONDS)
