"""Calls of git that change a repository: for worktrees, never for the user's own tree or index.

As in query.py, no call runs a program that the repository names: no hook runs, filters of the repository's own config
are off, and nothing is fetched.
"""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

from placet.core.errors import RequestError
from placet.core.executor import in_thread
from placet.core.visible_text import one_line
from placet.project.git.query import as_variables, filters_off, harmless_environment, harmless_git
from placet.project.processes.child import end_at_once, started
from placet.project.processes.programs import find_program

MOST_SECONDS = 600.0
"""Longest time of one call: a checkout of a very large repository takes minutes."""

_READS_NO_FILES = frozenset(
    ("cat-file", "commit-tree", "diff-tree", "for-each-ref", "ls-tree", "rev-parse", "symbolic-ref", "update-ref")
)
"""Commands that run no filter. Any other command may look at files again, even write-tree."""
_OF_ANOTHER_CALL = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"),
    *("GIT_NAMESPACE", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CEILING_DIRECTORIES"),
)
"""Variables that a hook of git hands to its children, and that would lead a call to another repository."""


async def git_work(
    root: Path, *arguments: str, text: bytes | None = None, variables: Mapping[str, str] | None = None
) -> bytes:
    """Return git's output; `text` is git's stdin, and `variables` are added to git's environment.

    Raises RequestError with git's own words if git fails, is not installed, or takes too long.
    """
    if (program := await in_thread(find_program, "git")) is None:
        raise RequestError("git is not installed.")
    settings = {} if arguments[0] in _READS_NO_FILES else await filters_off(root)
    if settings is None:
        raise RequestError(f"git cannot list the settings of {root}.")
    environment = {name: value for name, value in harmless_environment().items() if name not in _OF_ANOTHER_CALL}
    try:
        start = asyncio.create_subprocess_exec(
            *harmless_git(program, *arguments),
            cwd=root,
            # Untranslated, as the words of an error are looked at.
            env={**environment, **as_variables(settings), "LC_ALL": "C", **(variables or {})},
            stdin=asyncio.subprocess.DEVNULL if text is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        process = await started(start)
    except OSError as error:
        raise RequestError(f"git cannot be started in {root}: {error.strerror or error}.") from error
    try:
        async with asyncio.timeout(MOST_SECONDS):
            output, errors = await process.communicate(text)
    except TimeoutError:
        raise RequestError(f"git {arguments[0]} took longer than {MOST_SECONDS:g} seconds.") from None
    finally:
        await end_at_once(process)
    if process.returncode != 0:
        raise RequestError(f"git {arguments[0]} failed: {reason_of(errors) or f'exit code {process.returncode}'}")
    return output


def reason_of(errors: bytes) -> str:
    """Return the line of git's stderr that gives the reason; empty for an empty stderr."""
    words = [line for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
    reason = next((line for line in words if line.startswith(("fatal:", "error:"))), words[-1] if words else "")
    return one_line(reason.removeprefix("fatal: ").removeprefix("error: "))


def text_of(output: bytes) -> str:
    """Return a single line of git's output, such as a path or an object's name."""
    return os.fsdecode(output).removesuffix("\n").removesuffix("\r")
