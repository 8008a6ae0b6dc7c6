"""Find files by the shape of their path, the newest first."""

import heapq
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

from pydantic import Field

from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.permissions.ask import Ask
from placet.project.paths import is_directory, with_home
from placet.project.similar_names import meant
from placet.tools.framework.access import ask_outside, reading_below
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.search.folders import notes_on_folders, where_to_look
from placet.tools.texts import text_for

if TYPE_CHECKING:
    from placet.changes.review.seen_tree import SeenTree

LIMIT = 100
NOT_GIT = "!.git"
"""Glob that keeps git's own files out of a listing; given last, as the last glob that matches wins."""

_NOW = sys.maxsize
_EVERYTHING = ("*", "**", "**/*", "/**", "/**/*")
_SPECIAL = frozenset("*?[]{}!\\\0")
_WILD = frozenset("*?")
_IN_NAMES = re.compile(r"[\[\]{}]")
_FORMS = ("NFC", "NFD")


class GlobArguments(Arguments):
    pattern: str = Field(min_length=1, description="The pattern, for example `**/*.py` or `src/*.{ts,tsx}`.")
    path: str | None = Field(default=None, description="The directory to look in (default: the whole workspace).")


@dataclass(slots=True)
class Newest:
    """The LIMIT newest of all offered files, and the count of all; lives for one call.

    rg could sort by itself, but a sorting rg walks with one thread.
    """

    directory: bytes = b""
    """Directory of the offered names, with a separator at the end."""
    may_name: Callable[[str], bool] = lambda _: False
    """Judge of a name in the directory. Judging takes longer than looking, so only names to be shown are judged."""
    staged: frozenset[bytes] = frozenset()
    """Names of staged files, which count as changed last."""
    count: int = 0
    heap: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])
    """Time of change and path of each file; the oldest first."""

    def enter(self, directory: Path, may_name: Callable[[str], bool], staged: Iterable[str] = ()) -> None:
        """Take the names that are offered from here on as names in the directory."""
        self.directory, self.may_name = os.fsencode(directory / "_")[:-1], may_name
        self.staged = frozenset(map(os.fsencode, staged))

    def offer(self, names: Iterable[bytes]) -> None:
        """Blocks: looks at each file's time of change."""
        for name in names:
            path = self.directory + name
            try:
                # A Path takes 5 times as long.
                changed = _NOW if name in self.staged else os.stat(path).st_mtime_ns  # noqa: PTH116
            except OSError:
                changed = 0
            entry = (changed, path)
            is_full = len(self.heap) >= LIMIT
            if is_full and entry <= self.heap[0]:
                self.count += 1
            elif self.may_name(os.fsdecode(name)):
                self.count += 1
                (heapq.heapreplace if is_full else heapq.heappush)(self.heap, entry)

    @property
    def paths(self) -> list[str]:
        newest = sorted(self.heap, key=lambda entry: (-entry[0], entry[1]))
        return [os.fsdecode(path) for _, path in newest]


async def execute(arguments: GlobArguments, context: ToolContext) -> ToolResult:
    starts = where_to_look(context.workspace, arguments.path)
    details = {"pattern": arguments.pattern, "path": arguments.path}
    context.metadata(title=arguments.pattern, metadata=details)
    await context.ask(Ask("glob", (arguments.pattern,), always=("*",), title=f"Find files: {arguments.pattern}"))
    # A directory that is staged alone lies below the directory that is asked about.
    await ask_outside(context, [split_pattern(start, arguments.pattern)[0] for start in starts])
    tree = await context.changes.tree()
    searches = dict.fromkeys(split_pattern(start, arguments.pattern, tree.is_directory) for start in starts)
    if arguments.path is not None and tree.is_file(starts[0]):
        raise ToolError(f"{starts[0]} is a file, not a directory. Leave out `path`, or name a directory.")
    missing = [start for start in starts if not tree.is_directory(start)]
    if len(missing) == len(starts):
        raise ToolError(f"There is no directory {missing[0]}.")
    newest = Newest()
    incomplete = False
    for directory, pattern in searches:
        incomplete |= await _find(directory, pattern, context, tree, newest)
    return ToolResult(
        title=arguments.pattern,
        output=_shown(newest, notes_on_folders(starts if len(searches) > 1 else (), missing), incomplete=incomplete),
        metadata={**details, "count": newest.count, "truncated": newest.count > LIMIT},
    )


