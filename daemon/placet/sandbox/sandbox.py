"""Sandbox of a front end's commands: wraps each command, and judges afterwards how the command ended.

`placet.sandbox.containment` says what a command may touch; the backend that holds the command to that is found by a
trial, at the first command.
"""

import asyncio
import hashlib
import os
import sys
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from placet.core.errors import SandboxFailed
from placet.core.executor import in_thread
from placet.core.ids import new_id
from placet.core.tasks import to_the_end
from placet.core.values import replace
from placet.project.paths import TEMPORARY, real
from placet.project.processes.child import Command
from placet.project.processes.open_directories import note
from placet.project.processes.programs import find_program, keep_programs_from
from placet.sandbox.aftermath import look_after
from placet.sandbox.bubblewrap import Form, Options, bubblewrap_words
from placet.sandbox.contained import Contained, Descriptors
from placet.sandbox.containment import Containment, Host, Overlay
from placet.sandbox.environment import (
    contained_environment,
    private_cache_directories,
    shared_cache_directories,
    with_git_setting,
)
from placet.sandbox.fallbacks.fallback import fallback, landlock_words, seatbelt_words
from placet.sandbox.hidden_files import GIT_SETTING, make_stand_ins
from placet.sandbox.listings import Listings
from placet.sandbox.places import is_in
from placet.sandbox.preflight import Backend, Bubblewrap, find_bubblewraps, preflight, runs
from placet.sandbox.protections import Protections, look_at
from placet.sandbox.removal import remove_tree
from placet.sandbox.seccomp import filter_program

_RESOLVER = Path("/etc/resolv.conf")


BubblewrapPrograms = tuple[tuple[str, int], ...]
"""Programs bwrap, each with the time of the last change: a replaced program is another program."""


class CommandNetwork(Protocol):
    """Network of a session's commands, as sandbox/network makes the network."""

    @property
    def prefix(self) -> tuple[str, ...]:
        """Words before the program, by which the program joins the session's namespace."""
        ...

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables that lead to the proxy."""
        ...

    @property
    def own_namespace(self) -> bool:
        """Whether each command has a network namespace to itself."""
        ...

    @property
    def proxy_port(self) -> int | None:
        """Port of the proxy on the loopback of this machine, for backends without namespaces."""
        ...


class _Places(Struct, frozen=True):
    """Directories of a session's commands. All paths are real."""

    temporary: Path
    caches: tuple[Path, ...]


class _Start(Struct, frozen=True):
    """Circumstances of one command's start."""

    places: _Places
    network: CommandNetwork | None
    overlays: tuple[Overlay, ...]
    is_server: bool
    descriptors: Descriptors


