"""Search files by a regular expression, the newest files first, open and staged files by their unwritten text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field

from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.core.ports import Document
from placet.permissions.ask import Ask
from placet.project.search import search
from placet.tools.framework.access import ask_outside, reading, reading_below
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.glob import NOT_GIT, globs_of
from placet.tools.search.folders import notes_on_folders, where_to_look
from placet.tools.search.hits import LIMIT, Hits
from placet.tools.search.unsaved_buffers import search_text, searched_names, unsaved_within
from placet.tools.texts import text_for

LINE_BYTES = 2000
_SPECIAL = frozenset("\\.+*?()|[]{}^$")


class GrepArguments(Arguments):
    pattern: str = Field(min_length=1, description="The regular expression, in ripgrep's syntax.")
    path: str | None = Field(
        default=None, description="The directory or file to search (default: the whole workspace)."
    )
    include: str | None = Field(
        default=None, description="Only files whose path fits, for example `*.py` or `*.{ts,tsx}`."
    )


@dataclass(frozen=True, slots=True)
class Search:
    """Pattern and place of one search."""

    pattern: str
    directory: Path
    file: str | None
    """Name of the single file to search in the directory; None for the whole directory."""
    globs: tuple[str, ...]
    """Globs of the files to search, in rg's syntax."""

    @property
    def how(self) -> tuple[str, ...]:
        """Return rg's arguments for the pattern, and for rows in the form of Hits."""
        rows = ("--heading", "--null", "--with-filename", "--line-number", "--column")
        # The option costs some time, and a pattern of letters alone makes no difference.
        ends = ("--crlf",) if _SPECIAL & set(self.pattern) else ()
        return (*rows, *ends, f"--max-columns={LINE_BYTES}", "--max-columns-preview", f"--regexp={self.pattern}")


@dataclass(slots=True)
class Searched:
    """Report of one call of grep on the searched places, beside the hits."""

    unsaved: list[str] = field(default_factory=list[str])
    """Files that were searched by their text on screen."""
    staged: list[str] = field(default_factory=list[str])
    """Files that were searched by their staged text."""
    missing: list[Path] = field(default_factory=list[Path])
    incomplete: bool = False
    """Parts could not be read."""


async def execute(arguments: GrepArguments, context: ToolContext) -> ToolResult:
    starts = where_to_look(context.workspace, arguments.path)
    details = {"pattern": arguments.pattern, "path": arguments.path, "include": arguments.include}
    context.metadata(title=arguments.pattern, metadata=details)
    await context.ask(Ask("grep", (arguments.pattern,), always=("*",), title=f"Search for: {arguments.pattern}"))
    await ask_outside(context, starts)
    hits, searched = Hits("", lambda _: False), Searched()
    for start in starts:
        await _search_at(start, arguments, context, hits, searched)
    if len(searched.missing) == len(starts):
        raise ToolError(f"There is no file or directory {searched.missing[0]}.")
    return ToolResult(
        title=arguments.pattern,
        output=await in_thread(_shown, hits, starts, searched),
        metadata={**details, "matches": hits.count, "truncated": hits.count > LIMIT},
    )


