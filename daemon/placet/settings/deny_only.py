"""Settings of a project before the user trusts the project: denials and a narrower sandbox hold, and nothing else.
Pure."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from msgspec import Struct

from placet.core.errors import SettingsError
from placet.core.values import replace
from placet.settings.sources import Source

MOST_RULES = 500
MOST_CHARACTERS = 16_000


class Allowance(Struct, frozen=True):
    """Allowance for further denials by untrusted projects: every action of a tool is compared with each denial."""

    rules: int = MOST_RULES
    characters: int = MOST_CHARACTERS
    """Number of characters in the names and patterns of the rules together, as a comparison takes longer with a longer
    pattern.
    """


def reduced_to_denials(source: Source, allowance: Allowance) -> tuple[Source, Allowance]:
    """Return the source reduced to its denials, and the allowance after the denials.

    The function leaves out even `ask`: a later rule outweighs an earlier rule, so `ask` would undo a denial by the
    user. Raises SettingsError if the allowance does not suffice.
    """
    values: dict[str, Any] = {}
    if (denied := _denials(source.values.get("permission"))) is not None:
        values["permission"] = denied
    tools = source.values.get("tools")
    if isinstance(tools, Mapping):
        switched = cast("Mapping[str, Any]", tools)
        values["tools"] = {name: False for name, is_on in switched.items() if is_on is False}
    if "sandbox" in source.values:
        values["sandbox"] = source.values["sandbox"]  # Only narrowing values count in any source of a project.
    rules = list(_rules(values))
    remaining = Allowance(allowance.rules - len(rules), allowance.characters - sum(map(len, rules)))
    if remaining.rules < 0 or remaining.characters < 0:
        raise SettingsError(
            f"{source.name}: a project that is not trusted may add {MOST_RULES} denials of {MOST_CHARACTERS} characters"
            " in all; this file has more, and none of its denials is used."
        )
    return replace(source, values=values, directory=None), remaining


def _rules(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the name and pattern of each denial."""
    permission = values.get("permission", {})
    if isinstance(permission, str):
        yield permission
    else:
        for name, entry in cast("Mapping[str, Any]", permission).items():
            yield from (name,) if isinstance(entry, str) else (name + pattern for pattern in entry)
    yield from values.get("tools", ())
    sandbox = values.get("sandbox")
    for entries in cast("Mapping[str, Any]", sandbox).values() if isinstance(sandbox, Mapping) else ():
        if isinstance(entries, list):
            yield from (entry for entry in cast("list[Any]", entries) if isinstance(entry, str))


def _denials(permission: object) -> Any:
    if permission == "deny":
        return permission
    if not isinstance(permission, Mapping):
        return None
    entries = cast("Mapping[str, Any]", permission)
    denials = {name: denied for name, entry in entries.items() if (denied := _denials_of(entry)) is not None}
    return denials or None


def _denials_of(entry: object) -> Any:
    if entry == "deny":
        return entry
    if not isinstance(entry, Mapping):
        return None
    patterns = cast("Mapping[str, Any]", entry)
    return {pattern: rule for pattern, rule in patterns.items() if rule == "deny"} or None
