"""What the daemon asks of the editor: params and results, camelCase on the wire. wire.py says which belongs to what."""

from typing import Any, Literal

from pydantic import Field

from placet.core.events import HunkOfChange
from placet.core.messages import JsonObject, Value


class Position(Value):
    """As in LSP, in the negotiated encoding."""

    line: int
    character: int


class Range(Value):
    start: Position
    end: Position


class ReadDocuments(Value):
    """Documents as the editor has them, also those it has not opened for us."""

    uris: tuple[str, ...]


class EditorDocument(Value):
    uri: str
    open: bool
    """All that follows is only there if it is open."""
    dirty: bool = False
    version: int | None = None
    text: str | None = None
    eol: str | None = None
    encoding: str | None = None
    bom: bool = False
    language_id: str | None = None


class EditorDocuments(Value):
    items: tuple[EditorDocument, ...]
    """One for each URI asked for."""


class Expected(Value):
    uri: str
    version: int | None = None
    """Null for a document that is not open."""
    sha256: str
    """Of the text as the editor holds it: its own line endings, no BOM, encoded in UTF-8."""


class StrictApply(Value):
    """What a client with `strictApply` does beyond LSP: check all, then apply all as one undo step, then save."""

    edit_id: str
    """An edit of the same id is applied once."""
    expect: tuple[Expected, ...]
    save: Literal["always", "ifWasClean", "never"]
    turn_id: str | None = None
    """The user's turn that the edit is for: all that it does to a document may be one undo step. Absent for an undo."""


class ApplyEdit(Value):
    """LSP's own request; `agent` is there for a client that declared `strictApply`."""

    label: str | None = None
    edit: JsonObject
    """A WorkspaceEdit."""
    agent: StrictApply | None = None


class AppliedFile(Value):
    uri: str
    version: int | None = None
    sha256: str
    """Of the text after saving and formatting."""
    dirty: bool = False
    changed_by_save: bool = False
    text: str | None = None
    """The whole text, when saving changed it."""


class AppliedFiles(Value):
    files: tuple[AppliedFile, ...]


class ApplyEditResult(Value):
    applied: bool
    """False with a `failureReason` when one file does not fit; then no file was changed."""
    failure_reason: str | None = None
    agent: AppliedFiles | None = None


class Save(Value):
    """Save these documents, which hold an edit of ours and nothing of the user's that was unsaved before."""

    uris: tuple[str, ...]


class SavedFile(Value):
    uri: str
    saved: bool
    reason: str | None = None
    """Why not."""


class SaveResult(Value):
    files: tuple[SavedFile, ...]


class GetState(Value):
    """Where the user is. Asked with a prompt, if the setting `context.editor` is on."""

    include: tuple[Literal["active", "selections", "visible", "open", "folders"], ...] | None = None
    """What of it; absent: everything."""


class ActiveDocument(Value):
    uri: str
    language_id: str | None = None
    dirty: bool = False
    line: int
    """Of the cursor, 0-based."""
    column: int = 0
    """As the editor counts; for people."""


class VisibleDocument(Value):
    uri: str
    first: int
    """Line, 0-based; both ends included."""
    last: int


class OpenedDocument(Value):
    uri: str
    dirty: bool = False


class EditorState(Value):
    """Of files alone; whatever was not asked for is left out."""

    active: ActiveDocument | None = None
    """The document the user was last in; null: none."""
    selections: tuple[Range, ...] | None = None
    """In the active document."""
    visible: tuple[VisibleDocument, ...] | None = None
    open: tuple[OpenedDocument, ...] | None = None
    folders: tuple[str, ...] | None = None


class Reload(Value):
    """A command may have changed files: read the disk again where there is nothing unsaved."""

    uris: tuple[str, ...] | None = None
    """Absent: every open document."""


class ReloadedFile(Value):
    uri: str
    status: Literal["reloaded", "unchanged", "conflict"]


class ReloadResult(Value):
    files: tuple[ReloadedFile, ...]


class Diagnostics(Value):
    """Diagnostics of the user's own language servers, fresh where that can be had in time."""

    uris: tuple[str, ...] | None = None
    """Absent: of all documents."""
    min_severity: int = Field(default=4, ge=1, le=4)
    """LSP's numbers: 1 is an error, 4 a hint."""
    after: dict[str, int] = Field(default_factory=dict[str, int])
    """Document versions by URI: judged before them does not count as fresh."""
    quiet_ms: int = 300
    """How long nothing new must have come."""
    timeout_ms: int = 3000
    limit: int = 200


