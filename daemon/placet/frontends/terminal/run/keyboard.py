"""Read lines from the user's terminal, without blocking the loop; the wait can be cancelled."""

import asyncio
import getpass
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager


async def read_line(prompt: str) -> str:
    """Show the prompt and wait for a line, without its end. Raises EOFError when the terminal is closed."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = await (_in_thread() if os.name == "nt" else _by_reader())
    if not line:
        raise EOFError
    return line.rstrip("\r\n")


async def read_secret(prompt: str) -> str:
    """Read a line as `read_line` does, which the terminal does not show."""
    if sys.platform == "win32":
        return await asyncio.to_thread(getpass.getpass, prompt)
    with _without_echo():
        try:
            return await read_line(prompt)
        finally:
            sys.stderr.write("\n")  # The line end was not shown either.
            sys.stderr.flush()


@contextmanager
def _without_echo() -> Generator[None]:
    """Let the terminal show no key."""
    if sys.platform == "win32" or not sys.stdin.isatty():
        yield
        return
    import termios

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    hidden = [*before]
    hidden[3] &= ~termios.ECHO
    termios.tcsetattr(descriptor, termios.TCSADRAIN, hidden)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def forget_typed() -> None:
    """Forget what the user typed before a question: nobody answers a question that is not on the screen yet."""
    if not sys.stdin.isatty():
        return
    if sys.platform == "win32":
        import msvcrt

        while msvcrt.kbhit():
            msvcrt.getwch()
    else:
        import termios

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


async def _by_reader() -> str:
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_reader(sys.stdin.fileno(), lambda: ready.done() or ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_reader(sys.stdin.fileno())
    return sys.stdin.readline()


async def _in_thread() -> str:
    return await asyncio.to_thread(sys.stdin.readline)
