"""Files of a layer that go through to the root at once: files that git ignores, special files, new repositories.

Each file arrives by one rename, or not at all; a new directory of ignored files by one rename for the whole directory.
No symbolic link is followed on the way (project/files/held_directory.py). Every other file stays in the layer, to be
proposed to the user.
"""

import ctypes
import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from msgspec import Struct, field

from placet.core.errors import DocumentError
from placet.core.executor import in_thread
from placet.project.files.held_directory import HeldDirectory, held
from placet.project.files.replacement import temporary_name
from placet.sandbox.git.judgement import bare_entries, leads_to_repository, obeyed_entries
from placet.sandbox.listings import BARE_REPOSITORY
from placet.sandbox.overlay.ignored import ignored_paths
from placet.sandbox.overlay.layers import OverlayMount
from placet.sandbox.overlay.staged_layer import BaseView
from placet.sandbox.overlay.upper import UpperLayer, strip_attributes

_GIT = ".git"
_WORKING_DIRECTORY, _EXCHANGE = -100, 2
"""AT_FDCWD of openat(2), and RENAME_EXCHANGE of rename(2)."""


class Harvest(Struct, frozen=True):
    """Files of one layer, in two parts. `harvest` makes the value, which lives as long as the layer."""

    mount: OverlayMount
    layer: UpperLayer
    through: frozenset[str]
    """Files written or deleted that go through at once."""
    obeyed: frozenset[str] = frozenset()
    """Files through which a later git would run programs; they never go through, nor are they proposed."""
    failures: dict[str, str] = field(default_factory=dict[str, str])
    """Files that could not go through, with the reasons; filled by `put_through`."""

    @property
    def written(self) -> list[str]:
        """Return the written files to propose."""
        return [path for path in self.layer.written if path not in self.through]

    @property
    def deleted(self) -> list[str]:
        """Return the deleted files to propose."""
        return [path for path in self.layer.deleted if path not in self.through]


async def sort_layer(mount: OverlayMount, layer: UpperLayer, scratch: Path, holds: Callable[[str], bool]) -> Harvest:
    """Return the layer's files in two parts. `holds` says which names other programs obey: such a file is proposed
    although git ignores the file, but in installed packages. A staged file is always proposed: its text waits for the
    user's decision.

    Raises OSError and ToolError.
    """
    ignored = await ignored_paths(mount, layer, scratch)
    obeyed_by_git = await in_thread(_obeyed_by_git, mount, layer)
    through = {path for path, mode in layer.written.items() if path in ignored or _goes_by_kind(path, mode)}
    through.update(path for path in layer.deleted if path in ignored)
    base = BaseView(mount)
    kept = {path for path in through if base.is_staged(path) or (holds(path) and not _is_git(path))}
    return Harvest(mount, layer, frozenset(through - kept - obeyed_by_git), frozenset(obeyed_by_git))


def put_through(harvest: Harvest) -> None:
    """Carry out the first part in the root, file by file; note failures. Blocks."""
    gone = [path for path in harvest.layer.deleted if path in harvest.through]
    for directory, names in _by_directory(gone).items():
        _in_directory(harvest, directory, names, _remove)
    moved = _move_whole_directories(harvest)
    rest = [path for path in harvest.layer.written if path in harvest.through and moved.isdisjoint(_parents(path))]
    for directory, names in _by_directory(rest).items():
        _make_directories(harvest, directory)
        _in_directory(harvest, directory, names, _move)


def put_through_again(harvest: Harvest) -> None:
    """Carry out once more what has failed of the first part: a proposed file may have stood in a directory's way until
    the proposal was accepted. Blocks.
    """
    failed = [path for path in harvest.layer.written if path in harvest.failures]
    for path in failed:
        del harvest.failures[path]
    for directory, names in _by_directory(failed).items():
        _make_directories(harvest, directory)
        _in_directory(harvest, directory, names, _move)


