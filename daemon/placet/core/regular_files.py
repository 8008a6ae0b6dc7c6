"""Read a whole file that another program may have put in place: only a regular file, and only up to a size."""

import os
import stat
from pathlib import Path


class UnfitFile(OSError):
    """The file is a pipe, a device or a directory, or larger than the reader allows; the text says which."""


def open_without_waiting(name: str, flags: int) -> int:
    """Open for `open`'s `opener`: an ordinary open of a pipe without a writer would never return."""
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def read_regular_file(path: Path, most_bytes: int) -> bytes:
    """Return the bytes of the file, with links followed. Block for the time of one bounded read.

    Raises UnfitFile, or another OSError if the system refuses.
    """
    with open(path, "rb", opener=open_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise UnfitFile("it is not a regular file")
        content = b"" if status.st_size > most_bytes else file.read(most_bytes + 1)
    if max(status.st_size, len(content)) > most_bytes:
        raise UnfitFile(f"it is larger than {most_bytes} bytes")
    return content
