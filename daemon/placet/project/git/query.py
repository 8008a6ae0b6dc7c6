"""Calls of git for information. No call runs a program that the repository itself names, and no call takes locks."""

import asyncio
import os
import re
import subprocess
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from placet.core.executor import in_thread
from placet.project.paths import exists
from placet.project.processes.child import end_at_once, started
from placet.project.processes.environment import without_secrets
from placet.project.processes.programs import find_program

GIT_SECONDS = 5.0
_PIECE_BYTES = 65536

_HARMLESS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",  # No hook runs, not even post-index-change of a diff that has looked at the files.
    "log.showSignature=false",  # Signatures would run gpg.program.
    "safe.bareRepository=explicit",  # A directory among the files that looks like a bare repository is no repository.
)
_NOTHING_FETCHED = {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
"""Environment that keeps git from fetching: a partial clone would fetch missing objects by the remote's own programs
(git-remote-ext(1), core.sshCommand)."""
_FILTER = re.compile(r"(filter\..*)\.(clean|smudge|process)")


async def git(
    root: Path, *arguments: str, most_bytes: int | None = None, variables: Mapping[str, str] | None = None
) -> bytes | None:
    """Return git's output, at most `most_bytes`; None if git fails, is not installed, or takes too long.

    `variables` are added to git's environment.
    """
    settings = await filters_off(root) if arguments[0] in ("diff", "diff-files") else {}
    if settings is None:
        return None
    return await _printed(root, *arguments, most_bytes=most_bytes, settings=settings, variables=variables)


async def git_ignored(git_directory: Path, tree: Path, names: Iterable[bytes]) -> frozenset[bytes] | None:
    """Return the names, relative to `tree`, that the ignore files in the tree and the rules of the repository and the
    user leave out, tracked or not; None if git cannot say. The named files need not exist.
    """
    places = (f"--git-dir={git_directory}", f"--work-tree={tree}")
    text = b"".join(name + b"\0" for name in names)
    output = await _printed(tree, *places, "check-ignore", "--no-index", "--stdin", "-z", text=text, successes=(0, 1))
    return None if output is None else frozenset(output.split(b"\0")[:-1])


def is_git_installed() -> bool:
    """Return whether git is installed. Looks at the disk."""
    return find_program("git") is not None


def harmless_git(program: str, *arguments: str) -> tuple[str, ...]:
    """Return the words of a call of git that runs no program of the repository's choice, and takes no locks."""
    return (program, "--no-optional-locks", *(word for setting in _HARMLESS for word in ("-c", setting)), *arguments)


def harmless_environment() -> dict[str, str]:
    """Return the environment of such a call."""
    return {**without_secrets(os.environ), **_NOTHING_FETCHED}


def run_harmless_git(program: str, repository: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Return what git answers about the repository, which may be bare. Blocks. Raises OSError, TimeoutExpired."""
    place = () if exists(repository / ".git") else (f"--git-dir={repository}",)
    return run_harmless_git_in(repository, program, *place, *arguments)


def run_harmless_git_in(
    directory: Path, program: str, *arguments: str, text: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Return what git answers in the directory; `text` is git's input. Blocks. Raises OSError, TimeoutExpired."""
    return subprocess.run(
        harmless_git(program, *arguments),
        cwd=directory,
        env=harmless_environment(),
        input=text,
        capture_output=True,
        timeout=GIT_SECONDS,
        check=False,
    )


async def filters_off(root: Path) -> dict[str, str] | None:
    """Return settings that switch off the filters of the repository's own config, which a look at a file would run.

    Filters of the user and the system stay: large files (git-lfs) need these filters. Return None if git does not list
    the config, because then any filter may run.
    """
    if (listed := await _printed(root, "config", "--null", "--show-scope", "--list")) is None:
        return None
    # A scope, then a name and a value with a line end between (git-config(1), --null).
    fields = listed.decode("utf-8", "surrogateescape").split("\0")
    entries = zip(fields[::2], fields[1::2], strict=False)
    own = [entry.partition("\n")[0] for scope, entry in entries if scope in ("local", "worktree")]
    filters = {match[1] for name in own if (match := _FILTER.fullmatch(name))}
    off = {"clean": "", "smudge": "", "process": "", "required": "false"}
    return {f"{name}.{key}": value for name in filters for key, value in off.items()}


async def _printed(
    root: Path,
    *arguments: str,
    most_bytes: int | None = None,
    settings: Mapping[str, str] | None = None,
    text: bytes | None = None,
    successes: Collection[int] = (0,),
    variables: Mapping[str, str] | None = None,
) -> bytes | None:
    if (program := await in_thread(find_program, "git")) is None:
        return None
    try:
        start = asyncio.create_subprocess_exec(
            *harmless_git(program, *arguments),
            cwd=root,
            env={**harmless_environment(), **as_variables(settings or {}), **(variables or {})},
            stdin=asyncio.subprocess.DEVNULL if text is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        process = await started(start)
    except OSError:
        return None
    is_cut = False
    try:
        async with asyncio.timeout(GIT_SECONDS):
            if most_bytes is None:
                output, _ = await process.communicate(text)
            else:
                output = await _read(process, most_bytes + 1)
                if not (is_cut := len(output) > most_bytes):
                    await process.wait()
    except TimeoutError:
        return None
    finally:
        await end_at_once(process)
    if is_cut:
        return output[:most_bytes]
    return output if process.returncode in successes else None


def as_variables(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings as variables: a name may hold any character there, but not behind `-c` (git-config(1))."""
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings.items()):
        variables |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


async def _read(process: asyncio.subprocess.Process, most_bytes: int) -> bytes:
    assert process.stdout is not None
    output = bytearray()
    while len(output) < most_bytes and (piece := await process.stdout.read(_PIECE_BYTES)):
        output += piece
    return bytes(output)
