"""MCP servers in a project's files of other programs: `.mcp.json` of Claude Code, `.vscode/mcp.json` of VS Code.

Such a file sets up servers and nothing else: each server becomes a server of the setting `mcp`. Only a trusted file
counts.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from msgspec import Struct, field

from placet.core.values import replace
from placet.settings import jsonc
from placet.settings.provider_keys import NO_KEYS, is_known_key
from placet.settings.sources import ProjectFile, Source, read_project_file
from placet.settings.substitution import INPUT

FOREIGN_FILES = ((".mcp.json",), (".vscode", "mcp.json"))
"""Paths of the files, relative to a folder of the project; the former file outweighs."""

_SECTIONS = ("mcpServers", "servers")
"""Keys of the servers: Claude Code's, and VS Code's."""
_TYPES = {"stdio": "local", "http": "http", "streamable-http": "http", "sse": "sse"}
_INPUT_TYPES = ("promptString", "pickString")
_INPUT_KEYS = ("id", "type", "description", "default", "password", "options")
_REFERENCE = re.compile(r"\$\{([^{}]*)\}")
_VARIABLE = re.compile(r"(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)


class UnusableServer(ValueError):
    """A server that cannot be set up; the text says why."""


class References(Struct, frozen=True):
    """Values for the references in the texts of a file."""

    environment: Mapping[str, str]
    folder: Path
    """Folder of the project."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    """Further variables, which outweigh the environment."""
    gives_keys: bool = False
    """Whether a reference to the key of a known provider of models is replaced."""
    inputs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Definitions of the file's inputs. A reference to an input stays, as the user gives the value at the start of the
    server.
    """


def is_foreign(path: Path) -> bool:
    """Return whether the file is one of the files of other programs."""
    return any(path.parts[-len(names) :] == names for names in FOREIGN_FILES)


def read_foreign_file(file: ProjectFile, environment: Mapping[str, str], problems: list[str]) -> Source | None:
    """Return the servers of the file as settings, or None without a file or without trust.

    A server that cannot be set up is left out, and is a problem. Raises SettingsError naming the file and the line.
    Blocks.
    """
    source = read_project_file(file)
    if source is None or not source.trusted:
        return None
    folder = file.path.parent.parent if file.path.parent.name == ".vscode" else file.path.parent
    section = next((name for name in _SECTIONS if isinstance(source.values.get(name), Mapping)), "")
    lines = {("mcp", *path[1:]): line for path, line in source.lines.items() if path[0] == section}
    source = replace(source, lines=lines, directory=None)
    references = References(environment, folder, inputs=_inputs(source.values.get("inputs")))
    servers: dict[str, Any] = {}
    for name, written in cast("Mapping[str, Any]", source.values.get(section, {})).items():
        try:
            servers[name] = server_settings(written, references)
        except UnusableServer as error:
            problems.append(f"{source.place(('mcp', name))}: the MCP server {name} is left out: {error}")
    return replace(source, values={"mcp": servers})


def server_settings(written: object, references: References) -> dict[str, Any]:
    """Return the server in the form of the setting `mcp.NAME`. Raises UnusableServer."""
    if not isinstance(written, Mapping):
        raise UnusableServer("expected an object")
    entry = cast("Mapping[str, Any]", written)
    if "envFile" in entry:
        raise UnusableServer("Placet reads no `envFile`; write the variables into `env`.")
    known = {key: expanded(entry[key], references) for key in ("cwd", "url", "headers") if key in entry}
    server = {key: value for key, value in known.items() if value is not None}
    if "command" in entry:
        arguments = entry.get("args", [])
        if not isinstance(arguments, Sequence) or isinstance(arguments, str):
            raise UnusableServer("expected `args` to be a list")
        server["command"] = expanded([entry["command"], *cast("Sequence[Any]", arguments)], references)
    if isinstance(variables := entry.get("env"), Mapping):
        server["env"] = dict(_variables(cast("Mapping[str, Any]", variables), references))
    if (kind := entry.get("type")) is not None:
        if kind not in _TYPES:
            raise UnusableServer(f"Placet knows no type `{kind}`; the types are {', '.join(_TYPES)}.")
        server["type"] = _TYPES[kind]
    if entry.get("disabled") is True:
        server["enabled"] = False
    used = dict.fromkeys(name for text in jsonc.texts_in(server) for name in INPUT.findall(text))
    if definitions := [references.inputs[name] for name in used if name in references.inputs]:
        server["inputs"] = [{key: entry[key] for key in _INPUT_KEYS if key in entry} for entry in definitions]
    return server


def _inputs(written: object) -> dict[str, Mapping[str, Any]]:
    """Return the definitions of inputs by id; an entry without an id defines nothing."""
    entries = cast("Sequence[Any]", written) if isinstance(written, Sequence) and not isinstance(written, str) else ()
    definitions = (cast("Mapping[str, Any]", entry) for entry in entries if isinstance(entry, Mapping))
    return {name: entry for entry in definitions if isinstance(name := entry.get("id"), str)}


def _variables(written: Mapping[str, Any], references: References) -> Iterator[tuple[str, Any]]:
    """Yield the variables of `env`; VS Code allows numbers, and `null` for no variable."""
    for name, value in written.items():
        if value is not None:
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            yield name, str(value) if is_number else expanded(value, references)


def expanded(value: Any, references: References) -> Any:
    """Return the value with the references in its texts replaced. Raises UnusableServer."""
    if isinstance(value, str):
        return _REFERENCE.sub(lambda reference: _referenced(reference[1], references), value)
    if isinstance(value, Mapping):
        entries = cast("Mapping[str, Any]", value)
        return {key: expanded(entry, references) for key, entry in entries.items()}
    if isinstance(value, Sequence):
        return [expanded(item, references) for item in cast("Sequence[Any]", value)]
    return value


def _referenced(name: str, references: References) -> str:
    """Return the text for the reference `${name}`."""
    folder, environment = references.folder, references.environment
    if name in references.variables:
        return references.variables[name]
    match name:
        case "workspaceFolder":
            return str(folder)
        case "workspaceFolderBasename":
            return folder.name
        case "userHome":
            try:
                return str(Path.home())
            except RuntimeError as error:
                raise UnusableServer("you have no home directory for `${userHome}`.") from error
        case "pathSeparator" | "/":
            return os.sep
        case _:
            pass
    if name.startswith("input:"):
        return _reference_to_input(name.removeprefix("input:"), references)
    if (variable := _VARIABLE.fullmatch(name)) is None:
        raise UnusableServer(f"Placet does not know `${{{name}}}`.")
    if not references.gives_keys and is_known_key(variable[1]):
        raise UnusableServer(f"{NO_KEYS}, and `${{{name}}}` refers to such a key.")
    value = environment.get(variable[1]) or variable[2]
    if value is None and variable[1] not in environment:
        raise UnusableServer(f"the environment variable {variable[1]} is not set, and `${{{name}}}` has no default.")
    return value or ""


def _reference_to_input(name: str, references: References) -> str:
    """Return the reference as written. Raises UnusableServer for an input whose value no user can be asked for."""
    definition = references.inputs.get(name)
    if definition is None:
        raise UnusableServer(f"the file defines no input `{name}`, to which `${{input:{name}}}` refers.")
    if (kind := definition.get("type")) == "command":
        raise UnusableServer(f"the value of its input `{name}` comes from a command of VS Code.")
    if kind not in _INPUT_TYPES:
        raise UnusableServer(f"Placet knows no type `{kind}` of the input `{name}`.")
    return f"${{input:{name}}}"
