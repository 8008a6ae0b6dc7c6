"""Arguments of bubblewrap for a contained command. Pure; the looks at the disk are in protections.py.

Later mounts lie over earlier mounts, so the mounts are ordered by depth: nothing hides a path below. Only pins come
before the mounts that hold them. bwrap(1).
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from placet.sandbox.containment import Containment, Overlay
from placet.sandbox.hidden_files import stand_in_of
from placet.sandbox.places import is_in
from placet.sandbox.protections import Protections

_TEMPORARY = Path("/tmp")  # noqa: S108 - the sandbox's own
_RUNTIME = Path("/run")
_OF_THE_KERNEL = ("sys", "irq", "bus", "pressure", "mtrr", "sysrq-trigger", "acpi", "driver", "fs", "scsi")
"""Entries of /proc whose files the user root owns, so that no capability is needed to set the kernel."""
_EMPTY_FILE = "/dev/null"
"""Source of masks of files: under `nodev` an open fails, as is wanted; an empty file could be committed as empty."""


class Form(Struct, frozen=True):
    """Variant of the profile; some systems do not allow everything, containers above all."""

    has_own_proc: bool = True
    """Whether a /proc is mounted that shows the processes of the command alone."""
    has_own_processes: bool = True
    """Whether the command has a PID namespace."""
    forbids_nesting: bool = True
    """Whether the command can make no user namespaces."""


FORMS = (
    Form(),
    Form(forbids_nesting=False),
    Form(has_own_proc=False),
    Form(has_own_proc=False, forbids_nesting=False),
    Form(has_own_proc=False, has_own_processes=False),
    Form(has_own_proc=False, has_own_processes=False, forbids_nesting=False),
)
"""Forms of the profile in the order of preference."""


class Options(Struct, frozen=True):
    """Everything beside the limits that the arguments depend on. All paths are real."""

    program: str
    temporary: Path
    """Directory that the command sees as /tmp."""
    caches: tuple[Path, ...] = ()
    """Directories of caches in which the command writes."""
    own_directories: tuple[Path, ...] = ()
    """Directories below /tmp that hold Placet and its Python; the command sees the directories there, read-only."""
    form: Form = FORMS[0]
    is_root: bool = False
    has_own_network: bool = True
    """Whether bwrap makes a network namespace; otherwise the command has the network of the process that starts
    bwrap."""
    ends_with_parent: bool = False
    """Whether all processes end with the process that starts bwrap, and with bwrap."""
    overlays: Sequence[Overlay] = ()
    resolver: Path | None = None
    """File below /run to which /etc/resolv.conf leads, for commands on the host's network."""
    filter_descriptor: int | None = None
    status_descriptor: int | None = None


class _Mount(Struct, frozen=True):
    """Mount at a place; of two mounts at one place the later in the list counts."""

    place: Path
    words: tuple[str, ...]


def bubblewrap_words(
    containment: Containment, protections: Protections, options: Options, directory: Path
) -> tuple[str, ...]:
    """Return the words before a command that run the command in the directory inside the sandbox."""
    return (
        options.program,
        *_processes(options),
        *("--ro-bind", "/", "/"),
        # Below everything: a place that is a mount point cannot be renamed, and links across the place still work. What
        # is mounted there is never seen; the innermost come first, as the mount over an outer pin hides inner places.
        *(word for pin in reversed(_pins(protections, options)) for word in ("--tmpfs", str(pin))),
        *(word for mount in _in_order(containment, protections, options) for word in mount.words),
        *_descriptors(options),
        *("--chdir", str(directory), "--"),
    )


