"""Programs by their names, as PATH has them: never one that a project has put where somebody works."""

import os
import shutil
from pathlib import Path


def find_program(name: str, path: str | None = None) -> str | None:
    """Where the program is; `path` instead of this process's PATH. Looks at the disk.

    Entries that are not absolute (`.`, `./bin`, `node_modules/.bin`) mean another directory in each project, and what
    lies there is the project's.
    """
    entries = (os.environ.get("PATH", os.defpath) if path is None else path).split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(one for one in entries if Path(one).is_absolute()))
