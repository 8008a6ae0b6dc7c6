"""The shell that runs commands, on Windows the bash of Git for Windows where it is installed, and the shell's
environment.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path, PureWindowsPath

from placet.core.errors import ToolError
from placet.project.processes.environment import without_secrets
from placet.project.processes.programs import find_program

_CHANGES_READING = ("CDPATH", "BASHOPTS", "GLOBIGNORE", "SHELLOPTS")
"""Variables with which bash would read a line otherwise than the permission check."""

_OF_TERMINALS = ("TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "COLUMNS", "LINES", "PWD", "OLDPWD", "_")

_REGISTRY_KEY = r"SOFTWARE\GitForWindows"
_BASH = (PureWindowsPath("bin/bash.exe"), PureWindowsPath("usr/bin/bash.exe"))
"""The first starts the second with the programs of Git on PATH."""
_ASKING_SECONDS = 5.0


def shell_command(command: str) -> tuple[str, ...]:
    """Return the arguments that run the line in bash, or in the nearest shell where bash is missing.

    Raises ToolError without any shell.
    """
    shell = _shell()
    if not is_posix_shell():
        return (str(shell), "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", command)
    return (str(shell), "-c", command)


def command_in(shell: str, command: str) -> tuple[str, ...]:
    """Return the arguments that run the line in `bash` or in `powershell`. Raises ToolError without the shell."""
    if shell == "bash":
        program = find_git_bash(os.environ) or find_program("bash")
        arguments: tuple[str, ...] = ("-c", command)
    else:
        program = find_program("pwsh") or find_program("powershell")
        arguments = ("-NoLogo", "-NoProfile", "-NonInteractive", "-Command", command)
    if program is None:
        raise ToolError(f"{shell} was not found on PATH.")
    return (program, *arguments)


def is_posix_shell() -> bool:
    """Return whether lines are in a language that the permission check can read."""
    return _shell().stem.lower() not in ("pwsh", "powershell")


def shell_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables without secrets, and without variables by which the shell would read a line otherwise."""
    return {name: value for name, value in without_secrets(environment).items() if name not in _CHANGES_READING}


def terminal_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a command that runs in a terminal of the client, over the client's own variables.

    The terminal is the client's, and nobody is there to leave a pager.
    """
    own = {name: value for name, value in without_secrets(environment).items() if name not in _OF_TERMINALS}
    return {**own, **dict.fromkeys(_CHANGES_READING, ""), "PAGER": "cat", "GIT_PAGER": "cat"}


def for_shell(text: str) -> str:
    """Return a text for the model in terms of the shell that runs, where the shell is not bash."""
    try:
        shell = _shell()
    except ToolError:  # Each call will say that no shell was found.
        return text
    stem = shell.stem.lower()
    if stem == "bash":
        return text
    name = shell.stem if is_posix_shell() else f"PowerShell ({shell.stem})"
    words = {"Run a command in bash.": f"Run a command in {name}, not in bash."}
    if not is_posix_shell():
        words |= {
            "`eval`, `bash -c`": f"`Invoke-Expression`, `{stem} -Command`",
            "`head` or `tail`": "`Select-Object`",
        }
    if stem == "powershell":  # Windows PowerShell 5.1 knows no `&&`.
        words["Chain what belongs together with `&&`."] = "Chain what belongs together with `;`."
    for bash_words, shell_words in words.items():
        text = text.replace(bash_words, shell_words, 1)
    return text


@cache
def _shell() -> Path:
    # On Windows a bare `bash` is most often WSL's, which is another machine.
    if bash := find_git_bash(os.environ):
        return Path(bash)
    names = ("pwsh", "powershell") if os.name == "nt" else ("bash", "sh")
    for name in names:
        if program := find_program(name):
            return Path(program)
    raise ToolError(f"No shell was found: none of {', '.join(names)} is on PATH.")


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
