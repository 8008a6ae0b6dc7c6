"""What the user can set, and where Placet keeps its things.

Later sources win: built in, the user's `placet.json`, the environment, the editor's options, the command line.
A project's own file waits for workspace trust (see CONTRIBUTING.md) and is not read yet.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic.alias_generators import to_camel

from placet.errors import SettingsError

Action = Literal["allow", "ask", "deny"]


class Section(BaseModel):
    """A group of settings, camelCase in files; a name that does not exist is an error."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid")


class EditSettings(Section):
    files_through_editor: int = 20
    """A change to more files than this is written to disk for those that are not open, instead of loading them."""


class ModelSettings(Section):
    api_base: str | None = None
    """Address of an OpenAI-compatible server, for a model that is not at its provider's own."""
    temperature: float | None = None
    max_output_tokens: int | None = None
    idle_timeout_seconds: float = 120.0
    """A stream that is silent for longer counts as lost."""
    host_idle_seconds: float = Field(default=600.0, ge=0)
    """The model host ends when nothing was asked of it for so long, and starts again by itself; 0: never."""
    first_byte_timeout_seconds: float | None = None
    """How long an answer may take to begin; as long as it may be silent later, if not set."""
    connect_timeout_seconds: float = 20.0
    """How long it may take to get a connection to the provider."""
    max_retry_wait_seconds: float = Field(default=60.0, ge=0)
    """A provider that asks to wait for longer before another try is not waited for; 0: nothing is tried again."""
    transport: Literal["auto", "compatible"] = "auto"
    """`compatible` leaves the reading of answers to litellm, for a provider whose answers we misread."""


class SearchSettings(Section):
    """Where websearch and codesearch ask."""

    provider: Literal["exa"] = "exa"
    address: str = "https://mcp.exa.ai/mcp"
    """Of the provider's MCP endpoint."""
    api_key: SecretStr | None = None


class ExperimentalSettings(Section):
    """Tools that are not for everyone yet."""

    batch_tool: bool = False
    lsp_tool: bool = False
    plan_mode: bool = False


class Settings(Section):
    model: str = "builtin/rules"
    """`provider/name` as litellm knows it; `builtin/rules` needs no model; `scripted/FILE` plays a script."""
    model_options: ModelSettings = ModelSettings()
    permission: Action | dict[str, Action | dict[str, Action]] = Field(default_factory=dict[str, Any])
    """Rules over the built-in ones, in OpenCode's form: permission -> action, or permission -> pattern -> action."""
    max_steps: int | None = None
    """Model calls in one turn before it stops; None for no limit."""
    edit: EditSettings = EditSettings()
    tools: dict[str, bool] = Field(default_factory=dict[str, bool])
    """Tools switched on or off by id, whatever else decides about them; `*` stands for any text."""
    search: SearchSettings = SearchSettings()
    experimental: ExperimentalSettings = ExperimentalSettings()


@dataclass(frozen=True, slots=True)
class Locations:
    """Directories, made when something is first written to them."""

    config: Path
    data: Path
    cache: Path
    log: Path

    @property
    def store(self) -> Path:
        return self.data / "placet.db"

    @property
    def keys(self) -> Path:
        return self.config / "keys.json"

    @property
    def tool_output(self) -> Path:
        return self.data / "tool-output"

    @property
    def plans(self) -> Path:
        """One Markdown file a session."""
        return self.data / "plans"

    @property
    def skills(self) -> tuple[Path, ...]:
        """Where the user's skills lie, each in a directory of its own with a SKILL.md."""
        return (self.config / "skill", self.config / "skills")


def default_locations() -> Locations:
    """The platform's own places for an application's files."""
    directories = platformdirs.PlatformDirs("placet", appauthor=False)
    return Locations(
        config=directories.user_config_path,
        data=directories.user_data_path,
        cache=directories.user_cache_path,
        log=directories.user_log_path,
    )


def load_settings(
    locations: Locations,
    *,
    environment: Mapping[str, str] = os.environ,
    editor: Mapping[str, Any] | None = None,
    command_line: Mapping[str, Any] | None = None,
) -> Settings:
    """All sources merged. Raises SettingsError that names the file, the setting and what is allowed."""
    merged: dict[str, Any] = {}
    file = locations.config / "placet.json"
    for source, values in (
        (str(file), _read(file)),
        ("the environment", _from_environment(environment)),
        ("the editor's options", dict(editor or {})),
        ("the command line", dict(command_line or {})),
    ):
        merged = _merge(merged, values)
        _check(source, merged)
    return Settings.model_validate(merged)


def _check(source: str, values: Mapping[str, Any]) -> None:
    try:
        Settings.model_validate(values)
    except ValidationError as error:
        issue = error.errors(include_url=False)[0]
        name = ".".join(map(str, issue["loc"]))
        raise SettingsError(f"{source}: setting `{name}`: {issue['msg']}") from error


def _read(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file}: {error}") from error
    if not isinstance(content, dict):
        raise SettingsError(f"{file}: expected an object")
    return content


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
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
        except ValueError as error:
            raise SettingsError(f"PLACET_PERMISSION is not JSON: {error}") from error
    return values


def _merge(below: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Deep for objects; an overridden key moves to the end, as the last matching rule wins."""
    merged = dict(below)
    for key, value in above.items():
        earlier = merged.pop(key, None)
        merged[key] = _merge(earlier, value) if isinstance(earlier, dict) and isinstance(value, dict) else value
    return merged