def finish_directories(harvest: Harvest) -> None:
    """Remove the directories that the command removed and that are empty by now, make the command's empty directories,
    and set permissions: git tracks none of these, so none is proposed. Blocks.
    """
    for path in harvest.layer.deleted_directories:
        with suppress(OSError, DocumentError), held(harvest.mount.lower / os.path.dirname(path)) as parent:  # noqa: PTH120
            parent.remove_directory(os.path.basename(path))  # noqa: PTH119
    filled = {parent for path in harvest.layer.written for parent in _parents(path)}
    modes = {path: mode for path, (_, mode) in harvest.layer.directory_modes.items()}
    for path, mode in harvest.layer.made_directories.items():
        if path not in filled:
            _make_directories(harvest, path)
        modes[path] = mode
    for path in sorted(modes, reverse=True):
        if _mode_of(harvest.mount.lower / path) not in (None, modes[path]):
            _set_mode(harvest.mount.lower / path, modes[path])


def _goes_by_kind(path: str, mode: int) -> bool:
    """Return whether git never tracks such a file."""
    return _is_special(mode) or _is_git(path)


def _is_special(mode: int) -> bool:
    return not (stat.S_ISREG(mode) or stat.S_ISLNK(mode))


def _obeyed_by_git(mount: OverlayMount, layer: UpperLayer) -> set[str]:
    """Return the files of the layer through which a later git would run programs: new repositories bring such files.
    Blocks.
    """
    entries: set[str] = set()
    for path in (*layer.written, *layer.made_directories):
        parts = path.split("/")
        if _GIT in parts:
            entries.add("/".join(parts[: parts.index(_GIT) + 1]))
    obeyed: set[str] = set()
    for entry in entries:
        place = mount.upper / entry
        if stat.S_ISDIR(place.lstat().st_mode):
            obeyed.update(str(file.relative_to(mount.upper)) for file in obeyed_entries(place))
        elif not leads_to_repository(place, (mount.upper, mount.lower)):
            obeyed.add(entry)
    return obeyed.union(_of_bare_repositories(mount, layer))


def _of_bare_repositories(mount: OverlayMount, layer: UpperLayer) -> Iterator[str]:
    """Yield the files that git would obey in bare repositories, and `HEAD` of a new repository with such files: without
    `HEAD` a directory is no repository.
    """
    for directory in {"", *layer.made_directories, *(part for path in layer.written for part in _parents(path))}:
        upper, lower = mount.upper / directory, mount.lower / directory
        if not all(os.path.lexists(upper / name) or os.path.lexists(lower / name) for name in BARE_REPOSITORY):
            continue
        obeyed = [str(path.relative_to(mount.upper)) for path in bare_entries(upper)]
        yield from obeyed
        if obeyed or any(bare_entries(lower)):
            yield os.path.join(directory, "HEAD")  # noqa: PTH118


def _is_git(path: str) -> bool:
    return _GIT in path.split("/")


def _move_whole_directories(harvest: Harvest) -> set[str]:
    """Move the outermost new directories of which every file goes through; return the moved directories."""
    kept = {parent for path in (*harvest.written, *harvest.deleted) for parent in _parents(path)}
    filled = {parent for path in harvest.through for parent in _parents(path)}
    whole: list[str] = []
    for path in harvest.layer.made_directories:  # Parents first.
        if path not in kept and path in filled and not (whole and path.startswith(f"{whole[-1]}/")):
            whole.append(path)
    moved: set[str] = set()
    for directory, names in _by_directory(whole).items():
        _make_directories(harvest, directory)
        for name in names:
            path = f"{directory}/{name}" if directory else name
            _strip_tree(str(harvest.mount.upper / path))
            with suppress(OSError, DocumentError), held(harvest.mount.lower / directory) as parent:
                if parent.status(name) is None:
                    os.rename(harvest.mount.upper / path, name, dst_dir_fd=parent.descriptor)
                    moved.add(path)
    return moved


def _in_directory(
    harvest: Harvest, directory: str, names: Iterable[str], work: Callable[[HeldDirectory, str, Path], None]
) -> None:
    """Do the work for each name in the held directory of the root, and note failures."""
    upper = harvest.mount.upper / directory
    try:
        with held(harvest.mount.lower / directory) as place:
            for name in names:
                try:
                    work(place, name, upper / name)
                except OSError as error:
                    path = f"{directory}/{name}" if directory else name
                    harvest.failures[path] = error.strerror or str(error)
    except (OSError, DocumentError) as error:
        harvest.failures.update((f"{directory}/{name}" if directory else name, str(error)) for name in names)


