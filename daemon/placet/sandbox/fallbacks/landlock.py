"""Landlock and seccomp around commands: the weaker sandbox, for systems where bubblewrap cannot run.

Landlock only adds rights to directories, so reading is a list of what may be read, and nothing inside a writable root
can be protected: `.git` and Placet's own files of the project stay writable, since without the right to make files in a
root no build and no test runs. `weaknesses` names all that stays open, for the doctor and the explanation.
https://docs.kernel.org/userspace-api/landlock.html
"""

import ctypes
import os
import platform
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from placet.project.paths import real
from placet.sandbox.containment import Containment
from placet.sandbox.seccomp import MACHINES, Sockets, filter_program

LEAST_ABI = 3
"""First version of Landlock that holds `truncate`."""

_CREATE_RULESET, _ASK_VERSION = 444, 1
_LAUNCHER = Path(__file__).with_name("landlock_launcher.py")

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIRECTORY = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE = 1 << 4 | 1 << 5
_MAKE_DEVICE = 1 << 6 | 1 << 11
_MAKE = 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12
_REFER, _TRUNCATE, _CONTROL_DEVICE, _RESOLVE_SOCKET = 1 << 13, 1 << 14, 1 << 15, 1 << 16
_BIND_AND_CONNECT_TCP = 1 | 2
_ABSTRACT_SOCKETS_AND_SIGNALS = 1 | 2

_READ = _EXECUTE | _READ_FILE | _READ_DIRECTORY
_WRITE = _WRITE_FILE | _REMOVE | _MAKE | _REFER | _TRUNCATE
_SINCE_1 = _READ | _WRITE_FILE | _REMOVE | _MAKE | _MAKE_DEVICE
_RIGHTS_SINCE = ((1, _SINCE_1), (2, _REFER), (3, _TRUNCATE), (5, _CONTROL_DEVICE), (9, _RESOLVE_SOCKET))
_TCP_SINCE, _SCOPES_SINCE, _SOCKETS_SINCE = 4, 6, 9

_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu", "/snap"),
    *("/proc", "/sys", "/var/lib/dpkg", "/var/lib/apt", "/var/lib/rpm", "/var/lib/pacman"),
    *("/run/current-system", "/run/systemd/resolve", "/run/resolvconf"),
)
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts")
_PROGRAM_DIRECTORIES = frozenset({"bin", "sbin", "shims", "scripts"})

Children = Callable[[Path], Iterable[Path]]
"""Lists the entries of a directory that are no symlinks; a directory that cannot be listed has none."""


class Surroundings(Struct, frozen=True):
    """Facts of the machine and of the session on which the rules depend. All paths are real."""

    abi: int
    """Kernel's version of Landlock; 0 without Landlock."""
    home: Path
    system: tuple[Path, ...]
    """Directories of the system in which everybody may read."""
    programs: tuple[Path, ...]
    """Directories of PATH."""
    temporary: Path
    """Directory for temporary files of commands, named to them by TMPDIR."""
    caches: tuple[Path, ...] = ()
    """Directories of caches in which commands write."""
    git_directories: tuple[Path, ...] = ()
    """Directories of git outside of the roots, for linked worktrees."""
    proxy_port: int | None = None
    """Port of the proxy on the loopback of this machine; None without a proxy."""


class Ruleset(Struct, frozen=True):
    """Everything that the launcher lays around a command."""

    rules: tuple[tuple[Path, int], ...]
    """Rights to files, and to directories with everything below."""
    files: int
    """Rights to files that Landlock holds, and which only rules give back."""
    network: int
    """Rights to TCP that Landlock holds."""
    ports: tuple[int, ...]
    """TCP ports to which a command connects, at any address."""
    scopes: int
    sockets: Sockets


def landlock_abi() -> int:
    """Return the kernel's version of Landlock, or 0 where the kernel has none."""
    if sys.platform != "linux":
        return 0
    return max(0, ctypes.CDLL(None, use_errno=True).syscall(_CREATE_RULESET, None, 0, _ASK_VERSION))


def unusable(abi: int, machine: str | None = None) -> str | None:
    """Return why Landlock cannot contain commands here, or None where Landlock can."""
    if abi < LEAST_ABI:
        return f"the kernel has no Landlock of version {LEAST_ABI} or later"
    if (machine or platform.machine()) not in MACHINES:
        return f"no table of system calls for {machine or platform.machine()}"
    return None


def weaknesses(abi: int, containment: Containment) -> tuple[str, ...]:
    """Return what commands can do inside Landlock and not inside bubblewrap, for the user to read."""
    lines = ["other processes are listed"]
    if containment.writable:
        lines.insert(0, "protected paths inside the project (.git/hooks, placet.json) can be written")
    if abi < _SOCKETS_SINCE:
        lines.append("Unix sockets with a path can be reached")
    if abi < _SCOPES_SINCE:
        lines.append("abstract Unix sockets can be reached, and other processes can be signalled")
    if containment.network != "allow":
        lines.append("no servers on the loopback")
    return tuple(lines)


