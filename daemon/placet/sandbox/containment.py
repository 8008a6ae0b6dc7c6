"""Containment: everything that a contained command may touch, as a value. The model never sees or sets it.

Settings, workspace and agent give the containment, `placet sandbox explain` prints the containment, and each backend
turns the containment into arguments. Pure except for resolving symlinks.
"""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from placet.core.values import replace
from placet.project.paths import Resolver, real
from placet.project.protected_names import PROTECTED
from placet.sandbox.listings import ALL_READABLE, ReadingRules
from placet.sandbox.places import is_in
from placet.sandbox.secrets import secrets_of
from placet.settings.locations import Locations
from placet.settings.models import SandboxSettings

Network = Literal["off", "ask", "allow"]
"""`off`: the loopback of the sandbox alone; `ask`: also hosts that a list or the user allows; `allow`: the host's
network."""
_NETWORKS: tuple[Network, ...] = ("off", "ask", "allow")
"""Kinds of network, the narrowest first."""
AGENT_SOCKET = "ssh-agent"
"""Name in the setting `sandbox.sockets` for the socket of the user's ssh-agent."""


class Containment(Struct, frozen=True):
    """Limits of contained commands. All paths are absolute and real (symlinks resolved)."""

    roots: tuple[Path, ...]
    """Folders of the workspace."""
    writable: tuple[Path, ...]
    """Directories in which commands may write: the roots and the directories of `sandbox.write`, or none."""
    unreadable: tuple[Path, ...] = ()
    """Files and directories of secrets; an entry may be missing on disk."""
    network: Network = "off"
    domains: tuple[str, ...] = ()
    """Hosts open without a question, in the grammar of the setting `sandbox.domains`."""
    sockets: tuple[Path, ...] = ()
    """Unix sockets of the host that stay in reach."""
    shares_caches: bool = False
    """Whether commands write to the user's caches of build tools; otherwise each project has caches of its own."""
    lifted: tuple[Path, ...] = ()
    """Protected paths that the user has opened for this call."""
    readable: tuple[Path, ...] = ()
    """Files and directories below an unreadable directory, and hidden files, that stay readable."""
    reading: ReadingRules = ALL_READABLE
    """Rules about the files of the workspace that are hidden from commands."""
    must_hold: bool = False
    """Whether the sandbox answers for commands: none runs where not everything can be protected and hidden."""

    @property
    def only_reads(self) -> bool:
        return not self.writable


class Overlay(Protocol):
    """Directories of an overlay over a folder of the workspace, for one command."""

    @property
    def lower(self) -> Path: ...
    @property
    def upper(self) -> Path: ...
    @property
    def work(self) -> Path: ...
    @property
    def staged(self) -> Path | None: ...


class CommandSandbox(Struct, frozen=True):
    """Sandbox offered to the commands of a session's agent: the facts by which permissions are decided."""

    settings: SandboxSettings
    containment: Containment
    is_partial: bool = False
    """Whether the backend cannot hold all of the containment (Landlock)."""
    proposes: bool = False
    """Whether an overlay can be laid, so that changes by a command are proposed."""
    hidden: tuple[Path, ...] = ()
    """Real paths of the files that commands cannot read, as a rule for `read` asks about them or denies them."""
    unhidden: str = ""
    """Reason why a sandbox that is not partial hides no such file, in a sentence; "" where all are hidden."""
    gap: str = ""
    """Reason why the sandbox cannot answer for commands here, in a sentence; "" where it can."""

    @property
    def hides(self) -> bool:
        """Return whether a command can read no file that must be asked to be read."""
        return not (self.is_partial or self.unhidden)


class Host(Struct, frozen=True):
    """Facts of the user and of the machine that limits depend on. All paths are absolute."""

    home: Path
    locations: Locations
    programs: tuple[Path, ...] = ()
    """Directories of PATH."""
    agent_socket: Path | None = None
    """Socket of the user's ssh-agent."""
    is_root: bool = False


def containment_of(
    settings: SandboxSettings,
    roots: Sequence[Path],
    host: Host,
    *,
    only_reads: bool = False,
    outputs: Path | None = None,
) -> tuple[Containment, tuple[str, ...]]:
    """Return the limits of commands, and the problems of the settings, a sentence each.

    `outputs` is the directory of the session's tool outputs, which stays readable. An agent that only reads has no
    writable directory and no network.
    """
    resolver = Resolver()
    home = resolver.real(host.home)
    problems: list[str] = []
    real_roots = tuple(dict.fromkeys(map(resolver.real, roots)))
    secrets = (*secrets_of(home, is_root=host.is_root), *_own_directories(host.locations))
    named = tuple(_paths(settings.deny_read, home, "deny_read", problems))
    opened = tuple(_paths(settings.allow_read, home, "allow_read", problems))
    unreadable = tuple(dict.fromkeys(resolver.real(path) for path in (*secrets, *named) if path not in opened))
    sockets = tuple(_sockets(settings.sockets, host, home, problems)) if settings.sockets else ()
    problems += _problems_of_domains(settings.domains) if settings.domains else ()
    readable = [*opened, *host.locations.skills, host.locations.bundles, *(() if outputs is None else (outputs,))]
    readable = list(map(resolver.real, readable))
    if host.agent_socket is not None and real(host.agent_socket) in sockets:
        readable += [home / ".ssh/known_hosts", home / ".ssh/config"]
    write = _writable(settings.write, home, host, unreadable, problems)
    network: Network = "off" if only_reads else settings.network
    return Containment(
        roots=real_roots,
        writable=() if only_reads else tuple(dict.fromkeys((*real_roots, *write))),
        unreadable=unreadable,
        network=network,
        domains=() if only_reads else settings.domains,
        sockets=sockets,
        shares_caches=settings.caches == "shared" and not only_reads,
        readable=tuple(path for path in dict.fromkeys(readable) if is_in(path, (*unreadable, *real_roots))),
    ), tuple(problems)


