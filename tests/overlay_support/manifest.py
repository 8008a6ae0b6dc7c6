"""Everything that lies in a tree, to compare trees byte for byte."""

import os
import stat
from pathlib import Path


def manifest(root: Path, *, with_times: bool = False) -> dict[str, tuple[object, ...]]:
    """Kind, permissions, content and, where asked for, the time of each entry but git's own."""
    entries: dict[str, tuple[object, ...]] = {}
    for directory, names, files in os.walk(root):
        if ".git" in names:
            names.remove(".git")
        for name in (*names, *files):
            path = os.path.join(directory, name)
            status = os.lstat(path)
            entry: tuple[object, ...] = (stat.S_IFMT(status.st_mode), stat.S_IMODE(status.st_mode))
            if stat.S_ISLNK(status.st_mode):
                entry = ("link", os.readlink(path))
            elif stat.S_ISREG(status.st_mode):
                entry += (Path(path).read_bytes(), *((status.st_mtime_ns,) if with_times else ()))
            entries[os.path.relpath(path, root)] = entry
    return entries
