"""Carry bytes between an editor and the running daemon: `placet --stdio` with the setting `daemon.shared`.

The module imports the standard library alone, and little of the library: an editor waits for the start.
"""

from __future__ import annotations

import os
import sys

from placet import __version__
from placet.frontends.lsp.shared import endpoint_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterator
    from typing import BinaryIO

START_SECONDS = 30.0
"""Longest time for a daemon to start listening."""
LEAVING_SECONDS = 15.0
"""Longest time for a daemon of another version to leave."""
_BYTES = 64 * 1024
_LOG_BYTES = 1024 * 1024
_METHOD_BYTES = 64
"""Number of bytes that hold `"method": "shutdown"`, also if the text comes in two pieces."""
_SIGNS = "{}[]:,"
_AROUND_WORDS = _SIGNS + ' \t\r\n"/'
_FILES = ("placet.json", "placet.jsonc")


def serve() -> int | None:
    """Carry until the editor or the daemon goes; return the exit code.

    Return None if sharing is not wanted or not possible.
    """
    config = endpoint_address.config_directory()
    if config.startswith("~") or not shares_daemon(config):
        return None
    try:
        place = endpoint_address.meeting_place()
        daemon = _received(place) or _received_by_new(place)
    except (endpoint_address.Unsafe, OSError) as error:
        _say(f"{error} This editor gets its own daemon.")
        return None
    return None if daemon is None else carry(daemon)


def shares_daemon(config: str) -> bool:
    """Return whether the user's own settings have `daemon.shared`.

    Mistakes in the settings are reported by the reader of the whole settings.
    """
    shared = False
    for name in _FILES:
        try:
            with open(os.path.join(config, name), "rb") as file:
                text = file.read()
        except OSError:
            continue
        if b'"daemon"' in text:
            shared = shared_in(text.decode("utf-8", "replace"), shared)
    return shared


def shared_in(text: str, otherwise: bool = False) -> bool:
    """Return the value of `daemon.shared` in a settings file: JSON with comments.

    A full parser would take longer to import.
    """
    shared, above, key, last = otherwise, [""], "", ""
    for word in _tokens(text):
        match word:
            case "{" | "[":
                above.append(key)
                key = ""
            case "}" | "]":
                above = above[:-1]
                key = ""
            case ":":
                key = last
            case ",":
                key = ""
            case _:
                if above == ["", "", '"daemon"'] and key == '"shared"' and word in ("true", "false"):
                    shared = word == "true"
                last = word
    return shared


def _tokens(text: str) -> Iterator[str]:
    """Yield strings with their quotes, signs, and words; no comments."""
    at, end = 0, len(text)
    while at < end:
        start = at
        if text[at] == '"':
            at += 1
            while at < end and text[at] != '"':
                at += 2 if text[at] == "\\" else 1
            at += 1
        elif text.startswith("//", at):
            at = text.find("\n", at) % (end + 1)
            continue
        elif text.startswith("/*", at):
            at = text.find("*/", at + 2) % (end + 1) + 2
            continue
        elif text[at] in _SIGNS:
            at += 1
        else:
            while at < end and text[at] not in _AROUND_WORDS:
                at += 1
            if at == start:
                at += 1
                continue
        yield text[start:at]


class _Busy(OSError):
    """A daemon runs, but cannot serve this editor."""


def _received(place: str) -> socket | None:
    """Return the connection to a daemon of this version that takes the editor; None when no daemon runs (any more).

    Raises _Busy if a running daemon cannot take the editor.
    """
    try:
        connection = endpoint_address.connected(place)
    except FileNotFoundError:
        return None
    if connection is None:
        return None
    end, token = connection
    end.settimeout(endpoint_address.GREETING_SECONDS)
    try:
        end.sendall(endpoint_address.Greeting(__version__, token, _directory()).line())
        answer, version = endpoint_address.read_answer(_first_line(end))
        match answer:
            case "welcome":
                end.settimeout(None)
                return end
            case "leaving":
                end.settimeout(LEAVING_SECONDS)
                _drain(end)
            case "":
                pass  # The daemon was about to end.
            case "busy":
                raise _Busy(f"A daemon of version {version} is running, and this is version {__version__}.")
            case "refused":
                raise _Busy("The running daemon does not accept this process.")
            case _:
                raise _Busy("The running daemon uses another protocol than this version.")
    except TimeoutError as error:
        end.close()
        raise _Busy("The running daemon does not answer.") from error
    except ConnectionError:
        pass
    end.close()
    return None


