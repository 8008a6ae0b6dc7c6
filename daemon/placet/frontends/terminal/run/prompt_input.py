"""Read the prompt of a run: from an argument, a file or stdin, with stdin as context beside the prompt. Blocks."""

import mimetypes
import os
import select
import stat
import sys
from pathlib import Path

from msgspec import Struct

from placet.core.errors import RequestError
from placet.core.messages import FilePart, PromptPart, TextPart
from placet.frontends.terminal.output import complain
from placet.frontends.terminal.run.run_options import RunOptions

MOST_CHARACTERS = 1_000_000
PATIENCE_SECONDS = 3.0
"""Longest silence of a pipe beside a given prompt: some pipes are inherited, and are never closed."""

_STDIN = "-"


class RunPrompt(Struct, frozen=True):
    """Prompt of the user, with the attached context and files."""

    text: str
    context: str = ""
    """Text from stdin beside the prompt."""
    files: tuple[Path, ...] = ()

    @property
    def parts(self) -> list[PromptPart]:
        """Parts of the prompt, as a session takes the parts.

        Nothing is looked for in the context: the user showed the context and did not say the text.
        """
        parts: list[PromptPart] = [TextPart(text=self.text)]
        if self.context:
            parts.append(TextPart(text=f"<stdin>\n{self.context}\n</stdin>", synthetic=True))
        for file in self.files:
            mime = mimetypes.guess_type(file.name)[0] or "text/plain"
            parts.append(FilePart(uri=file.as_uri(), mime=mime, name=file.name))
        return parts


def read_prompt(options: RunOptions) -> RunPrompt:
    """Return the prompt.

    Raises RequestError without a prompt, with more than one prompt, or for an unreadable file.
    """
    files = tuple(_existing(file) for file in options.attach)
    if options.file is not None and options.words:
        raise RequestError(
            "There are two prompts, an argument and --file: leave one out, or attach the file with --attach."
        )
    if options.words == _STDIN or str(options.file) == _STDIN:
        return RunPrompt(_nonempty(_read_stdin(), "stdin"), files=files)
    if options.file is not None:
        text = _nonempty(_read_file(options.file), str(options.file))
        return RunPrompt(text, _piped(), files)
    if options.words.strip():
        return RunPrompt(options.words, _piped(), files)
    if not _is_piped():
        raise RequestError("There is no prompt: give a prompt as an argument, with --file, or through stdin.")
    return RunPrompt(_nonempty(_read_stdin(), "stdin"), files=files)


def _nonempty(text: str, where: str) -> str:
    if not text.strip():
        raise RequestError(f"The prompt in {where} is empty.")
    return text


def _piped() -> str:
    """Return the text of stdin beside the prompt; empty if stdin stays silent."""
    if not _is_piped():
        return ""
    if os.name != "nt" and not select.select([sys.stdin], [], [], PATIENCE_SECONDS)[0]:
        notice = f"stdin was silent for {PATIENCE_SECONDS:.0f} s and is ignored; `</dev/null` avoids the wait"
        complain(notice)
        return ""
    return _read_stdin().strip("\n")


def _is_piped() -> bool:
    """Return whether stdin carries input: a pipe, a socket or a file, and no terminal or /dev/null."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # The stream may be closed.
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def _read_stdin() -> str:
    if sys.stdin is None:
        raise RequestError("There is no prompt: stdin is closed.")
    return _bounded(sys.stdin.buffer.read(4 * MOST_CHARACTERS + 1), "stdin")


def _read_file(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return _bounded(opened.read(4 * MOST_CHARACTERS + 1), str(file))
    except OSError as error:
        raise RequestError(f"The prompt {file} cannot be read: {error.strerror or error}.") from error


def _bounded(content: bytes, where: str) -> str:
    text = content.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    if len(text) > MOST_CHARACTERS:
        raise RequestError(
            f"{where} has more than {MOST_CHARACTERS:,} characters. Attach a file with --attach, or name the file in "
            "the prompt."
        )
    return text


def _existing(file: Path) -> Path:
    if not file.exists():
        raise RequestError(f"The file to attach does not exist: {file}.")
    return file.resolve()
