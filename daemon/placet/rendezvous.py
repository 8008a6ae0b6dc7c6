"""Where the shared daemon and its pipes meet, and the first line that each says. Imports the standard library alone.

A socket of the user's own in Placet's data directory; where there are none, a port of this machine with a token.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # A pipe is to start quickly, and so nothing is imported here before it is needed.
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable, Mapping

SOCKET, ADDRESS, LOCK, LOG = "socket", "address", "lock", "log"
PROTOCOL = 1
"""Of these first lines; the rest is LSP."""
GREETING_LIMIT_BYTES = 16 * 1024
GREETING_SECONDS = 5.0
LONGEST_SOCKET_PATH = 100
"""In bytes: the system's own limit is 104 to 108 of them."""
_OTHERS = 0o077


class Unsafe(Exception):
    """What lies at the meeting place is not the user's own alone."""


def config_directory(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> str:
    """As settings/locations.py has it."""
    return _directory(environment, platform, "XDG_CONFIG_HOME", ".config")


def meeting_place(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> str:
    """In the data directory of settings/locations.py: whoever has one store has one daemon.

    Raises Unsafe where nobody knows a home: a place below the working directory would be the project's.
    """
    data = _directory(environment, platform, "XDG_DATA_HOME", os.path.join(".local", "share"))
    if data.startswith("~"):
        raise Unsafe("Where your files are is not known: set HOME, or XDG_DATA_HOME.")
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


# ---------------------------------------------------------------- what is said first

_HELLO = "placet-pipe"
_NOTHING = "-"


class Greeting:
    """What a pipe says of itself."""

    def __init__(self, version: str, token: str = "", directory: str = "") -> None:
        self.version = version
        self.token = token
        self.directory = directory
        """Where it was started; empty if it cannot tell."""

    def line(self) -> bytes:
        """Words, of which none has a blank in it: a JSON parser takes longer to import than all else here."""
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
        """None for a line that is none."""
        match line.decode("utf-8", "replace").split():
            case [hello, _, version, token, directory] if hello == _HELLO:
                try:
                    known = os.fsdecode(bytes.fromhex(_given(directory)))
                except ValueError:
                    return None
                return cls(version, _given(token), known)
            case _:
                return None

    @staticmethod
    def may_begin(said: bytes) -> bool:
        """Whether these first bytes can be of such a line; LSP begins with a header."""
        return _HELLO.encode().startswith(said[: len(_HELLO)])


def _given(word: str) -> str:
    return "" if word == _NOTHING else word


def answer_line(answer: str, version: str) -> bytes:
    """What the daemon says to a greeting: `welcome`, `leaving`, `busy` or `refused`."""
    return f"placet-daemon {PROTOCOL} {answer} {version}\n".encode()


def read_answer(line: bytes) -> tuple[str, str]:
    """The answer and the daemon's version; empty for what is no answer, `?` where somebody else has answered."""
    match line.decode("utf-8", "replace").split():
        case ["placet-daemon", _, answer, version]:
            return answer, version
        case []:
            return "", ""
        case _:
            return "?", ""


# ---------------------------------------------------------------- getting there


def connected(place: str) -> tuple[socket, str] | None:
    """A connection to whoever listens there, and the token to say; None when nobody does.

    Raises Unsafe when it is not the user's alone.
    """
    import _socket  # What `socket` is made of, in a fifth of the time.

    if hasattr(_socket, "AF_UNIX") and os.path.lexists(path := os.path.join(place, SOCKET)):
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
    """`act(path)`, by a name that is short enough for a socket. Not for a process with threads at work."""
    if len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
        act(path)
        return
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(os.path.dirname(path))
        act(os.path.basename(path))
    finally:
        os.fchdir(here)
        os.close(here)


def read_address(place: str) -> tuple[int, str] | None:
    """Port and token of a daemon that listens on this machine's own network; None where there is none."""
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
    """Raises Unsafe if anybody else owns the directory or can change what is in it."""
    _check_own(place, os.lstat(place))


def _check_socket(path: str) -> None:
    import stat

    found = os.lstat(path)
    if not stat.S_ISSOCK(found.st_mode):
        raise Unsafe(f"{path} is no socket; remove it.")
    _check_own(path, found)


def _check_own(path: str, found: os.stat_result) -> None:
    if sys.platform == "win32":
        return  # There the profile's directory is the user's alone.
    if found.st_uid != os.getuid() or found.st_mode & _OTHERS:
        raise Unsafe(f"{path} is not yours alone (mode {found.st_mode & 0o777:o}); remove it.")
