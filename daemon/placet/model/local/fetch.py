"""Fetch of a model's file over the network: goes on where an earlier fetch broke off, and keeps only the right file.

HTTP ranges: https://www.rfc-editor.org/rfc/rfc9110#name-range-requests.
"""

import errno
import os
import re
import shutil
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import httpx2
from filelock import FileLock, Timeout

from placet.model.local.catalog import LocalModel, size_text
from placet.model.local.files import LocalFiles, LocalModelError, Progress, sum_of

_TRIES = 5
"""Number of tries in a row without a new byte."""
_PAUSE_SECONDS = 2.0
_SILENCE_SECONDS = 60.0
_SPARE_BYTES = 64 << 20
"""Room that stays free beside the file."""
_PIECE_BYTES = 1 << 20
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG} if hasattr(errno, "EDQUOT") else {errno.ENOSPC})


class _BrokenOff(Exception):
    """Raised when the connection ended early; the text is the reason."""


def fetch(
    model: LocalModel,
    files: LocalFiles,
    address: str,
    progress: Progress,
    *,
    pause: Callable[[float], None] = time.sleep,
) -> Path:
    """Fetch the model from the address, and return the path of the whole file. Blocks; Ctrl-C leaves the part.

    Raises LocalModelError: no network, no room, another file than the catalog's, another process that fetches.
    """
    with _alone(model, files):
        part = files.part_path(model)
        done = _size(part)
        _refuse_without_room(files, model.size_bytes - done)
        tries = 0
        while done < model.size_bytes:
            try:
                _go_on(model, files, address, done, progress)
            except _BrokenOff as reason:
                tries = tries + 1 if _size(part) <= done else 1
                if tries >= _TRIES:
                    raise LocalModelError(f"{address} cannot be fetched: {reason}.", _later(_size(part))) from None
                pause(_PAUSE_SECONDS)
            done = _size(part)
        return keep(model, files)


def add_file(model: LocalModel, files: LocalFiles, source: Path, progress: Progress) -> Path:
    """Link or copy a file of the user's, and return the path of Placet's own file. Blocks. Raises LocalModelError."""
    source = source.resolve()
    if not source.is_file():
        raise LocalModelError(f"There is no file {source}.")
    if (size := source.stat().st_size) != model.size_bytes:
        raise LocalModelError(f"{source} is not {model.title}: it has {size:,} bytes, not {model.size_bytes:,}.")
    if not files.has_sum(source, model, progress):
        raise LocalModelError(f"{source} is not {model.title}: its SHA-256 is not {model.sha256}.")
    with _alone(model, files):
        own, part = files.own_path(model), files.part_path(model)
        if own.exists() and own.samefile(source):
            return own
        part.unlink(missing_ok=True)
        try:
            os.link(source, part)
        except OSError:  # Another file system, or one without links.
            _copy(model, files, source)
            return keep(model, files)
        return _renamed(model, files)


def keep(model: LocalModel, files: LocalFiles) -> Path:
    """Give the whole part its name if its sum is right, and return the path; otherwise remove the part.

    Raises LocalModelError.
    """
    part = files.part_path(model)
    if (found := sum_of(part)) != model.sha256:
        part.unlink(missing_ok=True)
        raise LocalModelError(
            f"The file is not {model.title}: its SHA-256 is {found}, not {model.sha256}. The file was removed.",
            "Run the command again, or name another source with `--from`.",
        )
    return _renamed(model, files)


def _renamed(model: LocalModel, files: LocalFiles) -> Path:
    part, own = files.part_path(model), files.own_path(model)
    try:
        part.replace(own)
    except OSError as error:
        raise LocalModelError(f"{own} cannot be written: {error.strerror}.") from error
    files.remember(own, model.sha256)
    return own