async def _find(directory: Path, pattern: str, context: ToolContext, tree: "SeenTree", newest: Newest) -> bool:
    """Offer the fitting files of the directory; return whether parts of the directory could not be read."""
    if not tree.is_directory(directory):
        return False
    below = reading_below(context.workspace, directory, context.judge)
    newest.enter(directory, lambda name: below(name) != "deny", tree.changed_below(directory))
    arguments = [f"--glob={glob}" for glob in (*globs_of(pattern), NOT_GIT)]
    return await tree.list_names(arguments, directory, lambda names: in_thread(newest.offer, names))


def split_pattern(start: Path, pattern: str, is_directory: Callable[[Path], bool] = is_directory) -> tuple[Path, str]:
    """Return the directory to search and the pattern below: `src/*.py` in `/p` is `/*.py` in `/p/src`.

    So only this part of the tree is walked, and ignored directories in the part stay ignored. An absolute pattern names
    its own directory; a pattern whose directory does not exist is meant from `start`. A directory of exactly this name,
    as `[id]`, is the directory that is meant, and so is a name that looks the same. Blocks.
    """
    parts = pattern.replace("\\", "/").split("/") if os.name == "nt" else pattern.split("/")
    literal = 0
    while literal < len(parts) - 1 and not set(parts[literal]) & _SPECIAL:
        literal += 1
    prefix = "/".join(parts[:literal])
    directory = Path(os.path.normpath(start / with_home(prefix)))
    if not is_directory(directory) and not is_directory(directory := meant(directory)):
        directory = start / prefix.lstrip("/")
    below = literal
    while below < len(parts) - 1 and not set(parts[below]) & _WILD and is_directory(directory / parts[below]):
        directory /= parts[below]
        below += 1
    last = parts[below:]
    if len(last) == 1 and last[0] not in ("", ".", "..") and not set(last[0]) & _SPECIAL:
        parts[below] = meant(directory / last[0]).name
    if below == 0:
        return start, "/".join(parts)
    return directory, "/" + "/".join(parts[below:])


def globs_of(pattern: str) -> list[str]:
    """Return the pattern as rg's globs, and the pattern with brackets and braces as characters of a name, as in
    `pages/[id].tsx`, each with its letters in both forms of Unicode, as file systems keep either; none for a pattern
    that means every file, as a glob outweighs .gitignore.
    """
    if pattern in _EVERYTHING:
        return []
    as_named = pattern if "\\" in pattern else _IN_NAMES.sub(r"[\g<0>]", pattern)
    spelled = (pattern, as_named)
    return list(dict.fromkeys((*spelled, *(normalize(form, text) for form in _FORMS for text in spelled))))


def _shown(newest: Newest, notes: Sequence[str], *, incomplete: bool) -> str:
    paragraphs = ["\n".join(newest.paths) or "No files found."]
    if newest.count > LIMIT:
        paragraphs.append(
            f"(The {LIMIT} newest of {newest.count} files. Use a narrower pattern or path for the others.)"
        )
    paragraphs += notes
    if incomplete:
        paragraphs.append("(Some directories could not be read and were left out.)")
    return "\n\n".join(paragraphs)


FACTS = ToolFacts("glob", order=50, kind="search", rule="allow")
TOOL = define_tool(FACTS.name, Definition(text_for("glob"), GlobArguments, execute, concurrent=True))
