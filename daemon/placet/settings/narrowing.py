"""Narrowing of the settings of projects and plugins: such a source only takes from what the user allows. Pure.

A value that would widen the sandbox is left out, and is a problem with the line: only the user's own settings widen.
The same holds for the address of models, which gets the user's keys.
Programs that such a source sets up run in the sandbox.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from pydantic.alias_generators import to_camel

from placet.core.values import replace
from placet.settings.models import SandboxSettings
from placet.settings.sources import Source

_ORDERS: dict[str, tuple[str, ...]] = {
    "mode": ("off", "auto", "require"),
    "network": ("allow", "ask", "off"),
    "caches": ("shared", "private"),
    "leaving": ("ask", "deny"),
}
"""Values of a setting, from the widest to the narrowest."""
_LISTS = frozenset(("write", "allowRead", "sockets", "excluded"))
"""Lists of openings: a source can leave entries out."""
_NO_PROGRAM = frozenset(("enabled", "permission", "timeoutSeconds", "callTimeoutSeconds"))
"""Settings of an MCP server that change nothing about the program of the server."""
_WIDENS = "a project can only narrow the sandbox; write the setting into your own settings if you want it"

_REDIRECTS = "only your own settings can set the address of models, which gets your keys"

_OWN = {
    "judge": "only your own settings can set the judge",
    "disableAllHooks": "only your own settings can switch all hooks off",
    "disable_all_hooks": "only your own settings can switch all hooks off",
    "providers": "only your own settings can set providers, which get your keys",
    "acp": "only your own settings can move commands to a client's terminal",
    "localModels": "only your own settings can set the engine of local models",
    "local_models": "only your own settings can set the engine of local models",
    "telemetry": "only your own settings can send telemetry",
    "completion": "only your own settings can send the text around the cursor to a model",
}
"""Settings that no project and no plugin can set, each with the reason."""


def narrowed(source: Source, below: Mapping[str, Any]) -> tuple[Source, list[str]]:
    """Return the source of a project or a plugin with the narrowing values alone and contained programs, and the
    problems.

    `below` has the merged settings of the weaker sources.
    """
    source, widened = _with_narrowed_sandbox(source, below)
    source, redirected = _without_address(source, below)
    source, opened = _with_contained_programs(source, below)
    return source, [*widened, *redirected, *opened]


def _without_address(source: Source, below: Mapping[str, Any]) -> tuple[Source, list[str]]:
    """Return the source without an address of models that the weaker sources lack, and the problems.

    The key of a known provider goes to the address.
    """
    values, problems = dict(source.values), list[str]()
    for section in ("modelOptions", "model_options"):
        options = values.get(section)
        if not isinstance(options, Mapping):
            continue
        written = dict(cast("Mapping[str, Any]", options))
        for name in ("apiBase", "api_base"):
            if name in written and written.pop(name) != _address_in(below):
                path = (section, name)
                problems.append(f"{source.place(path)}: setting `{'.'.join(path)}`: {_REDIRECTS}")
        values[section] = written
    return replace(source, values=values), problems


def _address_in(below: Mapping[str, Any]) -> object:
    """Return the address of models in merged settings, whose names may be written in two ways."""
    sections = (below.get(name) for name in ("modelOptions", "model_options"))
    written = [cast("Mapping[str, Any]", section) for section in sections if isinstance(section, Mapping)]
    return next((section[name] for section in written for name in ("apiBase", "api_base") if name in section), None)


def _with_narrowed_sandbox(source: Source, below: Mapping[str, Any]) -> tuple[Source, list[str]]:
    """Return the source without the settings in `_OWN`, with the narrowing values of `sandbox`, and the problems."""
    refused = [f"{source.place((name,))}: setting `{name}`: {_OWN[name]}" for name in _OWN if name in source.values]
    if refused:
        source = replace(source, values={name: value for name, value in source.values.items() if name not in _OWN})
    written = source.values.get("sandbox")
    if not isinstance(written, Mapping):
        return source, refused
    limits = _effective(below.get("sandbox"))
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, value in cast("Mapping[str, Any]", written).items():
        key = to_camel(name)
        if key not in limits:
            values[name] = value  # The validation reports the unknown name.
            continue
        kept, is_whole = _narrowed(key, value, limits[key])
        if kept is not None:
            values[key] = kept
        if not is_whole:
            problems.append(f"{source.place(('sandbox', name))}: setting `sandbox.{name}`: {_WIDENS}")
    return replace(source, values={**source.values, "sandbox": values}), [*refused, *problems]


def _effective(below: object) -> dict[str, Any]:
    """Return the sandbox settings of the weaker sources by their names in files, defaults included."""
    settings = SandboxSettings.model_validate(below if isinstance(below, Mapping) else {})
    return settings.model_dump(by_alias=True)


def _narrowed(key: str, value: object, limit: Any) -> tuple[Any, bool]:
    """Return the value that counts, None for no value, and whether nothing was left out."""
    if value == limit and type(value) is type(limit):
        return value, True
    if key in _ORDERS:
        order = _ORDERS[key]
        is_narrower = isinstance(value, str) and value in order and order.index(value) >= order.index(limit)
        return (value, True) if is_narrower else (None, False)
    if key == "unasked":
        return (False, True) if value is False else (None, False)
    if not isinstance(value, Sequence) or isinstance(value, str):
        return None, False
    entries = [entry for entry in cast("Sequence[object]", value) if isinstance(entry, str)]
    is_whole = len(entries) == len(cast("Sequence[object]", value))
    limits = cast("Sequence[str]", limit)
    if key == "denyRead":
        return list(dict.fromkeys((*limits, *entries))), is_whole
    if key == "domains":
        counted = [entry for entry in entries if entry.startswith("!") or entry in limits]
        return list(dict.fromkeys((*limits, *counted))), is_whole and len(counted) == len(entries)
    if key in _LISTS:
        counted = [entry for entry in entries if entry in limits]
        return counted, is_whole and len(counted) == len(entries)
    return None, False


def _with_contained_programs(source: Source, below: Mapping[str, Any]) -> tuple[Source, list[str]]:
    """Return the source with all its MCP servers in the sandbox, and the problems.

    The source cannot take programs out of the sandbox: such a setting is left out, and is a problem. A server that the
    weaker sources in `below` have with the same program keeps the sandbox of these sources.
    """
    values, problems = dict(source.values), list[str]()
    for name in ("languages", "plugins"):
        section = values.get(name)
        if isinstance(section, Mapping) and cast("Mapping[str, Any]", section).get("sandbox", True) is not True:
            values[name] = {key: value for key, value in cast("Mapping[str, Any]", section).items() if key != "sandbox"}
            problems.append(_problem(source, (name, "sandbox")))
    servers = values.get("mcp")
    if isinstance(servers, Mapping):
        known = below.get("mcp")
        known = cast("Mapping[str, Any]", known) if isinstance(known, Mapping) else {}
        values["mcp"] = dict(_contained(source, cast("Mapping[str, Any]", servers), known, problems))
    return replace(source, values=values), problems


def _contained(
    source: Source, servers: Mapping[str, Any], known: Mapping[str, Any], problems: list[str]
) -> Iterator[tuple[str, Any]]:
    for name, server in servers.items():
        written = cast("Mapping[str, Any]", server) if isinstance(server, Mapping) else {}
        if "url" in written or _NO_PROGRAM.issuperset(written):
            yield name, server
            continue
        if written.get("sandbox", True) is not True:
            problems.append(_problem(source, ("mcp", name, "sandbox")))
        if _has_program(known.get(name), written):
            yield name, {key: value for key, value in written.items() if key != "sandbox"}
        else:
            yield name, {**written, "sandbox": True}


def _has_program(known: object, written: Mapping[str, Any]) -> bool:
    """Return whether the server changes nothing about the program of a known server."""
    if not isinstance(known, Mapping):
        return False
    server = cast("Mapping[str, Any]", known)
    return all(server.get(key) == value for key, value in written.items() if key not in (*_NO_PROGRAM, "sandbox"))


def _problem(source: Source, path: tuple[str, ...]) -> str:
    setting = ".".join(path)
    return f"{source.place(path)}: setting `{setting}`: only your own settings can open the sandbox of a program"
