"""`workspace/applyEdit` as the daemon asks it of a strict client."""

from pathlib import Path
from typing import Any

from neovim_support.scripted_server import ScriptedServer, sha256

Json = dict[str, Any]


def replacing(line: int, start: int, end: int, text: str, last_line: int | None = None) -> Json:
    """A TextEdit; positions as LSP counts."""
    last_line = line if last_line is None else last_line
    span = {"start": {"line": line, "character": start}, "end": {"line": last_line, "character": end}}
    return {"range": span, "newText": text}


def edit_of(
    server: ScriptedServer,
    files: dict[Path, tuple[str, list[Json]]],
    *,
    edit_id: str = "e1",
    save: str = "ifWasClean",
    turn: str | None = None,
) -> Json:
    """The request for some files: what each holds, and its edits."""
    changes: list[Json] = []
    expect: list[Json] = []
    for path, (text, edits) in files.items():
        version = server.versions.get(path.as_uri())
        changes.append({"textDocument": {"uri": path.as_uri(), "version": version}, "edits": edits})
        expect.append({"uri": path.as_uri(), "version": version, "sha256": sha256(text)})
    return {
        "label": "test",
        "edit": {"documentChanges": changes},
        "agent": {"editId": edit_id, "expect": expect, "save": save, **({"turnId": turn} if turn else {})},
    }