class Sandbox:
    """Sandbox for the commands of a front end; the services of the front end own the object and live as long."""

    def __init__(self, host: Host, environment: Mapping[str, str]) -> None:
        """Make the sandbox; `environment` is the daemon's own, for PATH."""
        self._host = host
        self._path = environment.get("PATH", os.defpath)
        self._listings = Listings()
        self._noted: set[Path] = set()
        """Directories known to later processes as open to commands."""
        self._backends: dict[BubblewrapPrograms, Backend] = {}
        self._trying = asyncio.Lock()

    async def backend(self, containment: Containment | None = None) -> Backend:
        """Return the sandbox that works here; the first call, and a call after bwrap has changed, makes a trial."""
        limits = containment or Containment(roots=(), writable=())
        return await self.backend_of(await in_thread(self.programs, limits), limits)

    async def backend_of(self, programs: BubblewrapPrograms, limits: Containment) -> Backend:
        """Return the sandbox that works with the programs of bwrap; programs without an earlier trial get a trial.

        Raises SandboxFailed if the trial has no folder: no command runs then, rather than a command without a sandbox.
        """
        if sys.platform == "win32":
            return Backend("none", "none", "Windows has no sandbox that Placet knows")
        async with self._trying:
            if programs not in self._backends:
                with _own_folders():
                    self._backends[programs] = await self._tried([program for program, _ in programs], limits)
            return self._backends[programs]

    def programs(self, containment: Containment) -> BubblewrapPrograms:
        """Return the programs bwrap with the times of their last changes; none of those that commands can write.
        Blocks.
        """
        self._keep_programs_from(containment.writable)
        is_everything = any(path == path.parent for path in containment.writable)
        programs = () if is_everything else find_bubblewraps(self._path)
        return tuple((program, Path(program).stat().st_mtime_ns) for program in programs)

    def _keep_programs_from(self, directories: Sequence[Path]) -> None:
        """Run no program of Placet's own from directories in which commands can write, in later processes too. Blocks.

        Raises SandboxFailed.
        """
        keep_programs_from(directories)
        new = {path for path in directories if not is_in(path, self._host.locations.of_commands)} - self._noted
        if new:
            with _own_folders():
                note(self._host.locations.open_directories, new)
            self._noted |= new

    def look(self, containment: Containment) -> Protections:
        """Return what the disk has to say about the limits, as of now or of the look before the last command. Blocks.

        The look before a command is always new, and the limits say whether the command may run without an answer.
        """
        return look_at(containment, self._listings, self._host.home, self._host.programs, is_new=False)

    async def reason_against_overlays(self, overlays: Sequence[Overlay], containment: Containment) -> str:
        """Return why bubblewrap cannot lay the overlays, in a clause, or "" where a trial has shown that it can."""
        backend = await self.backend(containment)
        if backend.overlay_bubblewrap is None:
            return "bubblewrap cannot lay overlays here"
        has_run = await self._try(backend.overlay_bubblewrap, backend.form, containment, overlays)
        return "" if has_run else "the file system of the project takes no overlay"

    @asynccontextmanager
    async def contained(
        self,
        command: Command,
        containment: Containment,
        *,
        session_id: str,
        network: CommandNetwork | None = None,
        overlays: Sequence[Overlay] = (),
        is_server: bool = False,
    ) -> AsyncGenerator[Contained]:
        """Yield the command as wrapped by the sandbox, to be run inside of the block; then look after the command.

        `is_server`: the program ends with the daemon, and leaves no process; protected names that appeared meanwhile
        stay, as the user too makes such names while a server runs. Without a network of the session, a command has a
        network of its own. Raises SandboxFailed if no sandbox can be laid around the command.
        """
        # A line of the model names nothing here: the line is an argument of the shell.
        words = command.arguments if is_server else command.arguments[:1]
        named = [path for path in map(Path, words) if path.is_absolute()]
        overlaid = [overlay.lower for overlay in overlays]
        programs, protections, places = await in_thread(self._looked, containment, session_id, named, overlaid)
        backend = await self.backend_of(programs, containment)
        if backend.level == "none" or (overlays and backend.overlay_bubblewrap is None):
            raise SandboxFailed(f"The command did not run: {backend.reason or 'no overlay can be laid here'}.")
        if protections.refusal:
            raise SandboxFailed(f"The command did not run in the sandbox: {protections.refusal}.")
        gap = protections.gap or protections.unhidden
        if gap and containment.must_hold:
            raise SandboxFailed(
                f"The command did not run, as the project has changed meanwhile: it {gap}. The user is asked about the "
                "next command."
            )
        with Descriptors.opened(_filter(backend)) as descriptors:
            start = _Start(places, network, tuple(overlays), is_server, descriptors)
            wrapped = await in_thread(self._wrapped, command, backend, containment, protections, start)
            result = Contained(
                wrapped, backend.name, containment, protections, descriptors.status, is_overlaid=bool(overlays)
            )
            try:
                yield result
            finally:
                if not is_server:
                    await to_the_end(self._look_after(result, protections, session_id, overlaid))

    async def _look_after(
        self, result: Contained, protections: Protections, session_id: str, overlaid: Sequence[Path]
    ) -> None:
        """End what the command has left running, and then move what the command cannot make out of the project."""
        await result.end_left_processes()
        keep = self._host.locations.kept / session_id
        result.intrusions = await in_thread(look_after, protections, self._listings, keep, overlaid)

    def _wrapped(
        self, command: Command, backend: Backend, containment: Containment, protections: Protections, start: _Start
    ) -> Command:
        """Return the command with the words of the backend before, and with the variables of the sandbox. Blocks."""
        network, places, temporary = start.network, start.places, start.places.temporary
        port = None if network is None else network.proxy_port
        match backend.name:
            case "landlock":
                status = start.descriptors.status
                words = landlock_words(containment, protections, self._host, temporary, places.caches, port, status)
            case "seatbelt":
                words = seatbelt_words(containment, protections, (temporary, *places.caches), port)
            case _:
                options = self._started(backend, containment, start)
                words = bubblewrap_words(containment, protections, options, real(command.directory))
                temporary = TEMPORARY
        variables = self._environment(command.environment, backend.name, containment, temporary)
        if protections.hidden:
            variables = with_git_setting(variables, *GIT_SETTING)
        return Command(
            (*(() if network is None else network.prefix), *words, *command.arguments),
            command.directory,
            variables if network is None else {**variables, **network.environment},
            (*command.file_descriptors, *start.descriptors.inherited),
        )

    def _started(self, backend: Backend, containment: Containment, start: _Start) -> Options:
        """Return bubblewrap's options for a start."""
        program = backend.overlay_bubblewrap if start.overlays else backend.bubblewrap
        assert program is not None
        has_own_network = containment.network != "allow" if start.network is None else start.network.own_namespace
        return replace(
            self._options(program, backend.form, containment, start.places),
            overlays=start.overlays,
            ends_with_parent=start.is_server,
            has_own_network=has_own_network,
            filter_descriptor=start.descriptors.filter,
            status_descriptor=start.descriptors.status,
        )

    def temporary_directory(self, session_id: str) -> Path:
        """Return the directory that the session's commands see as /tmp; made by the first command."""
        return self._host.locations.temporary_of(session_id)

    async def close_session(self, session_id: str) -> None:
        """Remove the session's temporary files."""
        await in_thread(remove_tree, self._session(session_id))

    def _session(self, session_id: str) -> Path:
        return self._host.locations.temporary_of(session_id).parent

    def _caches(self, containment: Containment) -> Path:
        """Return the directory of the project's caches."""
        name = str(containment.roots[0]) if containment.roots else ""
        number = hashlib.sha256(os.fsencode(name)).hexdigest()[:16]
        return real(self._host.locations.cache) / "sandbox" / "caches" / number

    def _environment(
        self, environment: Mapping[str, str], backend: str, containment: Containment, temporary: Path
    ) -> dict[str, str]:
        agent = self._host.agent_socket
        return contained_environment(
            environment,
            backend,
            temporary,
            None if containment.shares_caches else self._caches(containment),
            self._host.home,
            agent if agent is not None and real(agent) in containment.sockets else None,
        )

    def _places(self, containment: Containment, session_id: str) -> _Places:
        """Return the directories for temporary files and caches, made where they are missing. Blocks."""
        temporary = self.temporary_directory(session_id)
        if not temporary.is_dir():
            temporary.mkdir(parents=True, exist_ok=True)
            temporary.parent.chmod(0o700)
            temporary.chmod(0o1777)  # Programs look for the mode of /tmp; nobody else passes the parent.
        if containment.shares_caches:
            return _Places(real(temporary), shared_cache_directories(self._host.home))
        caches = self._caches(containment)
        for directory in private_cache_directories(caches):
            if not directory.is_dir():
                directory.mkdir(parents=True, exist_ok=True)
        return _Places(real(temporary), (caches,))

    def _options(self, program: Bubblewrap, form: Form, containment: Containment, places: _Places) -> Options:
        resolver = real(_RESOLVER)
        return Options(
            program.program,
            places.temporary,
            places.caches,
            tuple(path for path in own_directories() if not any(map(path.is_relative_to, containment.roots))),
            form,
            is_root=self._host.is_root,
            resolver=resolver if containment.network == "allow" and resolver.is_relative_to("/run") else None,
        )

    def _looked(
        self, containment: Containment, session_id: str, named: Sequence[Path] = (), overlaid: Sequence[Path] = ()
    ) -> tuple[BubblewrapPrograms, Protections, _Places]:
        """Return everything that the disk has to say before a start, by a single visit to a thread. Blocks."""
        protections = look_at(containment, self._listings, self._host.home, self._host.programs, named, overlaid)
        with _own_folders():
            places = self._places(containment, session_id)
            make_stand_ins(protections.hidden, places.temporary)
            self._keep_programs_from((places.temporary, *places.caches))
            return self.programs(containment), protections, places

    async def _tried(self, programs: Sequence[str], containment: Containment) -> Backend:
        base = real(self._host.locations.cache) / "sandbox" / "trial"
        overlay = await in_thread(_empty_overlay, base)
        small = Containment(roots=(overlay.lower,), writable=(overlay.lower,))
        backend = await preflight(
            programs,
            lambda program, form: self._try(program, form, containment),
            lambda program, form: self._try(program, form, small, (overlay,)),
        )
        if backend.level != "none":
            return backend
        return await fallback(backend.reason, containment, self._host, overlay.lower)

    async def _try(
        self, program: Bubblewrap, form: Form, containment: Containment, overlays: Sequence[Overlay] = ()
    ) -> bool:
        """Run `true` in the real profile; return whether it ran."""
        trial_id = new_id("trial")
        try:
            # A thread that is not waited for would make the temporary files after their removal.
            _, protections, places = await to_the_end(in_thread(self._looked, containment, trial_id))
            true = await in_thread(find_program, "true", self._path)
            with Descriptors.opened(filter_program(may_trace=form.has_own_processes)) as descriptors:
                options = replace(
                    self._options(program, form, containment, places),
                    overlays=tuple(overlays),
                    filter_descriptor=descriptors.filter,
                )
                words = (*bubblewrap_words(containment, protections, options, Path("/")), true or "/bin/true")
                return await runs(words, descriptors.inherited)
        finally:
            await to_the_end(self.close_session(trial_id))


