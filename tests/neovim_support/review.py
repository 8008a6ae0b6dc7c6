"""A change as the daemon asks about it, and how to look at its review in Neovim."""

from pathlib import Path
from typing import Any

from neovim_support.editor import Editor
from neovim_support.scripted_server import Inquiry, ScriptedServer

Json = dict[str, Any]

OLD = "def area(w, h):\n    return w * h\n\n\ndef name():\n    return 'box'\n"
NEW = "def area(width, height):\n    return width * height\n\n\ndef name():\n    return 'rectangle'\n"


def hunk(number: int, old_start: int, old: list[str], new_start: int, new: list[str]) -> Json:
    return {"id": number, "oldStart": old_start, "oldLines": old, "newStart": new_start, "newLines": new}


HUNKS = [
    hunk(
        1,
        0,
        ["def area(w, h):\n", "    return w * h\n"],
        0,
        ["def area(width, height):\n", "    return width * height\n"],
    ),
    hunk(2, 5, ["    return 'box'\n"], 5, ["    return 'rectangle'\n"]),
]


def modify(path: Path, old: str = OLD, new: str = NEW, hunks: list[Json] = HUNKS) -> Json:
    return {"uri": path.as_uri(), "kind": "modify", "oldText": old, "newText": new, "hunks": hunks}


def create(path: Path, text: str) -> Json:
    hunks = [hunk(1, 0, [], 0, text.splitlines(keepends=True))] if text else []
    return {"uri": path.as_uri(), "kind": "create", "oldText": "", "newText": text, "hunks": hunks}


def delete(path: Path, text: str) -> Json:
    hunks = [hunk(1, 0, text.splitlines(keepends=True), 0, [])]
    return {"uri": path.as_uri(), "kind": "delete", "oldText": text, "newText": "", "hunks": hunks}


def rename(path: Path, to: Path, old: str = OLD, new: str = NEW, hunks: list[Json] = HUNKS) -> Json:
    return {**modify(path, old, new, hunks), "kind": "rename", "newUri": to.as_uri()}


def permission(*files: Json, title: str = "edit shapes.py", **more: Any) -> Json:
    return {
        "requestId": "per_1",
        "sessionId": "ses_1",
        "origin": [],
        "toolCall": {"messageId": "m", "callId": "c", "tool": "edit"},
        "permission": "edit",
        "title": title,
        "patterns": ["shapes.py"],
        "always": [{"scope": "session", "patterns": ["*"]}],
        "rule": "edit asks (built in)",
        **({"change": {"id": "chg_1", "files": list(files)}} if files else {}),
        **more,
    }


def ask(editor: Editor, server: ScriptedServer, params: Json) -> Inquiry:
    """The request, once it has reached the plugin."""
    inquiry = server.ask("editor/requestPermission", params)
    editor.wait("require('placet').status() == 'Placet: 1 pending'")
    return inquiry


def ask_and_open(editor: Editor, server: ScriptedServer, params: Json) -> Inquiry:
    """The request, with its review opened by the user."""
    inquiry = ask(editor, server, params)
    editor.command("Placet review")
    return inquiry


def open_file(editor: Editor, server: ScriptedServer, path: Path, text: str = OLD) -> Path:
    path.write_text(text)
    editor.open(path)
    server.wait_for_document(path.as_uri())
    return path


def cursor(editor: Editor) -> list[int]:
    return editor.lua("return vim.api.nvim_win_get_cursor(0)")


def here(editor: Editor) -> str:
    """The name of the current buffer's file."""
    return editor.lua("return vim.fn.expand('%:t')")
