"""Reading of answers at the terminal or through a pipe, for commands that do nothing else meanwhile."""

import getpass
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager

from placet.core.visible_text import spelled_out


def read_answer(asked: str, *, is_secret: bool = False) -> str:
    """Read a line: from the terminal, hidden if secret, or from a pipe. Blocks; raises EOFError."""
    with _interruptible():
        if sys.stdin.isatty():
            if is_secret:
                return getpass.getpass(spelled_out(asked))
            sys.stderr.write(spelled_out(asked))
            sys.stderr.flush()
        if not (line := sys.stdin.readline()):
            raise EOFError
        return line


@contextmanager
def _interruptible() -> Generator[None]:
    """Make Ctrl-C end the reading: asyncio would only note the request to end, and the reading would go on."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
