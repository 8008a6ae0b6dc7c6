"""The tool `list`: the files below a directory as a tree, the upper files first where there are too many."""

import heapq
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.permissions.ask import Ask
from placet.tools.framework.access import ask_outside, names_of, only_themselves, reading_below
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.glob import NOT_GIT
from placet.tools.search.folders import notes_on_folders, where_to_look
from placet.tools.texts import text_for

if TYPE_CHECKING:
    from placet.changes.review.seen_tree import SeenTree

LIMIT = 100
PLACES_NAMED = 10

IGNORED = (
    "node_modules/",
    "__pycache__/",
    ".git/",
    "dist/",
    "build/",
    "target/",
    "vendor/",
    "bin/",
    "obj/",
    ".idea/",
    ".vscode/",
    ".zig-cache/",
    "zig-out/",
    ".coverage",
    "coverage/",
    "tmp/",
    "temp/",
    ".cache/",
    "cache/",
    "logs/",
    ".venv/",
    "venv/",
    "env/",
)
"""Directories that most projects make rather than write."""

Key = tuple[int, str]


class ListArguments(Arguments):
    path: str | None = Field(default=None, description="The directory to list (default: the whole workspace).")
    ignore: list[str] = Field(default=[], description="Glob patterns of what to leave out besides, such as `*.lock`.")


@dataclass(slots=True)
class Upper:
    """The LIMIT files nearest to the directory, alphabetically among equals, and how many there are in all."""

    may_name: Callable[[str], bool]
    """Judge of a name in the directory."""
    count: int = 0
    places: Counter[str] = field(default_factory=Counter[str])
    """Number of files in each entry of the directory."""
    heap: list["_Farthest"] = field(default_factory=list["_Farthest"])

    def offer(self, names: Iterable[bytes]) -> None:
        for raw in names:
            name = os.fsdecode(raw)
            entry = _Farthest((name.count(os.sep), name))
            is_full = len(self.heap) >= LIMIT
            if (not is_full or entry > self.heap[0]) and not self.may_name(name):
                continue
            self.count += 1
            place, separator, _ = name.partition(os.sep)
            self.places[place + "/" if separator else "."] += 1
            if not is_full:
                heapq.heappush(self.heap, entry)
            elif entry > self.heap[0]:
                heapq.heapreplace(self.heap, entry)

    @property
    def names(self) -> list[str]:
        return [entry.key[1] for entry in self.heap]

    @property
    def left_out(self) -> Counter[str]:
        """Return the number of files not in `names` for each entry of the directory; `.` for the directory's own."""
        shown = Counter(name.partition(os.sep)[0] + "/" if os.sep in name else "." for name in self.names)
        return self.places - shown


@dataclass(slots=True)
class _Farthest:
    """Key in reverse order, so that a heap's first entry is the entry to drop."""

    key: Key

    def __lt__(self, other: "_Farthest") -> bool:
        return self.key > other.key


async def execute(arguments: ListArguments, context: ToolContext) -> ToolResult:
    directories = where_to_look(context.workspace, arguments.path)
    names = list(dict.fromkeys(name for directory in directories for name in names_of(context.workspace, directory)))
    title = ", ".join(context.workspace.title(directory) for directory in directories)
    await ask_outside(context, directories)
    await context.ask(Ask("list", tuple(names), only_themselves(names), f"List {title}"))
    tree = await context.changes.tree()
    missing = [directory for directory in directories if not tree.is_directory(directory)]
    if len(missing) == len(directories):
        advice = "is a file; read it" if tree.exists(missing[0]) else "does not exist; find the right one with glob"
        raise ToolError(f"There is no directory to list: {missing[0]} {advice}.")
    listed = [
        await _listed(directory, tree, arguments.ignore, context)
        for directory in directories
        if directory not in missing
    ]
    count = sum(count for _, count in listed)
    output = "\n\n".join([*(text for text, _ in listed), *notes_on_folders(directories, missing)])
    return ToolResult(title, output, {"count": count, "truncated": any(count > LIMIT for _, count in listed)})


async def _listed(directory: Path, tree: "SeenTree", ignore: Sequence[str], context: ToolContext) -> tuple[str, int]:
    below = reading_below(context.workspace, directory, context.judge)
    return await list_files(directory, tree, lambda name: below(name) != "deny", ignore)


async def list_files(
    directory: Path, seen: "SeenTree", may_name: Callable[[str], bool], ignore: Sequence[str] = ()
) -> tuple[str, int]:
    """Return the files that a session sees below the directory as a tree, at most LIMIT files, and the number of all.

    `may_name` judges names in the directory; `ignore` holds globs besides IGNORED. Raises ToolError for a bad glob.
    """
    upper = Upper(may_name)
    ignored = [f"--glob=!{pattern}" for pattern in (*IGNORED, *ignore)] + [f"--glob={NOT_GIT}"]
    incomplete = await seen.list_names(ignored, directory, lambda names: in_thread(upper.offer, names))
    return _shown(f"{directory.as_posix().rstrip('/')}/", upper, incomplete=incomplete), upper.count


def _shown(head: str, upper: Upper, *, incomplete: bool) -> str:
    paragraphs = ["\n".join((head, *tree(upper.names)))]
    if upper.count == 0:
        paragraphs.append("(No files, but for what is ignored.)")
    if upper.count > LIMIT:
        places = ", ".join(f"{count} in {place}" for place, count in upper.left_out.most_common(PLACES_NAMED))
        more = ", …" if len(upper.left_out) > PLACES_NAMED else ""
        paragraphs.append(f"({LIMIT} of {upper.count} files. Not shown: {places}{more}. List such a directory itself.)")
    if incomplete:
        paragraphs.append("(Some directories could not be read and were left out.)")
    return "\n\n".join(paragraphs)


def tree(names: Iterable[str]) -> list[str]:
    """The files as an indented tree, in each directory its directories first, both alphabetically."""
    lines: list[str] = []
    above: tuple[str, ...] = ()
    for parts in sorted((Path(name).parts for name in names), key=_directories_first):
        *directories, file = parts
        shared = _shared(above, directories)
        lines += [f"{'  ' * (depth + 1)}{directories[depth]}/" for depth in range(shared, len(directories))]
        lines.append(f"{'  ' * len(parts)}{file}")
        above = tuple(directories)
    return lines


def _directories_first(parts: tuple[str, ...]) -> list[tuple[bool, str]]:
    last = len(parts) - 1
    return [(depth == last, part) for depth, part in enumerate(parts)]


def _shared(above: tuple[str, ...], directories: list[str]) -> int:
    """Return the number of directories with which both paths begin."""
    pairs = enumerate(zip(above, directories, strict=False))
    return next((depth for depth, (left, right) in pairs if left != right), min(len(above), len(directories)))


FACTS = ToolFacts("list", order=70, kind="read", rule="allow", aliases=("ls",), verb="List")
TOOL = define_tool(FACTS.name, Definition(text_for("list"), ListArguments, execute, concurrent=True))
