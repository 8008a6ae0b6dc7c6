"""Records of worktrees: a JSON file beside each worktree's directory, so that no command in the worktree writes it."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from placet.core.errors import RequestError
from placet.core.regular_files import read_regular_file
from placet.project.paths import real
from placet.storage.owner import is_alive
from placet.worktrees.names import BRANCHES

FIRST_PORT = 21_000
LAST_PORT = 31_999
"""Ports of worktrees lie below the ports that systems hand out by themselves."""
PORTS = 20
"""Number of ports of one worktree."""
PORT_VARIABLE = "PLACET_PORT"
"""Variable with the first of the worktree's ports, for commands of sessions in the worktree."""

_MOST_BYTES = 64 * 1024


class Subagent(Struct, frozen=True, rename="camel"):
    """Subagent for which a worktree was made."""

    agent: str
    session: str
    """Session that called the agent."""
    process: str = ""
    """Mark of the process in which the subagent works; "" once the work has ended."""

    @property
    def is_at_work(self) -> bool:
        """Return whether the subagent's process still runs. Looks at the system."""
        return bool(self.process) and is_alive(self.process)


class Worktree(Struct, frozen=True, rename="camel"):
    """Git worktree made by Placet. The record lives until the worktree is removed."""

    name: str
    path: Path
    """Directory of the worktree."""
    repository: Path
    """Top of the tree from which the worktree was made, and to which its changes are brought back."""
    start: str
    """Commit on which the branch began."""
    base: str
    """Commit with the files with which the worktree began: `start`, or `start` with the uncommitted changes."""
    port: int
    """First of the worktree's ports."""
    created: float
    """Seconds since the epoch."""
    brought: str = ""
    """Tree of the files when the changes were last brought back."""
    subagent: Subagent | None = None
    """Subagent for which the worktree was made; None for a worktree of the user."""

    @property
    def branch(self) -> str:
        """Return the branch that was made with the worktree."""
        return f"{BRANCHES}{self.name}"

    @property
    def base_reference(self) -> str:
        """Return the reference that keeps the base from git's garbage collection."""
        return f"refs/placet/worktrees/{self.name}"

    @property
    def record(self) -> Path:
        """Return the path of the record."""
        return self.path.with_name(f"{self.name}.json")


def records_in(directory: Path) -> list[Worktree]:
    """Return the worktrees of one repository's directory, by name. Blocks."""
    try:
        files = sorted(file for file in directory.iterdir() if file.suffix == ".json")
    except OSError:
        return []
    return [worktree for file in files if (worktree := _read(file)) is not None]


def all_records(home: Path) -> Iterator[Worktree]:
    """Yield the worktrees of all repositories. Blocks."""
    for directory in directories_in(real(home)):
        yield from records_in(directory)


def directories_in(directory: Path) -> list[Path]:
    """Return the directories in a directory, without links. Blocks."""
    try:
        return sorted(entry for entry in directory.iterdir() if entry.is_dir() and not entry.is_symlink())
    except OSError:
        return []


def worktree_at(home: Path, directory: Path) -> Worktree | None:
    """Return the worktree in which the directory lies, if Placet made the worktree. Blocks (one small read)."""
    home, directory = real(home), real(directory)
    if not directory.is_relative_to(home) or len(parts := directory.relative_to(home).parts) < 2:
        return None
    return _read(home / parts[0] / f"{parts[1]}.json")


def write(worktree: Worktree) -> None:
    """Write the record as a whole. Raises RequestError. Blocks."""
    record = worktree.record
    try:
        record.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=".record-", dir=record.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(worktree, enc_hook=str)))
            Path(temporary).replace(record)
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink()
            raise
    except OSError as error:
        raise RequestError(f"{record} cannot be written: {error.strerror or error}.") from error


def free_port(home: Path) -> int:
    """Return the first of the ports that no worktree has. Raises RequestError. Blocks."""
    taken = {worktree.port for worktree in all_records(home)}
    for port in range(FIRST_PORT, LAST_PORT - PORTS + 2, PORTS):
        if port not in taken:
            return port
    raise RequestError(f"There are {len(taken)} worktrees, and no ports are left. Remove worktrees.")


def _read(file: Path) -> Worktree | None:
    try:
        worktree = msgspec.json.decode(read_regular_file(file, _MOST_BYTES), type=Worktree, dec_hook=_path)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None
    # A record that was copied elsewhere speaks of another directory.
    return worktree if worktree.record == file else None


def _path(kind: type, value: object) -> object:
    return kind(value)
