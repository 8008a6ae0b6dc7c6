"""The file of grants for a project or the user: readable, the user's alone, and shared by several daemons.

A file that cannot be understood is reported and left as it is.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

from placet.errors import SettingsError

Record = Mapping[str, Any]
State = tuple[int, int, int] | None
"""What differs when the file is another: time, size and inode; None where there is none."""

ABOUT = "What you allowed with `always`. `placet permissions list` explains it, `placet permissions revoke ID` ends it."


class GrantsFile:
    """Everything here blocks, for a few milliseconds; `change` also for as long as another process changes the file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def state(self) -> State:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def read(self) -> list[Record]:
        """The grants as they are written. Raises SettingsError."""
        try:
            content: Any = json.loads(self.path.read_text("utf-8"))
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise SettingsError(f"{self.path} cannot be read: {error}. {_MEND}") from error
        records = cast("dict[str, Any]", content).get("grants") if isinstance(content, dict) else None
        if not isinstance(records, list):
            raise SettingsError(f"{self.path}: expected an object with a list `grants`. {_MEND}")
        for number, record in enumerate(cast("list[Any]", records), start=1):
            if (problem := _problem(record)) is not None:
                raise SettingsError(f"{self.path}: grant {number}: {problem}. {_MEND}")
        return records

    def change(self, change: Callable[[list[Record]], list[Record]]) -> None:
        """Replace the grants by what `change` makes of them, as nobody else does at the same time.

        Raises SettingsError, and then nothing is written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self.path.with_suffix(".lock")):
                before = self.read()
                after = change(before)
                if after != before:
                    self._write(after)
        except OSError as error:
            raise SettingsError(f"{self.path} cannot be written: {error.strerror or error}.") from error

    def _write(self, records: list[Record]) -> None:
        """Replaced as a whole, and readable for nobody else at any moment (mkstemp makes files of mode 0600)."""
        descriptor, temporary = tempfile.mkstemp(prefix=".grants-", dir=self.path.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump({"about": ABOUT, "grants": records}, file, indent=2, ensure_ascii=False)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(self.path)
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink()
            raise


_MEND = "Mend it, or remove it; until then nothing is granted by it, and nothing is written to it."
_TEXTS = ("id", "permission", "pattern")


def _problem(record: object) -> str | None:
    if not isinstance(record, dict):
        return "expected an object"
    fields = cast("dict[str, Any]", record)
    for name in _TEXTS:
        if not isinstance(fields.get(name), str):
            return f"`{name}` is to be a text"
    roots = fields.get("roots")
    match fields.get("scope"):
        case "user":
            return None
        case "project" if isinstance(roots, list) and all(isinstance(root, str) for root in cast("list[Any]", roots)):
            return None
        case "project":
            return "`roots` is to be the list of the project's folders"
        case other:
            return f"`scope` is to be project or user, and is {other!r}"


@contextmanager
def _locked(path: Path) -> Generator[None]:
    """Alone among the processes of this machine; the system lets go of it when a process dies."""
    with path.open("a+b") as file:
        _lock(file)
        try:
            yield
        finally:
            _unlock(file)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)

    def _unlock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)

    def _unlock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
