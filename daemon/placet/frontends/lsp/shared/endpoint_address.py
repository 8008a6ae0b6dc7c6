"""Define the meeting place of the shared daemon and its pipes, and the first line that each side says.

The meeting place is a socket of the user's own in Placet's data directory; on systems without such sockets, a port of
this machine with a token. The module imports the standard library alone.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # A proxy has to start quickly, so every import waits until it is needed.
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable, Mapping

SOCKET, ADDRESS, LOCK, LOG = "socket", "address", "lock", "log"
PROTOCOL = 1
"""Version of these first lines; the rest is LSP."""
GREETING_LIMIT_BYTES = 16 * 1024
GREETING_SECONDS = 5.0
LONGEST_SOCKET_PATH = 100
"""Longest path of a socket, in bytes: the system's own limit is 104 to 108 bytes."""
_OTHERS = 0o077


class Unsafe(Exception):
    """The meeting place does not belong to the user alone."""


def config_directory(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> str:
    """Return the config directory, as settings/locations.py defines the directory."""
    return _directory(environment, platform, "XDG_CONFIG_HOME", ".config")


def meeting_place(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> str:
    """Return the meeting place, in the data directory of settings/locations.py: one store has one daemon.

    Raises Unsafe if no home directory is known: a place below the working directory would be the project's.
    """
    data = _directory(environment, platform, "XDG_DATA_HOME", os.path.join(".local", "share"))
    if data.startswith("~"):
        raise Unsafe("This user has no home directory: set HOME, or XDG_DATA_HOME.")
    return os.path.join(data, "daemon")


def _directory(environment: Mapping[str, str], platform: str, variable: str, below_home: str) -> str:
    if platform == "win32":
        local = environment.get("LOCALAPPDATA") or os.path.join(os.path.expanduser("~"), "AppData", "Local")
        return os.path.join(local, "placet")
    if (chosen := environment.get(variable, "").strip()) and os.path.isabs(chosen):
        return os.path.join(chosen, "placet")
    home = os.path.expanduser("~")
    if platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "placet")
    return os.path.join(home, below_home, "placet")


# ---------------------------------------------------------------- greetings

_HELLO = "placet-pipe"
_NOTHING = "-"


class Greeting:
    """First line of a pipe, in which the pipe introduces itself."""

    def __init__(self, version: str, token: str = "", directory: str = "") -> None:
        self.version = version
        self.token = token
        self.directory = directory
        """Directory in which the pipe was started; empty if the pipe cannot tell."""

    def line(self) -> bytes:
        """Return the greeting as words without blanks: a JSON parser takes longer to import than all else here."""
        words = (
            _HELLO,
            str(PROTOCOL),
            self.version,
            self.token or _NOTHING,
            os.fsencode(self.directory).hex() or _NOTHING,
        )
        return " ".join(words).encode() + b"\n"

    @classmethod
    def read(cls, line: bytes) -> Greeting | None:
        """Return the greeting in the line, or None if the line is no greeting."""
        match line.decode("utf-8", "replace").split():
            case [hello, _, version, token, directory] if hello == _HELLO:
                try:
                    decoded = os.fsdecode(bytes.fromhex(_given(directory)))
                except ValueError:
                    return None
                return cls(version, _given(token), decoded)
            case _:
                return None

    @staticmethod
    def may_begin(first_bytes: bytes) -> bool:
        """Return whether these first bytes can begin a greeting; LSP begins with a header."""
        return _HELLO.encode().startswith(first_bytes[: len(_HELLO)])


def _given(word: str) -> str:
    return "" if word == _NOTHING else word


def answer_line(answer: str, version: str) -> bytes:
    """Return the daemon's answer to a greeting: `welcome`, `leaving`, `busy` or `refused`."""
    return f"placet-daemon {PROTOCOL} {answer} {version}\n".encode()


def read_answer(line: bytes) -> tuple[str, str]:
    """Return the answer and the daemon's version.

    Both are empty for an empty line; the answer is `?` if another program has answered.
    """
    match line.decode("utf-8", "replace").split():
        case ["placet-daemon", _, answer, version]:
            return answer, version
        case []:
            return "", ""
        case _:
            return "?", ""


# ---------------------------------------------------------------- connecting


def connected(place: str) -> tuple[socket, str] | None:
    """Return a connection to the listener at the place, and the token to say; None when nobody listens.

    Raises Unsafe when the place is not the user's alone.
    """
    import _socket  # The C module below `socket`, in a fifth of the time.

    if sys.platform != "win32" and os.path.lexists(path := os.path.join(place, SOCKET)):
        check_directory(place)
        _check_socket(path)
        end = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            near(path, end.connect)
        except OSError:
            end.close()
        else:
            return end, ""
    if (address := read_address(place)) is None:
        return None
    end = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    end.settimeout(GREETING_SECONDS)
    try:
        end.connect(("127.0.0.1", address[0]))
    except OSError:
        end.close()
        return None
    return end, address[1]


def near(path: str, act: Callable[[str], object]) -> None:
    """Call `act(path)` with a name short enough for a socket. Not for a process with threads at work."""
    if len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
        act(path)
        return
    assert sys.platform != "win32"  # Sockets have no paths there.
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(os.path.dirname(path))
        act(os.path.basename(path))
    finally:
        os.fchdir(here)
        os.close(here)


def read_address(place: str) -> tuple[int, str] | None:
    """Return port and token of a daemon that listens on this machine's own network, or None if none is known."""
    path = os.path.join(place, ADDRESS)
    try:
        with open(path, "rb") as file:
            _check_own(path, os.fstat(file.fileno()))
            words = file.read(GREETING_LIMIT_BYTES).decode("utf-8", "replace").split()
    except FileNotFoundError:
        return None
    match words:
        case [port, token] if port.isdecimal():
            return int(port), token
        case _:
            return None


def check_directory(place: str) -> None:
    """Check the owner and the mode of the directory.

    Raises Unsafe if anybody else owns the directory or can change the contents.
    """
    _check_own(place, os.lstat(place))


def _check_socket(path: str) -> None:
    import stat

    status = os.lstat(path)
    if not stat.S_ISSOCK(status.st_mode):
        raise Unsafe(f"{path} is not a socket. Remove the file.")
    _check_own(path, status)


def _check_own(path: str, status: os.stat_result) -> None:
    if sys.platform == "win32":
        return  # On Windows the profile's directory is the user's alone.
    if status.st_uid != os.getuid() or status.st_mode & _OTHERS:
        raise Unsafe(f"{path} is not yours alone (mode {status.st_mode & 0o777:o}). Remove the file.")
