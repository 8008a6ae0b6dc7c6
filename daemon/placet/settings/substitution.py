"""References `{env:NAME}` and `{file:PATH}` in settings, for values that should not stand in a settings file."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from placet.core.regular_files import read_regular_file

_REFERENCE = re.compile(r"\{(env|file):([^{}]+)\}")
_FILE_BYTES = 1_000_000


class Unresolved(ValueError):
    """A broken reference; `path` holds the keys that lead to the reference."""

    def __init__(self, path: tuple[str, ...], problem: str) -> None:
        super().__init__(problem)
        self.path = path
        self.problem = problem


def resolved(value: Any, environment: Mapping[str, str], directory: Path, path: tuple[str, ...] = ()) -> Any:
    """Return the value with every reference in its texts replaced; names of keys stay unchanged.

    A file's text counts without surrounding blanks; the file's path is relative to `directory`, or begins with `~/`.
    Raises Unresolved for the first broken reference. Blocks while reading a file.
    """
    if isinstance(value, str):
        return _REFERENCE.sub(
            lambda reference: _referenced_text(reference[1], reference[2].strip(), environment, directory, path), value
        )
    if isinstance(value, Mapping):
        entries = cast("Mapping[str, Any]", value)
        return {key: resolved(entry, environment, directory, (*path, key)) for key, entry in entries.items()}
    if isinstance(value, Sequence):
        return [resolved(item, environment, directory, path) for item in cast("Sequence[Any]", value)]
    return value


def _referenced_text(
    kind: str, name: str, environment: Mapping[str, str], directory: Path, path: tuple[str, ...]
) -> str:
    if kind == "env":
        if name not in environment:
            raise Unresolved(path, f"the environment variable {name} is not set")
        return environment[name]
    try:
        return read_regular_file(directory / Path(name).expanduser(), _FILE_BYTES).decode("utf-8").strip()
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise Unresolved(path, f"{name} cannot be read: {reason}") from error
