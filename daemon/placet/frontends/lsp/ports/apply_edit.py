"""`workspace/applyEdit` as data: the request for some files, and a strict client's report on the files. No IO."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from placet.core.ports import Document, FileEdit, TextEdit
from placet.frontends.lsp.connection.buffers import OpenBuffer
from placet.text.buffer import Buffer
from placet.text.positions import PositionEncoding


@dataclass(frozen=True, slots=True)
class SentEdit:
    """Edit of a file as sent to the editor: made for exactly the text and the version of the editor's document."""

    edit: FileEdit
    """Edit whose base has the text and the version of the editor's document."""
    open_buffer: OpenBuffer | None
    """Buffer of the file; None when the client does not have the document open, as far as we know."""
    lsp_edits: tuple[dict[str, Any], ...]
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


def lsp_edits(buffer: Buffer, edits: Sequence[TextEdit], encoding: PositionEncoding) -> tuple[dict[str, Any], ...]:
    """Return edits by offset as LSP TextEdits of the buffer's text."""

    def at(offset: int) -> dict[str, int]:
        position = buffer.position_at(offset, encoding)
        return {"line": position.line, "character": position.character}

    return tuple({"range": {"start": at(edit.start), "end": at(edit.end)}, "newText": edit.text} for edit in edits)


def strict_params(sent_edits: Sequence[SentEdit], *, edit_id: str, label: str, turn_id: str = "") -> dict[str, Any]:
    """Return params for all files in one request, with the expected texts and the way to leave the files
    (docs/PROTOCOL.md, `workspace/applyEdit`).
    """
    return {
        "label": label,
        "edit": {"documentChanges": [_document_change(sent) for sent in sent_edits]},
        "agent": {
            "editId": edit_id,
            "expect": [
                {"uri": sent.uri, "version": sent.base.version, "sha256": sent.base.sha256} for sent in sent_edits
            ],
            "save": "ifWasClean",
            **({"turnId": turn_id} if turn_id else {}),
        },
    }


def plain_params(sent: SentEdit, *, label: str, versioned: bool) -> dict[str, Any]:
    """Return params for a file of an editor without our plugin; `changes` is for an editor which did not offer
    documentChanges.
    """
    if versioned:
        return {"label": label, "edit": {"documentChanges": [_document_change(sent)]}}
    return {"label": label, "edit": {"changes": {sent.uri: list(sent.lsp_edits)}}}


def _document_change(sent: SentEdit) -> dict[str, Any]:
    return {"textDocument": {"uri": sent.uri, "version": sent.base.version}, "edits": list(sent.lsp_edits)}


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
    answer = _object(result)
    reason = answer.get("failureReason")
    files = _object(answer.get("agent")).get("files")
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
        applied=answer.get("applied") is True,
        reason=reason if isinstance(reason, str) else "",
        files=tuple(reports),
    )


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
