"""Proof on disk that a command line only reads, and reads nothing that the rules for `read` ask about or deny."""

import os
import stat
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from placet.permissions.shell.programs.git_reading import Reading
from placet.permissions.shell.programs.reading import proof_of_reading
from placet.project.git.configured_programs import fetches_by_itself, repository_directory
from placet.project.git.history import history_of, printed
from placet.project.paths import Workspace, is_directory, real
from placet.project.processes.programs import find_for_commands, users_path
from placet.tools.framework.access import reading_below
from placet.tools.framework.context import Judge
from placet.tools.shell.places import Places

MOST_ENTRIES = 20_000
"""Number of entries of a tree that are looked at; a larger tree is not proved to hold no secret."""
_SYSTEM_DIRECTORIES = ("/usr/", "/bin/", "/sbin/", "/opt/homebrew/", "/nix/store/", "/run/current-system/")
_GITLINK = "160000"


def is_proved_to_read(line: str, places: Places, directory: Path, workspace: Workspace, judge: Judge) -> bool:
    """Return whether the line only reads, and the rules for `read` allow each file that the line may print.

    Looks at the disk, and asks git where the line runs git. `places` are the places of the line run in `directory`.
    """
    reading = proof_of_reading(line, places.findings)
    if reading is None or not all(_is_open(place.real, place.names, judge) for place in places.located):
        return False
    if not all(_is_of_system(program, workspace) for program in reading.programs):
        return False
    directory = real(directory)
    if "git" in reading.programs and not _is_git_proved(reading, directory, places, workspace, judge):
        return False
    if not reading.prints_below:
        return True
    if "rg" in reading.programs and "RIPGREP_CONFIG_PATH" in os.environ:
        return False  # The options of that file are not read here.
    starts = dict.fromkeys(place.real for place in places.located if is_directory(place.real))
    if reading.starts_here:
        starts = {directory: None, **starts}
    outermost = [
        place for place in starts if not any(place != other and place.is_relative_to(other) for other in starts)
    ]
    left = MOST_ENTRIES
    for tree in outermost:
        action = reading_below(workspace, tree, judge)
        for name in _names_below(tree, left, follows_links=reading.follows_links):
            left -= 1
            if left < 0 or name is None or action(name) != "allow":
                return False
    return True


def _is_open(path: Path, names: tuple[str, ...], judge: Judge) -> bool:
    """Return whether the rules allow reading the place, and the place is neither a device nor the system's own."""
    if path.is_relative_to("/proc") or path.is_relative_to("/sys"):
        return False
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        mode = stat.S_IFREG
    is_plain = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    return is_plain and all(judge("read", name) == "allow" for name in names)


def _is_of_system(program: str, workspace: Workspace) -> bool:
    """Return whether PATH leads to the program itself, not to a file of the project or a switch between versions.

    A switch, such as the shims of asdf, may run a program that the project names.
    """
    path = users_path()
    entries = [entry for entry in path.split(os.pathsep) if entry]
    if not all(Path(entry).is_absolute() for entry in entries):
        return False
    place = _resolved(program, path)
    if place is None:
        return program in ("command", "type")  # Commands of bash itself.
    written, target = place
    if workspace.contains(written) or any(target.is_relative_to(root) for root in workspace.real_roots):
        return False
    if written.parent == Path(sys.executable).parent or str(written).startswith(_SYSTEM_DIRECTORIES):
        return True
    return target.name == program and not _is_script(target)


@lru_cache(maxsize=256)
def _resolved(program: str, path: str) -> tuple[Path, Path] | None:
    written = find_for_commands(program, path)
    return None if written is None else (Path(written), Path(written).resolve())


@lru_cache(maxsize=256)
def _is_script(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(2) == b"#!"
    except OSError:
        return True


def _names_below(tree: Path, most: int, *, follows_links: bool) -> Iterator[str | None]:
    """Yield the name of each file below the tree, relative to the tree; None where a link may lead out of the tree.

    Which files a program leaves out by its options or by ignore files is not considered. The objects of git are
    compressed, so that no program prints their contents.
    """
    stack = [""]
    while stack:
        prefix = stack.pop()
        try:
            with os.scandir(tree / prefix) as entries:
                listed = list(entries)
        except OSError:
            continue  # The command cannot read the directory either.
        if len(listed) > most:
            yield None
        for entry in listed:
            name = f"{prefix}{entry.name}"
            if entry.is_symlink():
                if follows_links and not Path(entry.path).resolve().is_relative_to(tree):
                    yield None
            elif not entry.is_dir():
                yield name
            elif not f"/{name}".endswith("/.git/objects"):
                stack.append(f"{name}/")


def _is_git_proved(reading: Reading, directory: Path, places: Places, workspace: Workspace, judge: Judge) -> bool:
    """Return whether git reads in a single repository that fetches nothing on demand, holds no other repository, and
    never held a file to ask about if the line may print contents.

    Outside of a repository, `git diff` and `git grep` read any files.
    """
    named = [place.real for place in places.located]
    repositories = dict.fromkeys(
        filter(None, map(repository_directory, (directory, *(place for place in named if is_directory(place)))))
    )
    if not repositories:
        return not reading.git_contents
    for repository in repositories:
        tracked = None if fetches_by_itself(repository) else _tracked(repository)
        if tracked is None or any(mode == _GITLINK for mode, _ in tracked):
            return False
        if not reading.git_contents:
            continue
        if len(repositories) > 1 or not all(place.is_relative_to(repository) for place in (directory, *named)):
            return False
        history = history_of(repository)
        if history is None or not all(map(history.holds, reading.revisions)):
            return False
        action = reading_below(workspace, repository, judge)
        if any(action(name) != "allow" for name in (*history.names, *(name for _, name in tracked))):
            return False
    return True


def _tracked(repository: Path) -> list[tuple[str, str]] | None:
    """Return mode and name of each tracked file; None if git does not list the files, or lists too many."""
    listed = printed(repository, "ls-files", "-s", "-z")
    entries = (listed or "").split("\0")[:-1]
    return None if listed is None or len(entries) > MOST_ENTRIES else [(e[:6], e.partition("\t")[2]) for e in entries]
