"""Load of a machine: processes that compute, a process that writes to the disk, and stops of processes at random."""

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil

_BUSY = "while True: pass"
_WRITES = """
import os, sys
while True:
    with open(sys.argv[1], "wb") as file:
        for _ in range(8):
            file.write(os.urandom(1 << 20))
            os.fsync(file.fileno())
"""
PAUSE_SECONDS = 1.0
"""Time between two stops of a process."""
LONGEST_STOP_SECONDS = 0.8


@contextmanager
def loaded(busy: int, directory: Path) -> Generator[None]:
    """Keep the machine busy until the end of the block; the writer's file is in the directory."""
    commands = [(_BUSY,)] * busy + [(_WRITES, str(directory / "written"))]
    with ExitStack() as stack:
        for command in commands:
            stack.enter_context(_running(command))
        yield


@contextmanager
def _running(program: Sequence[str]) -> Generator[None]:
    process = subprocess.Popen([sys.executable, "-c", *program], start_new_session=True)
    try:
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def stopped_at_random(process_id: int, seed: int) -> Generator[None]:
    """Stop one of the processes that the process has started, for less than a second, again and again."""
    over = threading.Event()
    thread = threading.Thread(target=_stop_some, args=(process_id, random.Random(seed), over))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _stop_some(process_id: int, chance: random.Random, over: threading.Event) -> None:
    while not over.wait(PAUSE_SECONDS):
        with suppress(psutil.Error):
            children = psutil.Process(process_id).children(recursive=True)
            if children:
                _stop(chance.choice(children), chance.uniform(0, LONGEST_STOP_SECONDS), over)


def _stop(process: psutil.Process, seconds: float, over: threading.Event) -> None:
    process.suspend()
    try:
        over.wait(seconds)
    finally:
        with suppress(psutil.Error):
            process.resume()


def end_family(process: subprocess.Popen[bytes]) -> None:
    """End the process and everything in its group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
