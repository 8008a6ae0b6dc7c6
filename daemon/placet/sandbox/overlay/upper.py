"""The difference that a command made, read from the upper directory of an overlay. Blocks.

overlayfs marks a deleted name by a whiteout (a character device 0/0, or a file with an attribute), and a directory that
hides the directory below by the attribute `opaque`: https://docs.kernel.org/filesystems/overlayfs.html.
"""

import errno
import os
import stat
from pathlib import Path

from msgspec import Struct, field

from placet.sandbox.overlay.layers import NAMESPACES, OverlayMount
from placet.sandbox.overlay.staged_layer import BaseView, UnreadableLayer, is_whiteout_device, sorted_entries

_MISSING = frozenset({errno.ENODATA, errno.ENOTSUP, errno.EPERM, errno.EACCES})


class UpperLayer(Struct):
    """Difference between a root, staged files included, and the command's view of the root at the end. Paths are
    relative to the root, parents first.

    `read_upper` fills the value, and nothing changes the value afterwards.
    """

    written: dict[str, int] = field(default_factory=dict[str, int])
    """Files, links and special files in the layer, each with the mode from stat(2), contents perhaps as before."""
    deleted: list[str] = field(default_factory=list[str])
    """Every file and link of the root that has gone, or that a directory has replaced; staged files count too."""
    made_directories: dict[str, int] = field(default_factory=dict[str, int])
    """Directories that the root lacks, with the mode; files below are part of `written`."""
    directory_modes: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    """Directories of the root with other permission bits, before and after."""
    deleted_directories: list[str] = field(default_factory=list[str])
    """Directories of the root that have gone, or that a file has replaced."""


def read_upper(mount: OverlayMount) -> UpperLayer:
    """Return the difference in the layer, compared with the root as the root is now. Raises OSError."""
    layer = UpperLayer()
    _merged_directory(mount, BaseView(mount), "", layer, hides=False)
    layer.deleted_directories.reverse()  # Inner directories first: a directory must be empty to go.
    return layer


def strip_attributes(path: str) -> None:
    """Remove the attributes of overlayfs from an entry which leaves the layer. Raises OSError."""
    for name in _attributes(path):
        if name.startswith(NAMESPACES):
            os.removexattr(path, name, follow_symlinks=False)


def _merged_directory(mount: OverlayMount, base: BaseView, relative: str, layer: UpperLayer, *, hides: bool) -> None:
    """Read a directory of the layer over a directory of the base. `hides`: the layer's directory, or a directory above,
    hides the entries of the base.
    """
    upper = _under(mount.upper, relative)
    hides = hides or _attribute(upper, "opaque") == b"y"
    hidden = base.entries(relative) if hides else {}
    for entry in _upper_entries(upper):
        hidden.pop(entry.name, None)
        _entry(mount, base, entry, f"{relative}/{entry.name}" if relative else entry.name, layer, hides=hides)
    for name, mode in hidden.items():
        _gone(base, f"{relative}/{name}" if relative else name, mode, layer)


def _entry(
    mount: OverlayMount, base: BaseView, entry: os.DirEntry[str], relative: str, layer: UpperLayer, *, hides: bool
) -> None:
    status = entry.stat(follow_symlinks=False)
    before = base.mode(relative)
    if _is_whiteout(entry.path, status):
        if before is not None:
            _gone(base, relative, before, layer)
    elif stat.S_ISDIR(status.st_mode):
        if before is not None and stat.S_ISDIR(before):
            _compare_modes(base.root_mode(relative), status.st_mode, relative, layer)
            _refuse_redirect(entry.path)
            _merged_directory(mount, base, relative, layer, hides=hides)
            return
        if before is not None:
            layer.deleted.append(relative)
        _new_directory(entry.path, relative, status.st_mode, layer)
    else:
        if before is not None and stat.S_ISDIR(before):
            _gone(base, relative, before, layer)
        layer.written[relative] = status.st_mode


def _compare_modes(before: int | None, after: int, relative: str, layer: UpperLayer) -> None:
    """Note the permissions of a directory that the command changed, or that the root lacks: files staged in there are
    on no disk.
    """
    if before is None or not stat.S_ISDIR(before):
        layer.made_directories[relative] = stat.S_IMODE(after)
    elif stat.S_IMODE(before) != stat.S_IMODE(after):
        layer.directory_modes[relative] = (stat.S_IMODE(before), stat.S_IMODE(after))


def _new_directory(path: str, relative: str, mode: int, layer: UpperLayer) -> None:
    _refuse_redirect(path)
    layer.made_directories[relative] = stat.S_IMODE(mode)
    for entry in _upper_entries(path):
        inner, status = f"{relative}/{entry.name}", entry.stat(follow_symlinks=False)
        if _is_whiteout(entry.path, status):
            continue
        if stat.S_ISDIR(status.st_mode):
            _new_directory(entry.path, inner, status.st_mode, layer)
        else:
            layer.written[inner] = status.st_mode


def _gone(base: BaseView, relative: str, mode: int, layer: UpperLayer) -> None:
    if not stat.S_ISDIR(mode):
        layer.deleted.append(relative)
        return
    layer.deleted_directories.append(relative)
    for name, inner_mode in base.entries(relative).items():
        _gone(base, f"{relative}/{name}", inner_mode, layer)


def _upper_entries(directory: str) -> list[os.DirEntry[str]]:
    """Return the entries in the order of the names. A directory that the command closed to itself is opened."""
    try:
        return sorted_entries(directory)
    except PermissionError:
        os.chmod(directory, 0o700)  # noqa: PTH101 - the mode has been noted, and the layer is Placet's own
        return sorted_entries(directory)


def _is_whiteout(path: str, status: os.stat_result) -> bool:
    return is_whiteout_device(status) or (
        stat.S_ISREG(status.st_mode) and status.st_size == 0 and _attribute(path, "whiteout") is not None
    )


def _refuse_redirect(path: str) -> None:
    if _attribute(path, "redirect") is not None:
        raise UnreadableLayer(f"{path} stands for a directory of another name")


def _attribute(path: str, name: str) -> bytes | None:
    for namespace in NAMESPACES:
        try:
            return os.getxattr(path, namespace + name, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _MISSING:
                raise
    return None


def _attributes(path: str) -> list[str]:
    try:
        return os.listxattr(path, follow_symlinks=False)
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return []
        raise


def _under(root: Path, relative: str) -> str:
    return os.path.join(root, relative) if relative else str(root)  # noqa: PTH118
