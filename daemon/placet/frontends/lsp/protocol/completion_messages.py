"""Messages of `agent/complete`: the unfinished prompt, and the offered items."""

from typing import Literal

from placet.core.messages import Value
from placet.frontends.lsp.protocol.editor_messages import Position, Range


class Complete(Value):
    """Complete the unfinished `@...`, or the `/...` at the start, at a position in a prompt.

    The offers are files and directories, symbols of a file after `@path#`, symbols after `@symbol:`, subagents,
    `@diagnostics`, resources of MCP servers, commands, and names after `/agent`, `/model` and `/sessions`. An editor
    with prompts in documents can ask `textDocument/completion` instead.
    """

    session_id: str | None = None
    """Session of the prompt: files that the session has read come first."""
    text: str
    """Text of the whole prompt."""
    position: Position


class CompletionEdit(Value):
    range: Range
    """Range of the unfinished word on a single line, also behind the position."""
    new_text: str


class CompletionCommand(Value):
    """Command as in LSP; to be run when the user chooses the item, or sends a prompt that begins with the command."""

    title: str
    command: str
    """`placet.` and the command's name: `agent` (agent/session/setAgent), `compact` (agent/session/compact), `export`
    (agent/session/export), `fork` (agent/session/fork), `model` (agent/session/setModel), `redo` (agent/redo),
    `sessions` (agent/session/list, with a session's id behind the command agent/session/load), `undo` (agent/undo).
    """


class CompletionData(Value):
    kind: Literal["file", "directory", "symbol", "agent", "diagnostics", "resource", "command", "argument"]


class CompletionItem(Value):
    """Completion item of LSP with the fields in use here."""

    label: str
    kind: int
    """CompletionItemKind of LSP."""
    detail: str | None = None
    filter_text: str
    """Unfinished word, where the daemon has filtered the offers; `/name` for commands, which the editor may filter."""
    sort_text: str
    text_edit: CompletionEdit
    command: CompletionCommand | None = None
    """Command of a `/` item. Absent in the answer to `textDocument/completion`, as editors would run the command at
    once.
    """
    data: CompletionData


class CompletionList(Value):
    is_incomplete: bool
    """True if the editor is to ask again after further typing."""
    items: tuple[CompletionItem, ...]
