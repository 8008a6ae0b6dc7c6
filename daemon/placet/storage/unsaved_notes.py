"""Notes among the processes that share a store: the files that an editor holds with unsaved text, a note per editor.

A process that writes such a file on the disk would leave the editor with a text that is nowhere else, and the next
save would take the written change back. So another process leaves the file alone, and says who holds the file.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from placet.core.ids import new_id
from placet.storage.owner import is_alive, this_process

_DIRECTORY = "unsaved"


class _Content(Struct):
    process: str
    """Mark of the process that serves the editor."""
    files: list[str]
    """Real paths of the files."""


class UnsavedNote:
    """Note of one editor; the watch of the editor's documents owns the note. Blocks."""

    def __init__(self, store: Path) -> None:
        self._path = store.with_name(_DIRECTORY) / f"{new_id('note')}.json"

    def write(self, paths: Collection[Path]) -> None:
        """Replace the files of the note, which are real paths; no files remove the note. Raises OSError."""
        if not paths:
            self._path.unlink(missing_ok=True)
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        written = self._path.with_suffix(".new")
        written.write_bytes(msgspec.json.encode(_Content(this_process(), sorted(map(str, paths)))))
        written.replace(self._path)


def unsaved_elsewhere(store: Path | None, paths: Iterable[Path]) -> dict[Path, str]:
    """Return the real paths that editors of other processes hold with unsaved text, each with the id of the process.

    Notes of ended processes are removed. Blocks.
    """
    if store is None:
        return {}
    held: dict[str, str] = {}
    for note in store.with_name(_DIRECTORY).glob("*.json"):
        # A note was removed meanwhile, or belongs to another version.
        with suppress(OSError, msgspec.MsgspecError):
            content = msgspec.json.decode(note.read_bytes(), type=_Content)
            if not is_alive(content.process):
                note.unlink(missing_ok=True)
            elif content.process != this_process():
                held |= dict.fromkeys(content.files, content.process.partition(":")[0])
    return {path: held[str(path)] for path in paths if str(path) in held} if held else {}