def opened(containment: Containment, paths: Sequence[Path]) -> Containment:
    """Return the limits with the paths open for one call: a protected path is written, a secret is read."""
    if not paths:
        return containment
    unreadable = tuple(path for path in containment.unreadable if not is_in(path, paths))
    secrets = (path for path in paths if is_in(path, unreadable))
    return replace(
        containment,
        lifted=(*containment.lifted, *paths),
        unreadable=unreadable,
        readable=tuple(dict.fromkeys((*containment.readable, *secrets))),
    )


def narrowed(one: Containment, other: Containment) -> Containment:
    """Return the limits that hold a command to both containments."""
    unreadable = tuple(dict.fromkeys((*one.unreadable, *other.unreadable)))
    return Containment(
        roots=one.roots,
        writable=_common(one.writable, other.writable),
        unreadable=unreadable,
        network=_NETWORKS[min(map(_NETWORKS.index, (one.network, other.network)))],
        domains=_common_domains(one, other),
        sockets=tuple(socket for socket in one.sockets if socket in other.sockets),
        shares_caches=one.shares_caches and other.shares_caches,
        lifted=tuple(path for path in one.lifted if path in other.lifted),
        readable=tuple(
            path for path in _common(one.readable, other.readable) if _may_read(path, one) and _may_read(path, other)
        ),
    )


def _common(one: Sequence[Path], other: Sequence[Path]) -> tuple[Path, ...]:
    """Return the directories that lie in a directory of each of the two."""
    inner = [path for path in one if is_in(path, other)] + [path for path in other if is_in(path, one)]
    return tuple(dict.fromkeys(inner))


def _common_domains(one: Containment, other: Containment) -> tuple[str, ...]:
    """Return the denied hosts of both, and the hosts that both allow, or that one allows where the other asks none."""
    allowed = [domain for domain in one.domains if domain in other.domains or other.network == "allow"]
    allowed += [domain for domain in other.domains if one.network == "allow"]
    denied = [domain for domain in (*one.domains, *other.domains) if domain.startswith("!")]
    return tuple(dict.fromkeys((*allowed, *denied)))


def _may_read(path: Path, containment: Containment) -> bool:
    return is_in(path, containment.readable) or not is_in(path, containment.unreadable)


def _own_directories(locations: Locations) -> Iterator[Path]:
    yield from (locations.config, locations.data, locations.cache, locations.log)


def _paths(entries: Sequence[str], home: Path, key: str, problems: list[str]) -> Iterator[Path]:
    for entry in entries:
        path = _path(entry, home)
        if path is None:
            problems.append(f"sandbox.{key}: {entry!r} is neither absolute nor below `~/`")
        else:
            yield path


def _path(entry: str, home: Path) -> Path | None:
    if "\0" in entry:
        return None
    if entry == "~" or entry.startswith("~/"):
        return Path(home, entry[2:])
    return Path(entry) if Path(entry).is_absolute() else None


def _writable(
    entries: Sequence[str], home: Path, host: Host, unreadable: Sequence[Path], problems: list[str]
) -> Iterator[Path]:
    for path in map(real, _paths(entries, home, "write", problems)):
        reason = _refusal_to_write(path, home, host.programs, unreadable)
        if reason is None:
            yield path
        else:
            problems.append(f"sandbox.write: {path} {reason}")


def _refusal_to_write(path: Path, home: Path, programs: Sequence[Path], unreadable: Sequence[Path]) -> str | None:
    """Return why commands may not write in the directory, or None."""
    if path == Path(path.anchor):
        return "is the whole file system"
    if home.is_relative_to(path):
        return "holds your home directory"
    if any(real(program).is_relative_to(path) for program in programs):
        return "holds a directory of PATH"
    for directory, name in itertools.pairwise(path.parts):
        if name == ".git" or PROTECTED.holds(directory, name):
            return f"lies in {name}, which other programs run or obey"
    secret = next((secret for secret in unreadable if secret.is_relative_to(path) or path.is_relative_to(secret)), None)
    return None if secret is None else f"holds {secret}, which commands cannot read, or lies in it"


def _sockets(entries: Sequence[str], host: Host, home: Path, problems: list[str]) -> Iterator[Path]:
    # The judgement compiles many expressions, and few users name a socket.
    from placet.sandbox.sockets import judge_socket

    if AGENT_SOCKET in entries:
        if host.agent_socket is None:
            problems.append("sandbox.sockets: no ssh-agent runs (SSH_AUTH_SOCK is not set)")
        else:
            yield real(host.agent_socket)
    named = [entry for entry in entries if entry != AGENT_SOCKET]
    agent = None if host.agent_socket is None else real(host.agent_socket)
    ours = tuple(map(real, _own_directories(host.locations)))
    for path in _paths(named, home, "sockets", problems):
        reasons = (judge_socket(place, agent=agent, ours=ours) for place in (path, real(path)))
        if reason := next(filter(None, reasons), ""):
            problems.append(f"sandbox.sockets: {path} would let commands leave the sandbox: {reason}")
        else:
            yield real(path)


def _problems_of_domains(domains: Sequence[str]) -> tuple[str, ...]:
    from placet.sandbox.domains import Domains

    return Domains.read(domains).problems
