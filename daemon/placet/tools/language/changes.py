"""Changes by language servers: a rename, a code action, a format. Proposed like any change."""

from pathlib import Path
from typing import Any, cast

from placet.changes.propose.report import describe, metadata
from placet.core.errors import DocumentMissing, EditConflict, ToolError
from placet.core.executor import in_thread
from placet.core.hunks import Hunk
from placet.core.messages import JsonObject
from placet.core.ports import Document
from placet.core.values import replace
from placet.languages.lsp_diagnostics import to_lsp
from placet.project.paths import from_uri
from placet.text.diff import apply_hunks, make_hunks
from placet.text.lines import to_lf
from placet.text.plan import EditPlan, PlannedFile
from placet.text.positions import character_at
from placet.text.workspace_edit import applied, planned_files, touched_uris, versions_of
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import ToolResult
from placet.tools.language.servers import Servers

TAB_SIZE = 4
"""Tab size for a server without a configuration of its own."""


async def rename(
    context: ToolContext, servers: Servers, path: Path, line: int, character: int, name: str
) -> ToolResult:
    """Rename the symbol at the place everywhere. Raises ToolError, and the errors of a change."""
    before = await context.documents.read(path)
    params = await servers.at(path, line, character)
    edit = await servers.ask("textDocument/rename", {**params, "newName": name})
    if not isinstance(edit, dict):
        raise ToolError("The language server can rename nothing there. The place must be on the name itself.")
    await _refuse_moved_on(context, before)
    result = await propose(context, servers, cast("JsonObject", edit), f"Rename to {name}")
    return replace(result, output=f"{result.output}{_not_looked_into(context, cast('JsonObject', edit))}")


def _not_looked_into(context: ToolContext, edit: JsonObject) -> str:
    """A word on the folders in which nothing is renamed, as a server often knows one folder alone; empty for none."""
    paths = [path for uri in touched_uris(edit) if (path := from_uri(uri)) is not None]
    roots = context.workspace.outer_roots
    others = [str(root) for root in roots if not any(path.is_relative_to(root) for path in paths)]
    if len(roots) == 1 or not others:
        return ""
    return f"\n\n(Nothing is renamed in {', '.join(others)}, which the server may not know. Look there with grep.)"


async def code_actions(
    context: ToolContext, servers: Servers, path: Path, line: int, end_line: int
) -> list[JsonObject]:
    """Return the code actions for the lines (counted from 1), given the known diagnostics of the lines."""
    document = await context.documents.read(path)
    lines = to_lf(document.text).split("\n")
    if line > len(lines):
        raise ToolError(f"{context.workspace.name(path)} has {len(lines)} lines; there is no line {line}.")
    end_line = min(max(line, end_line), len(lines))

    def character(_: Path, number: int, column: int) -> int:
        return character_at(lines[number], column, "utf-16") if number < len(lines) else column

    report = await context.features.diagnostics([path], after=_version(document))
    wrong = [
        to_lsp(diagnostic, character) for diagnostic in report.diagnostics if line <= diagnostic.line + 1 <= end_line
    ]
    last = lines[end_line - 1]
    span = {
        "start": {"line": line - 1, "character": 0},
        "end": {"line": end_line - 1, "character": character_at(last, len(last), "utf-16")},
    }
    asked = {
        "textDocument": {"uri": path.as_uri()},
        "range": span,
        "context": {"diagnostics": wrong, "triggerKind": 1},
    }
    result: Any = await servers.ask("textDocument/codeAction", asked)
    actions = cast("list[JsonObject]", result) if isinstance(result, list) else []
    return [action for action in actions if isinstance(action.get("title"), str)]


