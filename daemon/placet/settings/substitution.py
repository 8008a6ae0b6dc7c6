"""References `{env:NAME}` and `{file:PATH}` in settings, for values that should not stand in a settings file."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from placet.core.regular_files import read_regular_file
from placet.settings.provider_keys import NO_KEYS, is_known_key

_REFERENCE = re.compile(r"\{(env|file):([^{}]+)\}")
_FILE_BYTES = 1_000_000

INPUT = re.compile(r"\$\{input:([^{}]*)\}")
"""Reference `${input:ID}` in an MCP server to a value that the user gives before the server starts, as in VS Code's
`mcp.json`.
"""


class Unresolved(ValueError):
    """A broken reference; `path` holds the keys that lead to the reference."""

    def __init__(self, path: tuple[str, ...], problem: str) -> None:
        super().__init__(problem)
        self.path = path
        self.problem = problem


_LATE = ("key", "headers")
"""Settings of a provider whose references only the model host replaces: keys belong to the model host."""


def resolved(
    value: Any,
    environment: Mapping[str, str],
    directory: Path,
    path: tuple[str, ...] = (),
    *,
    gives_keys: bool = True,
) -> Any:
    """Return the value with every reference in its texts replaced; names of keys stay unchanged.

    References in the key and the headers of a provider stay, with the whole paths of files.
    Without `gives_keys`, a reference to the key of a known provider counts as broken.
    A file's text counts without surrounding blanks; the file's path is relative to `directory`, or begins with `~/`.
    Raises Unresolved for the first broken reference. Blocks while reading a file.
    """
    if isinstance(value, str):
        return _REFERENCE.sub(
            lambda reference: _referenced_text(
                reference[1], reference[2].strip(), environment, directory, path, gives_keys=gives_keys
            ),
            value,
        )
    if isinstance(value, Mapping):
        entries = cast("Mapping[str, Any]", value)
        is_provider = len(path) == 2 and path[0] == "providers"
        return {
            key: _anchored(entry, directory)
            if is_provider and key in _LATE
            else resolved(entry, environment, directory, (*path, key), gives_keys=gives_keys)
            for key, entry in entries.items()
        }
    if isinstance(value, Sequence):
        items = cast("Sequence[Any]", value)
        return [resolved(item, environment, directory, path, gives_keys=gives_keys) for item in items]
    return value


def replaced(text: str, environment: Mapping[str, str]) -> str:
    """Return the text of a provider with its references replaced. Raises Unresolved. Blocks while reading a file."""
    return resolved(text, environment, Path())


def _anchored(value: Any, directory: Path) -> Any:
    """Return the value with the whole path in each `{file:PATH}`."""
    if isinstance(value, str):
        return _REFERENCE.sub(
            lambda reference: (
                f"{{file:{directory / Path(reference[2].strip()).expanduser()}}}"
                if reference[1] == "file"
                else reference[0]
            ),
            value,
        )
    if isinstance(value, Mapping):
        return {key: _anchored(entry, directory) for key, entry in cast("Mapping[str, Any]", value).items()}
    return value


def _referenced_text(
    kind: str, name: str, environment: Mapping[str, str], directory: Path, path: tuple[str, ...], *, gives_keys: bool
) -> str:
    if kind == "env":
        if not gives_keys and is_known_key(name):
            raise Unresolved(path, NO_KEYS)
        if name not in environment:
            raise Unresolved(path, f"the environment variable {name} is not set")
        return environment[name]
    try:
        return read_regular_file(directory / Path(name).expanduser(), _FILE_BYTES).decode("utf-8").strip()
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise Unresolved(path, f"{name} cannot be read: {reason}") from error
