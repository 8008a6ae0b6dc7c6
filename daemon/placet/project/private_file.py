"""A file of the user's own that several processes change: readable for nobody else, replaced as a whole."""

import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

State = tuple[int, int, int] | None
"""Time, size and inode of the file, which differ for another file; None without a file."""


class PrivateFile:
    """File that several processes change. All calls block for milliseconds; `locked` also waits for the lock."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def state(self) -> State:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def read(self) -> str | None:
        """Return the file's text, or None without a file. Raises OSError, ValueError."""
        try:
            return self.path.read_text("utf-8")
        except FileNotFoundError:
            return None

    def write(self, text: str) -> None:
        """Replace the file; nobody ever reads half of the text (mkstemp makes files of mode 0600). Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{self.path.stem}-", dir=self.path.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(self.path)
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink()
            raise

    @contextmanager
    def locked(self) -> Generator[None]:
        """Hold the lock against all other processes of this machine; the system frees a dead process's lock. Raises
        OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.with_suffix(".lock").open("a+b") as file:
            _lock(file)
            try:
                yield
            finally:
                _unlock(file)

    def claim(self) -> IO[bytes] | None:
        """Take the lock without waiting: return the lock, held until closed, or None if another process has it. Raises
        OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = self.path.with_suffix(".lock").open("a+b")
        if _takes_lock(file):
            return file
        file.close()
        return None


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)

    def _takes_lock(file: IO[bytes]) -> bool:
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)

    def _takes_lock(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