def _processes(options: Options) -> Iterator[str]:
    form = options.form
    # The user namespace is named: for the user root bwrap would leave the namespace out, and all capabilities stay.
    yield from ("--new-session", "--unshare-user", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
    if form.has_own_processes:
        yield "--unshare-pid"
    if form.forbids_nesting:
        yield "--disable-userns"
    if options.ends_with_parent:
        yield "--die-with-parent"
    if options.has_own_network:
        yield "--unshare-net"
    yield from ("--cap-drop", "ALL")


def _pins(protections: Protections, options: Options) -> list[Path]:
    """Return the pins that are needed: under an overlay no directory of the project can be renamed, so that only git
    directories, which are not part of the overlay, have pins.
    """
    overlaid = [overlay.lower for overlay in options.overlays]
    inner_git = [path for git in protections.inner_git for path in protections.pins if git in path.parents]
    return [pin for pin in protections.pins if pin in inner_git or not is_in(pin, overlaid)]


def _descriptors(options: Options) -> Iterator[str]:
    if options.filter_descriptor is not None:
        yield from ("--seccomp", str(options.filter_descriptor))
    if options.status_descriptor is not None:
        yield from ("--json-status-fd", str(options.status_descriptor))


def _in_order(containment: Containment, protections: Protections, options: Options) -> list[_Mount]:
    """Return the mounts by depth; the sort keeps the order of mounts with the same depth."""
    mounts = (
        *_system(options),
        *(_bound(path, is_writable=False) for path in protections.shown),
        *_writable(containment, protections, options),
        *(_bound(path) for path in options.caches),
        *_masks(protections, (*protections.shown, *options.caches)),
        *(_bound(path, is_writable=False) for path in protections.protected),
        *_stand_ins(protections, options),
        *(_bound(path, is_writable=False) for path in _hidden_sockets(containment)),
    )
    return sorted(mounts, key=lambda mount: len(mount.place.parts))


def _system(options: Options) -> Iterator[_Mount]:
    yield _Mount(Path("/dev"), ("--dev", "/dev"))
    if options.form.has_own_proc:
        yield _Mount(Path("/proc"), ("--proc", "/proc"))
        for name in _OF_THE_KERNEL if options.is_root else ():
            yield _Mount(Path("/proc", name), ("--ro-bind-try", f"/proc/{name}", f"/proc/{name}"))
    yield _Mount(_RUNTIME, ("--tmpfs", str(_RUNTIME)))
    yield _Mount(_TEMPORARY, ("--bind", str(options.temporary), str(_TEMPORARY)))
    yield from (_bound(path, is_writable=False) for path in options.own_directories)
    if options.resolver is not None:
        yield _Mount(options.resolver, ("--ro-bind-try", str(options.resolver), str(options.resolver)))


def _writable(containment: Containment, protections: Protections, options: Options) -> Iterator[_Mount]:
    if containment.only_reads:
        return
    overlays = {overlay.lower: overlay for overlay in options.overlays}
    for path in (*containment.writable, *protections.outer_git):
        overlay = overlays.get(path)
        if overlay is not None:
            staged = () if overlay.staged is None else ("--overlay-src", overlay.staged)  # The later lies above.
            words = ("--overlay-src", overlay.lower, *staged, "--overlay", overlay.upper, overlay.work, path)
            yield _Mount(path, tuple(map(str, words)))
        elif not any(path.is_relative_to(lower) for lower in overlays):
            yield _bound(path)
    for git in protections.inner_git:
        if any(git.is_relative_to(lower) for lower in overlays):
            yield _bound(git)


def _masks(protections: Protections, carved_out: Sequence[Path]) -> Iterator[_Mount]:
    """Yield the masks of secrets; a directory that shows a part can be passed through, and not be listed."""
    for path in protections.masked_directories:
        is_passed = any(part != path and part.is_relative_to(path) for part in carved_out)
        permissions = "0111" if is_passed else "0000"
        yield _Mount(path, ("--perms", permissions, "--tmpfs", str(path)))
    for path in protections.masked_files:
        yield _Mount(path, ("--ro-bind", _EMPTY_FILE, str(path)))


def _stand_ins(protections: Protections, options: Options) -> Iterator[_Mount]:
    for file in protections.hidden:
        yield _Mount(file.path, ("--ro-bind", str(stand_in_of(file, options.temporary)), str(file.path)))


def _hidden_sockets(containment: Containment) -> Iterator[Path]:
    """Yield the allowed sockets in directories that the sandbox replaces."""
    yield from (path for path in containment.sockets if any(map(path.is_relative_to, (_TEMPORARY, _RUNTIME))))


def _bound(path: Path, *, is_writable: bool = True) -> _Mount:
    return _Mount(path, ("--bind" if is_writable else "--ro-bind", str(path), str(path)))
