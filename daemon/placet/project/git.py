"""git, asked for what it knows. No program of a configuration is run by it, and it takes no locks."""

import asyncio
import contextlib
import os
from pathlib import Path

from placet.project.environment import without_secrets

GIT_SECONDS = 5.0
_PIECE_BYTES = 65536


async def git(root: Path, *arguments: str, most_bytes: int | None = None) -> bytes | None:
    """What git prints, no more than so much of it; None when it fails, is not there, or takes too long."""
    try:
        process = await asyncio.create_subprocess_exec(
            *("git", "--no-optional-locks", "-c", "core.fsmonitor=false", *arguments),
            cwd=root,
            env=without_secrets(os.environ),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return None
    is_cut = False
    try:
        async with asyncio.timeout(GIT_SECONDS):
            if most_bytes is None:
                output, _ = await process.communicate()
            else:
                output = await _read(process, most_bytes + 1)
                if not (is_cut := len(output) > most_bytes):
                    await process.wait()
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if is_cut:
        return output[:most_bytes]
    return output if process.returncode == 0 else None


async def _read(process: asyncio.subprocess.Process, most_bytes: int) -> bytes:
    assert process.stdout is not None
    output = bytearray()
    while len(output) < most_bytes and (piece := await process.stdout.read(_PIECE_BYTES)):
        output += piece
    return bytes(output)
