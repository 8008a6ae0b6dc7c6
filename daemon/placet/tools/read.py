"""Read a file or list a directory: numbered lines, a page at a time."""

import difflib
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pydantic import Field

from placet.edits.lines import to_lf
from placet.errors import DocumentMissing, ToolError
from placet.ports import Document
from placet.project.executor import in_thread
from placet.tools.access import ask_outside, names_of, only_themselves
from placet.tools.define import Arguments, Definition, ToolContext, ToolResult, define_tool
from placet.tools.texts import text_for

PAGE_LINES = 2000
LINE_CHARACTERS = 2000
PAGE_BYTES = 51_200
PREVIEW_LINES = 20
SUGGESTIONS = 3


class ReadArguments(Arguments):
    file_path: str = Field(
        min_length=1, description="The file or directory to read: absolute, or relative to the root."
    )
    offset: int | None = Field(default=None, ge=0, description="The line to start from, counted from 1.")
    limit: int | None = Field(default=None, ge=0, description=f"How many lines to read (default {PAGE_LINES}).")


@dataclass(frozen=True, slots=True)
class Page:
    """Lines `first` to `last` (1-based; `last` below `first` for none) of `total`."""

    lines: tuple[str, ...]
    first: int
    total: int
    bytes_full: bool = False
    """It ends early because PAGE_BYTES are reached."""

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1

    @property
    def complete(self) -> bool:
        return self.first == 1 and self.last == self.total


async def execute(arguments: ReadArguments, context: ToolContext) -> ToolResult:
    path = context.workspace.resolve(arguments.file_path)
    await ask_outside(context, [path])
    title = context.workspace.relative(path)
    names = names_of(context.workspace, path)
    await context.ask("read", names, always=only_themselves(names), title=f"Read {title}")
    first, limit = arguments.offset or 1, arguments.limit or PAGE_LINES
    if path.is_dir():
        entries = await in_thread(_entries, path)
        return _directory_result(title, path, _page(entries, first, limit, path))
    try:
        document = await context.changes.read(path)
    except DocumentMissing:
        raise DocumentMissing(await in_thread(_missing, path)) from None
    page = await in_thread(lambda: _page(_lines(document.text), first, limit, path))
    return _file_result(title, document, page)


def _lines(text: str) -> list[str]:
    lines = to_lf(text).split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _page(lines: list[str], first: int, limit: int, path: Path) -> Page:
    """What of the lines goes into one answer. Raises ToolError for a start past the end."""
    total = len(lines)
    if first > max(total, 1):
        raise ToolError(f"{path} has {total} lines, so there is nothing from line {first} on.")
    taken: list[str] = []
    size = 0
    for line in islice(lines, first - 1, first - 1 + limit):
        shown = _shortened(line)
        size += len(shown.encode("utf-8", "replace")) + 1
        if size > PAGE_BYTES:
            return Page(tuple(taken), first, total, bytes_full=True)
        taken.append(shown)
    return Page(tuple(taken), first, total)


def _shortened(line: str) -> str:
    if len(line) <= LINE_CHARACTERS:
        return line
    return f"{line[:LINE_CHARACTERS]}... (line cut at {LINE_CHARACTERS} characters)"


def _file_result(title: str, document: Document, page: Page) -> ToolResult:
    numbered = "".join(f"{number}: {line}\n" for number, line in enumerate(page.lines, page.first))
    if page.bytes_full:
        note = f"(Cut at {PAGE_BYTES // 1024} KiB: lines {page.first}-{page.last} of {page.total}."
        note += f" Use offset={page.last + 1} to read on.)"
    elif page.last < page.total:
        note = f"(Lines {page.first}-{page.last} of {page.total}. Use offset={page.last + 1} to read on.)"
    else:
        note = f"(End of file, {page.total} lines.)"
    if document.dirty:
        note += "\n(This is the text in the user's editor, which has changes that are not saved yet.)"
    return ToolResult(
        title=title,
        output=f"<path>{document.path}</path>\n<type>file</type>\n<content>\n{numbered}\n{note}\n</content>",
        metadata={"preview": "\n".join(page.lines[:PREVIEW_LINES]), "truncated": not page.complete},
    )


def _directory_result(title: str, path: Path, page: Page) -> ToolResult:
    if page.complete:
        note = f"({page.total} entries)"
    elif page.last < page.total:
        note = f"(Showing {len(page.lines)} of {page.total} entries. Use offset={page.last + 1} to read on.)"
    else:
        note = f"(Showing the last {len(page.lines)} of {page.total} entries.)"
    entries = "".join(f"{line}\n" for line in page.lines)
    return ToolResult(
        title=title,
        output=f"<path>{path}</path>\n<type>directory</type>\n<entries>\n{entries}\n{note}\n</entries>",
        metadata={"preview": "\n".join(page.lines[:PREVIEW_LINES]), "truncated": not page.complete},
    )


def _entries(directory: Path) -> list[str]:
    """Names in order, a directory (or a link to one) with a slash behind it."""
    try:
        return sorted(f"{entry.name}/" if entry.is_dir() else entry.name for entry in directory.iterdir())
    except OSError as error:
        raise ToolError(f"{directory} cannot be listed: {error.strerror or error}.") from error


def _missing(path: Path) -> str:
    """What to say of a file that is not there: its nearest neighbours by name."""
    message = f"There is no file {path}."
    try:
        names = sorted(entry.name for entry in path.parent.iterdir())
    except OSError:
        return f"{message} There is no directory {path.parent} either. Find it with glob."
    wanted = path.name.lower()
    alike = [name for name in names if wanted in name.lower() or name.lower() in wanted]
    alike += difflib.get_close_matches(path.name, names, n=SUGGESTIONS)
    suggestions = list(dict.fromkeys(alike))[:SUGGESTIONS]
    if not suggestions:
        return message
    return "\n".join((message, "", "Did you mean one of these?", *(str(path.parent / name) for name in suggestions)))


TOOL = define_tool("read", Definition(text_for("read"), ReadArguments, execute, concurrent=True))
