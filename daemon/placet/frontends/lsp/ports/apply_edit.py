"""`workspace/applyEdit` as data: the request for some files, and a strict client's report on the files. No IO."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from placet.core.ports import FileEdit, TextEdit
from placet.text.buffer import Buffer
from placet.text.positions import PositionEncoding


@dataclass(frozen=True, slots=True)
class EditorEdit:
    """Edit of a file on the way to the editor: against exactly this text, at exactly this version."""

    edit: FileEdit
    uri: str
    version: int | None
    """Version of the document; None when the client does not have the document open, as far as we know."""
    sha256: str
    """Hash of the text for which the edits are made."""
    edits: tuple[dict[str, Any], ...]
    """LSP TextEdits in the connection's encoding."""
    new_text: str


def lsp_edits(buffer: Buffer, edits: Sequence[TextEdit], encoding: PositionEncoding) -> tuple[dict[str, Any], ...]:
    """Return edits by offset as LSP TextEdits of the buffer's text."""

    def at(offset: int) -> dict[str, int]:
        position = buffer.position_at(offset, encoding)
        return {"line": position.line, "character": position.character}

    return tuple({"range": {"start": at(edit.start), "end": at(edit.end)}, "newText": edit.text} for edit in edits)


def strict_params(files: Sequence[EditorEdit], *, edit_id: str, label: str, turn_id: str = "") -> dict[str, Any]:
    """Return params for all files in one request, with the expected texts and the way to leave the files
    (docs/PROTOCOL.md, `workspace/applyEdit`).
    """
    return {
        "label": label,
        "edit": {"documentChanges": [_document_change(file) for file in files]},
        "agent": {
            "editId": edit_id,
            "expect": [{"uri": file.uri, "version": file.version, "sha256": file.sha256} for file in files],
            "save": "ifWasClean",
            **({"turnId": turn_id} if turn_id else {}),
        },
    }


def plain_params(file: EditorEdit, *, label: str, versioned: bool) -> dict[str, Any]:
    """Return params for a file of an editor without our plugin; `changes` is for an editor which did not offer
    documentChanges.
    """
    if versioned:
        return {"label": label, "edit": {"documentChanges": [_document_change(file)]}}
    return {"label": label, "edit": {"changes": {file.uri: list(file.edits)}}}


def _document_change(file: EditorEdit) -> dict[str, Any]:
    return {"textDocument": {"uri": file.uri, "version": file.version}, "edits": list(file.edits)}


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
