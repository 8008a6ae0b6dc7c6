"""Merging of all sources of settings. A fault in a source is reported with file and line, and the value below the fault
holds.
"""

import copy
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, cast

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from placet.core.errors import SettingsError
from placet.core.spelling import nearest
from placet.core.values import replace
from placet.settings.deny_only import Allowance, reduced_to_denials
from placet.settings.foreign_servers import is_foreign, read_foreign_file
from placet.settings.hooks import WrittenHooks
from placet.settings.locations import Locations
from placet.settings.models import Settings, WrittenAgents
from placet.settings.narrowing import narrowed
from placet.settings.permission import WrittenPermissions, WrongPermission, read_permission
from placet.settings.providers import WrongProvider
from placet.settings.sources import FILE_NAMES, ProjectFile, Source, from_environment, read_file, read_project_file
from placet.settings.substitution import Unresolved, resolved

_COMMAND_LINE = "the command line"

_Plugged = Sequence[tuple[str, Mapping[str, Any]]]
"""Settings from plugins, each with the name of the plugin."""


def load_settings(
    locations: Locations,
    *,
    environment: Mapping[str, str] = os.environ,
    bundles: Sequence[Source] = (),
    project: Sequence[ProjectFile] = (),
    plugins: _Plugged = (),
    plugin_models: _Plugged = (),
    editor: Mapping[str, Any] | None = None,
    workspace: Source | None = None,
    command_line: Mapping[str, Any] | None = None,
    denials: Sequence[Source] = (),
) -> Settings:
    """Return the merged settings. Later sources outweigh earlier sources: built in, bundles, the user's files, the
    models that the user's plugins name for providers, the project's files, plugins (by name), the environment, the
    editor, the editor's workspace, the command line, denials of other programs. `Settings.problems` has the faults.

    Raises SettingsError for a fault in the command line, whose user is present. Blocks.
    """
    problems: list[str] = []
    sources: list[Source] = []
    merged = _merged_bundles(bundles, sources, problems)
    allowance = Allowance()
    own_files = [file for file in project if not is_foreign(file.path)]
    from_plugins = plugin_models, plugins
    from_editor = Source("the editor's options", editor or {}), workspace
    written = _sources(locations, environment, own_files, from_plugins, from_editor, command_line or {}, problems)
    for original in chain(written, denials):
        source = original
        if not original.trusted:
            try:
                source, allowance = reduced_to_denials(original, allowance)
            except SettingsError as error:
                problems.append(str(error))
                continue
        source = _referring(source, environment, problems)
        if not source.is_own:
            source, widened = narrowed(source, merged)
            problems += widened
        source, wrong = _usable(merged, source)
        if wrong and source.name == _COMMAND_LINE:
            raise SettingsError(wrong[0])
        problems += wrong
        sources.append(source)
        merged = _merge(merged, source.values)
    for source in _foreign_sources([file for file in project if is_foreign(file.path)], environment, problems):
        source, wrong = _usable(merged, narrowed(_without_known_servers(source, merged), merged)[0])
        problems += wrong
        sources.append(source)
        merged = _merge(merged, source.values)
    return _with_sources(Settings.model_validate(merged), sources, problems)


def _with_sources(settings: Settings, sources: Sequence[Source], problems: Sequence[str]) -> Settings:
    """Return the settings with the parts whose sources count, as the sources wrote them."""
    return settings.with_sources(
        permissions=tuple(
            WrittenPermissions(
                source.name,
                read_permission(source.values.get("permission", {})),
                source.values.get("tools", {}),
                source.lines,
            )
            for source in sources
            if "permission" in source.values or "tools" in source.values
        ),
        agents=tuple(
            WrittenAgents(source.name, source.values["agent"], source.lines)
            for source in sources
            if "agent" in source.values
        ),
        servers={name: source.name for source in sources for name in _server_names(source)},
        hooks=tuple(
            WrittenHooks(source.name, source.values["hooks"], source.is_own, source.directory)
            for source in sources
            if source.values.get("hooks")
        ),
        problems=tuple(problems),
    )


def _merged_bundles(bundles: Sequence[Source], sources: list[Source], problems: list[str]) -> dict[str, Any]:
    """Return the servers of the bundles together, and add the usable sources to `sources`."""
    merged: dict[str, Any] = {}
    for original in bundles:
        source, wrong = _usable(merged, original)
        problems += wrong
        sources.append(source)
        merged = _merge(merged, source.values)
    return merged


def _sources(
    locations: Locations,
    environment: Mapping[str, str],
    project: Sequence[ProjectFile],
    from_plugins: tuple[_Plugged, _Plugged],
    from_editor: tuple[Source | None, ...],
    command_line: Mapping[str, Any],
    problems: list[str],
) -> Iterator[Source]:
    models, plugins = from_plugins
    readers: list[Callable[[], Source | None]] = [
        *(partial(read_file, locations.config / name) for name in FILE_NAMES),
        *(partial(Source, f"the plugin {name}", values) for name, values in models),
        *(partial(read_project_file, file) for file in project),
        *(partial(Source, f"the plugin {name}", values, is_own=False) for name, values in plugins),
        lambda: from_environment(environment),
        *((lambda source=source: source) for source in from_editor),
        lambda: Source(_COMMAND_LINE, command_line),
    ]
    for read in readers:
        try:
            if (source := read()) is not None:
                yield source
        except SettingsError as error:
            problems.append(str(error))


