"""The user's trust in projects and their files. A change since the decision is asked again."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from msgspec import Struct

from placet.core.errors import SettingsError
from placet.core.visible_text import spelled_out
from placet.project.files.private_file import PrivateFile
from placet.project.inventory import Inventory, InventoryItem, Kind

Standing = Literal["nothing", "trusted", "refused", "unasked", "changed", "withheld"]
"""Standing of a project. `nothing`: no files to trust. `changed`: the decision was about other files than the present.
`withheld`: the editor does not trust the folder, whatever the user decided."""

ABOUT = "Folders whose own settings, tools, plugins, agents, commands and skills you let Placet use: `placet trust`."
_MEND = "Correct or remove the file; until then no project is trusted."


class Decision(Struct, frozen=True):
    """Decision of the user about a folder, and about which files."""

    trusted: bool
    digests: Mapping[str, str]
    """SHA-256 of each file by name, as in Brought."""


class ProjectTrust(Struct, frozen=True):
    """Standing of a project, with its inventory."""

    inventory: Inventory
    standing: Standing
    news: tuple[InventoryItem, ...] = ()
    """Items that are new or changed since the decision; every item of a folder without a decision."""

    @property
    def trusted(self) -> bool:
        return self.standing == "trusted"

    def vouches(self, file: Path, content: bytes) -> bool:
        """Return whether the file may be used: the project is trusted, and the content is the trusted content."""
        digest = hashlib.sha256(content).hexdigest()
        return self.trusted and any(item.path == file and item.digest == digest for item in self.inventory.items)

    @property
    def open(self) -> bool:
        """Return whether the user is to be asked."""
        return self.standing in ("unasked", "changed")

    def withheld(self) -> "ProjectTrust":
        """Return the judgement for a folder not trusted by the editor: even a project without own files may hold
        programs."""
        return ProjectTrust(self.inventory, "withheld")


class Trust:
    """Decisions of trust, in a file that all daemons of the user share. All calls block."""

    def __init__(self, path: Path) -> None:
        self._file = PrivateFile(path)

    def judge(self, inventory: Inventory) -> ProjectTrust:
        """Return the standing of the project. Raises SettingsError for an unreadable file; then nothing is trusted."""
        decided = self.decisions().get(str(inventory.folder))
        if not inventory.items:
            return ProjectTrust(inventory, "nothing")
        if decided is None:
            return ProjectTrust(inventory, "unasked", inventory.items)
        if news := tuple(item for item in inventory.items if decided.digests.get(item.name) != item.digest):
            return ProjectTrust(inventory, "changed", news)
        return ProjectTrust(inventory, "trusted" if decided.trusted else "refused")

    def decide(self, inventory: Inventory, *, trusted: bool) -> None:
        """Remember the user's decision about exactly these files. Raises SettingsError."""
        record = {"trusted": trusted, "files": {item.name: item.digest for item in inventory.items}}
        self._change(lambda folders: {**folders, str(inventory.folder): record})

    def hand_on(self, folder: Path, inventory: Inventory) -> None:
        """Decide about the inventory of a copy of the folder as the user has decided about the folder, as far as the
        files are the same: any other file is asked. Raises SettingsError.
        """
        if (decided := self.decisions().get(str(folder))) is not None and inventory.items:
            record = {"trusted": decided.trusted, "files": dict(decided.digests)}
            self._change(lambda folders: {**folders, str(inventory.folder): record})

    def forget(self, folder: Path) -> bool:
        """Forget the decision, so that Placet asks again; return False without a decision. Raises SettingsError."""
        was_decided = str(folder) in self.decisions()
        self._change(lambda folders: {name: record for name, record in folders.items() if name != str(folder)})
        return was_decided

    def decisions(self) -> dict[str, Decision]:
        """Return the decisions by folder. Raises SettingsError."""
        return {folder: Decision(record["trusted"], record["files"]) for folder, record in self._read().items()}

    def _change(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        try:
            with self._file.locked():
                folders = change(self._read())
                self._file.write(json.dumps({"about": ABOUT, "folders": folders}, indent=2, ensure_ascii=False) + "\n")
        except OSError as error:
            raise SettingsError(f"{self._file.path} cannot be written: {error.strerror or error}.") from error

    def _read(self) -> dict[str, Any]:
        try:
            text = self._file.read()
            content: Any = {"folders": {}} if text is None else json.loads(text)
        except (OSError, ValueError) as error:
            raise SettingsError(f"{self._file.path} cannot be read: {error}. {_MEND}") from error
        folders = cast("dict[str, Any]", content).get("folders") if isinstance(content, dict) else None
        if not isinstance(folders, dict) or not all(map(_is_record, cast("dict[str, Any]", folders).values())):
            raise SettingsError(f"{self._file.path}: expected `folders`, each with `trusted` and `files`. {_MEND}")
        return cast("dict[str, Any]", folders)


def _is_record(record: object) -> bool:
    if not isinstance(record, dict):
        return False
    fields = cast("dict[str, Any]", record)
    files = fields.get("files")
    return (
        isinstance(fields.get("trusted"), bool)
        and isinstance(files, dict)
        and all(isinstance(digest, str) for digest in cast("dict[str, Any]", files).values())
    )


def _no_lines(item: InventoryItem) -> Sequence[str]:
    return ()


def listed(items: Sequence[InventoryItem], shown: Callable[[InventoryItem], Sequence[str]] = _no_lines) -> list[str]:
    """Return all items in words for the user, each on its own line whatever the names hold, self-running code first.

    `shown` returns further lines for an item, such as its commands.
    """
    lines: list[str] = []
    for item in sorted(items, key=lambda item: _rank(item.kind)):
        lines += (f"{item.kind}: {spelled_out(item.name)}", *(f"    {line}" for line in shown(item)))
    return lines


def _rank(kind: Kind) -> int:
    """Return the place of the kind in the list: self-running code, files that start programs, files only read."""
    match kind:
        case "tool" | "plugin" | "program" | "hooks":
            return 0
        case "settings" | "workspace":
            return 1
        case "command":
            return 2
        case "agent" | "skill":
            return 3
