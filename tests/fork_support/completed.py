"""One run of a command of Placet, from its start to its end, as `subprocess.run` has it."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fork_support import start_forked

PLACET = (sys.executable, "-m", "placet")
LIMIT_BYTES = 1 << 20
WAIT_SECONDS = 120


def run_forked(
    *arguments: str,
    directory: Path | None = None,
    environment: Mapping[str, str] | None = None,
    stdin: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `placet ARGUMENTS`; `stdin` comes through a pipe, and without it there is nothing to read.

    The directory and the environment are this process's own unless they are given. Off Linux nothing is forked.
    """
    directory, environment = directory or Path.cwd(), os.environ if environment is None else environment
    if sys.platform == "linux":
        with ThreadPoolExecutor(1) as thread:  # The caller's own may have a loop that runs.
            return thread.submit(asyncio.run, _run(arguments, directory, environment, stdin)).result()
    return subprocess.run(
        [*PLACET, *arguments],
        **({"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}),
        capture_output=True,
        text=True,
        cwd=directory,
        env=environment,
        timeout=WAIT_SECONDS,
        check=False,
    )


async def _run(
    arguments: tuple[str, ...], directory: Path, environment: Mapping[str, str], stdin: str | None
) -> subprocess.CompletedProcess[str]:
    has_input = stdin is not None
    process = await start_forked(arguments, directory, environment, LIMIT_BYTES, has_input=has_input)
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            if process.stdin is not None:
                process.stdin.write((stdin or "").encode())
                process.stdin.close()
            out, err, code = await asyncio.gather(process.stdout.read(), process.stderr.read(), process.wait())
    finally:
        process.kill()  # One that has ended is left alone.
    return subprocess.CompletedProcess([*PLACET, *arguments], code, _text(out), _text(err))


def _text(data: bytes) -> str:
    """Decode as a stream of text does, whose line ends are all the same."""
    return data.decode().replace("\r\n", "\n").replace("\r", "\n")
