"""Bash of Git for Windows, the shell for command lines on Windows where it is installed."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PureWindowsPath

from placet.project.processes.programs import find_program

_REGISTRY_KEY = r"SOFTWARE\GitForWindows"
_BASH = (PureWindowsPath("bin/bash.exe"), PureWindowsPath("usr/bin/bash.exe"))
"""The first starts the second with the programs of Git on PATH."""
_ASKING_SECONDS = 5.0


def find_git_bash(environment: Mapping[str, str]) -> str | None:
    """Return the place of the bash of Git for Windows, or None. Looks at the registry and the disk, and runs git."""
    if sys.platform != "win32":
        return None
    git = find_program("git")
    return git_bash(roots_of_git(environment, _registered(), git, lambda: _exec_path(git)), lambda p: Path(p).is_file())


def git_bash(roots: Iterator[PureWindowsPath], exists: Callable[[PureWindowsPath], bool]) -> str | None:
    """Return the first bash below one of the directories."""
    return next((str(root / bash) for root in roots for bash in _BASH if exists(root / bash)), None)


def roots_of_git(
    environment: Mapping[str, str], registered: str | None, git: str | None, exec_path: Callable[[], str | None]
) -> Iterator[PureWindowsPath]:
    """Yield the directories in which Git for Windows may be installed, the surest first; `exec_path` comes last."""
    if registered:
        yield PureWindowsPath(registered)
    if git:
        # cmd\git.exe, bin\git.exe, or mingw64\bin\git.exe
        yield from list(PureWindowsPath(git).parents)[1:3]
    for variable, below in (
        ("ProgramFiles", "Git"),
        ("ProgramW6432", "Git"),
        ("ProgramFiles(x86)", "Git"),
        ("LOCALAPPDATA", r"Programs\Git"),
    ):
        if directory := environment.get(variable):
            yield PureWindowsPath(directory, below)
    if git and (path := exec_path()):
        # mingw64\libexec\git-core
        yield from list(PureWindowsPath(path).parents)[1:3]


def _registered() -> str | None:
    """Return the directory that the installer has noted in the registry, for all users or for this user."""
    if sys.platform != "win32":
        return None
    import winreg

    for hive in (winreg.HKEY_LOCAL_MACHINE, winreg.HKEY_CURRENT_USER):
        try:
            with winreg.OpenKey(hive, _REGISTRY_KEY) as key:
                return str(winreg.QueryValueEx(key, "InstallPath")[0])
        except OSError:
            continue
    return None


def _exec_path(git: str | None) -> str | None:
    """Return the directory of git's own programs, which a `git` that only starts another git knows too."""
    if git is None:
        return None
    try:
        result = subprocess.run(
            [git, "--exec-path"], capture_output=True, text=True, check=False, timeout=_ASKING_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout.strip() or None
