"""Bundles in use: the registered bundles whose files on the disk are the files that the user was shown."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from msgspec import Struct

from placet.core.visible_text import spelled_out
from placet.extensions.bundles.copies import copy_of
from placet.extensions.bundles.files import BundleError, Files, digest_of, read_directory
from placet.extensions.bundles.manifest import Bundle, WrittenPart, read_bundle
from placet.extensions.bundles.register import Register, Registered
from placet.project.prefixed_directory import PrefixedDirectory
from placet.settings import Locations
from placet.settings.foreign_servers import References, UnusableServer, expanded, server_settings
from placet.settings.sources import Source

ROOT, DATA, PROJECT = "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "CLAUDE_PROJECT_DIR"
"""Variables of Claude Code for the directory of the bundle, for its own files, and for the project."""

PartKind = Literal["command", "agent", "skill"]


class LoadedBundle(Struct, frozen=True):
    """Bundle whose copy is the copy that the user agreed to."""

    bundle: Bundle
    registered: Registered
    root: Path
    """Directory of the copy."""
    data: Path
    """Directory for files that the programs of the bundle keep."""
    digests: Mapping[Path, str]
    """SHA-256 of each file of the copy."""

    @property
    def name(self) -> str:
        return self.bundle.name

    @property
    def variables(self) -> dict[str, str]:
        """Return the variables for the programs of the bundle."""
        return {ROOT: str(self.root), DATA: str(self.data), "PLUGIN_ROOT": str(self.root)}

    def vouches(self, file: Path, content: bytes) -> bool:
        """Return whether the file with this content is the file that the user agreed to."""
        return self.digests.get(file) == hashlib.sha256(content).hexdigest()

    def directories(self, kind: PartKind) -> tuple[PrefixedDirectory, ...]:
        """Return the directories and files of a kind."""
        paths = {"command": self.bundle.commands, "agent": self.bundle.agents, "skill": self.bundle.skills}[kind]
        references = tuple((f"${{{name}}}", value) for name, value in self.variables.items())
        return tuple(PrefixedDirectory(self.root / path, self.name, references) for path in paths)

    def servers(self, environment: Mapping[str, str], folder: Path, problems: list[str]) -> Source:
        """Return the MCP servers and the language servers as settings; an unusable server is a problem.

        MCP servers run in the sandbox, and write beside the project into the data of the bundle alone. `folder` is the
        project.
        """
        variables = {**self.variables, PROJECT: str(folder)}
        references = References(environment, folder, variables, gives_keys=True)
        mcp = dict(self._usable(self.bundle.servers, references, problems, self._mcp_server))
        languages = dict(self._usable(self.bundle.language_servers, references, problems, self._language_server))
        values: dict[str, Any] = {"mcp": mcp} if mcp else {}
        if languages:
            values["languages"] = {"servers": languages}
        return Source(f"the bundle {self.name}", values, is_own=False)

    def _usable(
        self, parts: Sequence[WrittenPart], references: References, problems: list[str], make: Any
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        for part in parts:
            for name, written in part.values.items():
                try:
                    yield f"{self.name}:{name}", make(written, references)
                except UnusableServer as error:
                    problems.append(f"the bundle {self.name}: the server {spelled_out(name)} is left out: {error}")

    def _mcp_server(self, written: object, references: References) -> dict[str, Any]:
        server = server_settings(written, references)
        if "command" in server:
            program, *arguments = server["command"]
            server["command"] = [self._program(program), *arguments]
            server["env"] = {**references.variables, **server.get("env", {})}
            server["sandbox"] = {"write": [str(self.data)]}
        return server

    def _language_server(self, written: object, references: References) -> dict[str, Any]:
        """Return the server in the form of the setting `languages.servers.NAME`. Raises UnusableServer."""
        entry = cast("Mapping[str, Any]", expanded(written, references)) if isinstance(written, Mapping) else {}
        command, languages = entry.get("command"), entry.get("extensionToLanguage")
        arguments = entry.get("args", [])
        if not isinstance(command, str) or not isinstance(languages, Mapping) or not isinstance(arguments, list):
            raise UnusableServer("expected `command`, `args` and `extensionToLanguage`")
        if entry.get("transport", "stdio") != "stdio":
            raise UnusableServer("Placet speaks to language servers on stdin and stdout alone")
        server: dict[str, Any] = {
            "command": [self._program(command), *cast("list[Any]", arguments)],
            "languageIds": dict(cast("Mapping[str, Any]", languages)),
        }
        for key in ("initializationOptions", "settings"):
            if isinstance(entry.get(key), Mapping):
                server[key] = entry[key]
        return server

    def _program(self, command: str) -> str:
        """Return the program: a relative path is a file of the bundle, and never a file of a project."""
        is_path = "/" in command or "\\" in command
        return str(self.root / command) if is_path and not Path(command).is_absolute() else command


def load_bundles(locations: Locations, problems: list[str]) -> tuple[LoadedBundle, ...]:
    """Return the bundles in use; a bundle whose files have changed is not in use, and is a problem. Blocks."""
    try:
        registered = Register(locations.bundle_register).bundles()
    except BundleError as error:
        problems.append(str(error))
        return ()
    loaded: list[LoadedBundle] = []
    for name, bundle in registered.items():
        if not bundle.is_enabled:
            continue
        try:
            loaded.append(load_bundle(locations, name, bundle))
        except BundleError as error:
            problems.append(f"The bundle {spelled_out(name)} is not used: {error}")
    return tuple(loaded)


def registered_bundles(locations: Locations) -> Mapping[str, Registered]:
    """Return the records of all bundles by name; nothing for an unreadable register. Blocks."""
    try:
        return Register(locations.bundle_register).bundles()
    except BundleError:
        return {}


def load_bundle(locations: Locations, name: str, registered: Registered) -> LoadedBundle:
    """Return the bundle. Raises BundleError if the files are not the files that the user was shown. Blocks."""
    root = copy_of(locations.bundles, name, registered.digest)
    files = read_directory(root) if root.is_dir() else {}
    if digest_of(files) != registered.digest:
        state = "have changed on the disk since you added the bundle" if files else "are gone"
        raise BundleError(
            f"its files in {root} {state}. `placet plugin update {name}` fetches the files again, "
            f"`placet plugin remove {name}` forgets the bundle."
        )
    return loaded_bundle(files, name, registered, root, locations.bundle_data / name)


def loaded_bundle(files: Files, name: str, registered: Registered, root: Path, data: Path) -> LoadedBundle:
    """Return the bundle with the files. Raises BundleError."""
    bundle = read_bundle(files, fallback=name)
    if bundle.name != name:
        raise BundleError(f"its manifest calls it {spelled_out(bundle.name)}.")
    digests = {root / path: hashlib.sha256(file.content).hexdigest() for path, file in files.items()}
    return LoadedBundle(bundle, registered, root, data, digests)