def _foreign_sources(
    files: Sequence[ProjectFile], environment: Mapping[str, str], problems: list[str]
) -> Iterator[Source]:
    """Yield the servers of the trusted files of other programs, the weightiest first."""
    nearest_first = files[::-1]
    for file in sorted(nearest_first, key=lambda file: file.path.parent.name == ".vscode"):
        try:
            if (source := read_foreign_file(file, environment, problems)) is not None:
                yield source
        except SettingsError as error:
            problems.append(str(error))


def _without_known_servers(source: Source, merged: Mapping[str, Any]) -> Source:
    """Return the source without the servers whose names the merged settings have; nothing is mixed."""
    known = merged.get("mcp", {})
    return replace(
        source, values={"mcp": {name: server for name, server in source.values["mcp"].items() if name not in known}}
    )


def _server_names(source: Source) -> list[str]:
    servers = source.values.get("mcp", {})
    return [name for name, server in servers.items() if isinstance(server, Mapping)]


def _referring(source: Source, environment: Mapping[str, str], problems: list[str]) -> Source:
    """Return the source with references replaced; a setting with a broken reference is left out."""
    if source.directory is None:
        return source
    values: Any = source.values
    while True:
        try:
            found = resolved(values, environment, source.directory, gives_keys=source.is_own)
            return replace(source, values=found)
        except Unresolved as wrong:
            problems.append(_problem(source, wrong.path, wrong.problem))
            values = _without(values, _left_out(wrong.path))


def _usable(below: Mapping[str, Any], source: Source) -> tuple[Source, list[str]]:
    """Return the source without faults, and the faults. An unreadable permission becomes `ask`."""
    problems: list[str] = []
    values = copy.deepcopy(dict(source.values))
    while True:
        try:
            Settings.model_validate({"permission": values.get("permission", {})})
            Settings.model_validate(_merge(below, values))
        except ValidationError as error:
            path, problem = _first_issue(error)
            path = _written_path(values, path)
            if not path:
                raise SettingsError(f"{source.name}: {problem}") from error
            if path[0] == "permission":
                report = _problem(source, path, f"{problem}; until you correct the rule, Placet asks")
                problems += [report] if report not in problems else []
                values = _asking(values, path)
            else:
                problems.append(_problem(source, path, problem))
                values = _without(values, _left_out(path))
        else:
            return replace(source, values=values), problems


def _left_out(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the path to leave out for a fault: a provider with a fault in its address or login is left out whole."""
    is_provider = (
        len(path) > 2 and path[0] == "providers" and path[2] not in ("models", "modelOptions", "model_options")
    )
    return path[:2] if is_provider else path


def _problem(source: Source, path: tuple[str, ...], problem: str) -> str:
    return f"{source.place(path)}: setting `{'.'.join(path)}`: {problem}"


def _first_issue(error: ValidationError) -> tuple[tuple[str, ...], str]:
    issue = error.errors(include_url=False)[0]
    path, problem = tuple(map(str, issue["loc"])), issue["msg"]
    if isinstance(wrong := issue.get("ctx", {}).get("error"), WrongPermission | WrongProvider):
        return path + wrong.path, wrong.problem
    if issue["type"] == "extra_forbidden":
        return path, f"there is no such setting{_similar_name_hint(path)}"
    return path, problem


def _similar_name_hint(path: tuple[str, ...]) -> str:
    """Return the known name beside the path's last name that is most similar to the last name."""
    model: Any = Settings
    for name in path[:-1]:
        if (model := _model_of(model, name)) is None:
            return ""
    near = nearest(path[-1], [to_camel(name) for name in model.model_fields])
    return f"; did you mean `{near}`?" if near else ""


def _written_path(values: Mapping[str, Any], path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the longest path of keys in `values` that leads along `path`, in the spelling of `values`."""
    written: list[str] = []
    value: Any = values
    for name in path:
        if not isinstance(value, Mapping):
            break
        entries = cast("Mapping[str, Any]", value)
        key = next((key for key in entries if name in (key, to_camel(key))), None)
        if key is None:
            break
        written.append(key)
        value = entries[key]
    return tuple(written)


def _without(values: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    remaining = dict(values)
    if len(path) == 1:
        del remaining[path[0]]
    else:
        remaining[path[0]] = _without(remaining[path[0]], path[1:])
    return remaining


def _asking(values: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """Return the values with `ask` in place of the faulty value, or in place of its parent if the faulty value is
    `ask`.
    """
    if not path or values[path[0]] == "ask":
        return "ask"
    return {**values, path[0]: _asking(values[path[0]], path[1:])}


def _merge(below: Mapping[str, Any], above: Mapping[str, Any], model: Any = Settings) -> dict[str, Any]:
    """Deep for objects; an overridden key moves to the end, as the last matching rule wins.

    The two spellings of a setting of the model (`modelOptions`, `model_options`) are one key.
    """
    merged = dict(below)
    for key, value in above.items():
        earlier = None
        for spelling in _spellings(model, key):
            earlier = merged.pop(spelling, earlier)
        inner = _model_of(model, key)
        merged[key] = _merge(earlier, value, inner) if isinstance(earlier, dict) and isinstance(value, dict) else value
    return merged


def _spellings(model: Any, key: str) -> tuple[str, ...]:
    """Return the key in both spellings of a setting; a key that is no setting of the model has one spelling."""
    fields = () if model is None else model.model_fields
    return next(((name, to_camel(name)) for name in fields if key in (name, to_camel(name))), (key,))


def _model_of(model: Any, key: str) -> Any:
    """Return the model of the object at the key, or None where the object has any keys."""
    fields: Mapping[str, Any] = {} if model is None else model.model_fields
    annotation = next((info.annotation for name, info in fields.items() if key in (name, to_camel(name))), None)
    return annotation if hasattr(annotation, "model_fields") else None