@cache
def own_directories() -> tuple[Path, ...]:
    """Return the directories below /tmp that hold Placet and its Python: custom tools and the tunnel of ssh run there.

    Blocks.
    """
    directories = map(real, (Path(sys.prefix), Path(sys.base_prefix), Path(__file__).parents[1]))
    return tuple(dict.fromkeys(path for path in directories if path.is_relative_to(TEMPORARY)))


def _filter(backend: Backend) -> bytes | None:
    """Return the program of the filter that bubblewrap lays; other backends lay a filter of their own."""
    return filter_program(may_trace=backend.form.has_own_processes) if backend.name == "bubblewrap" else None


@contextmanager
def _own_folders() -> Generator[None]:
    """Raise SandboxFailed in place of OSError while Placet's own folders are made."""
    try:
        yield
    except OSError as error:
        raise SandboxFailed(
            f"The command did not run: a folder of Placet's sandbox cannot be made ({error}). The user has to correct "
            "the folder, or to switch off the sandbox by the setting `sandbox.mode`."
        ) from error


class _EmptyOverlay(Struct, frozen=True):
    """Overlay for a trial."""

    lower: Path
    upper: Path
    work: Path
    staged: Path


def _empty_overlay(base: Path) -> _EmptyOverlay:
    overlay = _EmptyOverlay(base / "lower", base / "upper", base / "work", base / "staged")
    for directory in (overlay.lower, overlay.upper, overlay.work, overlay.staged):
        directory.mkdir(parents=True, exist_ok=True)
    return overlay
