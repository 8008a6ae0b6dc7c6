"""Results of a fleet: a file of JSON and a patch for each task, in a directory or at an fsspec address."""

import hashlib
import os
import posixpath
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from pydantic import ValidationError

from placet.core.errors import RequestError
from placet.core.messages import Tokens, Value
from placet.project.paths import from_uri

Status = Literal["done", "limit", "stopped", "error", "place"]
"""`done`: the turn ended by itself. `limit`: steps, cost or time ran out. `stopped`: the model declined, or a loop was
stopped. `error`: an impossible task, such as a wrong model. `place`: the place failed, also after the retries.
"""


class Result(Value):
    """Result of a task."""

    id: str
    status: Status
    solved: bool | None = None
    """Outcome of the check; absent for a task without a check."""
    reason: str = ""
    """Reason for any other status than `done`, in a few words."""
    detail: str = ""
    """Last words of the failed program or of the check."""
    base: str = ""
    """Commit on which the patch stands."""
    additions: int = 0
    deletions: int = 0
    patch_file: str = ""
    """Name of the file with the patch, relative to the output."""
    session_id: str | None = None
    model: str | None = None
    answer: str = ""
    tokens: Tokens = Tokens()
    cost: float = 0.0
    seconds: float = 0.0
    attempts: int = 1