def _directory() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""


def _first_line(end: socket) -> bytes:
    """Return the first line and read no further: the following bytes belong to the editor."""
    line = b""
    while not line.endswith(b"\n") and len(line) < endpoint_address.GREETING_LIMIT_BYTES:
        if not (byte := end.recv(1)):
            break
        line += byte
    return line


def _drain(end: socket) -> None:
    """Read until the other side has closed."""
    while end.recv(_BYTES):
        pass


def _received_by_new(place: str) -> socket | None:
    """Start a daemon, and connect to the new daemon, or to another daemon that was quicker."""
    if not _start(place):
        _say("The shared daemon could not be started. This editor gets its own daemon.")
        return None
    return _received(place)


def _start(place: str) -> bool:
    """Start a daemon that outlives this process; return whether a daemon listens."""
    import subprocess
    import threading

    os.makedirs(place, mode=0o700, exist_ok=True)
    endpoint_address.check_directory(place)
    with _log(os.path.join(place, endpoint_address.LOG)) as log:
        # -P: the working directory is the project's, and no file of the project must be imported.
        daemon = subprocess.Popen(
            [sys.executable, "-P", "-m", "placet", "--listen"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=place,
            start_new_session=True,
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP if sys.platform == "win32" else 0,
        )
    patience = threading.Timer(START_SECONDS, daemon.kill)
    patience.start()
    assert daemon.stdout is not None
    try:
        return bool(daemon.stdout.readline())
    finally:
        patience.cancel()
        daemon.stdout.close()
        daemon.returncode = 0  # The daemon is not ours to wait for.


def _log(path: str) -> BinaryIO:
    """Open the file for the daemon's stderr: append to earlier output, unless the file is already long."""
    try:
        is_long = os.path.getsize(path) > _LOG_BYTES
    except OSError:
        is_long = False
    return open(path, "wb" if is_long else "ab")


# ---------------------------------------------------------------- carrying


def carry(daemon: socket, read: int = 0, write: int = 1) -> int:
    """Carry both ways until one side ends. Return 0 if the editor had said `shutdown`, else 1, as in LSP."""
    import _thread  # `threading` takes a fifth of a pipe's start.

    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(read, os.O_BINARY)
        msvcrt.setmode(write, os.O_BINARY)
    editor = _Editor(daemon, read)
    _thread.start_new_thread(editor.carry, ())
    try:
        while data := daemon.recv(_BYTES):
            view = memoryview(data)
            while view:
                view = view[os.write(write, view) :]
    except OSError:
        editor.hang_up()
        return 1
    return 0 if editor.has_shut_down else 1


class _Editor:
    """Direction from the editor to the daemon; carried by a thread of its own."""

    def __init__(self, daemon: socket, read: int) -> None:
        self._daemon = daemon
        self._read = read
        self._end = b""
        self.has_shut_down = False
        """True once the editor has said `shutdown`."""

    def carry(self) -> None:
        try:
            while data := os.read(self._read, _BYTES):
                self._look_for_shutdown(data)
                self._daemon.sendall(data)
        except OSError:
            pass  # The daemon is gone, which the other direction hears as well.
        self.hang_up()

    def hang_up(self) -> None:
        """Tell the daemon about the end of the editor's input."""
        import _socket

        try:
            self._daemon.shutdown(_socket.SHUT_WR)
        except OSError:
            pass

    def _look_for_shutdown(self, data: bytes) -> None:
        """Note a `shutdown` request of the editor.

        Inside a text the quotes would be escaped, so only a message can match.
        """
        if self.has_shut_down:
            return
        joined = self._end + data
        self._end = joined[-_METHOD_BYTES:]
        start = joined.find(b'"shutdown"')
        if start >= 0:
            before = joined[:start].rstrip()
            self.has_shut_down = before.endswith(b":") and before[:-1].rstrip().endswith(b'"method"')


def _say(message: str) -> None:
    """Write the message to stderr, which editors keep in a log."""
    if sys.stderr is not None:
        sys.stderr.write(f"placet: {message}\n")
