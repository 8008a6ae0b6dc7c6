"""The shell that runs commands, and the shell's environment."""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from placet.core.errors import ToolError
from placet.project.processes.environment import without_secrets
from placet.project.processes.programs import find_program
from placet.tools.shell.git_bash import find_git_bash

_CHANGES_READING = ("CDPATH", "BASHOPTS", "GLOBIGNORE", "SHELLOPTS")
"""Variables with which bash would read a line otherwise than the permission check."""

_OF_TERMINALS = ("TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "COLUMNS", "LINES", "PWD", "OLDPWD", "_")


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
