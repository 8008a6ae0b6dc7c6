"""Define the ports through which the core reaches the world, and the data that crosses the ports.

A front door (LSP, ACP, terminal) serves the ports; nothing below knows which front door does. Documents are known by
absolute path. Text crosses as the holder of the document has the text: original line endings, no BOM.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from msgspec import Struct

from placet.core.events import SessionEvent
from placet.core.hunks import Decision, Hunk
from placet.core.terminals import Terminals

# ---------------------------------------------------------------- documents


class Document(Struct, frozen=True):
    """Text of a document at one moment, and the source of the text."""

    path: Path
    text: str
    source: Literal["buffer", "editor", "disk", "staged"]
    """Source of the text.

    `buffer`: synced to Placet; `editor`: requested from an editor with the document open; `disk`: read from the file;
    `staged`: a staged change of the session on the user's text, which is on no disk and in no editor.
    """
    version: int | None = None
    """Editor's version of an open document; None on disk."""
    dirty: bool = False
    """True if the document is open and has unsaved changes."""
    encoding: str = "utf-8"
    bom: bool = False

    @property
    def sha256(self) -> str:
        """SHA-256 of the text as held, encoded in UTF-8, as the wire defines the hash."""
        return text_sha256(self.text)


def text_sha256(text: str) -> str:
    """Return the hex digest by which two texts count as the same."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class TextEdit(Struct, frozen=True):
    """Replace base.text[start:end], in code points, by `text`."""

    start: int
    end: int
    text: str


FileEditKind = Literal["create", "modify", "delete", "rename"]


class FileEdit(Struct, frozen=True):
    """Share of a file in a change, ready to be applied."""

    kind: FileEditKind
    path: Path
    base: Document | None
    """Document that must still be present, by version and hash; None for a file to be created."""
    new_text: str = ""
    """Whole text afterwards, in the document's own line endings (empty for a delete)."""
    edits: tuple[TextEdit, ...] = ()
    """Minimal edits of base.text that give `new_text`, in ascending order; empty for create and delete."""
    new_path: Path | None = None
    """Destination of a rename."""
    encoding: str | None = None
    """Encoding (with `bom`) of a file to be created, None for the project's; any other file keeps its encoding."""
    bom: bool = False
    mode: int | None = None
    """Permission bits for a file to be created, as when a delete is undone; None for the system's default."""
    made_directory: Path | None = None
    """Outermost directory to remove with the file, when the file leaves its place and the directory is then empty."""
    target: Path | None = None
    """Target of `path`, symbolic links resolved, when the user was asked; None: the target when the edit is applied."""
    new_target: Path | None = None
    """Target of `new_path`, as `target` is for `path`."""


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """Outcome of a FileEdit: the report of the holder, and then the judgement of the pipeline by the text present.

    Until the judgement, believe `after`, not `applied`.
    """

    path: Path
    applied: bool
    reason: str = ""
    """Reason why the edit was not applied, in the holder's words."""
    after: Document | None = None
    """Document read back after all steps, saving and formatting included; None if no document exists."""
    changed_by_save: bool = False
    """True if the text after saving differs from the applied text (format on save)."""
    is_unsure: bool = False
    """True if the edit seems not applied, but the holder cannot see enough to be sure; `reason` says why."""
    landed_text: str | None = None
    """Text that the edit produced: as requested, or as formatted on save, without any later typing.

    The pipeline sets the text (empty for a delete) once the edit is proved; None: not judged, or not in the document.
    """
    later: "asyncio.Future[FileOutcome] | None" = field(default=None, compare=False, repr=False)
    """Future of an unsure outcome: the final outcome, where the holder can still find out. The future never raises."""

    @property
    def has_landed(self) -> bool:
        """Return whether the pipeline has found the edit in the documents."""
        return self.landed_text is not None