async def apply_action(context: ToolContext, servers: Servers, actions: list[JsonObject], title: str) -> ToolResult:
    """Apply the action of this title, if the action is an edit. Raises ToolError, and the errors of a change."""
    chosen = next((action for action in actions if action["title"] == title), None)
    if chosen is None:
        titles = "; ".join(f"`{action['title']}`" for action in actions) or "none"
        raise ToolError(f"There is no code action `{title}` there. Those there are: {titles}.")
    if reason := cast("JsonObject", chosen.get("disabled") or {}).get("reason"):
        raise ToolError(f"`{title}` cannot be done now: {reason}")
    if not isinstance(chosen.get("edit"), dict):
        raise ToolError(
            f"`{title}` is a command of the language server, whose changes nobody could see beforehand; it is not run. "
            "Make the change by an edit."
        )
    return await propose(context, servers, cast("JsonObject", chosen["edit"]), title)


async def format_lines(
    context: ToolContext, servers: Servers, path: Path, line: int | None, end_line: int | None
) -> ToolResult:
    """Format the file, or only what lies in the lines (counted from 1), whatever else the server would change."""
    document = await context.documents.read(path)
    options = {"tabSize": TAB_SIZE, "insertSpaces": "\n\t" not in document.text}
    params = {"textDocument": {"uri": path.as_uri()}, "options": options}
    edits: Any = await servers.ask("textDocument/formatting", params)
    await _refuse_moved_on(context, document)
    base = to_lf(document.text)
    formatted = await in_thread(applied, base, cast("list[JsonObject]", edits or []))
    if line is not None:
        formatted = await in_thread(_only_within, base, formatted, line, end_line or line)
    name = context.workspace.name(path)
    if formatted == base:
        return ToolResult(f"format {name}", f"{name} is formatted already.\n\n{servers.footer}".rstrip())
    plan = EditPlan(f"Format {name}", (PlannedFile("modify", path, base, formatted),))
    return await _proposed(context, servers, plan)


async def propose(context: ToolContext, servers: Servers, edit: JsonObject, title: str) -> ToolResult:
    """Put the edit to the user, and return the outcome in words.

    Raises ToolError where the edit changes a staged file that the server does not know.
    """
    if servers.unaware:
        raise ToolError(
            f"{servers.unaware} is staged, and the language server knows only the file as it is, without the staged "
            "change. Nothing was changed. Make the change by an edit."
        )
    texts: dict[str, str] = {}
    versions = versions_of(edit)
    for uri in touched_uris(edit):
        path = from_uri(uri)
        if path is None:
            continue  # planned_files says so.
        try:
            document = await context.documents.read(path)
        except DocumentMissing:
            continue
        if document.version is not None and versions.get(uri, document.version) != document.version:
            raise _moved_on(context, path)
        texts[uri] = to_lf(document.text)
    files = await in_thread(planned_files, edit, texts, from_uri)
    if not files:
        return ToolResult(title, f"{title}: there is nothing to change.\n\n{servers.footer}".rstrip())
    return await _proposed(context, servers, EditPlan(title, files))


async def _proposed(context: ToolContext, servers: Servers, plan: EditPlan) -> ToolResult:
    result = await context.changes.propose(plan)
    output = f"{describe(result, context.workspace)}\n\n{servers.footer}".rstrip()
    return ToolResult(plan.title, output, metadata(result))


def _only_within(base: str, formatted: str, line: int, end_line: int) -> str:
    """Return the text with only the hunks that touch the lines."""
    hunks = make_hunks(base, formatted)
    return apply_hunks(base, hunks, {hunk.id for hunk in hunks if _touches(hunk, line - 1, end_line)})


def _touches(hunk: Hunk, start: int, end: int) -> bool:
    """Return whether the hunk replaces a line from `start` up to `end`, or puts lines between these lines."""
    return hunk.old_start < end and (hunk.old_start + len(hunk.old_lines) > start or hunk.old_start == start)


async def _refuse_moved_on(context: ToolContext, before: Document) -> None:
    """Raises EditConflict if the text the server was asked about is another by now."""
    if (await context.documents.read(before.path)).sha256 != before.sha256:
        raise _moved_on(context, before.path)


def _moved_on(context: ToolContext, path: Path) -> EditConflict:
    name = context.workspace.name(path)
    return EditConflict(f"{name} changed while the language server was asked; nothing was changed. Ask again.")


def _version(document: Document) -> dict[Path, int]:
    return {} if document.version is None else {document.path: document.version}