def _remove(place: HeldDirectory, name: str, _: Path) -> None:
    with suppress(FileNotFoundError):
        place.remove(name)


def _move(place: HeldDirectory, name: str, source: Path) -> None:
    """Move an entry from the layer over the entry of the root in a single step, or copy to another file system."""
    status = place.status(name)
    if status is not None and stat.S_ISDIR(status.st_mode):
        place.remove_directory(name)  # Only an empty directory gives way.
    elif status is not None and not _is_special(status.st_mode) and _is_special(source.lstat().st_mode):
        raise FileExistsError(errno.EEXIST, "a pipe, a socket or a device takes no file's place", str(source))
    strip_attributes(str(source))
    try:
        if status is None or not _exchange(place, name, source):
            os.rename(source, name, dst_dir_fd=place.descriptor)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy(place, name, source)


def _exchange(place: HeldDirectory, name: str, source: Path) -> bool:
    """Let the two entries change places at once, where the system can; the old entry goes with the layer.

    A rename over an entry would do, but ext4 writes the new file to the disk first (ext4(5), `auto_da_alloc`): 20,000
    files take a minute.
    """
    rename = _renameat2()
    if rename is None or place.descriptor is None:
        return False
    return rename(_WORKING_DIRECTORY, os.fsencode(source), place.descriptor, os.fsencode(name), _EXCHANGE) == 0


@cache
def _renameat2() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """Return renameat2(2), which Python does not offer; None where the C library has no such function."""
    return getattr(ctypes.CDLL(None), "renameat2", None)


def _copy(place: HeldDirectory, name: str, source: Path) -> None:
    temporary, status = temporary_name(name), source.lstat()
    try:
        if stat.S_ISLNK(status.st_mode):
            place.make_link(temporary, os.fsencode(os.readlink(source)))  # noqa: PTH115
        elif stat.S_ISFIFO(status.st_mode):
            os.mkfifo(temporary, dir_fd=place.descriptor)
        elif stat.S_ISREG(status.st_mode):
            _copy_file(place, temporary, source, status)
        else:
            return  # A socket without its process, or a device: neither can be copied.
        place.replace(name, temporary)
    except OSError:
        with suppress(OSError):
            place.remove(temporary)
        raise


def _copy_file(place: HeldDirectory, name: str, source: Path, status: os.stat_result) -> None:
    if not status.st_mode & stat.S_IRUSR:
        source.chmod(0o600)
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
    with source.open("rb") as old, os.fdopen(place.open(name, flags), "wb") as new:
        shutil.copyfileobj(old, new)
        os.fchmod(new.fileno(), stat.S_IMODE(status.st_mode))
        os.utime(new.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))


def _make_directories(harvest: Harvest, directory: str) -> None:
    """Make the missing directories of the root up to the directory, with the permissions in the layer."""
    missing = [path for path in (directory, *_parents(directory)) if path in harvest.layer.made_directories]
    for path in reversed(missing):
        with suppress(OSError, DocumentError), held(harvest.mount.lower / os.path.dirname(path)) as parent:  # noqa: PTH120
            os.mkdir(os.path.basename(path), dir_fd=parent.descriptor)  # noqa: PTH119
            _set_mode(harvest.mount.lower / path, harvest.layer.made_directories[path] | 0o700)


def _set_mode(directory: Path, mode: int) -> None:
    """Set the permissions of the directory itself: by name, chmod(2) would follow a link that has come meanwhile."""
    with suppress(OSError, DocumentError), held(directory) as place:
        os.chmod(f"/proc/self/fd/{place.descriptor}", mode)  # noqa: PTH101


def _strip_tree(directory: str) -> None:
    strip_attributes(directory)
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _strip_tree(entry.path)
            else:
                strip_attributes(entry.path)


def _mode_of(directory: Path) -> int | None:
    try:
        return stat.S_IMODE(directory.lstat().st_mode)
    except OSError:
        return None


def _by_directory(paths: Iterable[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for path in paths:
        directory, name = os.path.split(path)
        groups.setdefault(directory, []).append(name)
    return groups


def _parents(path: str) -> list[str]:
    parents: list[str] = []
    while path := os.path.dirname(path):  # noqa: PTH120
        parents.append(path)
    return parents
