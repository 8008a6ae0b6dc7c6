"""The four ports through which the core reaches the world, and the data that crosses them.

A front door (LSP, ACP, terminal) serves them; nothing below it knows which one does.
Documents are known by absolute path. Text crosses as the document's holder has it: its own line endings, no BOM.
"""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from placet.events import SessionEvent

# ---------------------------------------------------------------- documents


@dataclass(frozen=True, slots=True)
class Document:
    """A document's text at one moment, and where it was read."""

    path: Path
    text: str
    source: Literal["buffer", "editor", "disk"]
    """`buffer`: synced to us; `editor`: asked of an editor that had it open; `disk`: read from the file."""
    version: int | None = None
    """The editor's version of an open document; None on disk."""
    dirty: bool = False
    """Open, with changes that are not saved."""
    encoding: str = "utf-8"
    bom: bool = False

    @property
    def sha256(self) -> str:
        """Of the text as held, encoded in UTF-8, as the wire defines it."""
        return text_sha256(self.text)


def text_sha256(text: str) -> str:
    """The hex digest by which two texts are held to be the same."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace base.text[start:end], in code points, by `text`."""

    start: int
    end: int
    text: str


FileEditKind = Literal["create", "modify", "delete", "rename"]


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One file's share of a change, ready to be applied."""

    kind: FileEditKind
    path: Path
    base: Document | None
    """What must still be there, by version and hash; None for a file to be created."""
    new_text: str = ""
    """The whole text afterwards, in the document's own line endings (nothing for a delete)."""
    edits: tuple[TextEdit, ...] = ()
    """The same, as minimal edits of base.text in ascending order; empty for create and delete."""
    new_path: Path | None = None
    """Where a rename goes."""
    encoding: str = "utf-8"
    """With `bom`: how a file to be created is written; any other keeps what it has."""
    bom: bool = False
    mode: int | None = None
    """Permission bits for a file to be created anew, as when a delete is undone; None: the system's own."""
    made_directory: Path | None = None
    """Where a file goes from its place: the outermost directory that goes with it, if that leaves it empty."""
    target: Path | None = None
    """Where `path` led, symbolic links resolved, when the user was asked; None: where it leads when it is applied."""
    new_target: Path | None = None
    """The same of `new_path`."""


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What became of one FileEdit. Believe `after`, not `applied`: the pipeline compares."""

    path: Path
    applied: bool
    reason: str = ""
    """Why not, in the holder's words."""
    after: Document | None = None
    """The document read back once all is done, saving and formatting included; None if there is none."""
    changed_by_save: bool = False
    """The text after saving differs from the text that was applied (format on save)."""
    is_unsure: bool = False
    """Not applied as far as can be seen, and it cannot be seen far enough: `reason` says why."""
    later: "asyncio.Future[FileOutcome] | None" = field(default=None, compare=False, repr=False)
    """For an unsure outcome: the outcome as it gets known, where the holder can still say. It never raises."""


class Documents(Protocol):
    """The truth about texts, and the only road to change them."""

    async def read(self, path: Path) -> Document:
        """The open buffer's text, else the editor's, else the disk's.

        Raises DocumentMissing, or DocumentError for a directory, a binary, or bytes that cannot be decoded.
        """
        ...

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        """Try to apply the edits, in order, and say for each what is there now.

        Open documents are edited in their editor, others there or on disk. A document that was clean is
        saved, one that was dirty is left unsaved. Never raises for a refused edit; an edit that was not
        tried because an earlier one failed is returned with `applied=False` too. Edits of one `turn_id` may
        be one step of the editor's own undo.
        """
        ...

    async def unsaved(self) -> list[Document]:
        """Every open document whose text is not the disk's, as it is on screen; all of them `dirty`."""
        ...

    async def save(self, paths: Sequence[Path]) -> list[Path]:
        """Save the open documents of these paths; those that were saved (none where the editor cannot be told to)."""
        ...

    async def reload(self) -> None:
        """A command may have changed files: have the editor look at the disk again where it has no unsaved text."""
        ...

    def watch_saves(self) -> AbstractContextManager[Mapping[Path, str]]:
        """While it is open: the text with which the editor last saved each document; empty where that is not told."""
        ...


# ---------------------------------------------------------------- language features

JsonValue = Any


@dataclass(frozen=True, slots=True)
class RelatedPlace:
    """Where else one has to look to understand a diagnostic; the line counts from 0."""

    path: Path
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One diagnostic; lines and columns are 0-based, columns in code points."""

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
    """The server's own, to be given back when it is asked what can be done about it."""


@dataclass(frozen=True, slots=True)
class DiagnosticsReport:
    """Diagnostics and how far they can be believed: `fresh` holds the paths judged at or past the version asked for."""

    diagnostics: tuple[Diagnostic, ...]
    fresh: frozenset[Path]
    provider: str
    truncated: bool = False
    unserved: frozenset[Path] = frozenset()
    """Those of the paths asked for that nobody here judges, so that whoever is less well informed may."""


