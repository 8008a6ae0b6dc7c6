"""The file of grants for a project or the user: readable, the user's alone, and shared by several daemons.

A file that cannot be understood is reported and left unchanged.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from placet.core.errors import SettingsError
from placet.project.files.private_file import PrivateFile
from placet.project.files.private_file import State as State

Record = Mapping[str, Any]

ABOUT = "What you allowed with `always`. `placet permissions list` explains it, `placet permissions revoke ID` ends it."


class GrantsFile:
    """File of grants. All calls block for a few milliseconds; `change` also waits while another process changes the
    file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = PrivateFile(path)

    def state(self) -> State:
        return self._file.state()

    def read(self) -> list[Record]:
        """Return the grants as written in the file. Raises SettingsError."""
        try:
            text = self._file.read()
            if text is None:
                return []
            content: Any = json.loads(text)
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
        """Replace the grants by the result of `change`, under a lock that keeps every other process out.

        Raises SettingsError, and then nothing is written.
        """
        try:
            with self._file.locked():
                before = self.read()
                after = change(before)
                if after != before:
                    grants = {"about": ABOUT, "grants": after}
                    self._file.write(json.dumps(grants, indent=2, ensure_ascii=False) + "\n")
        except OSError as error:
            raise SettingsError(f"{self.path} cannot be written: {error.strerror or error}.") from error


_MEND = "Correct or remove the file; until then Placet uses no grant of the file and writes no grant."
_TEXTS = ("id", "permission", "pattern")


def _problem(record: object) -> str | None:
    if not isinstance(record, dict):
        return "expected an object"
    fields = cast("dict[str, Any]", record)
    for name in _TEXTS:
        if not isinstance(fields.get(name), str):
            return f"`{name}` must be a text"
    roots = fields.get("roots")
    match fields.get("scope"):
        case "user":
            return None
        case "project" if isinstance(roots, list) and all(isinstance(root, str) for root in cast("list[Any]", roots)):
            return None
        case "project":
            return "`roots` must be the list of the project's folders"
        case other:
            return f"`scope` must be project or user, and is {other!r}"
