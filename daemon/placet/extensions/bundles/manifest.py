"""Manifest of a bundle: `.claude-plugin/plugin.json` and the like, or the usual directories. Pure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, cast

from msgspec import Struct

from placet.core.visible_text import spelled_out
from placet.extensions.bundles.files import BundleError, BundleFile, Files
from placet.settings import jsonc

MANIFESTS = (
    ".claude-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    ".codex-plugin/plugin.json",
    ".github/plugin/plugin.json",
    "plugin.json",
)
"""Paths of manifests; the first counts."""
MARKETPLACES = (
    ".claude-plugin/marketplace.json",
    ".cursor-plugin/marketplace.json",
    ".agents/plugins/marketplace.json",
)
SKILL_FILE = "SKILL.md"
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
_METADATA = frozenset(
    (
        *("$schema", "author", "category", "defaultEnabled", "description", "displayName", "homepage", "icon"),
        *("interface", "keywords", "license", "logo", "name", "publisher", "repository", "tags", "version"),
    )
)
_COMPONENTS = frozenset(("commands", "agents", "skills", "hooks", "mcpServers", "lspServers"))
_IGNORED_DIRECTORIES = ("bin", "monitors", "output-styles", "rules", "themes", "workflows")
"""Usual directories of components without a use in Placet."""


class WrittenPart(Struct, frozen=True):
    """Hooks or servers as a file of the bundle has them, not yet validated."""

    source: str
    """Path of the file in the bundle."""
    values: Mapping[str, Any]


class Bundle(Struct, frozen=True):
    """Contents of a bundle."""

    name: str
    version: str = ""
    description: str = ""
    commands: tuple[str, ...] = ()
    """Directories and files of the commands."""
    agents: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    """Directories of the skills; the path of a SKILL.md at the top of the bundle."""
    hooks: tuple[WrittenPart, ...] = ()
    servers: tuple[WrittenPart, ...] = ()
    language_servers: tuple[WrittenPart, ...] = ()
    ignored: tuple[str, ...] = ()
    """Parts of the bundle without a use in Placet."""


class Listing(Struct, frozen=True):
    """Bundle as a marketplace lists it."""

    name: str
    directory: str | None
    """Directory of the bundle below the marketplace; None for a bundle elsewhere."""
    source: Any
    entry: Mapping[str, Any]


def read_bundle(files: Files, *, fallback: str = "") -> Bundle:
    """Return the contents of the bundle. Raises BundleError.

    `fallback` is the name of a bundle whose manifest has no name.
    """
    place = _manifest_of(files)
    manifest = {} if place is None else _object(files, place)
    source = place or "the bundle"
    name = manifest.get("name") or fallback
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BundleError(
            f"`{spelled_out(str(name))}` cannot be the name of a bundle: a name has 1 to 64 letters, digits, `-`, `_` "
            "and `.`, and begins and ends with a letter or a digit."
        )
    reader = _Reader(files, manifest, source)
    bundle = Bundle(
        name,
        _text(manifest.get("version")),
        _text(manifest.get("description")),
        commands=reader.paths("commands", "commands", adds=False),
        agents=reader.paths("agents", "agents", adds=False),
        skills=reader.skills(),
        hooks=tuple(reader.parts("hooks", ("hooks/hooks.json", "hooks.json"), "hooks")),
        servers=tuple(reader.parts("mcpServers", (".mcp.json", "mcp.json"), "mcpServers")),
        language_servers=tuple(reader.parts("lspServers", (".lsp.json",), "lspServers")),
        ignored=tuple(reader.ignored()),
    )
    if not any((bundle.commands, bundle.agents, bundle.skills, *_written(bundle))):
        raise BundleError(
            "The directory is no bundle: it has no manifest such as .claude-plugin/plugin.json with anything that "
            "Placet can use, and none of the directories commands, agents, skills and hooks."
        )
    return bundle


def read_marketplace(files: Files) -> tuple[Listing, ...]:
    """Return the bundles that a marketplace lists; nothing without a marketplace. Raises BundleError."""
    place = next((path for path in MARKETPLACES if path in files), None)
    if place is None:
        return ()
    market = _object(files, place)
    written = market.get("plugins")
    if not isinstance(written, list):
        raise BundleError(f"{place}: expected `plugins`, a list.")
    metadata = market.get("metadata")
    root = cast("Mapping[str, Any]", metadata).get("pluginRoot") if isinstance(metadata, Mapping) else None
    listings: list[Listing] = []
    for plugin in cast("list[Any]", written):
        entry = cast("Mapping[str, Any]", plugin) if isinstance(plugin, Mapping) else {}
        name, source = entry.get("name"), entry.get("source")
        if not isinstance(name, str):
            raise BundleError(f"{place}: each entry of `plugins` has a `name`.")
        directory = None
        if isinstance(source, str):
            joined = source if root is None or source.startswith("./") else f"{root}/{source}"
            directory = inner_path(joined, f"{place}: the source of {spelled_out(name)}")
        listings.append(Listing(name, directory, source, entry))
    return tuple(listings)


def with_manifest(files: Files, listing: Listing) -> Files:
    """Return the files with the marketplace's entry as the manifest, if the bundle has no manifest of its own."""
    if _manifest_of(files) is not None:
        return files
    manifest = {key: value for key, value in listing.entry.items() if key not in ("source", "strict")}
    return {**files, MANIFESTS[0]: BundleFile(json.dumps(manifest, indent=2).encode())}


