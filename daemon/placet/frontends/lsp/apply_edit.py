"""`workspace/applyEdit` as data: what is asked for some files, and what a strict client says became of them. No IO."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from placet.edits.buffer import Buffer
from placet.edits.positions import PositionEncoding
from placet.ports import FileEdit, TextEdit


@dataclass(frozen=True, slots=True)
class EditorEdit:
    """One file's edit on its way to the editor: against exactly this text, at exactly this version."""

    edit: FileEdit
    uri: str
    version: int | None
    """None when the client does not have the document open, as far as we know."""
    sha256: str
    """Of the text the edits are for."""
    edits: tuple[dict[str, Any], ...]
    """LSP TextEdits in the connection's encoding."""
    new_text: str


def lsp_edits(buffer: Buffer, edits: Sequence[TextEdit], encoding: PositionEncoding) -> tuple[dict[str, Any], ...]:
    """Edits by offset as LSP TextEdits of the buffer's text."""

    def at(offset: int) -> dict[str, int]:
        position = buffer.position_at(offset, encoding)
        return {"line": position.line, "character": position.character}

    return tuple({"range": {"start": at(one.start), "end": at(one.end)}, "newText": one.text} for one in edits)


def strict_params(files: Sequence[EditorEdit], *, edit_id: str, label: str, turn_id: str = "") -> dict[str, Any]:
    """All files in one request, with what must be there and how to leave it (PROTOCOL.md, `workspace/applyEdit`)."""
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
    """One file for an editor without our plugin; `changes` is for one that did not offer documentChanges."""
    if versioned:
        return {"label": label, "edit": {"documentChanges": [_document_change(file)]}}
    return {"label": label, "edit": {"changes": {file.uri: list(file.edits)}}}


def _document_change(file: EditorEdit) -> dict[str, Any]:
    return {"textDocument": {"uri": file.uri, "version": file.version}, "edits": list(file.edits)}


@dataclass(frozen=True, slots=True)
class FileReport:
    """What a strict client says of one file, after saving and formatting."""

    version: int | None = None
    sha256: str | None = None
    dirty: bool = False
    changed_by_save: bool = False
    text: str | None = None


@dataclass(frozen=True, slots=True)
class ApplyAnswer:
    """An answer to applyEdit. Nothing in it is proof."""

    applied: bool
    reason: str = ""
    files: tuple[tuple[str, FileReport], ...] = ()

    def report(self, uri: str) -> FileReport:
        """The client's word on a document; an empty one when it has none."""
        return next((report for one, report in self.files if one == uri), FileReport())


def read_answer(result: Any) -> ApplyAnswer:
    """The answer as data; whatever is malformed counts as not said."""
    answer = _object(result)
    reason = answer.get("failureReason")
    files = _object(answer.get("agent")).get("files")
    reports: list[tuple[str, FileReport]] = []
    for one in cast("list[Any]", files) if isinstance(files, list) else []:
        file = _object(one)
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
