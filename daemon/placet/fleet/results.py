"""Results of a fleet: a file of JSON and a patch for each task, in a directory or at an fsspec address."""

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
        self._files: Files = _Remote(address) if directory is None else _Directory(directory)
        # Workers have other working directories.
        self.address = address if directory is None else str(directory.absolute())

    def result(self, task_id: str) -> Result | None:
        """Return the result, or None without a whole result. Raises RequestError for a file of something else."""
        content = self._files.read(f"results/{task_id}.json")
        if content is None:
            return None
        try:
            return Result.model_validate_json(content)
        except ValidationError as error:
            raise RequestError(f"{self.address}: results/{task_id}.json is no result of a fleet.") from error

    def results(self) -> Iterator[Result]:
        for name in sorted(self._files.names("results")):
            task_id, _, kind = name.rpartition(".")
            if kind == "json" and (result := self.result(task_id)) is not None:
                yield result

    def save(self, result: Result, patch: bytes) -> bool:
        """Store the result with the patch; return False if the task has a result already."""
        if self._files.read(f"results/{result.id}.json") is not None:
            return False
        self._files.write(f"patches/{result.id}.patch", patch)
        return self._files.create(f"results/{result.id}.json", result.model_dump_json(by_alias=True).encode())

    def forget(self, task_id: str) -> None:
        """Remove the result, so that the task runs again."""
        self._files.remove(f"results/{task_id}.json")
        self._files.remove(f"patches/{task_id}.patch")

    def patch(self, task_id: str) -> bytes:
        return self._files.read(f"patches/{task_id}.patch") or b""

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
        finally:
            temporary.unlink()
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


class _Remote:
    """Files of an fsspec address. Stores of objects write an object whole or not at all."""

    def __init__(self, address: str) -> None:
        import fsspec

        try:
            opened = cast("tuple[Any, str]", fsspec.url_to_fs(address))
        except (ImportError, ValueError) as error:
            raise RequestError(f"The output {address} cannot be opened: {error}") from error
        self._system, self._top = opened

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
        if self.read(name) is not None:
            return False
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
