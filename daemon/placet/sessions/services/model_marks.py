"""Recent and favourite models of the user, in a file that all daemons of the user share."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from placet.core.errors import SettingsError
from placet.project.files.private_file import PrivateFile

_MOST_RECENT = 10
_MOST_FAVOURITE = 100
_LONGEST_NAME = 300


class ModelMarks(Struct, frozen=True):
    """Models that the user chose, the last chosen first, and models that the user marked."""

    recent: tuple[str, ...] = ()
    favourite: tuple[str, ...] = ()


class ModelMarkStore:
    """Store of the marks. All calls block."""

    def __init__(self, path: Path) -> None:
        self._file = PrivateFile(path)

    def read(self) -> ModelMarks:
        """Return the marks; a file that cannot be read has none, as the marks only order lists."""
        try:
            content: Any = json.loads(self._file.read() or "{}")
        except (OSError, ValueError):
            return ModelMarks()
        marks = cast("dict[str, Any]", content) if isinstance(content, dict) else {}
        return ModelMarks(_names(marks.get("recent")), _names(marks.get("favourite")))

    def choose(self, model: str) -> None:
        """Remember that the user chose the model. Raises SettingsError."""
        self._change(lambda marks: replace(marks, recent=_first(model, marks.recent)[:_MOST_RECENT]))

    def mark(self, model: str, *, favourite: bool) -> ModelMarks:
        """Make the model a favourite, or no favourite; return all marks. Raises SettingsError."""

        def marked(marks: ModelMarks) -> ModelMarks:
            others = tuple(name for name in marks.favourite if name != model)
            return replace(marks, favourite=(*others, model)[-_MOST_FAVOURITE:] if favourite else others)

        return self._change(marked)

    def _change(self, change: Callable[[ModelMarks], ModelMarks]) -> ModelMarks:
        try:
            with self._file.locked():
                marks = change(self.read())
                content = {"recent": marks.recent, "favourite": marks.favourite}
                self._file.write(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        except OSError as error:
            raise SettingsError(f"{self._file.path} cannot be written: {error.strerror or error}.") from error
        return marks


def _first(model: str, others: tuple[str, ...]) -> tuple[str, ...]:
    return (model, *(name for name in others if name != model))


def _names(value: object) -> tuple[str, ...]:
    names = cast("list[Any]", value) if isinstance(value, list) else []
    return tuple(name for name in names if isinstance(name, str) and name and len(name) <= _LONGEST_NAME)
