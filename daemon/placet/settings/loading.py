"""The settings of all sources, merged: what is built in, the user's file, the environment, the editor, the command line."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from placet.errors import SettingsError
from placet.settings.lines import KeyLines, key_lines
from placet.settings.locations import Locations
from placet.settings.permission import WrittenPermissions, WrongPermission, read_permission
from placet.settings.tree import Settings, WrittenAgents


def load_settings(
    locations: Locations,
    *,
    environment: Mapping[str, str] = os.environ,
    editor: Mapping[str, Any] | None = None,
    command_line: Mapping[str, Any] | None = None,
) -> Settings:
    """All sources merged. Raises SettingsError that names the file, the line, the setting and what is allowed."""
    merged: dict[str, Any] = {}
    written: list[WrittenPermissions] = []
    written_agents: list[WrittenAgents] = []
    file = locations.config / "placet.json"
    for source, (values, lines) in (
        (str(file), _read(file)),
        ("the environment", (_from_environment(environment), {})),
        ("the editor's options", (dict(editor or {}), {})),
        ("the command line", (dict(command_line or {}), {})),
    ):
        merged = _merge(merged, values)
        _check(source, merged, lines)
        _check(source, {"permission": values.get("permission", {})}, lines)
        if "permission" in values or "tools" in values:
            permission = read_permission(values.get("permission", {}))
            written.append(WrittenPermissions(source, permission, values.get("tools", {}), lines))
        if "agent" in values:
            written_agents.append(WrittenAgents(source, values["agent"], lines))
    settings = Settings.model_validate(merged).with_written(tuple(written))
    return settings.with_written_agents(tuple(written_agents))


def _check(source: str, values: Mapping[str, Any], lines: KeyLines) -> None:
    try:
        Settings.model_validate(values)
    except ValidationError as error:
        issue = error.errors(include_url=False)[0]
        path, problem = tuple(map(str, issue["loc"])), issue["msg"]
        if isinstance(wrong := issue.get("ctx", {}).get("error"), WrongPermission):
            path, problem = path + wrong.path, wrong.problem
        place = f"{source}:{lines[path]}" if path in lines else source
        raise SettingsError(f"{place}: setting `{'.'.join(path)}`: {problem}") from error


def _read(file: Path) -> tuple[dict[str, Any], KeyLines]:
    """What the file says, and on which line; nothing where there is no file."""
    try:
        text = file.read_text("utf-8")
        content = json.loads(text)
    except FileNotFoundError:
        return {}, {}
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file}: {error}") from error
    if not isinstance(content, dict):
        raise SettingsError(f"{file}: expected an object")
    return content, key_lines(text)


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
