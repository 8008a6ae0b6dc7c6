"""`placet --stdio` with the setting `daemon.shared`: the editor's bytes carried to and from the daemon that runs.

Imports the standard library alone, and of that little: an editor waits for it.
"""

from __future__ import annotations

import os
import sys

from placet import __version__, rendezvous

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterator
    from typing import BinaryIO

START_SECONDS = 30.0
"""How long a daemon may take until it listens."""
LEAVING_SECONDS = 15.0
"""How long one of another version may take to make room."""
_BYTES = 64 * 1024
_LOG_BYTES = 1024 * 1024
_METHOD_BYTES = 64
"""Enough for `"method": "shutdown"`, also where it comes in two pieces."""
_SIGNS = "{}[]:,"
_AROUND_WORDS = _SIGNS + ' \t\r\n"/'
_FILES = ("placet.json", "placet.jsonc")


def serve() -> int | None:
    """Carry until the editor or the daemon goes; the exit code. None if this is not wanted, or cannot be."""
    config = rendezvous.config_directory()
    if config.startswith("~") or not is_wanted(config):
        return None
    try:
        place = rendezvous.meeting_place()
        daemon = _received(place) or _received_by_new(place)
    except (rendezvous.Unsafe, OSError) as error:
        _say(f"{error} This editor gets a daemon of its own.")
        return None
    return None if daemon is None else carry(daemon)


def is_wanted(config: str) -> bool:
    """Whether the user's own settings have `daemon.shared`; what is wrong with them is told by whoever reads all."""
    wanted = False
    for name in _FILES:
        try:
            with open(os.path.join(config, name), "rb") as file:
                text = file.read()
        except OSError:
            continue
        if b'"daemon"' in text:
            wanted = shared_in(text.decode("utf-8", "replace"), wanted)
    return wanted


def shared_in(text: str, otherwise: bool = False) -> bool:
    """What `daemon.shared` is in a file of settings: JSON with comments. A parser would take longer to be imported."""
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
    """Strings with their quotes, signs, and words; no comments."""
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
    """There is a daemon, and not for us."""


def _received(place: str) -> socket | None:
    """The connection to a daemon of this version that takes the editor; None when none runs (any more).

    Raises _Busy for one that runs and cannot take it.
    """
    try:
        found = rendezvous.connected(place)
    except FileNotFoundError:
        return None
    if found is None:
        return None
    end, token = found
    end.settimeout(rendezvous.GREETING_SECONDS)
    try:
        end.sendall(rendezvous.Greeting(__version__, token, _directory()).line())
        answer, version = rendezvous.read_answer(_first_line(end))
        match answer:
            case "welcome":
                end.settimeout(None)
                return end
            case "leaving":
                end.settimeout(LEAVING_SECONDS)
                _drain(end)
            case "":
                pass  # It was about to end.
            case "busy":
                raise _Busy(f"A daemon of version {version} is at work, and this is {__version__}.")
            case "refused":
                raise _Busy("The daemon that runs does not know us.")
            case _:
                raise _Busy("What listens for Placet's editors does not speak as this version does.")
    except TimeoutError as error:
        end.close()
        raise _Busy("The daemon that runs does not answer.") from error
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
    """Up to its end and no further: what follows is the editor's."""
    said = b""
    while not said.endswith(b"\n") and len(said) < rendezvous.GREETING_LIMIT_BYTES:
        if not (byte := end.recv(1)):
            break
        said += byte
    return said


def _drain(end: socket) -> None:
    """Until the other side has closed."""
    while end.recv(_BYTES):
        pass


def _received_by_new(place: str) -> socket | None:
    """Start a daemon, and be received by it, or by another that was quicker."""
    if not _start(place):
        _say("The shared daemon could not be started; this editor gets one of its own.")
        return None
    return _received(place)


def _start(place: str) -> bool:
    """Whether a daemon listens, which then outlives this process."""
    import subprocess
    import threading

    os.makedirs(place, mode=0o700, exist_ok=True)
    rendezvous.check_directory(place)
    with _log(os.path.join(place, rendezvous.LOG)) as log:
        # -P: the directory we are in is the project's, and nothing of it is to be imported.
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
        daemon.returncode = 0  # It is not ours to wait for.


def _log(path: str) -> BinaryIO:
    """Where the daemon's stderr goes: on behind what earlier ones have said, as long as that is not much."""
    try:
        is_long = os.path.getsize(path) > _LOG_BYTES
    except OSError:
        is_long = False
    return open(path, "wb" if is_long else "ab")


# ---------------------------------------------------------------- carrying


def carry(daemon: socket, read: int = 0, write: int = 1) -> int:
    """Both ways until one side ends. 0 when the editor had said `shutdown`, else 1, as LSP has it."""
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
    """What comes from the editor; carried by a thread of its own."""

    def __init__(self, daemon: socket, read: int) -> None:
        self._daemon = daemon
        self._read = read
        self._end = b""
        self.has_shut_down = False
        """Whether it has said `shutdown`."""

    def carry(self) -> None:
        try:
            while data := os.read(self._read, _BYTES):
                self._look_for_shutdown(data)
                self._daemon.sendall(data)
        except OSError:
            pass  # The daemon is gone, which the other direction hears as well.
        self.hang_up()

    def hang_up(self) -> None:
        """Nothing more comes from the editor."""
        import _socket

        try:
            self._daemon.shutdown(_socket.SHUT_WR)
        except OSError:
            pass

    def _look_for_shutdown(self, data: bytes) -> None:
        """In a text the quotes would be escaped, so that a message alone can say it."""
        if self.has_shut_down:
            return
        joined = self._end + data
        self._end = joined[-_METHOD_BYTES:]
        start = joined.find(b'"shutdown"')
        if start >= 0:
            before = joined[:start].rstrip()
            self.has_shut_down = before.endswith(b":") and before[:-1].rstrip().endswith(b'"method"')


def _say(message: str) -> None:
    """Editors keep it in a log."""
    if sys.stderr is not None:
        sys.stderr.write(f"placet: {message}\n")