@dataclass(frozen=True, slots=True)
class FeatureAnswer:
    """An answer to a language-feature request: `result` is the LSP result of that method, in utf-16 positions."""

    status: Literal["ok", "noProvider", "timeout", "loading"]
    result: JsonValue = None
    providers: tuple[str, ...] = ()
    is_approximate: bool = False
    """Found by names alone: it may lack some, and hold some of the same name that are others."""


class LanguageFeatures(Protocol):
    """What the user's own language servers know."""

    async def diagnostics(
        self,
        paths: Sequence[Path] | None,
        *,
        after: Mapping[Path, int] | None = None,
        timeout_seconds: float = 3.0,
    ) -> DiagnosticsReport:
        """Diagnostics of the paths (None: all known), at or past the versions in `after` if they come in time."""
        ...

    async def request(self, method: str, params: JsonValue, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        """Ask the servers an LSP request of PROTOCOL.md's closed list."""
        ...

    async def close(self) -> None:
        """End what was started for the answers."""
        ...


# ---------------------------------------------------------------- approver


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of changed lines. Lines keep their ends; positions are 0-based line numbers."""

    id: int
    """Counts from 1 within its file."""
    old_start: int
    old_lines: tuple[str, ...]
    new_start: int
    new_lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProposedFile:
    """One file of a proposed change, as the user sees it: texts with LF line ends."""

    path: Path
    kind: FileEditKind
    old_text: str
    new_text: str
    hunks: tuple[Hunk, ...]
    new_path: Path | None = None
    name: str = ""
    """The path as the user knows it."""


@dataclass(frozen=True, slots=True)
class ProposedChange:
    id: str
    files: tuple[ProposedFile, ...]


Scope = Literal["session", "project", "user"]


@dataclass(frozen=True, slots=True)
class AlwaysOffer:
    """What "always" would grant, and for how long."""

    scope: Scope
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskedPart:
    """One of the things that are asked at once: a command of a line, a file of a change."""

    pattern: str
    action: Literal["allow", "ask", "deny"]
    by: str
    """The rule or the grant that decides about it, and where it is written, in words."""


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """A question for the user's placet."""

    id: str
    session_id: str
    message_id: str
    call_id: str
    tool: str
    origin: tuple[str, ...]
    """The agents from the session's own down to the one that asks; empty when it is the session's own."""
    permission: str
    title: str
    """What is asked, on one short line: a command, or words of Placet's own that lead."""
    patterns: tuple[str, ...]
    always: tuple[AlwaysOffer, ...]
    rule: str
    """The rule that decided to ask and where it is written, in words."""
    parts: tuple[AskedPart, ...] = ()
    """What is asked, one by one, with what decides about each."""
    change: ProposedChange | None = None
    command: str | None = None
    directory: Path | None = None
    """Where the command would run."""
    url: str | None = None
    description: str = ""
    """What the model or a server says of the call, on one short line that begins with who says it. Never leads."""
    note: str = ""
    """What Placet itself has to say beside the title, on one line."""
    arguments: str = ""
    """The whole arguments of the call as indented JSON, where no command, change or URL says what would happen."""


@dataclass(frozen=True, slots=True)
class HunkComment:
    """What the user says of a proposed file, or of one of its hunks, whatever becomes of it."""

    path: Path
    text: str
    hunk: int | None = None


@dataclass(frozen=True, slots=True)
class PermissionAnswer:
    outcome: Literal["once", "always", "reject"]
    scope: Scope = "session"
    hunks: Mapping[Path, frozenset[int]] | None = None
    """The hunks allowed, per file; None: all. A file that is not named is refused."""
    edited: Mapping[Path, str] = field(default_factory=dict[Path, str])
    """Texts the user put in place of the proposed ones."""
    feedback: str = ""
    comments: tuple[HunkComment, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionOption:
    label: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    header: str
    question: str
    options: tuple[QuestionOption, ...]
    multiple: bool = False
    custom: bool = True
    secret: bool = False
    """The answer is shown, kept and repeated nowhere."""


class Approver(Protocol):
    """The way to the user's word. Cancelling a call takes the question off the screen."""

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        """Wait for the user's answer, however long. Raises NobodyToAsk when there is nobody."""
        ...

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        """The chosen labels (or own words) per question; None if the user declined. Raises NobodyToAsk."""
        ...


# ---------------------------------------------------------------- events


class EventSink(Protocol):
    """Hears what happens; must not block and must not raise."""

    def emit(self, event: SessionEvent) -> None: ...


@dataclass(frozen=True, slots=True)
class Ports:
    """What one front door serves."""

    documents: Documents
    features: LanguageFeatures
    approver: Approver
    sink: EventSink
