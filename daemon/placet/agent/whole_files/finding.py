"""Files that a prompt is about, by the names in the prompt and the project's list of files. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from placet.model.rules.outputs import Hit
from placet.project.file_list import FileNames

MOST_FILES = 4
"""Most files that the model is shown: each more makes a small model's answer worse."""
FEW_FILES = 3
"""Number of source files of a project from which the model is shown all where the prompt names none."""
_WRITTEN_PATH = re.compile(r"[\w.@+-]*(?:[/\\][\w.@+-]+)*\.[A-Za-z]\w{0,9}\b|\b(?:Makefile|Dockerfile)\b")
_SYMBOL = re.compile(
    r"`([A-Za-z_]\w*)(?:\(\))?`|\b([A-Za-z_]\w*)\(|\b([a-z]\w*_\w+)\b|\b([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+)\b"
)
"""`name`, name(, some_name and SomeName."""
_DEFINITION = re.compile(
    r"\s*(?:export\s+|async\s+|pub\s+|static\s+|public\s+)*(?:def|class|function|func|fn|struct|interface|type|const)\b"
)
LEAST_SYMBOL = 3
MOST_SYMBOLS = 5
MOST_FOUND = 2
"""Most files that a search adds: a guess costs a small model more than a missing file."""
DEFINITION = 1000
"""Hits that a definition outweighs."""
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_NO_SOURCE = (".md", ".txt", ".lock", ".json", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".svg", ".png", ".csv")


def find_files(prompt: str, names: FileNames, near: Sequence[str] = ()) -> list[str]:
    """Return the files that the prompt is about, the likeliest first, at most MOST_FILES.

    `near`: files that the user is likelier to mean, such as attached and unsaved files. A traceback in the prompt names
    files as any text does; its last file counts first, where the error was raised.
    """
    files = [name for name in names.names if not name.endswith("/")]
    is_traceback = "Traceback (most recent call last)" in prompt
    written = [match[0].replace("\\", "/") for match in _WRITTEN_PATH.finditer(prompt)]
    found = [name for path in (reversed(written) if is_traceback else written) for name in _ending(path, files)]
    found += [name for name in near if name in files]
    if not found:
        found = [name for word in _WORD.findall(prompt.lower()) for name in files if _stem(name) == word]
    if not found:
        sources = [name for name in files if "." in name and not name.endswith(_NO_SOURCE) and not _is_hidden(name)]
        found = sources if len(sources) <= FEW_FILES else []
    return list(dict.fromkeys(found))[:MOST_FILES]


def _ending(path: str, files: Iterable[str]) -> Iterator[str]:
    """Yield the files that the written path means: the path itself, else each file whose path ends so.

    A path that begins above the project, as in a traceback, means the file with the longest common end.
    """
    path = path.removeprefix("./")
    ends = [name for name in files if name == path or name.endswith(f"/{path}")]
    if path in ends:
        yield path
    elif ends:
        yield from ends
    elif "/" in path:
        yield from sorted((name for name in files if path.endswith(f"/{name}")), key=len, reverse=True)[:1]


def _stem(name: str) -> str:
    return name[name.rfind("/") + 1 :].partition(".")[0].lower()


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or "/." in name


def named_symbols(prompt: str) -> list[str]:
    """Return the names of functions and classes in the prompt: written as code, or in a form that prose lacks."""
    found = [next(filter(None, match.groups())) for match in _SYMBOL.finditer(prompt)]
    return list(dict.fromkeys(name for name in found if len(name) >= LEAST_SYMBOL))[:MOST_SYMBOLS]


def search_pattern(symbols: Sequence[str]) -> str:
    """Return the regular expression for the lines with one of the names."""
    return rf"\b({'|'.join(map(re.escape, symbols))})\b"


def files_of_hits(hits: Iterable[Hit]) -> list[str]:
    """Return the files of the hits: the files that define a name first, then the files with the most hits."""
    worth: Counter[str] = Counter()
    for hit in hits:
        worth[hit.path] += DEFINITION if _DEFINITION.match(hit.text) else 1
    return [path for path, _ in worth.most_common(MOST_FOUND)]
