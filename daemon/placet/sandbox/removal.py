"""Removal of trees that commands have filled: of any depth, and with directories that commands have closed."""

import os
import stat
from contextlib import suppress
from pathlib import Path

_MOVED = ".placet-{}"


def remove_tree(top: Path) -> None:
    """Remove a directory with everything below, as far as the system allows. Blocks.

    Each inner directory is first moved up to the top, where no command can put a link in its place: a path can become
    longer than the system takes, and a recursion deeper than Python goes.
    """
    directories = [str(top)]
    for directory in directories:  # The list grows meanwhile.
        with suppress(OSError):
            if not stat.S_ISDIR(os.lstat(directory).st_mode):
                os.unlink(directory)  # noqa: PTH108 - a process has put a link in the place before the move
                continue
            os.chmod(directory, 0o700)  # noqa: PTH101
            with os.scandir(directory) as found:
                entries = list(found)
            for entry in entries:
                with suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        directories.append(_moved_up(entry, top, len(directories)))
                    else:
                        os.unlink(entry.path)  # noqa: PTH108
    for directory in reversed(directories):
        with suppress(OSError):
            os.rmdir(directory)  # noqa: PTH106


def _moved_up(entry: os.DirEntry[str], top: Path, number: int) -> str:
    """Return the new path of an inner directory; a directory of the top itself keeps the path."""
    if os.path.dirname(entry.path) == str(top):  # noqa: PTH120
        return entry.path
    os.chmod(entry.path, 0o700)  # noqa: PTH101 - only who may write in a directory can give it another parent
    path = str(top / _MOVED.format(number))
    os.rename(entry.path, path)  # noqa: PTH104
    return path
