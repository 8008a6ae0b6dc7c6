"""Sources of settings: files, the environment, the options of an editor, and the command line."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from msgspec import Struct, field

from placet.core.errors import SettingsError
from placet.core.regular_files import read_regular_file
from placet.core.values import replace
from placet.settings import jsonc
from placet.settings.lines import KeyLines, key_lines

Values = Mapping[str, Any]

FILE_NAMES = ("placet.json", "placet.jsonc")
"""Names of settings files in a directory; the later file outweighs."""
PROJECT_FILE_BYTES = 256 * 1024
"""Largest size of a project's settings file; a larger file is a mistake in the setting."""
OWN_FILE_BYTES = 8 * 1024 * 1024
"""Most of a file of settings of the user's own."""

_WITH_CONTENT = ("true", "1", "span_only", "span_and_event")
"""Values of OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT, in lower case, that put contents into spans."""


class ProjectFile(Struct, frozen=True):
    """Settings file of a project."""

    path: Path
    digest: str | None
    """SHA-256 (hexadecimal) of the text trusted by the user. Any other text can only deny, and so can every text while
    the digest is None.
    """


class Source(Struct, frozen=True):
    """Settings of a source, as written in the source."""

    name: str
    """Name of the source for the user: a file, the environment, …"""
    values: Values = field(default_factory=dict[str, Any])
    lines: KeyLines = field(default_factory=dict[tuple[str, ...], int])
    directory: Path | None = None
    """Directory of a file, where `{file:…}` starts; None for a source without references."""
    trusted: bool = True
    is_own: bool = True
    """Whether the user wrote the source; projects and plugins wrote the rest."""

    def place(self, path: tuple[str, ...]) -> str:
        """Return the name of the source, with the line of the key or of the innermost enclosing key with a line."""
        for length in range(len(path), 0, -1):
            if (line := self.lines.get(path[:length])) is not None:
                return f"{self.name}:{line}"
        return self.name


def read_file(path: Path) -> Source | None:
    """Return the user's own file, or None without a file. Raises SettingsError naming the file and the line. Blocks."""
    return _read(path, OWN_FILE_BYTES, lambda _: True)


def read_project_file(file: ProjectFile) -> Source | None:
    """Return a project's file likewise; trust is compared with the text as read."""
    source = _read(file.path, PROJECT_FILE_BYTES, lambda content: hashlib.sha256(content).hexdigest() == file.digest)
    return None if source is None else replace(source, is_own=False)


def workspace_source(values: Values, *, trusted: bool) -> Source:
    """Return the settings of an editor's workspace: the project's files have the settings, so the project is the
    writer.
    """
    return Source("the settings of the editor's workspace", values, trusted=trusted, is_own=False)


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
    """Return the environment variables that are settings. Raises SettingsError."""
    values: dict[str, Any] = {}
    if model := environment.get("PLACET_MODEL"):
        values["model"] = model
    if api_base := environment.get("PLACET_API_BASE"):
        values["modelOptions"] = {"apiBase": api_base}
    if key := environment.get("EXA_API_KEY"):
        values["search"] = {"apiKey": key}
    if telemetry := _telemetry(environment):
        values["telemetry"] = telemetry
    if permission := environment.get("PLACET_PERMISSION"):
        try:
            values["permission"] = json.loads(permission)
        except (ValueError, RecursionError) as error:
            raise SettingsError(f"PLACET_PERMISSION is not JSON: {error}") from error
    return Source("the environment", values)


def _telemetry(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the setting `telemetry` that the standard variables of OpenTelemetry ask for."""
    values: dict[str, Any] = {}
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        values["endpoint"] = None
    elif endpoint := environment.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
        values["endpoint"] = endpoint
    if content := environment.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"):
        values["content"] = content.lower() in _WITH_CONTENT
    return values


def allowances(permissions: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the setting `permission` that allows the permissions, each `permission` or `permission:pattern`."""
    allowed: dict[str, dict[str, str]] = {}
    for permission in permissions:
        name, _, pattern = permission.partition(":")
        allowed.setdefault(name, {})[pattern or "*"] = "allow"
    return allowed