class Documents(Protocol):
    """Port to the current texts of documents, and the only way to change documents."""

    async def read(self, path: Path) -> Document:
        """Return the open buffer's text, else the editor's, else the disk's.

        Raises DocumentMissing, or DocumentError for a directory, a binary, or bytes that cannot be decoded.
        """
        ...

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        """Try to apply the edits, in order, and return for each edit the document present afterwards.

        Open documents are edited in their editor, other documents in the editor or on disk. A clean document is saved,
        a dirty document is left unsaved. Never raises for an edit that the holder does not apply; an edit that was not
        tried because an earlier edit failed is returned with `applied=False` too. Edits of the same `turn_id` may be a
        single step of the editor's own undo.
        """
        ...

    async def unsaved(self) -> list[Document]:
        """Return every open document whose text differs from the disk, with the text on screen; all are `dirty`."""
        ...

    async def save(self, paths: Sequence[Path]) -> list[Path]:
        """Save the open documents of these paths; return the saved paths.

        The list is empty where the editor cannot be told to save.
        """
        ...

    async def reload(self) -> None:
        """Tell the editor to read the disk again where the editor has no unsaved text.

        A command may have changed files.
        """
        ...

    def watch_saves(self) -> AbstractContextManager[Mapping[Path, str]]:
        """Record the text with which the editor last saved each document, while the context is open.

        The mapping stays empty where the editor does not report saves.
        """
        ...


# ---------------------------------------------------------------- language features

JsonValue = Any


