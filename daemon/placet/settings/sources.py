"""Where settings are written: files, the environment, what an editor or a command line says."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from placet.core.errors import SettingsError
from placet.core.regular_files import read_regular_file
from placet.settings import jsonc
from placet.settings.lines import KeyLines, key_lines

Values = Mapping[str, Any]

FILE_NAMES = ("placet.json", "placet.jsonc")
"""In a directory of settings; of two files the later outweighs."""
PROJECT_FILE_BYTES = 256 * 1024
"""Most of a file of settings that came with a project; a larger one is a mistake in the setting."""
OWN_FILE_BYTES = 8 * 1024 * 1024
"""Most of a file of settings of the user's own."""


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """A file of settings that came with a project."""

    path: Path
    digest: str | None
    """SHA-256 (hexadecimal) of the text that the user trusts; any other text, and without one all, can only forbid."""


@dataclass(frozen=True, slots=True)
class Source:
    """What one place says, as it is written there."""

    name: str
    """In the user's words: a file, the environment, …"""
    values: Values = field(default_factory=dict[str, Any])
    lines: KeyLines = field(default_factory=dict[tuple[str, ...], int])
    directory: Path | None = None
    """Of a file: where `{file:…}` starts. Without one there are no references."""
    trusted: bool = True

    def place(self, path: tuple[str, ...]) -> str:
        """The source, with the line of the key or of the innermost one around it that has one."""
        for length in range(len(path), 0, -1):
            if (line := self.lines.get(path[:length])) is not None:
                return f"{self.name}:{line}"
        return self.name


def read_file(path: Path) -> Source | None:
    """The user's own file, None where there is none. Raises SettingsError that names the file and the line. Blocks."""
    return _read(path, OWN_FILE_BYTES, lambda _: True)


def read_project_file(file: ProjectFile) -> Source | None:
    """A project's, in the same way; what is trusted is the text that was read."""
    return _read(file.path, PROJECT_FILE_BYTES, lambda content: hashlib.sha256(content).hexdigest() == file.digest)


def _read(path: Path, most_bytes: int, is_trusted: Callable[[bytes], bool]) -> Source | None:
    try:
        raw = read_regular_file(path, most_bytes)
        text = raw.decode("utf-8")
        content: Any = jsonc.parse(text)
    except FileNotFoundError:
        return None
    except json.JSONDecodeError as error:
        raise SettingsError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: {error}") from error
    if not isinstance(content, dict):
        raise SettingsError(f"{path}: expected an object")
    values = cast("dict[str, Any]", content)
    values.pop("$schema", None)
    return Source(str(path), values, key_lines(text), path.parent, is_trusted(raw))


def from_environment(environment: Mapping[str, str]) -> Source:
    """The variables that are settings. Raises SettingsError."""
    values: dict[str, Any] = {}
    if model := environment.get("PLACET_MODEL"):
        values["model"] = model
    if api_base := environment.get("PLACET_API_BASE"):
        values["modelOptions"] = {"apiBase": api_base}
    if key := environment.get("EXA_API_KEY"):
        values["search"] = {"apiKey": key}
    if permission := environment.get("PLACET_PERMISSION"):
        try:
            values["permission"] = json.loads(permission)
        except (ValueError, RecursionError) as error:
            raise SettingsError(f"PLACET_PERMISSION is not JSON: {error}") from error
    return Source("the environment", values)
