"""Messages from the daemon to the editor: params and results, camelCase on the wire. wire.py joins the models to
methods.
"""

from typing import Any, Literal

from pydantic import Field

from placet.core.messages import JsonObject, Value


class Position(Value):
    """Position as in LSP, in the negotiated encoding."""

    line: int
    character: int


class Range(Value):
    start: Position
    end: Position


class ReadDocuments(Value):
    """Read documents as the editor holds the documents, including documents which the editor has not opened for the
    daemon.
    """

    uris: tuple[str, ...]


class EditorDocument(Value):
    uri: str
    open: bool
    """True for an open document. The fields below are present for an open document only."""
    dirty: bool = False
    version: int | None = None
    text: str | None = None
    eol: str | None = None
    encoding: str | None = None
    bom: bool = False
    language_id: str | None = None


class EditorDocuments(Value):
    items: tuple[EditorDocument, ...]
    """Documents in the order of the requested URIs."""


class Expected(Value):
    uri: str
    version: int | None = None
    """Version of the document; null for a closed document."""
    sha256: str
    """SHA-256 of the text in the editor: with the document's own line endings, without BOM, encoded in UTF-8."""


class StrictApply(Value):
    """Instructions for a client with `strictApply`, beyond LSP: check all files, apply all edits as one undo step, then
    save.
    """

    edit_id: str
    """Id of the edit; the client applies edits of the same id once."""
    expect: tuple[Expected, ...]
    save: Literal["always", "ifWasClean", "never"]
    turn_id: str | None = None
    """User's turn behind the edit: all edits of a turn in a document may be a single undo step. Absent for an undo."""


class ApplyEdit(Value):
    """Apply an edit: LSP's own request. `agent` is present for a client that declared `strictApply`."""

    label: str | None = None
    edit: JsonObject
    """WorkspaceEdit of LSP."""
    agent: StrictApply | None = None


class AppliedFile(Value):
    uri: str
    version: int | None = None
    sha256: str
    """SHA-256 of the text after saving and formatting."""
    dirty: bool = False
    changed_by_save: bool = False
    text: str | None = None
    """Whole text, if saving changed the text."""


class AppliedFiles(Value):
    files: tuple[AppliedFile, ...]


class ApplyEditResult(Value):
    applied: bool
    """False with a `failureReason` if any file does not fit the edit; in such a case no file was changed."""
    failure_reason: str | None = None
    agent: AppliedFiles | None = None


class Save(Value):
    """Save documents. The documents hold an edit by Placet, and had no unsaved text of the user before."""

    uris: tuple[str, ...]


class SavedFile(Value):
    uri: str
    saved: bool
    reason: str | None = None
    """Reason for a document that was not saved."""


class SaveResult(Value):
    files: tuple[SavedFile, ...]


class GetState(Value):
    """Return the user's place in the editor. Sent with a prompt, if the setting `context.editor` is on."""

    include: tuple[Literal["active", "selections", "visible", "open", "folders"], ...] | None = None
    """Parts of the state to return; the whole state, if absent."""


class ActiveDocument(Value):
    uri: str
    language_id: str | None = None
    dirty: bool = False
    line: int
    """Line of the cursor, 0-based."""
    column: int = 0
    """Column in the editor's own count, for display."""


class VisibleDocument(Value):
    uri: str
    first: int
    """First visible line, 0-based; both ends are included."""
    last: int


class OpenedDocument(Value):
    uri: str
    dirty: bool = False


class EditorState(Value):
    """State of the editor, with files only; parts outside `include` are absent."""

    active: ActiveDocument | None = None
    """Document in which the user was last; null: no document."""
    selections: tuple[Range, ...] | None = None
    """Selections in the active document."""
    visible: tuple[VisibleDocument, ...] | None = None
    open: tuple[OpenedDocument, ...] | None = None
    folders: tuple[str, ...] | None = None


class Reload(Value):
    """Read documents without unsaved text from the disk again: a command may have changed files."""

    uris: tuple[str, ...] | None = None
    """URIs of the documents; every open document, if absent."""


class ReloadedFile(Value):
    uri: str
    status: Literal["reloaded", "unchanged", "conflict"]


class ReloadResult(Value):
    files: tuple[ReloadedFile, ...]


class Diagnostics(Value):
    """Return diagnostics of the user's own language servers, fresh if possible in time."""

    uris: tuple[str, ...] | None = None
    """URIs of the documents; all documents, if absent."""
    min_severity: int = Field(default=4, ge=1, le=4)
    """Weakest severity in LSP's numbers: 1 is an error, 4 a hint."""
    after: dict[str, int] = Field(default_factory=dict[str, int])
    """Document versions by URI: diagnostics of an earlier version do not count as fresh."""
    quiet_ms: int = 300
    """Time without new diagnostics, after which the diagnostics count as complete."""
    timeout_ms: int = 3000
    limit: int = 200


class DiagnosticsItem(Value):
    uri: str
    version: int | None = None
    fresh: bool
    diagnostics: tuple[JsonObject, ...]
    """Diagnostics as in LSP."""
    providers: tuple[str, ...] | None = None
    """Language servers of the file, for example `pyright`. An empty list: no server checks the file. Absent: unknown.
    """


class DiagnosticsResult(Value):
    items: tuple[DiagnosticsItem, ...]
    timed_out: bool = False
    truncated: bool = False


FeatureMethod = Literal[
    "textDocument/definition",
    "textDocument/typeDefinition",
    "textDocument/implementation",
    "textDocument/references",
    "textDocument/hover",
    "textDocument/documentSymbol",
    "textDocument/signatureHelp",
    "textDocument/rename",
    "textDocument/codeAction",
    "textDocument/formatting",
    "textDocument/prepareCallHierarchy",
    "workspace/symbol",
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
]


class LanguageFeature(Value):
    """Ask the user's own language servers. Edits come back as data and are never applied."""

    method: FeatureMethod
    params: JsonObject
    """Params of the method, as in LSP."""
    timeout_ms: int = 5000


class LanguageFeatureResult(Value):
    status: Literal["ok", "noProvider", "timeout", "loading"]
    """`loading`: a server is still indexing."""
    result: Any = None
    """Result of the method, as in LSP, merged over the servers."""
    providers: tuple[str, ...] = ()
    versions: dict[str, int] = Field(default_factory=dict[str, int])
    """Versions of the documents in the result."""
