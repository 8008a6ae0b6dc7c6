"""Tool and plugin files of one owner, as texts: only the text read here is run."""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field

from placet.core.messages import JsonObject
from placet.core.regular_files import read_regular_file

MOST_FILES = 2_000
MOST_BYTES = 1_000_000
"""Limit on the size of one file."""
_SKIPPED = ("__pycache__", "node_modules")


class Owner(Struct, frozen=True):
    """Owner of tools and plugins: the user, or a project that the user trusts."""

    name: str
    """Owner's name in the user's words."""
    directory: Path
    """Working directory of the owner's process."""
    worktree: Path
    tools: tuple[Path, ...] = ()
    """Directories with tools."""
    plugins: tuple[Path, ...] = ()
    listed: tuple[tuple[str, JsonObject], ...] = ()
    """Plugins of the setting `plugin`: a package or the path of a file, and the options."""
    base: Path = Path()
    """Base directory for relative paths of listed plugins."""
    digests: Mapping[Path, str] | None = None
    """SHA-256 of each trusted file; None: the files are the user's own."""
    barred: tuple[Path, ...] = ()
    """Folders in which no listed file may lie, because the folders' content is not the user's."""
    is_contained: bool = False
    """Whether the owner's process runs in the sandbox."""


class Module(Struct, frozen=True):
    path: Path
    text: str
    is_package: bool


class Entry(Struct, frozen=True):
    """File or package with tools or hooks."""

    kind: Literal["tool", "plugin", "package"]
    name: str
    module: str = ""
    path: Path | None = None
    options: JsonObject = field(default_factory=dict[str, Any])

    @property
    def source(self) -> str:
        return f"the package {self.name}" if self.path is None else str(self.path)

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.module or self.name}"


class Bundle(Struct, frozen=True):
    """Everything that one owner brings; equal to another bundle if nothing has changed."""

    owner: Owner
    modules: Mapping[str, Module] = field(default_factory=dict[str, Module])
    entries: tuple[Entry, ...] = ()
    problems: tuple[str, ...] = ()


def gather(owner: Owner) -> Bundle:
    """Return the owner's present files and entries. Blocks.

    The files of one directory form one package, and import each other by `from . import name`. Each file directly in
    the directory is a tool or a plugin, unless the name begins with `_`.
    """
    modules: dict[str, Module] = {}
    entries: list[Entry] = []
    problems: list[str] = []
    kinds: list[tuple[Literal["tool", "plugin"], tuple[Path, ...]]] = [("tool", owner.tools), ("plugin", owner.plugins)]
    number = 0
    for kind, directories in kinds:
        for directory in directories:
            number += 1
            package = f"placet_{kind}s_{number}"
            package_modules = dict(_modules(package, directory, owner, problems))
            if package_modules:
                modules[package] = Module(directory, "", is_package=True)
            modules.update(package_modules)
            entries += [
                Entry(kind, module.path.stem, name, module.path)
                for name, module in sorted(package_modules.items())
                if module.path.parent == directory and not module.path.name.startswith("_")
            ]
    for number, (name, options) in enumerate(owner.listed):
        entry, module = _listed(number, name, options, owner, problems)
        entries += [entry] if entry is not None else []
        if entry is not None and module is not None:
            modules[entry.module] = module
    return Bundle(owner, modules, tuple(entries), tuple(problems))


def _modules(package: str, directory: Path, owner: Owner, problems: list[str]) -> Iterator[tuple[str, Module]]:
    packages: set[str] = set()
    for path in islice(_python_files(directory), MOST_FILES):
        if (text := _text(path, owner, problems)) is None:
            continue
        parts = [package, *path.relative_to(directory).with_suffix("").parts]
        is_package = parts[-1] == "__init__"
        parts = parts[:-1] if is_package else parts
        for depth in range(2, len(parts)):
            if (name := ".".join(parts[:depth])) not in packages:  # A package's own text is not replaced.
                packages.add(name)
                yield name, Module(directory.joinpath(*parts[1:depth]), "", is_package=True)
        yield ".".join(parts), Module(path, text, is_package)


def _python_files(directory: Path) -> Iterator[Path]:
    """Yield Python files in order: files before subdirectories, and `__init__.py` after lower-case names."""
    for parent, directories, names in os.walk(directory):
        directories[:] = sorted(name for name in directories if name not in _SKIPPED and not name.startswith("."))
        yield from (Path(parent) / name for name in sorted(names, reverse=True) if name.endswith(".py"))


def _text(path: Path, owner: Owner, problems: list[str]) -> str | None:
    try:
        raw = read_regular_file(path, MOST_BYTES)
    except OSError as error:
        problems.append(f"{path} cannot be read: {error.strerror or error}.")
        return None
    if owner.digests is not None and owner.digests.get(path) != hashlib.sha256(raw).hexdigest():
        problems.append(f"{path} is not the file that you trusted, and is not run.")
        return None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        problems.append(f"{path} is not UTF-8, and is not run.")
        return None


def _listed(
    number: int, name: str, options: JsonObject, owner: Owner, problems: list[str]
) -> tuple[Entry | None, Module | None]:
    """Read an item of the setting `plugin`: a path if the name looks like a path, else the name of a package."""
    if not (name.endswith(".py") or "/" in name or os.sep in name):
        return Entry("package", name, options=options), None
    try:
        path = owner.base / Path(name).expanduser()
        real = path.resolve()
    except (OSError, RuntimeError) as error:
        problems.append(f"The plugin {name} of your settings cannot be found: {error}.")
        return None, None
    if any(real.is_relative_to(folder) for folder in owner.barred):
        problems.append(
            f"The plugin {name} of your settings is inside an opened project, and is not run. "
            "Put the plugin into `.placet/plugin/` of the project, and trust the project."
        )
        return None, None
    text = _text(path, owner, problems)
    module = f"placet_listed_{number}"
    return (
        (None, None) if text is None else (Entry("plugin", path.stem, module, path, options), Module(path, text, False))
    )


def as_order(modules: Mapping[str, Module]) -> JsonObject:
    """Return the modules in the form that the process expects."""
    return {
        name: {"path": str(module.path), "text": module.text, "is_package": module.is_package}
        for name, module in modules.items()
    }


def listed_in(setting: Sequence[str | tuple[str, JsonObject]]) -> tuple[tuple[str, JsonObject], ...]:
    """Return the plugins of the setting `plugin`, each with options."""
    return tuple((plugin, {}) if isinstance(plugin, str) else plugin for plugin in setting)
