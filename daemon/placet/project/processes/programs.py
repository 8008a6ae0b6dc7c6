"""Programs by their names on PATH: never a program that a command of an agent may have put there.

Placet runs git, ripgrep, language servers and more with the user's rights, and these programs run further programs by
PATH, and load code by other search paths. So the directories in which commands can write are taken out of Placet's own
search paths, which each program outside of the sandbox inherits. PATH often leads into a project: to an activated
`.venv`, or to `node_modules/.bin`. Commands of the agent, and programs inside the sandbox, get the user's values.
"""

import os
import shutil
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from functools import lru_cache
from pathlib import Path

from placet.project.processes.open_directories import OpenDirectories

_SEARCHED = (
    *("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "NODE_PATH", "PERL5LIB", "RUBYLIB"),
    *("GIT_EXEC_PATH", "BASH_ENV"),
)
"""Variables with directories or files that programs load code from."""
_LONGEST_FIRST_LINE = 4096
"""Bytes of the first line of a script that are looked at."""


class SearchPath:
    """Search paths of this process, each in two forms: the user's, and Placet's own without directories open to
    commands.
    """

    def __init__(self, environment: MutableMapping[str, str]) -> None:
        self.open_directories = OpenDirectories()
        self._environment = environment
        self._users: dict[str, str] = {}
        """Values of the user by variable, where Placet has set another value."""
        self._own: dict[str, str | None] = {}
        self._changing = threading.Lock()
        self._judged: dict[str, bool] = {}
        """Entries of a PATH, and whether commands can write there; commands cannot move a link that lies elsewhere."""

    def users(self, name: str) -> str | None:
        """Return the user's value of a variable."""
        present = self._environment.get(name)
        return self._users[name] if name in self._own and present == self._own[name] else present

    def for_commands(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the variables with the user's values in place of Placet's own; any other value is a setting's."""
        changed = {name: value for name, value in self._users.items() if environment.get(name) == self._own[name]}
        return {**environment, **changed}

    def keep_from(self, directories: Iterable[Path]) -> None:
        """Take the directories out of Placet's search paths for good. Blocks."""
        with self._changing:
            if not self.open_directories.add(directories):
                return
            self._judged.clear()
            for name in _SEARCHED:
                users = self.users(name)
                own = os.pathsep.join(self.trusted(users)) if users is not None else None
                if own == users:
                    continue
                self._users[name], self._own[name] = users or "", own or None
                if own:
                    self._environment[name] = own
                else:
                    self._environment.pop(name, None)  # An earlier call may have removed the variable.

    def trusted(self, path: str) -> Iterator[str]:
        """Yield the entries of a PATH from which Placet takes programs. Blocks.

        An entry that is not absolute (`.`, `node_modules/.bin`) is another directory in each project.
        """
        return (entry for entry in _absolute(path) if not self._is_open(entry))

    def _is_open(self, entry: str) -> bool:
        is_open = self._judged.get(entry)
        if is_open is None:
            is_open = self._judged[entry] = self.open_directories.holds(entry)
        return is_open


_SEARCH_PATH = SearchPath(os.environ)
_NAMED: dict[str, None] = {}
"""Files named by settings of the user, for all workspaces of this process."""


def find_program(name: str, path: str | None = None) -> str | None:
    """Return the place of a program that Placet may run, or None; `path` replaces PATH. Looks at the disk."""
    for entry in _SEARCH_PATH.trusted(users_path() if path is None else path):
        place = _program_in(entry, name)
        if place is not None and not is_open_to_commands(place):
            return place
    return None


def find_for_commands(name: str, path: str | None = None) -> str | None:
    """Return the place of a program as a command of the agent, or a program inside the sandbox, finds the program by
    the user's PATH, or None; `path` replaces the PATH. Looks at the disk.
    """
    entries = _absolute(_for_commands(path))
    return next(filter(None, (_program_in(entry, name) for entry in entries)), None)


def find_configured(program: str, directory: Path, path: str | None = None, *, is_contained: bool) -> str | None:
    """Return the place of a program that a setting names by a path from the directory, or by a mere name, or None.

    A path is the user's own choice, and outside of the sandbox a place that commands change only with the user's word
    (`note_named_programs`). Looks at the disk.
    """
    if os.path.dirname(program):  # noqa: PTH120
        return shutil.which(os.path.abspath(directory / program))  # noqa: PTH100
    return find_for_commands(program, path) if is_contained else find_program(program, path)


def is_open_to_commands(program: str) -> bool:
    """Return whether a command of an agent could have written the program, or the interpreter of the script. Blocks."""
    holds = _SEARCH_PATH.open_directories.holds
    return holds(program) or bool((interpreter := _interpreter(program)) and holds(interpreter))


def keep_programs_from(directories: Iterable[Path]) -> None:
    """Run no program of Placet's own from the directories, as commands can write there. Blocks."""
    _SEARCH_PATH.keep_from(directories)


def users_path() -> str:
    """Return PATH as the user has set it, for commands of the agent and for programs inside the sandbox."""
    users = _SEARCH_PATH.users("PATH")
    return os.defpath if users is None else users


def with_users_path(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with the user's search paths in place of Placet's own."""
    return _SEARCH_PATH.for_commands(environment)


def left_out() -> tuple[str, ...]:
    """Return the entries of the user's PATH from which Placet takes no program, as commands can write there. Blocks."""
    return tuple(filter(_SEARCH_PATH.open_directories.holds, dict.fromkeys(_absolute(users_path()))))


def run_places(roots: Sequence[Path]) -> tuple[Path, ...]:
    """Return the directories and files below the real roots from which the user, or Placet itself, runs programs: of
    PATH, of this Python, and of the settings (`note_named_programs`). Blocks.

    A link counts beside the place behind the link, as either decides what runs.
    """
    places = (*_absolute(users_path()), sys.prefix, *_NAMED)
    tops = tuple(f"{root}{os.sep}" for root in roots)
    names: dict[str, None] = {}
    for place in map(os.path.normpath, places):
        # Commands cannot move a link that lies elsewhere.
        behind = os.path.realpath(place) if place.startswith(tops) else _behind(place)
        names |= dict.fromkeys(name for name in (place, behind) if name.startswith(tops))
    return tuple(map(Path, names))


def note_named_programs(paths: Iterable[Path]) -> None:
    """Note the files that settings of the user name, and that Placet runs outside of the sandbox."""
    _NAMED.update(dict.fromkeys(map(str, paths)))


@lru_cache(maxsize=256)
def _behind(place: str) -> str:
    return os.path.realpath(place)


def _for_commands(path: str | None) -> str:
    """Return the PATH for commands: the user's in place of none and of Placet's own; any other is a setting's."""
    return users_path() if path is None or path == os.environ.get("PATH") else path


def _absolute(path: str) -> list[str]:
    return [entry for entry in path.split(os.pathsep) if Path(entry).is_absolute()]


def _program_in(directory: str, name: str) -> str | None:
    """Return the place of the program in the directory, and nowhere else, or None."""
    place = shutil.which(name, path=directory)
    # On Windows `shutil.which` looks into the working directory first, whatever the path says.
    return place if place is not None and os.path.isabs(place) else None  # noqa: PTH117


def _interpreter(program: str) -> str:
    """Return the absolute path of the interpreter that a script names in its first line, or "". Blocks."""
    try:
        with Path(program).open("rb") as file:
            line = file.readline(_LONGEST_FIRST_LINE) if file.read(2) == b"#!" else b""
    except OSError:
        return ""
    words = line.split(maxsplit=1)
    return os.fsdecode(words[0]) if words and words[0].startswith(b"/") else ""