@contextmanager
def _alone(model: LocalModel, files: LocalFiles) -> Generator[None]:
    """Hold the lock of the part: two processes must not write the same file. Raises LocalModelError."""
    try:
        files.make_directory()
    except OSError as error:
        raise LocalModelError(f"{files.directory} cannot be made: {error.strerror}.") from error
    lock = FileLock(f"{files.part_path(model)}.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise LocalModelError(f"Another process of Placet is fetching {model.title} at this moment.") from None
    try:
        yield
    finally:
        lock.release()


def _go_on(model: LocalModel, files: LocalFiles, address: str, done: int, progress: Progress) -> None:
    """Fetch the rest of the file once. Raises _BrokenOff and LocalModelError."""
    headers = {"accept-encoding": "identity"} | ({"range": f"bytes={done}-"} if done else {})
    try:
        with (
            httpx2.Client(follow_redirects=True, timeout=_SILENCE_SECONDS) as client,
            client.stream("GET", address, headers=headers) as answer,
        ):
            start = _start_of(answer, model, address, done)
            _write(model, files, answer, start, progress)
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        raise _BrokenOff(str(error) or type(error).__name__) from error
    except httpx2.InvalidURL as error:
        raise LocalModelError(f"{address} is no address: {error}.") from error


def _start_of(answer: httpx2.Response, model: LocalModel, address: str, done: int) -> int:
    """Return the place in the file at which the answer begins. Raises _BrokenOff and LocalModelError."""
    length = answer.headers.get("content-length", "")
    match answer.status_code:
        case 200:
            start, total = 0, int(length) if length.isdigit() else None
        case 206 if match := _RANGE.fullmatch(answer.headers.get("content-range", "")):
            start, total = int(match[1]), None if match[2] == "*" else int(match[2])
        case 408 | 425 | 429 | 500 | 502 | 503 | 504:
            raise _BrokenOff(f"its server answers with status {answer.status_code}")
        case status:
            raise LocalModelError(
                f"{address} cannot be fetched: its server answers with status {status}.",
                "Name another source with `--from FILE` or `--from ADDRESS`.",
            )
    if total is not None and total != model.size_bytes:
        raise LocalModelError(f"{address} is not {model.title}: it has {total:,} bytes, not {model.size_bytes:,}.")
    if start not in (0, done):
        raise LocalModelError(f"{address} cannot be fetched: its server sends another part than asked for.")
    return start


def _write(model: LocalModel, files: LocalFiles, answer: httpx2.Response, start: int, progress: Progress) -> None:
    try:
        with os.fdopen(files.open_part(model), "r+b", buffering=0) as part:
            part.truncate(start)
            part.seek(start)
            # In the pieces of the network: bytes that wait for a larger piece would be lost with the connection.
            for piece in answer.iter_bytes():
                if part.tell() + len(piece) > model.size_bytes:
                    part.truncate(0)
                    raise LocalModelError(
                        f"The file is not {model.title}: it has more than {model.size_bytes:,} bytes."
                    )
                part.write(piece)
                progress(part.tell())
            os.fsync(part.fileno())
            if part.tell() < model.size_bytes:
                raise _BrokenOff("the connection ended early")
    except OSError as error:
        raise _unwritable(files, error) from error


def _copy(model: LocalModel, files: LocalFiles, source: Path) -> None:
    _refuse_without_room(files, model.size_bytes)
    try:
        with source.open("rb") as old, os.fdopen(files.open_part(model), "r+b") as new:
            new.truncate(0)
            shutil.copyfileobj(old, new, _PIECE_BYTES)
    except OSError as error:
        files.part_path(model).unlink(missing_ok=True)
        raise _unwritable(files, error) from error


def _later(done: int) -> str:
    if not done:
        return "Check the network, and run the command again."
    return f"Run the command again later: Placet goes on after {size_text(done)}."


def _unwritable(files: LocalFiles, error: OSError) -> LocalModelError:
    if error.errno in _NO_SPACE:
        return LocalModelError(f"There is no room left in {files.directory}.", "Make room, then run the command again.")
    return LocalModelError(f"{files.directory} cannot be written: {error.strerror}.")


def _refuse_without_room(files: LocalFiles, needed: int) -> None:
    free = shutil.disk_usage(files.directory).free
    if free < needed + _SPARE_BYTES:
        raise LocalModelError(
            f"There is too little room in {files.directory}: {size_text(needed)} are needed, and "
            f"{size_text(free)} are free.",
            "Make room, then run the command again.",
        )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
