"""Seatbelt around commands on macOS: the text of a profile, and the arguments of `sandbox-exec`. Pure.

A path is never part of the text: paths are parameters, so that no quote and no parenthesis in a name writes a rule.
The last rule that fits decides, so denials follow what they take away. No profile was run on macOS yet:
docs/PLATFORMS.md.
"""

import re
from collections.abc import Sequence
from pathlib import Path, PurePath

from msgspec import Struct

from placet.sandbox.containment import Containment

SANDBOX_EXEC = "/usr/bin/sandbox-exec"

# Apple events, LaunchServices, launchd and the keychain are left out: each of them runs or reads something outside.
_BASE = """\
(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal process-info* (target same-sandbox))
(allow sysctl-read
  (sysctl-name-prefix "hw.") (sysctl-name-prefix "machdep.cpu.") (sysctl-name-prefix "kern.os")
  (sysctl-name "kern.argmax") (sysctl-name "kern.boottime") (sysctl-name "kern.clockrate")
  (sysctl-name "kern.hostname") (sysctl-name "kern.iossupportversion") (sysctl-name "kern.maxfiles")
  (sysctl-name "kern.maxfilesperproc") (sysctl-name "kern.maxproc") (sysctl-name "kern.ngroups")
  (sysctl-name "kern.secure_kernel") (sysctl-name "kern.usrstack64") (sysctl-name "kern.version")
  (sysctl-name "sysctl.proc_cputype") (sysctl-name "vm.loadavg") (sysctl-name "vm.swapusage"))
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership") (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center") (global-name "com.apple.bsd.dirhelper")
  (global-name "com.apple.cfprefsd.agent") (global-name "com.apple.cfprefsd.daemon")
  (global-name "com.apple.PowerManagement.control"))
(allow user-preference-read)
(allow ipc-posix-sem ipc-posix-shm*)
(allow pseudo-tty)
(allow file-read*)
(allow file-read* file-write* file-ioctl
  (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx")
  (literal "/dev/dtracehelper") (regex #"^/dev/ttys[0-9]+$")
  (subpath "/dev/fd"))
"""
# Programs in Go and Swift check certificates by trustd, which itself fetches from hosts: only where hosts are in reach.
_CERTIFICATES = """\
(allow mach-lookup
  (global-name "com.apple.trustd") (global-name "com.apple.trustd.agent")
  (global-name "com.apple.SystemConfiguration.configd")
  (global-name "com.apple.SystemConfiguration.DNSConfiguration") (global-name "com.apple.networkd"))
"""
_OPEN_NETWORK = "(allow network* system-socket)\n"

# Directories that macOS knows by two spellings, of which the kernel sees the longer.
_PRIVATE = tuple(PurePath("/", name) for name in ("tmp", "var", "etc"))


class Profile(Struct, frozen=True):
    """Profile of a sandbox with the values of its parameters."""

    text: str
    parameters: tuple[tuple[str, str], ...]


class Protections(Struct, frozen=True):
    """What stays read-only inside writable directories. All paths are absolute and real."""

    paths: tuple[Path, ...] = ()
    """Files and directories, of which some may be missing; their directories cannot be moved away."""
    names: tuple[str, ...] = ()
    """Names, or relative paths, that are read-only at every depth, in upper and lower case."""
    hidden: tuple[Path, ...] = ()
    """Files whose contents are out of reach; git may still ask for their size and age."""


