"""A keyring over one file, for processes that are told of it: PYTHON_KEYRING_BACKEND=keyring_support.FileKeyring."""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError

VARIABLE = "PLACET_TEST_KEYRING"
LOCKED = "locked"


class FileKeyring(KeyringBackend):
    """In the file that VARIABLE names; refuses everything when that is `locked`."""

    priority = 1  # pyright: ignore

    def get_password(self, service: str, username: str) -> str | None:
        return self._read().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._write(self._read() | {f"{service}/{username}": password})

    def delete_password(self, service: str, username: str) -> None:
        entries = self._read()
        if entries.pop(f"{service}/{username}", None) is None:
            raise PasswordDeleteError(username)
        self._write(entries)

    def _file(self) -> Path:
        if os.environ[VARIABLE] == LOCKED:
            raise KeyringLocked("nobody unlocks it")
        return Path(os.environ[VARIABLE])

    def _read(self) -> dict[str, str]:
        file = self._file()
        return json.loads(file.read_text("utf-8")) if file.exists() else {}

    def _write(self, entries: dict[str, str]) -> None:
        self._file().write_text(json.dumps(entries), "utf-8")


def with_keyring(environment: dict[str, str], file: Path | str) -> dict[str, str]:
    """The environment of a process that has this keyring."""
    tests = str(Path(__file__).parents[1])
    return {
        **environment,
        "PYTHONPATH": os.pathsep.join([tests, *environment.get("PYTHONPATH", "").split(os.pathsep)]).rstrip(os.pathsep),
        "PYTHON_KEYRING_BACKEND": "keyring_support.FileKeyring",
        VARIABLE: str(file),
    }
