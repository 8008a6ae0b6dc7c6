"""Search the contents of files by a regular expression, the newest files first."""

import heapq
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from pydantic import Field

from placet.errors import ToolError
from placet.project.executor import in_thread
from placet.project.search import search_lines
from placet.tools.access import ask_outside, names_within
from placet.tools.define import Arguments, Definition, ToolContext, ToolResult, define_tool
from placet.tools.glob import NOT_GIT, glob_arguments
from placet.tools.texts import text_for

LIMIT = 100
LINE_BYTES = 2000


class GrepArguments(Arguments):
    pattern: str = Field(min_length=1, description="The regular expression, in ripgrep's syntax.")
    path: str | None = Field(
        default=None, description="The directory or file to search (default: the whole workspace)."
    )
    include: str | None = Field(
        default=None, description="Only files whose path fits, for example `*.py` or `*.{ts,tsx}`."
    )


@dataclass(slots=True)
class FileHits:
    path: str
    changed: int
    """When the file was last changed, in nanoseconds."""
    rows: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """At most LIMIT."""

    def __lt__(self, other: "FileHits") -> bool:
        return (self.changed, other.path) < (other.changed, self.path)


@dataclass(slots=True)
class Hits:
    """The matches of the newest files, as many files as LIMIT matches need, and the count of all."""

    directory: str
    may_read: Callable[[str], bool]
    """Of a name in the directory."""
    count: int = 0
    files: list[FileHits] = field(default_factory=list[FileHits])
    """A heap, the oldest first."""
    kept: int = 0
    """Matches in it."""
    hidden: list[str] = field(default_factory=list[str])
    """Files with matches that may not be shown."""
    _name: bytes = b""
    _current: FileHits | None = None

    def offer(self, lines: Iterable[bytes]) -> None:
        """Take rows `name NUL number:text`; those of a file follow each other. Blocks: looks at each file."""
        for line in lines:
            name, nul, row = line.partition(b"\0")
            if not nul:
                continue  # What rg says of a binary file.
            if name != self._name:
                self._name, self._current = name, self._opened(name)
            if self._current is None:
                continue
            self.count += 1
            if len(self._current.rows) < LIMIT:
                number, _, text = row.partition(b":")
                self._current.rows.append((int(number), text.decode("utf-8", "replace").rstrip("\r")))
                self.kept += 1

    def _opened(self, name: bytes) -> FileHits | None:
        """The next file's place; None when it may not be shown."""
        shown_name = os.fsdecode(name.removeprefix(b"./"))
        if not self.may_read(shown_name):
            self.hidden.append(shown_name)
            return None
        path = os.path.join(self.directory, shown_name)  # noqa: PTH118 (a Path takes 5 times as long)
        while self.files and self.kept - len(self.files[0].rows) >= LIMIT:
            self.kept -= len(heapq.heappop(self.files).rows)
        try:
            changed = os.stat(path).st_mtime_ns  # noqa: PTH116
        except OSError:
            changed = 0
        hits = FileHits(path, changed)
        heapq.heappush(self.files, hits)
        return hits

    def newest(self) -> list[FileHits]:
        """The files in order, cut to LIMIT matches in all."""
        shown: list[FileHits] = []
        room = LIMIT
        for hits in sorted(self.files, reverse=True):
            if room <= 0:
                break
            shown.append(FileHits(hits.path, hits.changed, hits.rows[:room]))
            room -= len(hits.rows)
        return shown


async def execute(arguments: GrepArguments, context: ToolContext) -> ToolResult:
    target = context.workspace.resolve(arguments.path or ".")
    details = {"pattern": arguments.pattern, "path": arguments.path, "include": arguments.include}
    context.metadata(title=arguments.pattern, metadata=details)
    await context.ask("grep", [arguments.pattern], always=["*"], title=f"Search for: {arguments.pattern}")
    await ask_outside(context, [target])
    if not target.exists():
        raise ToolError(f"There is no file or directory {target}.")
    directory, name = (target, ".") if target.is_dir() else (target.parent, f"./{target.name}")

    known_as = names_within(context.workspace, directory)

    def may_read(name: str) -> bool:
        return context.judge("read", known_as(name)) == "allow"

    hits = Hits(str(directory), may_read)
    incomplete = await search_lines(_arguments(arguments, name), directory, lambda lines: in_thread(hits.offer, lines))
    return ToolResult(
        title=arguments.pattern,
        output=_shown(hits, known_as, incomplete=incomplete),
        metadata={**details, "matches": hits.count, "truncated": hits.count > LIMIT},
    )


def _arguments(arguments: GrepArguments, name: str) -> list[str]:
    include = glob_arguments(arguments.include) if arguments.include else []
    shape = ["--null", "--with-filename", "--line-number", "--no-heading", "--hidden"]
    return [
        *shape,
        f"--max-columns={LINE_BYTES}",
        "--max-columns-preview",
        *include,
        NOT_GIT,
        f"--regexp={arguments.pattern}",
        name,
    ]


def _shown(hits: Hits, known_as: Callable[[str], str], *, incomplete: bool) -> str:
    if hits.count == 0:
        paragraphs = ["No matches found."]
    else:
        more = f" (showing {LIMIT}, of the newest files)" if hits.count > LIMIT else ""
        plural = "" if hits.count == 1 else "es"
        paragraphs = [f"Found {hits.count} match{plural}{more}"]
    for file in hits.newest():
        rows = (f"  Line {number}: {text}" for number, text in file.rows)
        paragraphs.append("\n".join((f"{file.path}:", *rows)))
    if hits.count > LIMIT:
        paragraphs.append("(Use a narrower pattern, path or include to see the others.)")
    if hits.hidden:
        names = sorted(map(known_as, hits.hidden))
        listed = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        paragraphs.append(
            f"(Matches in {listed} are left out, as reading there is not allowed without asking. Use read.)"
        )
    if incomplete:
        paragraphs.append("(Some files or directories could not be read and were left out.)")
    return "\n\n".join(paragraphs)


TOOL = define_tool("grep", Definition(text_for("grep"), GrepArguments, execute, concurrent=True))
