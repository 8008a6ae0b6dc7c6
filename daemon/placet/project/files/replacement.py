"""Replacement of a file as a whole: a finished, synced neighbour with the file's mode, owner and attributes takes its
place."""

import errno
import os
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress

from placet.core.errors import DocumentError
from placet.core.ids import new_id
from placet.project.files.held_directory import HeldDirectory

_ACCESS_LIST = "system.posix_acl_access"
_NOT_KEPT = ("security.", "trusted.")
"""Prefixes of labels and capabilities set on a file by the system itself (xattr(7))."""
_TO_KEEP = ("user.", _ACCESS_LIST)
"""Prefixes of users' attributes, which must be kept; other attributes are kept if the file system lets us set them."""


@contextmanager
def finished_file(
    directory: HeldDirectory, name: str, data: bytes, *, like: int | None, mode: int | None = None
) -> Generator[str]:
    """Yield the name of a whole, synced file beside `name`; the file is removed unless the caller moves the file.
    Blocks.

    `like` is the open file that gives mode, owner, access list and extended attributes to the new file; `mode`, where
    given, has the last word. Raises OSError, and DocumentError if an attribute cannot be kept.
    """
    temporary = temporary_name(name)
    # Not by tempfile, whose files are private (0600): the umask decides about a new file.
    descriptor = directory.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if like is not None:
                _keep_owner(file.fileno(), like)
            new_mode = mode if mode is not None or like is None else stat.S_IMODE(os.fstat(like).st_mode)
            if new_mode is not None:
                directory.set_mode(temporary, new_mode)
            if like is not None:
                _keep_attributes(file.fileno(), like)
            os.fsync(file.fileno())
        yield temporary
    finally:
        with suppress(FileNotFoundError):
            directory.remove(temporary)


def temporary_name(name: str) -> str:
    """Return a name for a neighbour, with this process's id, so that the leftovers of a killed process are
    recognised."""
    return f"{temporary_prefix(name)}{os.getpid()}.{new_id('tmp')}"


def temporary_prefix(name: str) -> str:
    return f".{name[:50]}."


def _keep_owner(made: int, like: int) -> None:
    new, old = os.fstat(made), os.fstat(like)
    if os.name == "nt" or (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid):
        return
    try:
        os.chown(made, old.st_uid, old.st_gid)
    except PermissionError:
        return  # Only root may give a file away; the text matters more than the owner.


def _keep_attributes(made: int, like: int) -> None:
    """Give the new file the extended attributes of the old file, access lists included, where the system has
    attributes."""
    if sys.platform != "linux":  # Python has no calls for the attributes of other systems.
        return
    attributes = _attributes(like)
    if _ACCESS_LIST not in attributes and _ACCESS_LIST in _attributes(made):
        os.removexattr(made, _ACCESS_LIST)  # Inherited from the directory; the old file had none.
    for attribute, value in attributes.items():
        try:
            os.setxattr(made, attribute, value)
        except OSError as error:
            if attribute.startswith(_TO_KEEP):
                raise DocumentError(
                    f"The file has the extended attribute {attribute}, which cannot be kept ({error.strerror}). "
                    "Change it by a command, if the attribute may go."
                ) from error


def _attributes(file: int) -> dict[str, bytes]:
    if sys.platform != "linux":
        return {}
    try:
        names = os.listxattr(file)
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return {}
        raise
    return {name: os.getxattr(file, name) for name in names if not name.startswith(_NOT_KEPT)}
