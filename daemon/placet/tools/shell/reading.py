"""Proof on disk that a command line only reads, and reads nothing that the rules for `read` ask about or deny."""

import fnmatch
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from placet.permissions.shell.programs.reading import Reading, proof_of_reading
from placet.project.git.configured_programs import fetches_by_itself, repository_directory
from placet.project.git.query import GIT_SECONDS, harmless_environment, harmless_git
from placet.project.paths import Workspace, real
from placet.project.processes.programs import find_for_commands, find_program, users_path
from placet.settings import Action
from placet.tools.framework.access import reading_below
from placet.tools.framework.define import Judge
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
    named = dict.fromkeys(place.real for place in places.located if place.real.is_dir())
    directories = [real(directory), *named]
    if "git" in reading.programs and not _is_git_proved(reading, directories, workspace, judge):
        return False
    if reading.recursion == "none":
        return True
    if "rg" in reading.programs and "RIPGREP_CONFIG_PATH" in os.environ:
        return False  # The options of that file are not read here.
    starts = directories if reading.starts_here else directories[1:]
    outermost = [
        place for place in starts if not any(place != other and place.is_relative_to(other) for other in starts)
    ]
    left = MOST_ENTRIES
    for tree in outermost:
        names = _names_below(tree, reading, left)
        action = reading_below(workspace, tree, judge)
        for name in names:
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


def _names_below(tree: Path, reading: Reading, most: int) -> Iterator[str | None]:
    """Yield the names, relative to the tree, of files whose contents may be printed; None where this is not certain."""
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
            if reading.recursion == "visible" and entry.name.startswith("."):
                continue
            if entry.is_symlink():
                if reading.follows_links:
                    yield None
            elif entry.is_dir():
                if entry.name not in reading.excluded_directories:
                    stack.append(f"{name}/")
            elif not reading.includes or any(fnmatch.fnmatchcase(entry.name, glob) for glob in reading.includes):
                yield name


def _is_git_proved(reading: Reading, directories: list[Path], workspace: Workspace, judge: Judge) -> bool:
    """Return whether no repository fetches on demand, holds a repository of its own, or tracks a file to ask about."""
    repositories = dict.fromkeys(filter(None, map(repository_directory, directories)))
    if not repositories:
        return not reading.git_contents
    for repository in repositories:
        tracked = None if fetches_by_itself(repository) else _tracked(repository)
        if tracked is None:
            return False
        action: Callable[[str], Action] = reading_below(workspace, repository, judge)
        for mode, name in tracked:
            if mode == _GITLINK or (reading.git_contents and action(name) != "allow"):
                return False
    return True


def _tracked(repository: Path) -> list[tuple[str, str]] | None:
    """Return mode and name of each tracked file; None if git does not list the files, or lists too many."""
    program = find_program("git")
    if program is None:
        return None
    try:
        listed = subprocess.run(
            harmless_git(program, "ls-files", "-s", "-z"),
            cwd=repository,
            env=harmless_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    entries = listed.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    if listed.returncode != 0 or len(entries) > MOST_ENTRIES:
        return None
    return [(entry[:6], entry.partition("\t")[2]) for entry in entries]
