"""Pool of running servers: started on first use, one for each root, limited in number and memory, ended when idle."""

import asyncio
import logging
import sys
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from placet.core.executor import in_thread
from placet.core.spans import span
from placet.languages.servers.process import ServerGone
from placet.languages.servers.server import LanguageServer
from placet.languages.servers.table import ONE_OF, ServerKind, server_kinds
from placet.project.processes.programs import find_configured, find_program
from placet.sandbox.programs import Contain, ContainProgram, Program, without_sandbox
from placet.settings import LanguageSettings

logger = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
"""Time between two checks of the servers' memory and idle time."""
MOST_CRASHES = 3
CRASH_MEMORY_SECONDS = 300.0
"""Time within which MOST_CRASHES ends of a server block a new start, until the time has passed."""


class ServerPool:
    def __init__(
        self,
        settings: LanguageSettings,
        roots: Sequence[Path],
        environment: Mapping[str, str],
        contain: ContainProgram = without_sandbox,
    ) -> None:
        self._settings = settings
        self._contain = contain
        self._roots = roots
        self._environment = environment
        self._kinds = _installed(server_kinds(settings), environment)
        self._running: dict[tuple[str, Path], LanguageServer] = {}
        self._starting = asyncio.Lock()
        self._crashes: dict[tuple[str, Path], deque[float]] = {}
        self._watch: asyncio.Task[None] | None = None
        self._is_closed = False

    @property
    def running(self) -> list[LanguageServer]:
        return [server for server in self._running.values() if server.is_alive]

    def serves(self, path: Path) -> bool:
        """Return whether a server exists for the file, running or not."""
        return any(kind.language_of(path) for kind in self._kinds)

    def shares_server(self, path: Path, others: Iterable[Path]) -> bool:
        """Return whether a server of the file also serves any of the other files."""
        kinds = [kind for kind in self._kinds if kind.language_of(path)]
        return any(kind.language_of(other) for other in others for kind in kinds)

    async def servers_of(self, path: Path) -> list[LanguageServer]:
        """Return the file's servers, started if necessary; a server that cannot start is left out, and logged."""
        servers: list[LanguageServer] = []
        for kind in self._kinds:
            if kind.language_of(path):
                root = await in_thread(_root_of, path, kind, self._roots)
                server = await self._server(kind, root)
                if server is not None:
                    servers.append(server)
        return servers

    async def close(self) -> None:
        """End all servers."""
        self._is_closed = True
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        async with self._starting:
            servers, self._running = list(self._running.values()), {}
            await asyncio.gather(*(server.stop() for server in servers))

    async def _server(self, kind: ServerKind, root: Path) -> LanguageServer | None:
        key = (kind.name, root)
        async with self._starting:
            server = self._running.get(key)
            if server is not None and server.is_alive:
                return server
            if server is not None:
                self._note_crash(key)
                await server.stop()
                del self._running[key]
            if self._is_closed or self._has_failed(key):
                return None
            await self._make_room()
            server = LanguageServer(kind, root)
            try:
                with span("language_server.start", **{"placet.language_server": kind.name}):
                    await server.start(kind.command, self._environment, self._sandbox_of(kind))
            except ServerGone as error:
                self._note_crash(key)
                logger.warning("%s", error)
                return None
            self._running[key] = server
            self._watch = self._watch or asyncio.create_task(self._look_after(), name="language servers")
            return server

    def _sandbox_of(self, kind: ServerKind) -> Contain | None:
        """Return the sandbox of a server, or None where servers run outside."""
        if not self._settings.sandbox:
            return None
        return self._contain(Program(f"the language server {kind.name}", tuple(self._roots)))

    async def _make_room(self) -> None:
        """End the server longest unused while the pool is full."""
        while len(self._running) >= self._settings.max_servers:
            key = min(self._running, key=lambda key: self._running[key].last_used)
            logger.info("Ending the language server %s for another", key[0])
            await self._running.pop(key).stop()

    def _note_crash(self, key: tuple[str, Path]) -> None:
        self._crashes.setdefault(key, deque(maxlen=MOST_CRASHES)).append(time.monotonic())

    def _has_failed(self, key: tuple[str, Path]) -> bool:
        crashes = self._crashes.get(key, ())
        return len(crashes) == MOST_CRASHES and time.monotonic() - crashes[0] < CRASH_MEMORY_SECONDS

    async def _look_after(self) -> None:
        """End idle servers and servers with too much memory."""
        while True:
            await asyncio.sleep(min(LOOK_SECONDS, self._settings.idle_seconds))
            for key, server in list(self._running.items()):
                if reason := await self._too_much(server):
                    async with self._starting:
                        if self._running.get(key) is server:
                            logger.info("Ending the language server %s: %s", server.kind.name, reason)
                            del self._running[key]
                            await server.stop()

    async def _too_much(self, server: LanguageServer) -> str:
        """Return why the server must end, or an empty text if the server may stay."""
        if time.monotonic() - server.last_used >= self._settings.idle_seconds:
            return "it was not asked for a while"
        megabytes = await server.memory_bytes() >> 20
        return f"it takes {megabytes} MB" if megabytes > self._settings.max_memory_mb else ""


def _installed(kinds: Sequence[ServerKind], environment: Mapping[str, str]) -> tuple[ServerKind, ...]:
    """Return the kinds with a program on PATH or beside this Python, with the program's path; of rivals, the first.

    A program of the project itself is used only by its path: the user may not have trusted the code of the project.
    """
    path = environment.get("PATH", "")
    installed: dict[str, ServerKind] = {}
    for kind in kinds:
        beside = str(Path(sys.executable).parent)
        name = kind.command[0]
        program = find_configured(name, Path(), path, is_contained=False) or find_program(name, beside)
        rivals = next((row for row in ONE_OF if kind.name in row), ())
        if program is not None and not any(rival in installed for rival in rivals):
            command = (program, *kind.command[1:])
            installed[kind.name] = ServerKind(
                kind.name, command, kind.languages, kind.root_markers, kind.options, kind.settings
            )
    return tuple(installed.values())


def _root_of(path: Path, kind: ServerKind, roots: Sequence[Path]) -> Path:
    """Return the nearest directory upward with a marker, inside the workspace folder that holds the file."""
    top = next((root for root in roots if path.is_relative_to(root)), path.parent)
    for directory in path.parents:
        if any(any(directory.glob(marker)) for marker in kind.root_markers):
            return directory
        if directory == top:
            break
    return top