def inner_path(written: str, where: str) -> str:
    """Return the normal form of a path in the bundle; `.` for the top. Raises BundleError for a path that leads out."""
    path = PurePosixPath(written)
    if not written or path.is_absolute() or ".." in path.parts or "\\" in written or ":" in written or "\0" in written:
        raise BundleError(f"{where}: the path {spelled_out(written)} leads out of the bundle.")
    return path.as_posix()


def _written(bundle: Bundle) -> tuple[tuple[WrittenPart, ...], ...]:
    return bundle.hooks, bundle.servers, bundle.language_servers


def _manifest_of(files: Files) -> str | None:
    return next((path for path in MANIFESTS if path in files), None)


def _object(files: Files, path: str) -> Mapping[str, Any]:
    """Return the object in a JSON file of the bundle. Raises BundleError."""
    try:
        value: Any = jsonc.parse(files[path].content.decode("utf-8"))
    except ValueError as error:
        raise BundleError(f"{path} of the bundle cannot be read: {error}.") from error
    if not isinstance(value, Mapping):
        raise BundleError(f"{path} of the bundle: expected an object.")
    return cast("Mapping[str, Any]", value)


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


class _Reader:
    """Reader of the components that a manifest names, beside the usual places."""

    def __init__(self, files: Files, manifest: Mapping[str, Any], source: str) -> None:
        self._files = files
        self._manifest = manifest
        self._source = source
        self._notes: list[str] = []

    def paths(self, key: str, usual: str, *, adds: bool) -> tuple[str, ...]:
        """Return the paths of a component: the manifest's, in place of the usual directory or beside it (`adds`)."""
        written = list(self._listed(key))
        own = [usual] if self._is_directory(usual) and (adds or key not in self._manifest) else []
        return tuple(dict.fromkeys((*own, *written)))

    def skills(self) -> tuple[str, ...]:
        found = self.paths("skills", "skills", adds=True)
        return found or ((SKILL_FILE,) if SKILL_FILE in self._files else ())

    def parts(self, key: str, usual: Sequence[str], section: str) -> Iterator[WrittenPart]:
        """Yield the hooks or servers: of the usual file, of files that the manifest names, and of the manifest."""
        places = [next((path for path in usual if path in self._files), None)]
        inline: list[Mapping[str, Any]] = []
        for value in self._values(key):
            if isinstance(value, str) and value.startswith(("https://", "http://")):
                self._notes.append(f"{key}: {value} (Placet fetches nothing for a bundle)")
            elif isinstance(value, str):
                places.append(self._existing(key, value))
            elif isinstance(value, Mapping):
                inline.append(cast("Mapping[str, Any]", value))
            else:
                raise BundleError(f"{self._source}: `{key}` has a value that is neither a path nor an object.")
        for place in dict.fromkeys(place for place in places if place is not None):
            if not place.endswith((".json", ".jsonc")):
                self._notes.append(f"{key}: {place} (Placet reads JSON alone)")
                continue
            yield WrittenPart(place, _section(_object(self._files, place), section))
        for values in inline:
            yield WrittenPart(self._source, _section(values, section))

    def ignored(self) -> Iterator[str]:
        """Yield the keys of the manifest and the directories without a use in Placet."""
        yield from self._notes
        yield from (key for key in self._manifest if key not in _METADATA and key not in _COMPONENTS)
        yield from (f"{name}/" for name in _IGNORED_DIRECTORIES if self._is_directory(name))

    def _listed(self, key: str) -> Iterator[str]:
        for value in self._values(key):
            if isinstance(value, Mapping):  # Names with `source` or `content`.
                for name, command in cast("Mapping[str, Any]", value).items():
                    place: Any = (
                        cast("Mapping[str, Any]", command).get("source") if isinstance(command, Mapping) else None
                    )
                    if isinstance(place, str):
                        yield self._existing(key, place)
                    else:
                        self._notes.append(f"{key}: {name} (a text in the manifest)")
            elif isinstance(value, str):
                yield self._existing(key, value)
            else:
                raise BundleError(f"{self._source}: `{key}` has a value that is no path.")

    def _values(self, key: str) -> list[Any]:
        value = self._manifest.get(key)
        return [] if value is None else cast("list[Any]", value) if isinstance(value, list) else [value]

    def _existing(self, key: str, written: str) -> str:
        path = inner_path(written, f"{self._source}: `{key}`")
        if path not in self._files and not self._is_directory(path):
            raise BundleError(f"{self._source}: `{key}` names {spelled_out(written)}, which the bundle does not have.")
        return path

    def _is_directory(self, path: str) -> bool:
        return path == "." or any(name.startswith(f"{path}/") for name in self._files)


def _section(values: Mapping[str, Any], section: str) -> Mapping[str, Any]:
    """Return the entries: below the key of the section, or the whole object."""
    inner = values.get(section)
    if isinstance(inner, Mapping):
        return cast("Mapping[str, Any]", inner)
    return {key: value for key, value in values.items() if key not in ("$schema", "description", "version")}