def children(directory: Path) -> list[Path]:
    """Return the entries of a directory that are no symlinks. Looks at the disk."""
    try:
        with os.scandir(directory) as entries:
            return sorted(Path(entry.path) for entry in entries if not entry.is_symlink())
    except OSError:
        return []


def system_directories() -> tuple[Path, ...]:
    """Return the directories of the system that are here. Looks at the disk."""
    return tuple(dict.fromkeys(real(path) for path in map(Path, _SYSTEM) if path.exists()))


def landlock_rules(containment: Containment, surroundings: Surroundings, entries: Children = children) -> Ruleset:
    """Return the rules for a containment; directories are listed only where a secret lies below."""
    rules: dict[Path, int] = {}

    def allow(path: Path, rights: int) -> None:
        rules[path] = rules.get(path, 0) | rights

    for directory in surroundings.system:
        _allow_reading(directory, containment, entries, allow, lists_names=True)
    for directory in (_toolchain(path, surroundings.home) for path in surroundings.programs):
        _allow_reading(directory, containment, entries, allow)
    if surroundings.home.parent != surroundings.home:
        _allow_reading(surroundings.home, containment, entries, allow)
    for directory in (*containment.roots, *containment.writable):
        _allow_reading(directory, containment, entries, allow, lists_names=True)
    for path in containment.readable:
        allow(path, _READ)
    for directory in containment.writable:
        allow(directory, _WRITE | _RESOLVE_SOCKET)
    for directory in (surroundings.temporary, *(surroundings.caches if containment.writable else ())):
        allow(directory, _READ | _WRITE | _RESOLVE_SOCKET)
    for directory in surroundings.git_directories:
        allow(directory, _READ | (_WRITE if containment.writable else 0))
    for device in _DEVICES:
        allow(Path("/dev") / device, _READ | _WRITE_FILE | _TRUNCATE | _CONTROL_DEVICE)
    allow(Path("/dev", "shm"), _READ | _WRITE)
    for socket in containment.sockets:
        allow(socket, _RESOLVE_SOCKET)
    return _ruleset(rules, containment, surroundings)


def launcher_words(ruleset: Ruleset, *, status: int | None = None, python: str = sys.executable) -> tuple[str, ...]:
    """Return the words that stand before a command; the launcher writes to `status` why a command did not start."""
    program = filter_program(may_trace=False, sockets=ruleset.sockets)
    if program is None:
        raise ValueError(unusable(LEAST_ABI))
    return (
        *(python, "-I", "-S", str(_LAUNCHER), str(-1 if status is None else status)),
        *(str(number) for number in (ruleset.files, ruleset.network, ruleset.scopes)),
        *(program.hex(), ",".join(map(str, ruleset.ports))),
        *(word for path, rights in ruleset.rules for word in (str(rights), str(path))),
        "--",
    )


def _ruleset(rules: dict[Path, int], containment: Containment, surroundings: Surroundings) -> Ruleset:
    """Keep of the rules what the kernel's version of Landlock knows."""
    abi = surroundings.abi
    files = sum(rights for since, rights in _RIGHTS_SINCE if since <= abi)
    has_network = containment.network == "allow"
    proxy = surroundings.proxy_port if containment.network == "ask" and abi >= _TCP_SINCE else None
    return Ruleset(
        rules=tuple((path, rights & files) for path, rights in rules.items() if rights & files),
        files=files,
        network=0 if has_network or abi < _TCP_SINCE else _BIND_AND_CONNECT_TCP,
        ports=() if proxy is None else (proxy,),
        scopes=_ABSTRACT_SOCKETS_AND_SIGNALS if abi >= _SCOPES_SINCE else 0,
        sockets="ordinary" if has_network else "local" if proxy is None else "tcp",
    )


def _allow_reading(
    directory: Path,
    containment: Containment,
    entries: Children,
    allow: Callable[[Path, int], None],
    *,
    lists_names: bool = False,
) -> None:
    """Allow reading a directory as a whole, or in pieces around the secrets that lie below the directory.

    A directory in pieces is itself listed only with `lists_names`, as the right covers the names of the secrets too.
    """
    secrets = containment.unreadable
    if any(directory.is_relative_to(secret) for secret in secrets):
        return
    if not any(secret.is_relative_to(directory) for secret in secrets):
        allow(directory, _READ)
        return
    if lists_names:
        allow(directory, _READ_DIRECTORY)
    for entry in entries(directory):
        _allow_reading(entry, containment, entries, allow)


def _toolchain(programs: Path, home: Path) -> Path:
    """Return the directory in which the programs and their libraries lie: above `bin`, but never above home."""
    above = programs.parent
    is_narrow = len(above.parts) > 2 and not home.is_relative_to(above)
    return above if programs.name in _PROGRAM_DIRECTORIES and is_narrow else programs
