"""Print for commands: a single edge where no text from outside can act on the terminal or pass for another line."""

import os
import signal
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any, TextIO, cast

from placet.core.visible_text import json_text, spelled_out, without_controls


class _GuardedStream:
    """Text stream that shows a sign for each character a terminal would obey.

    Lives as long as the command. rich writes colours past this stream; PipedConsole makes rich's texts safe.
    """

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        self.rich_proxied_file.write(without_controls(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


@contextmanager
def guarded_streams() -> Generator[None]:
    """Guard stdout and stderr while the context is open.

    A terminal shows and does not obey the output, also of libraries.
    """
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast("TextIO", _GuardedStream(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def say(line: str = "", *, to_stderr: bool = False) -> None:
    """Print a single line, even if names in the text hold line ends."""
    print(spelled_out(line), file=sys.stderr if to_stderr else sys.stdout, flush=to_stderr)


def say_lines(lines: Iterable[str], *, to_stderr: bool = False) -> None:
    """Print lines, each as `say` does."""
    for line in lines:
        say(line, to_stderr=to_stderr)


def say_text(text: str) -> None:
    """Print a text unchanged, line ends included: an answer that is the whole of stdout."""
    print(text, flush=True)


def say_json(value: Any) -> None:
    """Print the value as JSON; a parser gets the same value back."""
    print(json_text(value, indent=2))


def complain(text: str) -> None:
    """Print an error on stderr; the further lines of a text are indented, so that none passes for another message."""
    first, *further = text.split("\n")
    say(f"placet: {first}", to_stderr=True)
    for line in further:
        say(f"  {line}", to_stderr=True)


def hush() -> None:
    """Send further output to nothing: nobody reads stdout any more, nor stderr if both are the same pipe."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    is_same_pipe = os.path.sameopenfile(1, 2)
    os.dup2(nothing, 1)
    if is_same_pipe:
        os.dup2(nothing, 2)
    os.close(nothing)


def hangup_signals() -> tuple[int, ...]:
    """Return the signal of a closed terminal, SIGHUP; nothing on Windows, and under `nohup`."""
    number = getattr(signal, "SIGHUP", None)
    return () if number is None or signal.getsignal(number) is signal.SIG_IGN else (number,)


def terminal_descriptors() -> tuple[int, ...]:
    """Return the descriptors of stdout and stderr that are terminals; a closed terminal no longer counts."""
    return tuple(descriptor for descriptor in (1, 2) if os.isatty(descriptor))


def hush_terminals(descriptors: Iterable[int]) -> None:
    """Send further output of the descriptors to nothing: their terminal was closed, and a write would fail."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for descriptor in descriptors:
        os.dup2(nothing, descriptor)
    os.close(nothing)