class DiagnosticsItem(Value):
    uri: str
    version: int | None = None
    fresh: bool
    diagnostics: tuple[JsonObject, ...]
    """LSP diagnostics."""
    providers: tuple[str, ...] | None = None
    """Who judges the file, for example `pyright`; none: nobody does. Absent: not known."""


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
    """Ask the user's own language servers. Edits come back as data; they are never applied."""

    method: FeatureMethod
    params: JsonObject
    """Of that method, as in LSP."""
    timeout_ms: int = 5000


class LanguageFeatureResult(Value):
    status: Literal["ok", "noProvider", "timeout", "loading"]
    """`loading`: a server is still indexing."""
    result: Any = None
    """Of that method, as in LSP, merged over the servers."""
    providers: tuple[str, ...] = ()
    versions: dict[str, int] = Field(default_factory=dict[str, int])
    """Of the documents the result speaks of."""


class ToolCallReference(Value):
    message_id: str
    call_id: str
    tool: str


class Offer(Value):
    scope: Literal["session", "project", "user"]
    patterns: tuple[str, ...]
    """What "always" would allow."""


class FileOfChange(Value):
    """Texts have LF line ends."""

    uri: str
    kind: Literal["create", "modify", "delete", "rename"]
    new_uri: str | None = None
    old_text: str
    new_text: str
    hunks: tuple[HunkOfChange, ...]


class Change(Value):
    id: str
    files: tuple[FileOfChange, ...]


class PartOfPermission(Value):
    """One of the things that are asked at once: a command of a line, a file of a change."""

    pattern: str
    action: Literal["allow", "ask", "deny"]
    by: str
    """The rule or the grant that decides about it, and where it is written, in words."""


class RequestPermission(Value):
    """Ask the user's placet. Waits as long as it takes; `$/cancelRequest` takes the question off the screen."""

    request_id: str
    session_id: str
    origin: tuple[str, ...] = ()
    """The agents from the session's own down to the one that asks; empty when it is the session's own."""
    tool_call: ToolCallReference
    permission: str
    title: str
    """What is asked, on one line of at most 100 characters: a command, shortened in the middle, or Placet's words."""
    patterns: tuple[str, ...]
    always: tuple[Offer, ...] = ()
    rule: str
    """The rule that decided to ask, and where it is written, in words."""
    parts: tuple[PartOfPermission, ...] = ()
    """What is asked, one by one, with what decides about each."""
    change: Change | None = None
    command: str | None = None
    cwd: str | None = None
    """Path of the directory that the command would run in."""
    url: str | None = None
    description: str | None = None
    """What the model or a server says of the call, on one line that begins with who says it. Never show it first."""
    note: str | None = None
    """What Placet says beside the title, on one line."""
    arguments: str | None = None
    """The whole arguments of the call as indented JSON, for calls that have no command, change or URL. Show all."""


class EditedFile(Value):
    uri: str
    text: str
    """The whole text the user wants instead of the proposed one."""


class CommentOnChange(Value):
    uri: str
    hunk: int | None = None
    """Its id; absent: the file as a whole."""
    text: str


class Permission(Value):
    outcome: Literal["once", "always", "reject", "dismissed"]
    """`dismissed` is no answer: the request stays pending and can be opened again."""
    scope: Literal["session", "project", "user"] | None = None
    hunks: dict[str, tuple[int, ...]] | None = None
    """The hunks allowed, by URI; absent: all. A file that is not named is refused."""
    edited: tuple[EditedFile, ...] = ()
    feedback: str | None = None
    """With `reject`: what to do instead; the turn then goes on."""
    comments: tuple[CommentOnChange, ...] = ()
    """With any outcome but `dismissed`: what the agent is told of single files and hunks, each with what became of it.
    With `reject` they are feedback."""


class Option(Value):
    label: str
    description: str = ""


class QuestionItem(Value):
    header: str
    question: str
    options: tuple[Option, ...]
    multiple: bool = False
    custom: bool = True
    """Whether the user may answer in own words."""
    secret: bool = False
    """Typed where nobody sees it, and kept nowhere: of a sign-in."""


class AskQuestion(Value):
    """Put questions to the user. Waits as `editor/requestPermission` does."""

    session_id: str
    """Empty: it is part of what the user is doing (`agent/auth/login`), to be put at once; dismissed is declined."""
    questions: tuple[QuestionItem, ...]


class QuestionResult(Value):
    answers: tuple[tuple[str, ...], ...] | None
    """The chosen labels per question; null when the user declined."""