class RelatedPlace(Struct, frozen=True):
    """Further place to read in order to understand a diagnostic; the line counts from 0."""

    path: Path
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Diagnostic; lines and columns are 0-based, columns in code points."""

    path: Path
    line: int
    column: int
    end_line: int
    end_column: int
    severity: Literal[1, 2, 3, 4]
    message: str
    source: str = ""
    code: str = ""
    related: tuple[RelatedPlace, ...] = ()
    data: JsonValue = field(default=None, compare=False)
    """Data of the server, to be sent back with a request for code actions on the diagnostic."""


class DiagnosticsReport(Struct, frozen=True):
    """Diagnostics, and the paths to believe: `fresh` holds the paths judged at or past the requested version."""

    diagnostics: tuple[Diagnostic, ...]
    fresh: frozenset[Path]
    provider: str
    truncated: bool = False
    unserved: frozenset[Path] = frozenset()
    """Requested paths that no provider here judges; a less well informed provider may judge these paths."""
    is_proposed: bool = False
    """True if language servers of Placet have judged the texts of a session with its staged changes."""


class FeatureAnswer(Struct, frozen=True):
    """Answer to a language-feature request: `result` is the LSP result of the method, in utf-16 positions."""

    status: Literal["ok", "noProvider", "timeout", "loading"]
    result: JsonValue = None
    providers: tuple[str, ...] = ()
    is_approximate: bool = False
    """True if found by names alone: some results may be missing, and some may be other things of the same name."""
    is_proposed: bool = False
    """True if language servers of Placet have answered by the texts of a session with its staged changes."""


class LanguageFeatures(Protocol):
    """Port to the knowledge of the user's own language servers."""

    async def diagnostics(
        self,
        paths: Sequence[Path] | None,
        *,
        after: Mapping[Path, int] | None = None,
        timeout_seconds: float = 3.0,
    ) -> DiagnosticsReport:
        """Return diagnostics of the paths (None: all known).

        The diagnostics are at or past the versions in `after` if the providers deliver in time.
        """
        ...

    async def request(self, method: str, params: JsonValue, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        """Send the servers an LSP request of the closed list in docs/PROTOCOL.md."""
        ...

    async def close(self) -> None:
        """Stop everything started for the answers."""
        ...


StagedPaths = Callable[[], Awaitable[Sequence[Path]]]
"""Function that returns the paths of a session's staged files."""


class SessionLanguages(LanguageFeatures, Protocol):
    """Port to the knowledge of the user's own language servers, and of language servers about staged texts."""

    def over(self, documents: Documents, session_id: str, staged: StagedPaths) -> LanguageFeatures:
        """Return the features for a session that sees `documents`: the answers about staged files are by servers
        which are told the staged texts.
        """
        ...


# ---------------------------------------------------------------- approver


class ProposedFile(Struct, frozen=True):
    """File of a proposed change, from the comparison with the document to the result of the change.

    The pipeline makes the file, shows the file to the approver, and replaces the file by the accepted part. All texts
    have LF line endings; the document keeps its own.
    """

    path: Path
    kind: FileEditKind
    old_text: str
    """Text of the document; empty for a file to be created."""
    new_text: str
    hunks: tuple[Hunk, ...]
    """Changed lines from `old_text` to `new_text`."""
    new_path: Path | None = None
    """Destination of a rename."""
    name: str = ""
    """Path as the user knows the file."""
    new_name: str = ""
    """Destination of a rename, as the user knows the path."""
    document: Document | None = None
    """Document when the file was last read; None for a file to be created."""
    diff: str = ""
    """Unified diff from `old_text` to `new_text`; the other diffs are unified too, and empty without a difference."""
    line_ending: str = "\n"
    """Line ending of a file to be created; `bom` is true if such a file begins with a BOM."""
    bom: bool = False
    merged_diff: str = ""
    """Diff of the user's own changes since the session read the file; `old_text` holds these changes."""
    was_removed: bool = False
    """True for a file to be created that somebody else has removed since the session read the file."""
    edited_diff: str = ""
    """Diff of the user's changes to the proposal, from the proposed text to the user's text."""
    rejected_diff: str = ""
    """Diff of the rejected hunks, from the accepted text to the proposed text."""
    rejected_hunks: tuple[Hunk, ...] = ()
    """Hunks rejected by the user, in the form shown."""
    is_rejected: bool = False
    """True if the user rejected the whole file."""
    conflict: str = ""
    """Account for the model why the file is left out: the user changed the same lines after the question."""
    is_raw: bool = False
    """True if the change is one of bytes, links or permissions on disk; the texts are then for the user to read."""
    mode: int | None = None
    """Permission bits of a file to be created, or new bits of a created file; None for no word about the bits."""
    base_mode: int | None = None
    """Permission bits before a command changed the bits to `mode`."""

    @property
    def changes_text(self) -> bool:
        """Return whether a document is to be created, changed, renamed or deleted."""
        return not self.is_raw and self.is_wanted and (self.kind != "modify" or bool(self.hunks))

    @property
    def changes_anything(self) -> bool:
        """Return whether any work is left."""
        return self.is_wanted and (self.kind != "modify" or bool(self.hunks) or self.mode is not None)

    @property
    def is_wanted(self) -> bool:
        """Return whether the file is neither rejected nor left out."""
        return not self.is_rejected and not self.conflict

    @property
    def paths(self) -> tuple[Path, ...]:
        return (self.path,) if self.new_path is None else (self.path, self.new_path)


class ProposedChange(Struct, frozen=True):
    id: str
    files: tuple[ProposedFile, ...]


Scope = Literal["session", "project", "user"]
DefaultReview = Literal["ask", "stage"]
"""Review mode where nobody chooses; `stage` needs a user who can list and decide the changes that wait."""


@dataclass(frozen=True, slots=True)
class AlwaysOffer:
    """Grant offered for the answer "always", and the lifetime of the grant."""

    scope: Scope
    patterns: tuple[str, ...]
    """Patterns that "always" would allow."""


@dataclass(frozen=True, slots=True)
class AskedPart:
    """Part of a request that asks several things at once: a command of a line, a file of a change."""

    pattern: str
    action: Literal["allow", "ask", "deny"]
    by: str
    """Rule or grant that decides about the part, and the place where the rule is written, in words."""


class PermissionRequest(Struct, frozen=True):
    """Permission request: a question for the user's placet."""

    id: str
    session_id: str
    message_id: str
    call_id: str
    tool: str
    origin: tuple[str, ...]
    """Agents from the session's own down to the asking agent; empty when the session's own agent asks."""
    permission: str
    title: str
    """Subject of the request, on one short line: a command, or words of Placet's own at the front."""
    patterns: tuple[str, ...]
    always: tuple[AlwaysOffer, ...]
    rule: str
    """Rule that decided to ask and the place where the rule is written, in words."""
    parts: tuple[AskedPart, ...] = ()
    """Parts of the request, each with the rule or grant that decides about the part."""
    change: ProposedChange | None = None
    command: str | None = None
    directory: Path | None = None
    """Directory in which the command would run."""
    url: str | None = None
    description: str = ""
    """Words of the model or a server about the call, on one short line that names the speaker first.

    The description never leads the request.
    """
    note: str = ""
    """Placet's own remark beside the title, on a single line."""
    arguments: str = ""
    """Whole arguments of the call as indented JSON, where no command, change or URL says what would happen."""


class PermissionAnswer(Struct, frozen=True):
    """The user's answer to a permission request."""

    outcome: Literal["once", "always", "reject"]
    scope: Scope = "session"
    feedback: str = ""
    """Words of the user about the whole request, for the model."""
    decisions: tuple[Decision, ...] = ()
    """Decisions about the files of the change; without decisions, the outcome is about the whole change."""

    @property
    def has_words(self) -> bool:
        """Return whether the model is to go on with words of the user."""
        return bool(self.feedback) or any(decision.comment for decision in self.decisions)


@dataclass(frozen=True, slots=True)
class QuestionOption:
    """Choice of a question; the answer names the choice by the label."""

    label: str
    description: str = ""
    opens: str | None = None
    """Address that Placet opens in the user's browser when the user chooses this option, and never before."""


@dataclass(frozen=True, slots=True)
class Question:
    """Question to the user."""

    header: str
    question: str
    options: tuple[QuestionOption, ...]
    multiple: bool = False
    custom: bool = True
    """True if the user may answer in own words."""
    secret: bool = False
    """True for input which the editor hides and never stores: for a sign-in."""
    copyable: str | None = None
    """Text that the user may need elsewhere, such as the code of a sign-in. An editor may offer to copy the text, and
    copies only when the user says so.
    """


def without_pages(questions: Sequence[Question]) -> list[Question]:
    """Return the questions for a place that opens no pages: an option that opens a page is left out."""
    return [
        replace(question, options=tuple(option for option in question.options if option.opens is None))
        for question in questions
    ]


def pages_to_open(questions: Sequence[Question], answers: Sequence[Sequence[str]]) -> list[str]:
    """Return the addresses of the chosen options."""
    return [
        option.opens
        for question, chosen in zip(questions, answers, strict=False)
        for option in question.options
        if option.opens is not None and option.label in chosen
    ]


@dataclass(frozen=True, slots=True)
class OptionalQuestion(Question):
    """Question without which the work goes on, where nobody can be asked."""


class Approver(Protocol):
    """Port to the user's decision. Cancelling a call takes the question off the screen."""

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        """Wait for the user's answer, however long. Raises NobodyToAsk when nobody is present."""
        ...

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        """Return the chosen labels (or own words) per question; None if the user declined. Raises NobodyToAsk."""
        ...


# ---------------------------------------------------------------- events


class EventSink(Protocol):
    """Receiver of session events; must not block and must not raise."""

    def emit(self, event: SessionEvent) -> None: ...


class Ports(Struct, frozen=True):
    """Ports of a front door."""

    documents: Documents
    features: SessionLanguages
    approver: Approver
    sink: EventSink
    terminals: Terminals | None = None
    """Terminals of the client; None: all commands run in Placet's own runner."""
    review: DefaultReview = "ask"