class _Parameters:
    """Parameters of a profile under construction: a path goes in, and a name comes out."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def add(self, path: PurePath) -> list[str]:
        """Return the expressions for a path in all its spellings."""
        return [f'(param "{self._name(spelling)}")' for spelling in _spellings(path)]

    def filters(self, kind: str, paths: Sequence[PurePath]) -> str:
        return " ".join(self.each(kind, paths))

    def each(self, kind: str, paths: Sequence[PurePath]) -> list[str]:
        """Return the filters for the paths: `literal` for the path alone, `subpath` with everything below."""
        return [f"({kind} {expression})" for path in paths for expression in self.add(path)]

    def values(self) -> tuple[tuple[str, str], ...]:
        return tuple((name, value) for value, name in self._names.items())

    def _name(self, value: str) -> str:
        return self._names.setdefault(value, f"PATH_{len(self._names)}")


def seatbelt_profile(
    containment: Containment, protections: Protections, temporary: Sequence[Path], *, proxy_port: int | None = None
) -> Profile:
    """Return the profile of a containment; commands may also write to the directories of `temporary`."""
    parameters = _Parameters()
    text = _BASE
    text += _rule("allow file-write*", parameters.filters("subpath", [*containment.writable, *temporary]))
    text += _protected(containment, protections, parameters)
    text += _rule("allow file-write*", parameters.filters("subpath", _inside(containment.lifted, containment)))
    text += _rule("deny file-read* file-write*", parameters.filters("subpath", containment.unreadable))
    text += _rule("allow file-read*", parameters.filters("subpath", containment.readable))
    text += _rule("deny file-read-data file-write*", parameters.filters("literal", protections.hidden))
    text += _network(containment, temporary, proxy_port, parameters)
    return Profile(text, parameters.values())


def sandbox_exec_words(profile: Profile) -> tuple[str, ...]:
    """Return the words that stand before a command."""
    definitions = (f"-D{name}={value}" for name, value in profile.parameters)
    return (SANDBOX_EXEC, "-p", profile.text, *definitions, "--")


def _protected(containment: Containment, protections: Protections, parameters: _Parameters) -> str:
    """Deny writes to protections, and moving away the directories in which protections and secrets lie."""
    text = _rule("deny file-write*", parameters.filters("subpath", _inside(protections.paths, containment)))
    above = {
        directory: None
        for path in (*protections.paths, *containment.unreadable, *protections.hidden)
        for root in containment.writable
        if path.is_relative_to(root)
        for directory in path.parents
        if directory.is_relative_to(root)
    }
    text += _rule("deny file-write-unlink", parameters.filters("literal", tuple(above)))
    names = "|".join(
        ("[^/]*" if name.startswith("*") else "") + _ignoring_case(name.removeprefix("*")) for name in protections.names
    )
    at_any_depth = (
        f'(regex (string-append "^" (regex-quote {expression}) "(/.*)?/({names})(/.*)?$"))'
        for root in containment.writable
        for expression in parameters.add(root)
    )
    return text + _rule("deny file-write*", "\n  ".join(at_any_depth) if names else "")


def _network(
    containment: Containment, temporary: Sequence[Path], proxy_port: int | None, parameters: _Parameters
) -> str:
    if containment.network == "allow":
        return _OPEN_NETWORK + _CERTIFICATES
    # Sockets by path: of the host those that are named, and those that commands make themselves.
    own = parameters.each("subpath", [*containment.writable, *temporary])
    reached = [*own, *parameters.each("literal", containment.sockets)]
    text = "(allow system-socket (socket-domain AF_UNIX))\n"
    text += _rule("allow network-bind network-inbound", " ".join(f"(local unix-socket {place})" for place in own))
    text += _rule("allow network-outbound", " ".join(f"(remote unix-socket {place})" for place in reached))
    if containment.network == "ask" and proxy_port is not None:
        text += f'(allow network-outbound (remote ip "localhost:{proxy_port:d}"))\n{_CERTIFICATES}'
    return text


def _inside(paths: Sequence[Path], containment: Containment) -> list[Path]:
    """Return the paths that lie in a writable directory: elsewhere nothing is to be denied or opened."""
    return [path for path in paths if any(path.is_relative_to(root) for root in containment.writable)]


def _rule(head: str, filters: str) -> str:
    """Return a rule, or nothing without filters: a rule without filters is about every path."""
    return f"({head}\n  {filters})\n" if filters else ""


def _spellings(path: PurePath) -> list[str]:
    private = PurePath("/private")
    if any(path.is_relative_to(private / short.relative_to("/")) for short in _PRIVATE):
        return [str(path), str(PurePath("/", path.relative_to(private)))]
    if any(path.is_relative_to(short) for short in _PRIVATE):
        return [str(private / path.relative_to("/")), str(path)]
    return [str(path)]


def _ignoring_case(name: str) -> str:
    """Return a regular expression for a name in upper and lower case, as macOS's volumes ignore case."""
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)*", name, re.ASCII):
        raise ValueError(f"a protected name cannot be part of a profile: {name!r}")
    return "".join(f"[{char.lower()}{char.upper()}]" if char.isalpha() else f"[{char}]" for char in name)