class Files(Protocol):
    """Files of a fleet, by name relative to the output."""

    def read(self, name: str) -> bytes | None:
        """Return the content, or None for no such file."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """Write the whole file or nothing."""
        ...

    def create(self, name: str, content: bytes) -> bool:
        """Write a new file, whole or not at all; return False if the file exists."""
        ...

    def names(self, directory: str) -> list[str]: ...

    def remove(self, name: str) -> None: ...


class FleetOutput:
    """Output of a fleet; any number of processes may use an address. A stored result is never replaced."""

    def __init__(self, address: str) -> None:
        """Open the output at the address, a directory or an fsspec address. Raises RequestError."""
        directory = from_uri(address) if address.startswith("file:") else None
        if directory is None and "://" not in address:
            directory = Path(address)
        self._files = _files_at(address) if directory is None else _Directory(directory)
        # Workers have other working directories.
        self.address = address if directory is None else str(directory.absolute())

    def result(self, task_id: str) -> Result | None:
        """Return the result, or None without a whole result. Raises RequestError for a file of something else."""
        content = self._files.read(_result_file(task_id))
        if content is None:
            return None
        try:
            return Result.model_validate_json(content)
        except ValidationError as error:
            raise RequestError(f"{self.address}: {_result_file(task_id)} is no result of a fleet.") from error

    def results(self) -> Iterator[Result]:
        for name in sorted(self._files.names("results")):
            task_id, _, kind = name.rpartition(".")
            if kind == "json" and (result := self.result(task_id)) is not None:
                yield result

    def save(self, result: Result, patch: bytes) -> Result:
        """Store the result with the patch, unless the task has a result already; return the stored result.

        Workers on two nodes may do one task at once, if Ray takes a node for dead. The patch stays that of the result.
        """
        if (first := self.result(result.id)) is not None:
            return first
        usual, file = _patch_file(result.id), self._save_patch(result.id, patch)
        result = result.model_copy(update={"patch_file": file})
        is_first = self._files.create(_result_file(result.id), result.model_dump_json(by_alias=True).encode())
        if file != usual:
            if is_first:
                self._files.write(usual, patch)  # No other attempt can have the result any more.
            else:
                self._files.remove(file)
        return result if is_first else self.result(result.id) or result

    def _save_patch(self, task_id: str, patch: bytes) -> str:
        """Return the name of a file with the patch; the patch of another attempt, killed or at work, is kept."""
        name = _patch_file(task_id)
        if self._files.create(name, patch) or self._files.read(name) == patch:
            return name
        name = f"patches/{task_id}.{hashlib.sha256(patch).hexdigest()[:16]}.patch"
        self._files.write(name, patch)
        return name

    def forget(self, task_id: str) -> None:
        """Remove the result, so that the task runs again."""
        files = {_patch_file(task_id), self._patch_name(task_id)}
        for file in (_result_file(task_id), *files):
            self._files.remove(file)

    def patch(self, task_id: str) -> bytes:
        return self._files.read(self._patch_name(task_id)) or b""

    def _patch_name(self, task_id: str) -> str:
        result = self.result(task_id)
        return result.patch_file if result is not None and result.patch_file else _patch_file(task_id)

    def tasks(self) -> str | None:
        """Return the tasks of the fleet as JSONL, with absolute paths; None for an output without a fleet."""
        content = self._files.read("tasks.jsonl")
        return None if content is None else content.decode("utf-8")

    def save_tasks(self, lines: str) -> None:
        self._files.write("tasks.jsonl", lines.encode())

    def save_predictions(self, lines: str) -> None:
        """Write the patches in the form of a benchmark."""
        self._files.write("predictions.jsonl", lines.encode())

    def collect(self) -> None:
        """Write all results as a single file, `results.jsonl`."""
        lines = (result.model_dump_json(by_alias=True) + "\n" for result in self.results())
        self._files.write("results.jsonl", "".join(lines).encode())


def _result_file(task_id: str) -> str:
    return f"results/{task_id}.json"


def _patch_file(task_id: str) -> str:
    return f"patches/{task_id}.patch"


class _Directory:
    def __init__(self, directory: Path) -> None:
        self._directory = directory.absolute()

    def read(self, name: str) -> bytes | None:
        try:
            return (self._directory / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        temporary = self._temporary(name, content)
        temporary.replace(self._directory / name)

    def create(self, name: str, content: bytes) -> bool:
        temporary = self._temporary(name, content)
        try:
            os.link(temporary, self._directory / name)  # Fails where the name is taken, and replaces nothing.
        except FileExistsError:
            return False
        except OSError:  # A file system without hard links.
            if (self._directory / name).exists():
                return False
            temporary.replace(self._directory / name)
        finally:
            temporary.unlink(missing_ok=True)
        return True

    def names(self, directory: str) -> list[str]:
        with suppress(FileNotFoundError):
            return [entry.name for entry in (self._directory / directory).iterdir()]
        return []

    def remove(self, name: str) -> None:
        (self._directory / name).unlink(missing_ok=True)

    def _temporary(self, name: str, content: bytes) -> Path:
        directory = (self._directory / name).parent
        directory.mkdir(parents=True, exist_ok=True)
        descriptor, path = tempfile.mkstemp(prefix=".placet-", dir=directory)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        return Path(path)


def _files_at(address: str) -> Files:
    """Return the files of an fsspec address. Raises RequestError."""
    import fsspec
    from fsspec.implementations.local import LocalFileSystem

    try:
        system, top = cast("tuple[Any, str]", fsspec.url_to_fs(address))
    except (ImportError, ValueError) as error:
        raise RequestError(f"The output {address} cannot be opened: {error}") from error
    return _Directory(Path(top)) if isinstance(system, LocalFileSystem) else _Remote(system, top)


class _Remote:
    """Files of a store. Stores of objects write an object whole or not at all."""

    def __init__(self, system: Any, top: str) -> None:
        self._system = system
        """File system of fsspec."""
        self._top = top

    def read(self, name: str) -> bytes | None:
        try:
            return cast("bytes", self._system.cat_file(self._path(name)))
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        path = self._path(name)
        self._system.makedirs(posixpath.dirname(path), exist_ok=True)
        self._system.pipe_file(path, content)

    def create(self, name: str, content: bytes) -> bool:
        """Write a new object: S3, Google Cloud and Azure themselves refuse a second object of the name.

        Other stores look for the object, and then write it.
        """
        path = self._path(name)
        self._system.makedirs(posixpath.dirname(path), exist_ok=True)
        try:
            self._system.pipe_file(path, content, mode="create")
        except (OSError, TypeError):  # The name is taken, or the store or its library knows no such condition.
            if (stored := self.read(name)) is not None:
                return stored == content  # The refused call may have been the repetition of an own lost one.
            self.write(name, content)
        return True

    def names(self, directory: str) -> list[str]:
        self._system.invalidate_cache()
        with suppress(FileNotFoundError):
            listed = cast("list[str]", self._system.ls(self._path(directory), detail=False))
            return [posixpath.basename(path) for path in listed]
        return []

    def remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            self._system.rm_file(self._path(name))

    def _path(self, name: str) -> str:
        return posixpath.join(self._top, name)
