"""What the demo shows, kept for a picture; and a terminal of its own in which a program can be run and answered."""

import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

COLUMNS = 110
LINES = 50
MOST_DIFF_LINES = 40
"""A picture shows no more lines in a row of a program's output."""

GREEN, RED, DIM, BOLD, YELLOW = "32", "31", "2", "1", "33"


class Screen:
    """Writes to stdout and remembers it, colours included."""

    def __init__(self) -> None:
        self._coloured = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        self._kept: list[str] = []

    def say(self, text: str = "", *styles: str) -> None:
        self.pass_on(f"\x1b[{';'.join(styles)}m{text}\x1b[0m\n" if styles and text else f"{text}\n")

    def pass_on(self, *output: str) -> None:
        """A program's own output."""
        self.pass_on_live(output)

    def pass_on_live(self, pieces: Iterable[str]) -> None:
        """A program's own output, as it comes; at once and in the end where colours must be taken out of it."""
        whole = ""
        for piece in pieces:
            whole += piece
            if self._coloured:
                sys.stdout.write(piece)
                sys.stdout.flush()
        if not self._coloured:
            sys.stdout.write(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", whole).replace("\r\n", "\n"))
            sys.stdout.flush()
        self._kept.append(whole)

    @contextmanager
    def step(self, doing: str) -> Iterator[list[str]]:
        """A line with a tick and the time it took when the block ends well, a cross when not.

        What the block appends to the list is told behind it.
        """
        start = time.monotonic()
        told: list[str] = []
        try:
            yield told
        except BaseException:
            self.say(f"✗ {doing}", RED, BOLD)
            raise
        outcome = f": {'; '.join(told)}" if told else ""
        seconds = f"\x1b[{DIM}m({time.monotonic() - start:.1f} s)\x1b[0m"
        self.pass_on(f"\x1b[{GREEN}m✓\x1b[0m {doing}{outcome} {seconds}\n")

    def save_picture(self, file: Path, title: str) -> None:
        """All that was shown, as an SVG without anything from elsewhere; long outputs are shortened, and say so."""
        from rich.console import Console
        from rich.text import Text

        with Path(os.devnull).open("w") as nowhere:
            console = Console(record=True, width=COLUMNS, file=nowhere, color_system="truecolor", force_terminal=True)
            console.print(Text.from_ansi("".join(map(_shortened, self._kept)).replace("\r", "")))
            picture = console.export_svg(title=title)
        picture = re.sub(r"@font-face\s*\{[^}]*\}", "", picture)
        picture = picture.replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")
        picture = picture.replace("<svg ", '<svg xml:space="preserve" ', 1)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(picture, "utf-8")


def run_answering(
    screen: Screen,
    command: Sequence[str],
    environment: Mapping[str, str],
    question: str,
    answer: str,
    most_seconds: float,
) -> int:
    """Run a program in a terminal of its own, and type `answer` where it asks `question`. Returns its exit code."""
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (LINES, COLUMNS))
    program = subprocess.Popen(
        command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    deadline = time.monotonic() + most_seconds
    try:
        screen.pass_on_live(_answered(ours, _read(ours, deadline), question, answer))
        return program.wait(max(0.0, deadline - time.monotonic()))
    finally:
        os.close(ours)
        if program.poll() is None:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()


def _answered(terminal: int, pieces: Iterable[str], question: str, answer: str) -> Iterator[str]:
    """The pieces as they come; the answer is typed as soon as the question stands there."""
    asked = ""
    for piece in pieces:
        yield piece
        asked += piece
        if question in asked:
            asked = ""
            os.write(terminal, f"{answer}\n".encode())


def _read(terminal: int, deadline: float) -> Iterator[str]:
    """What appears in a terminal, until the program in it ends. Raises TimeoutError."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    with selectors.DefaultSelector() as selector:
        selector.register(terminal, selectors.EVENT_READ)
        while True:
            if not selector.select(deadline - time.monotonic()):
                raise TimeoutError("The program took too long.")
            try:
                data = os.read(terminal, 65_536)
            except OSError:  # Linux says so that the other side is closed; others send nothing.
                data = b""
            if not data:
                return
            yield decoder.decode(data)


def _shortened(output: str) -> str:
    lines = output.split("\n")
    if len(lines) <= MOST_DIFF_LINES + 30:
        return output
    left_out = len(lines) - MOST_DIFF_LINES - 25
    note = f"\x1b[2m   … {left_out} more lines, not in this picture …\x1b[0m"
    return "\n".join([*lines[:MOST_DIFF_LINES], note, *lines[-25:]])
