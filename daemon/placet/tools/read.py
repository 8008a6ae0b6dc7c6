"""Read a file or list a directory: numbered lines, a page at a time; images and PDF documents as attachments."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from pydantic import Field

from placet.core.errors import DocumentError, DocumentMissing, ToolError
from placet.core.executor import in_thread
from placet.core.ports import Document
from placet.core.values import replace
from placet.permissions.ask import Ask
from placet.project.files.disk import TooLarge
from placet.project.files.file_type import Kind, describe, is_binary, read_head, recognise
from placet.project.files.paging import LONGEST_LINE_BYTES, Piece, read_piece
from placet.project.paths import Workspace
from placet.text.counted import counted
from placet.text.encoding import Undecodable
from placet.text.foreign_encoding import show_lines, without_cut_character
from placet.text.lines import to_lf
from placet.tools.framework.access import ask_outside, names_of, only_themselves, reading, reading_below
from placet.tools.framework.context import Judge, ToolContext
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.reading.attachments import attach
from placet.tools.reading.missing import missing
from placet.tools.reading.notebook import notebook_text
from placet.tools.reading.pages import LINE_CHARACTERS, PAGE_BYTES, PAGE_LINES, Page, page_of, page_of_piece
from placet.tools.reading.reminders import files_above, instructions_for, reminder
from placet.tools.texts import text_for

if TYPE_CHECKING:
    from placet.changes.review.seen_tree import SeenEntry, SeenTree

PREVIEW_LINES = 20
LINE_BYTES = (LINE_CHARACTERS + 1) * 4
"""Number of bytes that holds LINE_CHARACTERS and one more in any encoding."""


class ReadArguments(Arguments):
    file_path: str = Field(
        min_length=1, description="The file or directory to read: absolute, or relative to the root."
    )
    offset: int | None = Field(default=None, ge=0, description="The line to start from, counted from 1.")
    limit: int | None = Field(default=None, ge=0, description=f"How many lines to read (default {PAGE_LINES}).")

    @property
    def first(self) -> int:
        return self.offset or 1

    @property
    def most_lines(self) -> int:
        return self.limit or PAGE_LINES

    @property
    def chooses_lines(self) -> bool:
        return bool(self.offset or self.limit)


@dataclass(frozen=True, slots=True)
class _There:
    """Content of a path: the entries of a directory, or the kind of a file and the instructions for the file."""

    entries: list[str] | None = None
    kind: Kind | None = None
    instructions: Sequence[Path] = ()


async def execute(arguments: ReadArguments, context: ToolContext) -> ToolResult:
    path = context.workspace.resolve(arguments.file_path)
    await ask_outside(context, [path])
    names = names_of(context.workspace, path)
    title = context.workspace.title(path)
    await context.ask(Ask("read", tuple(names), only_themselves(names), f"Read {title}"))
    tree = await context.changes.tree()
    target = await in_thread(_look, path, tree, context.workspace, context.judge)
    if target.entries is not None:
        return _directory_result(title, path, _page(target.entries, arguments, path))
    if target.kind is not None and target.kind.mime:
        return await _attachment(title, path, target.kind)
    metadata: dict[str, object] = {}
    try:
        document = await context.changes.read(path)
    except DocumentMissing:
        raise DocumentMissing(await missing(path, tree, context)) from None
    except (Undecodable, TooLarge) as error:
        result = await _looked_at(title, path, error, arguments, context)
    else:
        metadata["sha256"] = document.sha256
        result = await in_thread(_shown, title, document, arguments)
    texts = await instructions_for(target.instructions, context)
    metadata["loaded"] = [str(file) for file in texts]
    return replace(result, output=result.output + reminder(texts), metadata={**result.metadata, **metadata})


def _look(path: Path, tree: "SeenTree", workspace: Workspace, judge: Judge) -> _There:
    if tree.is_directory(path):
        return _There(entries=_entries(path, tree, workspace, judge))
    kind = None if tree.is_changed(path) else recognise(read_head(path))
    return _There(kind=kind, instructions=files_above(path, workspace))


# ---------------------------------------------------------------- text


def _shown(title: str, document: Document, arguments: ReadArguments) -> ToolResult:
    """The document's lines; a notebook's cells, unless lines are asked for."""
    if document.path.suffix == ".ipynb" and not arguments.chooses_lines:
        cells = notebook_text(document.text)
        if cells is not None:
            return _notebook_result(title, document, cells)
    page = _page(_lines(document.text), arguments, document.path)
    return _file_result(title, document.path, page, [*_cut_lines(page, document.path), *_remarks(document)])


def _notebook_result(title: str, document: Document, cells: str) -> ToolResult:
    note = "(The cells of the notebook. To edit it, read the JSON that it is, with offset=1.)"
    notes = "\n".join((note, *_remarks(document)))
    return ToolResult(
        title=title,
        output=f"<path>{document.path}</path>\n<type>notebook</type>\n{notes}\n<content>\n{cells}\n</content>",
        metadata={"preview": "\n".join(cells.split("\n")[:PREVIEW_LINES])},
    )


def _cut_lines(page: Page, path: Path) -> list[str]:
    """Return the way to the rest of the lines that the page has cut."""
    if page.first_cut is None:
        return []
    end = f"cut -c{LINE_CHARACTERS + 1}-{2 * LINE_CHARACTERS}"
    return [f"(See the rest of a cut line by a command: `sed -n {page.first_cut}p {quote(str(path))} | {end}`.)"]


def _remarks(document: Document) -> list[str]:
    """Return remarks on facts that the text itself does not show."""
    remarks: list[str] = []
    if document.source == "staged":
        remarks.append("(This is the text with your staged change, which the user has not accepted yet.)")
    elif document.dirty:
        remarks.append("(This is the unsaved text in the user's editor; the file on disk differs.)")
    if document.bom or document.encoding != "utf-8":
        mark = " with a byte order mark" if document.bom else ""
        remarks.append(f"(The file is {document.encoding.upper()}{mark}, and stays so when it is edited.)")
    return remarks


def _file_result(title: str, path: Path, page: Page, remarks: list[str]) -> ToolResult:
    notes = "\n".join((page.position, *remarks))
    return ToolResult(
        title=title,
        output=f"<path>{path}</path>\n<type>file</type>\n<content>\n{page.numbered}\n{notes}\n</content>",
        metadata=_metadata(page),
    )


def _lines(text: str) -> list[str]:
    lines = to_lf(text).split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _page(lines: list[str], arguments: ReadArguments, path: Path) -> Page:
    if arguments.first > max(len(lines), 1):
        raise _past_the_end(path, len(lines), arguments)
    return page_of(lines, arguments.first, arguments.most_lines)


def _past_the_end(path: Path, total: int, arguments: ReadArguments) -> ToolError:
    return ToolError(f"{path} has {total} lines, so there is nothing from line {arguments.first} on.")


def _metadata(page: Page) -> dict[str, object]:
    return {"preview": "\n".join(page.lines[:PREVIEW_LINES]), "truncated": page.last != page.total}


# ---------------------------------------------------------------- files to look at, but not to edit


async def _looked_at(
    title: str, path: Path, why: DocumentError, arguments: ReadArguments, context: ToolContext
) -> ToolResult:
    """A page of a file that is too large, or in another encoding. Raises DocumentError for a binary."""
    head = await in_thread(read_head, path)
    if is_binary(head):
        raise DocumentError(
            f"{path} is binary: {describe(head)}. Only text, images (PNG, JPEG, GIF, WebP) and PDF documents can be "
            "read. Look into it with a command that knows its kind."
        ) from why
    piece = await in_thread(
        lambda: read_piece(
            path,
            first=arguments.first,
            limit=arguments.most_lines,
            line_bytes=LINE_BYTES,
            most_bytes=PAGE_BYTES,
            is_stopped=context.abort.is_set,
        )
    )
    if not piece.lines and arguments.first > 1:
        raise _past_the_end(path, piece.skipped, arguments)
    lines, label = show_lines([without_cut_character(line, LINE_BYTES) for line in piece.lines])
    page = page_of_piece(lines, arguments.first, is_last=piece.is_last)
    return _file_result(title, path, page, [*_cut_lines(page, path), *_warnings(why, label, piece)])


def _warnings(why: DocumentError, label: str, piece: Piece) -> list[str]:
    warnings = [f"(Shown as {label}. The file can be read, but not edited. {why.__cause__ or why})"]
    if piece.endless:
        warnings.append(
            f"(The last line goes on for more than {LONGEST_LINE_BYTES >> 20} MiB; look at it by a command.)"
        )
    return warnings


# ---------------------------------------------------------------- all else


async def _attachment(title: str, path: Path, kind: Kind) -> ToolResult:
    part, size = await in_thread(attach, path, kind)
    summary = f"{kind.name[0].upper()}{kind.name[1:]} of {counted(size, 'byte')}, attached."
    return ToolResult(
        title=title,
        output=f"<path>{path}</path>\n<type>{kind.mime}</type>\n{summary}",
        metadata={"preview": summary, "truncated": False, "loaded": []},
        attachments=(part,),
    )


def _directory_result(title: str, path: Path, page: Page) -> ToolResult:
    if page.is_complete:
        note = f"({page.total} entries)"
    elif page.last == page.total:
        note = f"(Showing the last {len(page.lines)} of {page.total} entries.)"
    else:
        note = f"(Showing {len(page.lines)} of {page.total} entries. Use offset={page.last + 1} to read on.)"
    entries = "".join(f"{line}\n" for line in page.lines)
    return ToolResult(
        title=title,
        output=f"<path>{path}</path>\n<type>directory</type>\n<entries>\n{entries}\n{note}\n</entries>",
        metadata={**_metadata(page), "loaded": []},
    )


def _entries(directory: Path, tree: "SeenTree", workspace: Workspace, judge: Judge) -> list[str]:
    """Return the names in order, a directory (or a link to a directory) with a slash, without names refused by the
    rules.
    """
    below = reading_below(workspace, directory, judge)

    def may_name(entry: "SeenEntry") -> bool:
        action = reading(workspace, directory / entry.name, judge) if entry.is_link else below(entry.name)
        return action != "deny"

    try:
        entries = tree.entries(directory)
    except OSError as error:
        raise ToolError(f"{directory} cannot be listed: {error.strerror or error}.") from error
    return sorted(f"{entry.name}/" if entry.is_directory else entry.name for entry in entries if may_name(entry))


FACTS = ToolFacts("read", order=40, kind="read", rule="allow", aliases=("view",), verb="Read")
TOOL = define_tool(FACTS.name, Definition(text_for("read"), ReadArguments, execute, concurrent=True))
