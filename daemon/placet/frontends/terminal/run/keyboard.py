"""Read lines from the user's terminal, without blocking the loop; the wait can be cancelled."""

import asyncio
import os
import sys


async def read_line(prompt: str) -> str:
    """Show the prompt and wait for a line, without its end. Raises EOFError when the terminal is closed."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = await (_in_thread() if os.name == "nt" else _by_reader())
    if not line:
        raise EOFError
    return line.rstrip("\r\n")


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
