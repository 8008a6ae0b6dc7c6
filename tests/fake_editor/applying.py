"""`workspace/applyEdit` as the editors serve it: strictly by our plugins, and each in its own way without."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fake_editor import text
from placet.project.paths import from_uri

if TYPE_CHECKING:
    from fake_editor.editor import FakeBuffer, FakeEditor

Json = dict[str, Any]
Change = tuple[str, int | None, list[Json]]
"""URI, version, edits."""


def apply(editor: "FakeEditor", params: Json) -> Json:
    changes = _changes(editor, params["edit"])
    if editor.profile.strict and "agent" in params:
        return _apply_strictly(editor, changes, params["agent"])
    if len(changes) > 1:
        editor.violations.append("several files in one edit for a client that cannot check them all")
    window = editor.profile.edit_window_seconds
    if window is not None and (editor.commanded_at is None or editor.clock() - editor.commanded_at > window):
        return {"applied": False}
    return _apply_as_it_is(editor, changes)


def _changes(editor: "FakeEditor", edit: Json) -> list[Change]:
    if "documentChanges" in edit:
        if not editor.profile.document_changes and editor.profile.client_name != "Neovim":
            editor.violations.append("documentChanges for a client that does not know them")
        if any("kind" in change for change in edit["documentChanges"]):
            editor.violations.append("a file operation in an edit")
        return [
            (change["textDocument"]["uri"], change["textDocument"]["version"], change["edits"])
            for change in edit["documentChanges"]
        ]
    return [(uri, None, edits) for uri, edits in edit["changes"].items()]


# ---------------------------------------------------------------- our plugins


def _apply_strictly(editor: "FakeEditor", changes: list[Change], agent: Json) -> Json:
    if agent["editId"] in editor.applied_edits:
        return editor.applied_edits[agent["editId"]]
    expected = {one["uri"]: one for one in agent["expect"]}
    for uri, version, _ in changes:
        found, expect = _find(editor, uri), expected[uri]
        content = _disk_text(uri) if found is None else found.text
        stale = found is not None and version is not None and found.version != version
        if stale or content is None or text.sha256(content) != expect["sha256"]:
            return {"applied": False, "failureReason": f"{uri} has changed"}
    answer = {"applied": True, "agent": {"files": [_apply_and_save(editor, *change) for change in changes]}}
    editor.applied_edits[agent["editId"]] = answer
    return answer


def _apply_and_save(editor: "FakeEditor", uri: str, version: int | None, edits: list[Json]) -> Json:
    found = _find(editor, uri)
    buffer = found or editor.open(_path(uri), attached=False)
    was_clean = not buffer.dirty
    _replace(editor, buffer, edits)
    applied = buffer.text
    if was_clean:
        editor.save(buffer.path)
    if found is None:
        editor.close(buffer.path)
    report = {
        "uri": uri,
        "version": buffer.version,
        "sha256": text.sha256(buffer.text),
        "dirty": buffer.dirty,
        "changedBySave": buffer.text != applied,
    }
    return report | ({"text": buffer.text} if buffer.text != applied else {})


# ---------------------------------------------------------------- stock editors


def _apply_as_it_is(editor: "FakeEditor", changes: list[Change]) -> Json:
    from fake_editor.editor import Refused

    stale = [
        version is not None and (found := _find(editor, uri)) is not None and found.version != version
        for uri, version, _ in changes
    ]
    if editor.profile.stale == "refuse_all" and any(stale):
        return {"applied": False}
    for number, (uri, _, edits) in enumerate(changes):
        if stale[number] and editor.profile.stale == "drop_silently" and number == 0:
            continue  # Neovim 0.11: dropped, and said to be applied; later files are not looked at.
        if stale[number] and editor.profile.stale == "refuse_document":
            return {"applied": False, "failureReason": "DocumentChanged", "failedChange": number}
        if stale[number] and editor.profile.stale == "raise":
            raise Refused(-32603, f"Edits on `{uri}' require version {changes[number][1]}")
        # Not open: loaded hidden, changed, not saved, and the server is not told.
        _replace(editor, _find(editor, uri) or editor.open(_path(uri), attached=False), edits)
    return {"applied": True}


# ---------------------------------------------------------------- both


def _replace(editor: "FakeEditor", buffer: "FakeBuffer", edits: list[Json]) -> None:
    ending = text.dominant_ending(buffer.text)
    spans: list[tuple[int, int, str]] = []
    for edit in edits:
        start = text.offset(buffer.text, edit["range"]["start"], editor.encoding)
        end = text.offset(buffer.text, edit["range"]["end"], editor.encoding)
        new = edit["newText"]
        if editor.profile.normalizes_line_endings and editor.profile.client_name.startswith("Visual"):
            new = new.replace("\r\n", "\n").replace("\n", ending)
        spans.append((start, end, new))
    editor.edit(buffer.path, spans)


def _find(editor: "FakeEditor", uri: str) -> "FakeBuffer | None":
    return next((buffer for buffer in editor.buffers.values() if buffer.uri == uri), None)


def _path(uri: str) -> Path:
    path = from_uri(uri)
    assert path is not None, uri
    return path


def _disk_text(uri: str) -> str | None:
    path = _path(uri)
    return path.read_bytes().decode("utf-8-sig") if path.exists() else None
