"""A file of the user's own that several processes change: readable for nobody else, replaced as a whole."""

import os
from contextlib import AbstractContextManager, suppress
from pathlib import Path

State = tuple[int, int, int] | None
"""Time, size and inode of the file, which differ for another file; None without a file."""


class PrivateFile:
    """File that several processes change. All calls block for milliseconds; `locked` also waits for the lock."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def state(self) -> State:
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def read(self) -> str | None:
        """Return the file's text, or None without a file. Raises OSError, ValueError."""
        try:
            return self.path.read_text("utf-8")
        except FileNotFoundError:
            return None

    def write(self, text: str) -> None:
        """Replace the file; nobody ever reads half of the text (mkstemp makes files of mode 0600). Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        import tempfile  # Takes 4 ms to load, and most processes only read.

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

    def locked(self) -> AbstractContextManager[None]:
        """Hold the lock against all other processes of this machine within the block. Raises OSError."""
        # Imported here, as the daemon writes its address on the way to `initialize`, and filelock loads for 30 ms.
        from placet.project.file_lock import held_lock

        return held_lock(self.path.with_suffix(".lock"))
