"""Files of the local models: Placet's own directory first, then the caches of other programs. Blocks."""

import hashlib
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from placet.core.errors import PlacetError
from placet.model.local.caches import candidates
from placet.model.local.catalog import LocalModel

OWN = "Placet"
_SUMS = "sums.json"
_PIECE_BYTES = 1 << 22
_PRIVATE_DIRECTORY, _PRIVATE_FILE = 0o700, 0o600

Progress = Callable[[int], None]
"""Function to call with the number of bytes done so far."""


class LocalModelError(PlacetError):
    """A file of a model cannot be fetched, checked or removed; the text gives the reason."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class FoundFile(Struct, frozen=True):
    """File of the model's size, with the program which keeps the file."""

    path: Path
    program: str

    @property
    def is_own(self) -> bool:
        return self.program == OWN


class _Stamp(Struct, frozen=True):
    """State of a file at the making of the sum; a changed file has another stamp."""

    size: int
    modified_ns: int
    number: int
    sha256: str


_stamps = msgspec.json.Decoder(dict[str, _Stamp])


class LocalFiles:
    """Files of the local models, as one process sees the files. `directory` is Placet's own directory for the files."""

    def __init__(self, directory: Path, environment: Mapping[str, str], home: Path | None = None) -> None:
        self.directory = directory
        self._environment = environment
        self._home = home or Path(environment.get("HOME") or Path.home())
        self._writing = threading.Lock()

    def own_path(self, model: LocalModel) -> Path:
        """Return the path of Placet's own file of the model, whether the file exists or not."""
        return self.directory / model.file_name

    def find(self, model: LocalModel) -> FoundFile | None:
        """Return the first file of the model's size, without a check of the sum, or None."""
        return next(iter(self._found(model)), None)

    def checked(self, model: LocalModel, progress: Progress = lambda _: None) -> FoundFile | None:
        """Return the first file with the model's sum, or None; only a changed file is read again.

        Raises LocalModelError for an own file with another sum: a user who removes the file can fetch the model anew.
        """
        for file in self._found(model):
            if self.has_sum(file.path, model, progress):
                return file
            if file.is_own:
                raise LocalModelError(
                    f"The file {file.path} is not {model.title}: its sum is wrong.",
                    f"Run `placet models remove {model.name}`, then `placet models pull {model.name}`.",
                )
        return None

    def needs_reading(self, model: LocalModel) -> bool:
        """Return whether `checked` has to read a whole file."""
        file = self.find(model)
        return file is not None and self._known_sum(file.path) != model.sha256

    def has_sum(self, path: Path, model: LocalModel, progress: Progress = lambda _: None) -> bool:
        """Return whether the file is the model; the sum is remembered until the file changes."""
        known = self._known_sum(path)
        if known is None:
            known = self.remember(path, sum_of(path, progress))
        return known == model.sha256

    def remember(self, path: Path, sha256: str) -> str:
        """Note the sum of the file, and return the sum. A note that cannot be kept costs a second reading."""
        with suppress(OSError), self._writing:
            noted = {name: stamp for name, stamp in self._sums().items() if Path(name).exists()}
            noted[str(path)] = _stamp_of(path, sha256)
            self.make_directory()
            temporary = self.directory / f".{_SUMS}.{os.getpid()}"
            temporary.write_bytes(msgspec.json.encode(noted))
            temporary.replace(self.directory / _SUMS)
        return sha256

    def remove(self, model: LocalModel) -> bool:
        """Remove Placet's own file of the model, and a part of the file; return whether a file was removed.

        Raises LocalModelError.
        """
        removed = False
        for path in (self.own_path(model), self.part_path(model)):
            try:
                path.unlink()
                removed = True
            except FileNotFoundError:
                continue
            except OSError as error:
                raise LocalModelError(f"{path} cannot be removed: {error.strerror}.") from error
        return removed

    def part_path(self, model: LocalModel) -> Path:
        """Return the path of the growing file during a fetch."""
        return self.directory / f"{model.file_name}.part"

    def make_directory(self) -> None:
        """Make the directory, for this user alone. Raises OSError."""
        self.directory.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_DIRECTORY)

    def open_part(self, model: LocalModel) -> int:
        """Open the growing file for reading and writing, and return the descriptor. Raises OSError."""
        self.make_directory()
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        return os.open(self.part_path(model), flags, _PRIVATE_FILE)

    def _found(self, model: LocalModel) -> list[FoundFile]:
        own = self.own_path(model)
        is_there = own.is_file() and own.stat().st_size == model.size_bytes
        others = (FoundFile(path, program) for program, path in candidates(model, self._environment, self._home))
        return [*([FoundFile(own, OWN)] if is_there else []), *others]

    def _known_sum(self, path: Path) -> str | None:
        stamp = self._sums().get(str(path))
        with suppress(OSError):
            if stamp is not None and stamp == _stamp_of(path, stamp.sha256):
                return stamp.sha256
        return None

    def _sums(self) -> dict[str, _Stamp]:
        try:
            return _stamps.decode((self.directory / _SUMS).read_bytes())
        except (OSError, msgspec.MsgspecError):
            return {}


def _stamp_of(path: Path, sha256: str) -> _Stamp:
    status = path.stat()
    return _Stamp(status.st_size, status.st_mtime_ns, status.st_ino, sha256)


def sum_of(path: Path, progress: Progress = lambda _: None) -> str:
    """Return the SHA-256 of the file. Raises LocalModelError for a file that cannot be read."""
    digest, done = hashlib.sha256(), 0
    try:
        with path.open("rb", buffering=0) as file:
            while piece := file.read(_PIECE_BYTES):
                digest.update(piece)
                done += len(piece)
                progress(done)
    except OSError as error:
        raise LocalModelError(f"{path} cannot be read: {error.strerror}.") from error
    return digest.hexdigest()
