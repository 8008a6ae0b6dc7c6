"""Rules for agents that a project keeps for GitHub Copilot and for Cursor, which name the files that they are about.

Copilot: `.github/copilot-instructions.md`, and `.github/instructions/*.instructions.md` with the field `applyTo`
(https://docs.github.com/en/copilot/how-tos/configure-custom-instructions). Cursor: `.cursor/rules/*.mdc` with the
fields `alwaysApply` and `globs` (https://docs.cursor.com/context/rules).
"""

import os
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct

from placet.core.regular_files import read_regular_file
from placet.project.front_matter import FrontMatterError, parse_front_matter
from placet.project.path_patterns import fits_any
from placet.project.paths import is_file

COPILOT_FILE = ".github/copilot-instructions.md"
MOST_BYTES = 1_000_000
MOST_FILES = 100
"""Number of rule files that are read below a directory."""
MOST_DIRECTORIES = 200
"""Number of directories that are looked into below a directory."""
MOST_PATTERNS = 100
"""Number of patterns of a rule that count."""

_SCOPED = ((".github/instructions", ".instructions.md"), (".cursor/rules", ".mdc"))
_EVERYTHING = frozenset(("*", "**", "**/*"))


class _Scope(Struct, frozen=True):
    """Files that a rule is about."""

    always: bool = False
    patterns: tuple[str, ...] = ()


def general_rules(directory: Path) -> list[Path]:
    """Return the rules of the directory about every file, in order. Blocks."""
    copilot = directory / COPILOT_FILE
    return [*([copilot] if is_file(copilot) else ()), *(file for file, scope in _scoped(directory) if scope.always)]


def rules_about(path: Path, directory: Path) -> list[Path]:
    """Return the rules of the directory about this file below the directory, the general rules first. Blocks."""
    name = path.relative_to(directory).as_posix()
    about = (file for file, scope in _scoped(directory) if not scope.always and fits_any(name, scope.patterns))
    return [*general_rules(directory), *about]


def _scoped(directory: Path) -> Iterator[tuple[Path, _Scope]]:
    for place, suffix in _SCOPED:
        for file in islice(_files_below(directory / place, suffix), MOST_FILES):
            try:
                status = file.stat()
            except OSError:
                continue
            yield file, _scope_of(file, status.st_mtime_ns, status.st_size)


def _files_below(directory: Path, suffix: str) -> Iterator[Path]:
    for parent, directories, names in islice(os.walk(directory), MOST_DIRECTORIES):
        directories.sort()
        yield from (Path(parent) / name for name in sorted(names) if name.endswith(suffix))


@lru_cache(maxsize=256)
def _scope_of(file: Path, _mtime_ns: int, _size: int) -> _Scope:
    """Return the scope by the fields of the file, which is read again once the file has changed.

    A rule that cannot be read is about no file: the programs that the rule was written for tell the user of mistakes.
    """
    try:
        fields, _ = parse_front_matter(read_regular_file(file, MOST_BYTES).decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, FrontMatterError):
        return _Scope()
    patterns = _texts(fields.get("applyTo" if file.name.endswith(".md") else "globs"))[:MOST_PATTERNS]
    return _Scope(fields.get("alwaysApply") is True or not _EVERYTHING.isdisjoint(patterns), patterns)


def _texts(value: Any) -> tuple[str, ...]:
    """Return the patterns of a field: a list, or a text with commas, which inside of braces belong to a pattern."""
    if isinstance(value, list):
        return tuple(str(one).strip() for one in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if not isinstance(value, str):
        return ()
    patterns, depth = [""], 0
    for character in value:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            patterns.append("")
        else:
            patterns[-1] += character
    return tuple(pattern.strip() for pattern in patterns if pattern.strip())