async def _search_at(
    start: Path, arguments: GrepArguments, context: ToolContext, hits: Hits, searched: Searched
) -> None:
    """Search a file or a directory. Raises ToolError for a place that may not or cannot be searched."""
    tree = await context.changes.tree()
    query = _search(arguments, start, is_directory=await in_thread(tree.is_directory, start))
    if query.file is not None and reading(context.workspace, start, context.judge) != "allow":
        raise ToolError(f"{start} was not searched, as reading it is not allowed without asking. Use read.")
    unsaved = await unsaved_within(context.documents, query.directory)
    if not await in_thread(tree.exists, start) and query.file not in unsaved:
        searched.missing.append(start)
        return
    below = reading_below(context.workspace, query.directory, context.judge)
    # rg follows no link on its way: a link in the results was named itself, or is open on screen.
    seldom = unsaved.keys() | ({query.file} if query.file is not None else set[str]())

    def may_read(name: str) -> bool:
        if seen is not None and name not in seen:
            return False
        file = query.directory / name
        action = reading(context.workspace, file, context.judge) if name in seldom else below(name)
        return action == "allow"

    globs = [f"--glob={glob}" for glob in query.globs]
    names = await tree.names_by_staged_rules(globs, query.directory) if query.file is None else None
    seen = None if names is None else frozenset(names)
    staged = await in_thread(tree.changed_below, query.directory)
    hits.enter(str(query.directory), may_read, staged.union(unsaved))
    searched.incomplete |= await _search_disk(query, start, hits, follows_rules=seen is None)
    for name in filter(may_read, await _search_screen(query, unsaved, hits)):
        kind = searched.staged if unsaved[name].source == "staged" else searched.unsaved
        kind.append(context.workspace.relative(query.directory / name))


def _search(arguments: GrepArguments, target: Path, *, is_directory: bool) -> Search:
    include = globs_of(arguments.include) if arguments.include else []
    return Search(
        pattern=arguments.pattern,
        directory=target if is_directory else target.parent,
        file=None if is_directory else target.name,
        globs=(*include, NOT_GIT),
    )


async def _search_disk(query: Search, target: Path, hits: Hits, *, follows_rules: bool) -> bool:
    """Search the disk, by its ignore files or in all files; return whether parts could not be read.

    Raises ToolError for a bad pattern or glob.
    """
    if not target.exists():
        return False
    if query.file is not None and not target.is_file():
        raise ToolError(f"{target} is not a regular file, so it cannot be searched.")
    where = "." if query.file is None else f"./{query.file}"
    rules = () if follows_rules else ("--no-ignore",)
    arguments = [*query.how, "--hidden", *rules, *(f"--glob={glob}" for glob in query.globs), where]
    return await search(arguments, query.directory, lambda lines: in_thread(hits.feed, lines))


async def _search_screen(query: Search, unsaved: dict[str, Document], hits: Hits) -> list[str]:
    """Search the unsaved and the staged documents among the searched files, and return their names."""
    if query.file is None:
        names = await searched_names(list(unsaved), query.globs, query.directory)
    else:
        names = [query.file] if query.file in unsaved else []
    for name in names:
        await search_text(unsaved[name], name, query.how, query.directory, hits)
    return names


def _shown(hits: Hits, starts: Sequence[Path], searched: Searched) -> str:
    if hits.count == 0:
        paragraphs = ["No matches found."]
    else:
        more = f" (showing {LIMIT}, of the newest files)" if hits.count > LIMIT else ""
        plural = "" if hits.count == 1 else "es"
        paragraphs = [f"Found {hits.count} match{plural}{more}"]
    for file in hits.newest():
        rows = (f"  Line {number}: {text}" for number, text in file.lines())
        paragraphs.append("\n".join((f"{file.path}:", *rows)))
    if hits.count > LIMIT:
        paragraphs.append("(Use a narrower pattern, path or include to see the others.)")
    if searched.unsaved:
        paragraphs.append(f"(Searched as it is on screen, with unsaved changes: {_listed(searched.unsaved)}.)")
    if searched.staged:
        paragraphs.append(f"(Searched with your staged changes: {_listed(searched.staged)}.)")
    paragraphs += notes_on_folders(starts, searched.missing)
    if searched.incomplete:
        paragraphs.append("(Some files or directories could not be read and were left out.)")
    return "\n\n".join(paragraphs)


def _listed(names: list[str]) -> str:
    return ", ".join(sorted(names)[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


FACTS = ToolFacts("grep", order=60, kind="search", rule="allow")
TOOL = define_tool(FACTS.name, Definition(text_for("grep"), GrepArguments, execute, concurrent=True))
