"""Search the contents of files by a regular expression, the newest files first, open ones as they are on screen."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from placet.errors import ToolError
from placet.ports import Document
from placet.project.executor import in_thread
from placet.project.search import search
from placet.tools.access import ask_outside, names_within
from placet.tools.define import Arguments, Definition, ToolContext, ToolResult, define_tool
from placet.tools.glob import NOT_GIT, glob_arguments
from placet.tools.hits import LIMIT, Hits
from placet.tools.on_screen import search_text, those_wanted, unsaved_within
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
    """What is looked for, and where."""

    pattern: str
    directory: Path
    file: str | None
    """The one file in the directory to look in; None for all of it."""
    choice: tuple[str, ...]
    """rg's arguments for which files."""

    @property
    def how(self) -> tuple[str, ...]:
        """rg's arguments for what to look for, and for rows as Hits takes them."""
        rows = ("--heading", "--null", "--with-filename", "--line-number")
        # It costs some time, and a pattern that is all letters cannot tell.
        ends = ("--crlf",) if _SPECIAL & set(self.pattern) else ()
        return (*rows, *ends, f"--max-columns={LINE_BYTES}", "--max-columns-preview", f"--regexp={self.pattern}")


async def execute(arguments: GrepArguments, context: ToolContext) -> ToolResult:
    target = context.workspace.resolve(arguments.path or ".")
    details = {"pattern": arguments.pattern, "path": arguments.path, "include": arguments.include}
    context.metadata(title=arguments.pattern, metadata=details)
    await context.ask("grep", [arguments.pattern], always=["*"], title=f"Search for: {arguments.pattern}")
    await ask_outside(context, [target])
    wanted = _search(arguments, target)
    unsaved = await unsaved_within(context.documents, wanted.directory)
    if not target.exists() and wanted.file not in unsaved:
        raise ToolError(f"There is no file or directory {target}.")
    known_as = names_within(context.workspace, wanted.directory)

    def may_read(name: str) -> bool:
        return context.judge("read", known_as(name)) == "allow"

    hits = Hits(str(wanted.directory), may_read, frozenset(unsaved))
    incomplete = await _search_disk(wanted, target, hits)
    on_screen = [known_as(name) for name in await _search_screen(wanted, unsaved, hits) if may_read(name)]
    return ToolResult(
        title=arguments.pattern,
        output=_shown(hits, known_as, on_screen, incomplete=incomplete),
        metadata={**details, "matches": hits.count, "truncated": hits.count > LIMIT},
    )


def _search(arguments: GrepArguments, target: Path) -> Search:
    include = glob_arguments(arguments.include) if arguments.include else []
    is_directory = target.is_dir()
    return Search(
        pattern=arguments.pattern,
        directory=target if is_directory else target.parent,
        file=None if is_directory else target.name,
        choice=(*include, NOT_GIT),
    )


async def _search_disk(wanted: Search, target: Path, hits: Hits) -> bool:
    """Returns whether parts could not be read. Raises ToolError for a bad pattern or glob."""
    if not target.exists():
        return False
    where = "." if wanted.file is None else f"./{wanted.file}"
    arguments = [*wanted.how, "--hidden", *wanted.choice, where]
    return await search(arguments, wanted.directory, lambda lines: in_thread(hits.feed, lines))


async def _search_screen(wanted: Search, unsaved: dict[str, Document], hits: Hits) -> list[str]:
    """Returns which of the unsaved documents are among what is searched."""
    if wanted.file is None:
        names = await those_wanted(list(unsaved), wanted.choice, wanted.directory)
    else:
        names = [wanted.file] if wanted.file in unsaved else []
    for name in names:
        await search_text(unsaved[name], name, wanted.how, wanted.directory, hits)
    return names


def _shown(hits: Hits, known_as: Callable[[str], str], unsaved: list[str], *, incomplete: bool) -> str:
    if hits.count == 0:
        paragraphs = ["No matches found."]
    else:
        more = f" (showing {LIMIT}, of the newest files)" if hits.count > LIMIT else ""
        plural = "" if hits.count == 1 else "es"
        paragraphs = [f"Found {hits.count} match{plural}{more}"]
    for file in hits.newest():
        rows = (f"  Line {number}: {text}" for number, text in file.lines)
        paragraphs.append("\n".join((f"{file.path}:", *rows)))
    if hits.count > LIMIT:
        paragraphs.append("(Use a narrower pattern, path or include to see the others.)")
    return "\n\n".join([*paragraphs, *_notes(hits, known_as, unsaved, incomplete=incomplete)])


def _notes(hits: Hits, known_as: Callable[[str], str], unsaved: list[str], *, incomplete: bool) -> list[str]:
    notes: list[str] = []
    if unsaved:
        notes.append(f"(Searched as it is on screen, with unsaved changes: {_listed(unsaved, len(unsaved))}.)")
    if hits.hidden:
        names = _listed([known_as(name) for name in hits.hidden], hits.hidden_count)
        notes.append(f"(Matches in {names} are left out, as reading there is not allowed without asking. Use read.)")
    if incomplete:
        notes.append("(Some files or directories could not be read and were left out.)")
    return notes


def _listed(names: list[str], count: int) -> str:
    return ", ".join(sorted(names)[:5]) + (f" and {count - 5} more" if count > 5 else "")


TOOL = define_tool("grep", Definition(text_for("grep"), GrepArguments, execute, concurrent=True))
