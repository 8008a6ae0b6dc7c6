"""Programs by their names on PATH: never a program that a project has put into a working directory."""

import os
import shutil
from pathlib import Path


def find_program(name: str, path: str | None = None) -> str | None:
    """Return the program's place, or None; `path` replaces this process's PATH. Looks at the disk.

    Entries that are not absolute (`.`, `./bin`, `node_modules/.bin`) mean another directory in each project, and the
    project owns the files in this directory.
    """
    entries = (os.environ.get("PATH", os.defpath) if path is None else path).split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(entry for entry in entries if Path(entry).is_absolute()))
