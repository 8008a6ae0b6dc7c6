"""Output bounded for the model: whole lines from the head or the tail, and where the whole of it is kept."""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Literal

from msgspec import Struct

from placet.core.ids import new_id
from placet.core.messages import JsonObject

MAX_LINES = 2000
MAX_BYTES = 51_200
RETENTION_SECONDS = 7 * 24 * 3600

Keep = Literal["head", "tail"]


class Bounded(Struct, frozen=True):
    """Output bounded for the model; `path` holds the whole output when `text` is only a part, else None."""

    text: str
    path: Path | None
    original_size: int = 0
    """Bytes of the whole output, where `text` is only a part."""
    truncated_size: int = 0
    """Bytes of the part in `text`, without the notice."""

    @property
    def metadata(self) -> JsonObject:
        """Return the metadata of a result with this output, as in OpenCode's tools."""
        if self.path is None:
            return {"truncated": False}
        return {
            "truncated": True,
            "outputPath": str(self.path),
            "originalSize": self.original_size,
            "truncatedSize": self.truncated_size,
        }


def fits(text: str) -> bool:
    """Return whether the text can go to the model unchanged."""
    if len(text) > MAX_BYTES:
        return False
    data = text.encode("utf-8", "replace")
    return len(data) <= MAX_BYTES and _line_count(data) <= MAX_LINES


def bound_output(whole: str, directory: Path, *, may_delegate: bool, keep: Keep = "head") -> Bounded:
    """Return a text that fits, else the head or tail with a notice, and the whole text in a new file. Blocks."""
    data = whole.encode("utf-8", "replace")
    part = first_part(data) if keep == "head" else last_part(data)
    if len(part) == len(data):
        return Bounded(whole, None)
    path = new_output_file(directory)
    path.write_bytes(data)
    lines = _line_count(data) - _line_count(part)
    text = _announced(part, keep, lines, len(data) - len(part), path, may_delegate=may_delegate)
    return Bounded(text, path, len(data), len(part))


def bound_file(path: Path, *, may_delegate: bool) -> Bounded:
    """Return the tail of an output in a file. A file that fits is removed, since nobody needs the file. Blocks."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - MAX_BYTES - 1))
        tail = last_part(file.read(MAX_BYTES + 1))
        whole = len(tail) == size
        lines = 0 if whole else _line_count_of(file) - _line_count(tail)
    # Bytes outside of UTF-8 grow when replaced.
    shown = last_part(tail.decode("utf-8", "replace").encode())
    if whole:
        path.unlink(missing_ok=True)
        return Bounded(shown.decode(), None)
    text = _announced(shown, "tail", lines, size - len(tail), path, may_delegate=may_delegate)
    return Bounded(text, path, size, len(tail))


def new_output_file(directory: Path) -> Path:
    """Return an empty file for one whole output, readable by the owner only. Blocks; raises OSError."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / new_id("tool")
    path.touch(mode=0o600, exist_ok=False)
    return path


def forget_old_outputs(directory: Path) -> None:
    """Remove the outputs older than RETENTION_SECONDS, in the directory and in the directories of sessions. Blocks."""
    directories = list(directory.glob("ses_*"))
    for path in (
        *directory.glob("tool_*"),
        *(path for session_directory in directories for path in session_directory.glob("tool_*")),
    ):
        with suppress(OSError):  # Gone already, or held open: another time.
            if _is_old(path):
                path.unlink()
    for session_directory in directories:
        with suppress(OSError):  # The directory still holds outputs.
            if _is_old(session_directory):
                session_directory.rmdir()


def _is_old(path: Path) -> bool:
    return path.stat().st_mtime < time.time() - RETENTION_SECONDS


def first_part(data: bytes) -> bytes:
    """Return the longest run of whole lines from the start within both limits; of one huge line, the part within."""
    part = data[:MAX_BYTES]
    if len(part) < len(data):
        newline = part.rfind(b"\n")
        part = part[: newline + 1] if newline >= MAX_BYTES // 2 else part[: _character_start(data, MAX_BYTES)]
    lines = part.split(b"\n", MAX_LINES)
    return part[: len(part) - len(lines[MAX_LINES])] if len(lines) > MAX_LINES else part


def last_part(data: bytes) -> bytes:
    """The same from the end."""
    start = max(0, len(data) - MAX_BYTES)
    if start > 0 and data[start - 1] != ord("\n"):
        newline = data.find(b"\n", start, start + MAX_BYTES // 2)
        start = newline + 1 if newline >= 0 else _character_end(data, start)
    part = data[start:]
    lines = part.removesuffix(b"\n").rsplit(b"\n", MAX_LINES)
    return part[len(lines[0]) + 1 :] if len(lines) > MAX_LINES else part


def _character_start(data: bytes, position: int) -> int:
    """Return the start of the UTF-8 character at the position."""
    while position > 0 and data[position] & 0xC0 == 0x80:
        position -= 1
    return position


def _character_end(data: bytes, position: int) -> int:
    """The first start of a UTF-8 character at or past the position; at most three bytes on, as it may not be UTF-8."""
    for here in range(position, min(position + 3, len(data))):
        if data[here] & 0xC0 != 0x80:
            return here
    return min(position + 3, len(data))


def _announced(part: bytes, keep: Keep, lines: int, count: int, path: Path, *, may_delegate: bool) -> str:
    text = part.decode("utf-8", "replace")
    missing = f"{lines} lines" if lines > 0 else f"{count} bytes"
    hint = (
        "Have an explore agent look through it with the task tool rather than reading it all yourself."
        if may_delegate
        else "Search it with grep, or read parts of it with offset and limit."
    )
    if keep == "head":
        return f"{text.rstrip()}\n\n...{missing} truncated...\n\nThe whole output is in {path}. {hint}"
    return f"...{missing} truncated...\n\nThe whole output is in {path}. {hint}\n\n{text}"


def _line_count(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def _line_count_of(file: BinaryIO) -> int:
    return sum(chunk.count(b"\n") for chunk in _chunks(file)) + _has_open_end(file)


def _has_open_end(file: BinaryIO) -> bool:
    file.seek(-1, os.SEEK_END)
    return file.read(1) != b"\n"


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    while chunk := file.read(1 << 20):
        yield chunk
