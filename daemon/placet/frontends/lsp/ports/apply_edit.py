"""`workspace/applyEdit` as data: the request for some files, and a strict client's report on the files. No IO."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from lsprotocol import types

from placet.core.ports import Document, FileEdit, TextEdit
from placet.frontends.lsp.connection.buffers import OpenBuffer
from placet.frontends.lsp.protocol.standard import Unfit, dump, read
from placet.text.buffer import Buffer
from placet.text.positions import PositionEncoding

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SentEdit:
    """Edit of a file as sent to the editor: made for exactly the text and the version of the editor's document."""

    edit: FileEdit
    """Edit whose base has the text and the version of the editor's document."""
    open_buffer: OpenBuffer | None
    """Buffer of the file; None when the client does not have the document open, as far as we know."""
    lsp_edits: tuple[types.TextEdit, ...]
    """Changes as LSP TextEdits in the connection's encoding."""

    @property
    def base(self) -> Document:
        """Return the document for which the edit is made."""
        assert self.edit.base is not None
        return self.edit.base

    @property
    def uri(self) -> str:
        """Return the URI as the client spells the URI."""
        return self.edit.path.as_uri() if self.open_buffer is None else self.open_buffer.uri


def lsp_edits(buffer: Buffer, edits: Sequence[TextEdit], encoding: PositionEncoding) -> tuple[types.TextEdit, ...]:
    """Return edits by offset as LSP TextEdits of the buffer's text."""

    def at(offset: int) -> types.Position:
        position = buffer.position_at(offset, encoding)
        return types.Position(position.line, position.character)

    return tuple(types.TextEdit(types.Range(at(edit.start), at(edit.end)), edit.text) for edit in edits)


def strict_params(sent_edits: Sequence[SentEdit], *, edit_id: str, label: str, turn_id: str = "") -> Json:
    """Return params for all files in one request, with the expected texts and the way to leave the files
    (docs/PROTOCOL.md, `workspace/applyEdit`).
    """
    edit = types.WorkspaceEdit(document_changes=[_document_change(sent) for sent in sent_edits])
    agent: Json = {
        "editId": edit_id,
        "expect": [{"uri": sent.uri, "version": sent.base.version, "sha256": sent.base.sha256} for sent in sent_edits],
        "save": "ifWasClean",
        **({"turnId": turn_id} if turn_id else {}),
    }
    return {**dump(types.ApplyWorkspaceEditParams(edit, label)), "agent": agent}


def plain_params(sent: SentEdit, *, label: str, versioned: bool) -> Json:
    """Return params for a file of an editor without our plugin; `changes` is for an editor which did not offer
    documentChanges.
    """
    if versioned:
        edit = types.WorkspaceEdit(document_changes=[_document_change(sent)])
    else:
        edit = types.WorkspaceEdit(changes={sent.uri: sent.lsp_edits})
    return dump(types.ApplyWorkspaceEditParams(edit, label))


def _document_change(sent: SentEdit) -> types.TextDocumentEdit:
    return types.TextDocumentEdit(
        types.OptionalVersionedTextDocumentIdentifier(sent.uri, sent.base.version), sent.lsp_edits
    )


@dataclass(frozen=True, slots=True)
class FileReport:
    """Report of a strict client on a file, after saving and formatting."""

    version: int | None = None
    sha256: str | None = None
    dirty: bool = False
    changed_by_save: bool = False
    text: str | None = None


@dataclass(frozen=True, slots=True)
class ApplyAnswer:
    """Answer to applyEdit. No field of the answer is proof."""

    applied: bool
    reason: str = ""
    files: tuple[tuple[str, FileReport], ...] = ()

    def report(self, uri: str) -> FileReport:
        """Return the client's report on a document, or an empty report when the client gave none."""
        return next((report for reported_uri, report in self.files if reported_uri == uri), FileReport())


def read_answer(result: Any) -> ApplyAnswer:
    """Return the answer as data; malformed parts count as absent."""
    try:
        answer = read(types.ApplyWorkspaceEditResult, result)
    except Unfit:
        answer = types.ApplyWorkspaceEditResult(applied=False)
    files = _object(_object(result).get("agent")).get("files")
    reports: list[tuple[str, FileReport]] = []
    for entry in cast("list[Any]", files) if isinstance(files, list) else []:
        file = _object(entry)
        uri, version, sha256, text = file.get("uri"), file.get("version"), file.get("sha256"), file.get("text")
        if isinstance(uri, str):
            report = FileReport(
                version=version if isinstance(version, int) else None,
                sha256=sha256 if isinstance(sha256, str) else None,
                dirty=file.get("dirty") is True,
                changed_by_save=file.get("changedBySave") is True,
                text=text if isinstance(text, str) else None,
            )
            reports.append((uri, report))
    return ApplyAnswer(
        applied=answer.applied,
        reason=answer.failure_reason or "",
        files=tuple(reports),
    )


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
