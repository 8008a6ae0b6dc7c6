"""Attached files and directories as the model is shown the content: numbered lines, cells, a tree, or the image itself.

A file named by the user needs no permission; but a file which only a link leads to is not named by the user.
"""

import asyncio
from pathlib import Path

from placet.agent.mentions.reference_context import ReferenceContext, ShownText
from placet.changes.review.seen_tree import SeenTree
from placet.core.errors import DocumentError, ToolError
from placet.core.executor import in_thread
from placet.core.messages import FilePart, LineRange, Part, TextPart
from placet.project.files.disk import TooLarge
from placet.project.files.file_type import Kind, describe, is_binary, read_head, recognise
from placet.project.files.paging import read_piece
from placet.project.undecodable_names import spelled
from placet.text.counted import counted
from placet.text.encoding import Undecodable
from placet.text.foreign_encoding import show_lines, without_cut_character
from placet.text.lines import to_lf
from placet.tools.framework.access import outside_ask, reading_below
from placet.tools.listing import list_files
from placet.tools.reading.attachments import MOST_IMAGE_BYTES, MOST_PDF_BYTES, attach
from placet.tools.reading.notebook import notebook_text
from placet.tools.reading.pages import LINE_CHARACTERS, PAGE_BYTES, PAGE_LINES, Page, page_of, page_of_piece
from placet.tools.reading.reminders import files_above, instructions_in, reminder

LISTING_SECONDS = 5.0
_LINE_BYTES = (LINE_CHARACTERS + 1) * 4


async def attach_path(path: Path, lines: LineRange | None, context: ReferenceContext) -> tuple[Part, ...]:
    """Return the parts which show the path, or a part with the reason why the path cannot be shown."""
    name = context.workspace.name(path)
    if (target := await in_thread(_unnamed_target, path, context)) is not None:
        hint = f"is a link to {target}, which may not be read without asking. Read it with the tool when it matters."
        return (_synthetic(f"The user attached {name}, which {hint}"),)
    tree = await context.seen.tree()
    try:
        if await in_thread(tree.is_directory, path):
            return (_synthetic(await _directory(path, tree, name, context)),)
        is_text = await in_thread(tree.is_changed, path)
        kind = None if is_text else recognise(await in_thread(read_head, path))
        if kind is not None and kind.mime:
            return await _image(path, name, kind, context)
        shown = await _text(path, name, lines, context)
    except ToolError as error:
        return (_synthetic(f"The user attached {name}, but it cannot be read: {error}"),)
    files = await in_thread(files_above, path, context.workspace)
    above = await instructions_in(
        files, context.workspace, context.documents, context.judge, context.ledger.note_if_new
    )
    return (_synthetic(shown + reminder(above)),)


def _unnamed_target(path: Path, context: ReferenceContext) -> str | None:
    """Return the target of the path's link if the rules do not allow the target to be read unasked, else None."""
    workspace, judge = context.workspace, context.judge
    target = workspace.relative_behind_links(path)
    if target == workspace.relative(path):
        return None
    asked = [("read", target)]
    if path.is_relative_to(workspace.root_of(path)) and (outside := outside_ask(workspace, [path])) is not None:
        asked += [(outside.permission, pattern) for pattern in outside.patterns]
    return None if all(judge(permission, name) == "allow" for permission, name in asked) else target


def attach_data(part: FilePart) -> Part:
    """Return content which a client sent along, or a note in place of content too large for a model."""
    most = MOST_PDF_BYTES if part.mime == "application/pdf" else MOST_IMAGE_BYTES
    size = len(part.uri) * 3 // 4
    if size <= most:
        return part
    name = part.name or part.mime
    return _synthetic(f"The user attached {name}, but it is too large to be shown: {size / 1e6:.1f} MB.")


def _synthetic(text: str) -> TextPart:
    return TextPart(text=spelled(text), synthetic=True)


async def _text(path: Path, name: str, lines: LineRange | None, context: ReferenceContext) -> str:
    try:
        shown = await context.shown(path, lines)
    except (Undecodable, TooLarge) as error:
        return await in_thread(_piece, path, name, *_page(lines), error)
    return await in_thread(_document, shown, name)


def _page(lines: LineRange | None) -> tuple[int, int]:
    """Return the first line, and the number of lines to show."""
    first, limit = (lines.start, lines.end - lines.start + 1) if lines is not None else (1, PAGE_LINES)
    return first, min(limit, PAGE_LINES)


def _document(shown: ShownText, name: str) -> str:
    document, lines = shown.document, shown.lines
    unsaved = shown.remark or (", with changes that are not saved" if document.dirty else "")
    first, limit = _page(lines)
    if lines is None and document.path.suffix == ".ipynb" and (cells := notebook_text(document.text)) is not None:
        return f"The user attached {name}{unsaved}, shown as its cells:\n<content>\n{cells}\n</content>"
    text = to_lf(document.text).removesuffix("\n")
    all_lines = text.split("\n") if text else []
    if lines is not None and first > len(all_lines):
        return f"The user attached line {first} of {name}{unsaved}, which has {len(all_lines)} lines."
    page = page_of(all_lines, first, limit)
    return _shown(page, name, lines, unsaved)


def _piece(path: Path, name: str, first: int, limit: int, why: DocumentError) -> str:
    """Return a page of a file too large to be edited, or in another encoding. Raises DocumentError for a binary."""
    head = read_head(path)
    if is_binary(head):
        raise DocumentError(f"it is binary, {describe(head)}.") from why
    piece = read_piece(
        path, first=first, limit=limit, line_bytes=_LINE_BYTES, most_bytes=PAGE_BYTES, is_stopped=lambda: False
    )
    shown, label = show_lines([without_cut_character(line, _LINE_BYTES) for line in piece.lines])
    page = page_of_piece(shown, first, is_last=piece.is_last)
    return _shown(page, name, None, f", shown as {label}; it can be read, but not edited")


def _shown(page: Page, name: str, lines: LineRange | None, remark: str) -> str:
    subject = f"lines {page.first} to {page.last} of {name}" if lines is not None else name
    is_cut = page.bytes_full if lines is not None else not page.is_complete
    note = f"\n{page.position}" if is_cut else ""
    return f"The user attached {subject}{remark}:\n<content>\n{page.numbered.rstrip()}{note}\n</content>"


async def _directory(path: Path, seen: SeenTree, name: str, context: ReferenceContext) -> str:
    below = reading_below(context.workspace, path, context.judge)
    try:
        async with asyncio.timeout(LISTING_SECONDS):
            tree, _ = await list_files(path, seen, lambda file: below(file) != "deny")
    except TimeoutError:
        return f"The user attached the directory {name}, which is too large to be listed here. List parts of it."
    return f"The user attached the directory {name}:\n<files>\n{tree}\n</files>"


async def _image(path: Path, name: str, kind: Kind, context: ReferenceContext) -> tuple[Part, ...]:
    """Return the image, or a note if the conversation still holds the same image, which is then not stored again."""
    part, size = await in_thread(attach, path, kind)
    earlier = (
        part_before
        for message in context.history()
        for part_before in message.parts
        if isinstance(part_before, FilePart)
    )
    if any(part_before.uri == part.uri for part_before in earlier):
        return (_synthetic(f"The user attached {name}, which is unchanged since it was attached before."),)
    return (_synthetic(f"The user attached {name}, {kind.name} of {counted(size, 'byte')}:"), part)
