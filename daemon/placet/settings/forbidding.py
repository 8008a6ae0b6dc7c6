"""What of a project's settings holds before the user trusts the folder: what it forbids, and nothing else. Pure."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from placet.settings.sources import Source


def forbidding(source: Source) -> Source:
    """The source with no more than its denials.

    Even `ask` is left out: a later rule outweighs an earlier one, so it would undo a denial of the user's.
    """
    values: dict[str, Any] = {}
    if (denied := _denials(source.values.get("permission"))) is not None:
        values["permission"] = denied
    tools = source.values.get("tools")
    if isinstance(tools, Mapping):
        switched = cast("Mapping[str, Any]", tools)
        values["tools"] = {name: False for name, is_on in switched.items() if is_on is False}
    return replace(source, values=values, directory=None)


def _denials(permission: object) -> Any:
    if permission == "deny":
        return permission
    if not isinstance(permission, Mapping):
        return None
    entries = cast("Mapping[str, Any]", permission)
    kept = {name: denied for name, entry in entries.items() if (denied := _denials_of(entry)) is not None}
    return kept or None


def _denials_of(entry: object) -> Any:
    if entry == "deny":
        return entry
    if not isinstance(entry, Mapping):
        return None
    patterns = cast("Mapping[str, Any]", entry)
    return {pattern: rule for pattern, rule in patterns.items() if rule == "deny"} or None
