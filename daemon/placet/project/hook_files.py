"""Hooks in settings files of Claude Code: the part that Placet reads, and the digest of the part. Pure."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, cast

from placet.settings import jsonc

DIRECTORY = ".claude"
FILE_NAMES = ("settings.json", "settings.local.json")
"""Names of the files in the directory `.claude` of a project."""
MOST_BYTES = 8 * 1024 * 1024
"""Size limit of a settings file of Claude Code."""


def hooks_in(content: bytes) -> Mapping[str, Any] | None:
    """Return the hooks of a settings file of Claude Code; None without hooks, and with `disableAllHooks`.

    Raises ValueError for a text that is not JSON.
    """
    settings: Any = jsonc.parse(content.decode("utf-8"))
    if not isinstance(settings, Mapping):
        return None
    values = cast("Mapping[str, Any]", settings)
    hooks: Any = values.get("hooks")
    if values.get("disableAllHooks") is True or not isinstance(hooks, Mapping) or not hooks:
        return None
    return cast("Mapping[str, Any]", hooks)


def digest_of(hooks: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the hooks alone: Claude Code itself writes other settings into the same file."""
    return hashlib.sha256(json.dumps(hooks, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
