"""Code actions: have a diagnostic of the editor, or a selection, mended or explained. Pure, and quick to load.

An action is the command `placet.prompt` with a prompt that mentions the place; a plugin runs the command in its chat.
"""

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types

from placet.project.paths import Workspace, from_uri

MOST_DIAGNOSTICS = 5
"""Number of diagnostics with actions of their own; editors ask for the diagnostics of the cursor's line."""
TITLE_CHARACTERS = 60
_QUICK_FIX = types.CodeActionKind.QuickFix


def code_actions(params: types.CodeActionParams, roots: Sequence[Path]) -> list[types.CodeAction]:
    """Return the answer to `textDocument/codeAction` (LSP 3.17)."""
    path = from_uri(params.text_document.uri)
    if path is None:
        return []
    name = _name(path, roots)
    diagnostics = params.context.diagnostics[:MOST_DIAGNOSTICS]
    actions = [action for diagnostic in diagnostics for action in _of_diagnostic(diagnostic, name)]
    if params.range.start != params.range.end:
        place = _mention(name, params.range)
        actions.append(_action("Explain with Placet", types.CodeActionKind.Refactor, f"Explain {place}."))
    return of_requested_kinds(actions, params)


def of_requested_kinds(actions: Sequence[types.CodeAction], params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return the actions of the kinds the editor asked for; all when the editor named no kinds."""
    kinds = params.context.only
    return [action for action in actions if not kinds or any(_is_kind(action.kind or "", kind) for kind in kinds)]


def _of_diagnostic(diagnostic: types.Diagnostic, name: str) -> list[types.CodeAction]:
    message = " ".join(diagnostic.message.split())
    short = message if len(message) <= TITLE_CHARACTERS else f"{message[:TITLE_CHARACTERS]}..."
    origin = " ".join(str(part) for part in (diagnostic.source, diagnostic.code) if part is not None)
    problem = f"{message} ({origin})" if origin else message
    place = _mention(name, diagnostic.range)
    fix = _action(f"Fix with Placet: {short}", _QUICK_FIX, f"Fix this problem in {place}: {problem}")
    explain = _action(f"Explain with Placet: {short}", _QUICK_FIX, f"Explain this problem in {place}: {problem}")
    fix.diagnostics = explain.diagnostics = (diagnostic,)
    return [fix, explain]


def _action(title: str, kind: types.CodeActionKind, prompt: str) -> types.CodeAction:
    return types.CodeAction(title, kind, command=types.Command(title, "placet.prompt", arguments=[prompt]))


def _mention(name: str, span: types.Range) -> str:
    """Return `@path#L3` or `@path#L3-5`, lines from 1; a selection ending before a line's first character leaves the
    line out.
    """
    first, last = span.start.line + 1, span.end.line + 1
    if last > first and span.end.character == 0:
        last -= 1
    lines = f"#L{first}" if first == last else f"#L{first}-{last}"
    return f'@"{name}{lines}"' if " " in name else f"@{name}{lines}"


def _name(path: Path, roots: Sequence[Path]) -> str:
    return Workspace(tuple(roots)).name(path) if roots else path.as_posix()


def _is_kind(kind: str, requested: str) -> bool:
    """Return whether the editor requested a kind. Kinds are a hierarchy: `refactor` includes `refactor.extract`."""
    return kind == requested or kind.startswith(f"{requested}.") or requested == ""
