"""Files of a project run by the project's settings: scripts named in a command line of the settings."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any, cast

from placet.project.paths import is_file
from placet.settings import jsonc

_SERVERS = ("mcp", "mcpServers", "servers")
"""Keys of MCP servers: in Placet's settings, in `.mcp.json`, and in `.vscode/mcp.json`."""
_RUNNING = (*_SERVERS, "languages", "plugin", "hooks")
"""Settings that name programs."""
_FOLDER = "${workspaceFolder}/"
_BETWEEN_WORDS = re.compile(r"[\s'\"`;|&<>()=,]+")
_PROJECT = re.compile(r"""["']?\$\{?CLAUDE_PROJECT_DIR\}?["']?/""")
"""Variable of hooks for the folder of the project, in a path."""
_MODULE = re.compile(r"\w+(?:\.\w+)*")
_PACKAGE_RUNNERS = frozenset(("bun", "bunx", "npm", "npx", "pnpm", "pnpx", "yarn"))
_SCRIPTS = frozenset((".bash", ".cjs", ".js", ".mjs", ".mts", ".pl", ".py", ".rb", ".sh", ".ts"))
"""Ends of the names of scripts that an interpreter takes from the working directory."""
MOST_WORDS = 1_000
MOST_PLACES = 20
_LONGEST_WORD = 1_000


def named_programs(settings: bytes, directories: tuple[Path, ...]) -> list[Path]:
    """Return the files named by command lines in the text of a settings file, relative to one of the directories.

    Only the text is searched: imports and programs of such a script are not seen. Blocks (stat).
    """
    try:
        content = jsonc.parse(settings.decode("utf-8"))
    except ValueError:
        return []
    if not isinstance(content, Mapping):
        return []
    sections = cast("Mapping[str, Any]", content)
    texts = [text.replace(_FOLDER, "") for name in _RUNNING for text in jsonc.texts_in(sections.get(name))]
    places = [place for name in _SERVERS for place in _working_directories(sections.get(name))][:MOST_PLACES]
    directories += tuple(directory / place for directory in directories for place in places)
    words = list(dict.fromkeys(word for text in texts for word in _words(text)))
    names = [name for word in words[:MOST_WORDS] for name in _names(word)]
    candidates = (directory / name for name in names for directory in directories)
    return list(dict.fromkeys(file for file in candidates if is_file(file)))


def _working_directories(servers: Any) -> Iterator[str]:
    for server in cast("Mapping[str, Any]", servers).values() if isinstance(servers, Mapping) else ():
        place: Any = cast("Mapping[str, Any]", server).get("cwd") if isinstance(server, Mapping) else None
        if isinstance(place, str) and "\0" not in place and len(place) <= _LONGEST_WORD:
            yield place.replace(_FOLDER, "")


def _words(text: str) -> Iterator[str]:
    """Yield the text, as a word may hold blanks, and the words in the text as a shell would split them."""
    yield text
    text = _PROJECT.sub("", text)
    yield from _BETWEEN_WORDS.split(text)


def _names(word: str) -> tuple[str, ...]:
    """Return the files that the word may mean: a file of the same name, or a Python module."""
    if not word or len(word) > _LONGEST_WORD or "\0" in word:
        return ()
    if _MODULE.fullmatch(word):
        module = word.replace(".", "/")
        return (word, f"{module}.py", f"{module}/__main__.py")
    return (word,)


def named_places(words: Iterable[str], directories: Iterable[Path]) -> list[Path]:
    """Return the places that the words of a command may run, in each of the directories; a place need not exist.

    These are paths, modules behind `-m`, and the packages of a runner for node. A mere name is found on PATH.
    """
    split = [part for word in words for part in _words(word)][:MOST_WORDS]
    runs_packages = any(PurePosixPath(word).name in _PACKAGE_RUNNERS for word in split)
    names: list[str] = []
    for before, word in pairwise(("", *split)):
        if not word or word.startswith("-") or "\0" in word or len(word) > _LONGEST_WORD:
            continue
        if "/" in word or PurePosixPath(word).suffix in _SCRIPTS:
            names.append(word)
        elif before == "-m" and _MODULE.fullmatch(word):
            names += (f"{word.replace('.', '/')}.py", word.replace(".", "/"))
        if runs_packages:
            package = word[:1] + word[1:].partition("@")[0]  # Without the version; a scope begins with `@`.
            names += (f"node_modules/{package}", f"node_modules/.bin/{package.rpartition('/')[2]}")
    return [Path(os.path.normpath(directory / name)) for directory in directories for name in dict.fromkeys(names)]
