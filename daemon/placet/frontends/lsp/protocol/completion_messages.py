"""`agent/complete`: what the editor asks while a prompt is written, and the items it gets."""

from typing import Literal

from placet.core.messages import Value
from placet.frontends.lsp.protocol.editor_messages import Position, Range


class Complete(Value):
    """What can be meant by the unfinished `@...`, or the `/...` at the start, at a place in a prompt.

    Files and directories, `@path#` for the symbols of a file, `@symbol:`, subagents, `@diagnostics`, resources of MCP
    servers, commands, and behind `/agent`, `/model` and `/sessions` what there is of those.
    An editor whose prompts are documents can ask `textDocument/completion` instead.
    """

    session_id: str | None = None
    """Where the prompt will go: the files it has read come first."""
    text: str
    """All of the prompt."""
    position: Position


class CompletionEdit(Value):
    range: Range
    """All that is written of it, also what stands behind the position; on one line."""
    new_text: str


class CompletionCommand(Value):
    """As in LSP; to be run when the item is chosen, or when the prompt is sent that begins with it."""

    title: str
    command: str
    """`placet.` and the command's name: `agent` (agent/session/setAgent), `compact` (agent/session/compact), `export`
    (agent/session/export), `fork` (agent/session/fork), `model` (agent/session/setModel), `redo` (agent/redo),
    `sessions` (agent/session/list, with a session's id behind it agent/session/load), `undo` (agent/undo)."""


class CompletionData(Value):
    kind: Literal["file", "directory", "symbol", "agent", "diagnostics", "resource", "command", "argument"]


class CompletionItem(Value):
    """LSP's, with those of its fields that are in use here."""

    label: str
    kind: int
    """LSP's CompletionItemKind."""
    detail: str | None = None
    filter_text: str
    """What is written, where the daemon has chosen what fits; `/name` for commands, which may be filtered here."""
    sort_text: str
    text_edit: CompletionEdit
    command: CompletionCommand | None = None
    """Only of `/` items, and not in the answer to `textDocument/completion`, as editors would run it at once."""
    data: CompletionData


class CompletionList(Value):
    is_incomplete: bool
    """Ask again when more is typed."""
    items: tuple[CompletionItem, ...]
