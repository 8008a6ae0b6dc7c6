"""The shell that commands run in, and the surroundings they get."""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from placet.core.errors import ToolError
from placet.project.processes.environment import without_secrets
from placet.project.processes.programs import find_program

_CHANGES_READING = ("CDPATH", "BASHOPTS", "GLOBIGNORE", "SHELLOPTS")
"""With these, bash would read a line otherwise than the permission check did."""


def shell_command(command: str) -> tuple[str, ...]:
    """The arguments that run the line in bash, which the tool is named for; in what comes nearest where there is none.

    Raises ToolError where there is no shell at all.
    """
    shell = _shell()
    if not is_posix_shell():
        return (str(shell), "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", command)
    return (str(shell), "-c", command)


def is_posix_shell() -> bool:
    """Whether lines are in a language that the permission check can read."""
    return _shell().stem.lower() not in ("pwsh", "powershell")


def shell_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The user's own, without secrets."""
    return {name: value for name, value in without_secrets(environment).items() if name not in _CHANGES_READING}


@cache
def _shell() -> Path:
    # On Windows a bare `bash` is most often WSL's, which is another machine.
    names = ("pwsh", "powershell") if os.name == "nt" else ("bash", "sh")
    for name in names:
        if found := find_program(name):
            return Path(found)
    raise ToolError(f"No shell was found: none of {', '.join(names)} is on PATH.")
