"""Copies of the bundles' files on the disk, a directory for each digest. All calls block."""

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from placet.extensions.bundles.files import BundleError, Files, digest_of, read_directory


def copy_of(directory: Path, name: str, digest: str) -> Path:
    """Return the directory of the copy with the digest."""
    return directory / name / digest


def write_copy(directory: Path, name: str, files: Files) -> Path:
    """Write the files, and return the directory of the copy; nothing is left of a failed write. Raises BundleError."""
    target = copy_of(directory, name, digest_of(files))
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = Path(tempfile.mkdtemp(prefix=".new-", dir=target.parent))
        try:
            for path, file in files.items():
                _write(temporary / path, file.content, 0o500 if file.is_executable else 0o400)
            if target.exists():  # A copy whose files have changed gives way.
                _remove(target)
            temporary.rename(target)
        except BaseException:
            _remove(temporary)
            raise
    except OSError as error:
        raise BundleError(f"{target} cannot be written: {error.strerror or error}.") from error
    if (written := digest_of(read_directory(target))) != target.name:
        _remove(target)
        raise BundleError(f"{target} was not stored as it is: the digest of the copy is {written}.")
    return target


def forget_copies(directory: Path, name: str, *, but: str = "") -> None:
    """Remove the copies of the bundle, except the copy with the digest `but`. Raises BundleError."""
    place = directory / name
    try:
        for copy in list(place.iterdir()) if place.is_dir() else ():
            if copy.name != but:
                _remove(copy)
        if not but:
            with suppress(FileNotFoundError):
                place.rmdir()
    except OSError as error:
        raise BundleError(f"{place} cannot be removed: {error.strerror or error}.") from error


def _write(file: Path, content: bytes, mode: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _remove(directory: Path) -> None:
    """Remove the directory with the files that nobody may write."""

    def retry(function: Callable[..., Any], path: str, _error: Any) -> None:
        Path(path).chmod(stat.S_IRWXU)
        function(path)

    shutil.rmtree(directory, onerror=retry)
