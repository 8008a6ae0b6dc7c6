"""Hunks and permission requests as the daemon sends them, and where the user of Neovim is."""

from pathlib import Path
from typing import Any

import pytest

from neovim_support.editor import Editor
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer

Json = dict[str, Any]

OLD = "def area(w, h):\n    return w * h\n\n\ndef name():\n    return 'box'\n"
NEW = "def area(width, height):\n    return width * height\n\n\ndef name():\n    return 'rectangle'\n"


ASKED_HERE = "vim.fn.maparg('ga', 'n') ~= ''"
"""In Lua: the agent waits for the decision about the file in the current window."""


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


def permission(title: str = "run the tests", **more: Any) -> Json:
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
        "parts": [],
        **more,
    }


def open_file(editor: Editor, server: ScriptedServer, path: Path, text: str = OLD) -> Path:
    path.write_text(text)
    editor.open(path)
    server.wait_for_document(path.as_uri())
    return path


SIZES = pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 30)])


def sized(editor: Editor, width: int, height: int) -> Screen:
    """Return a screen of this size."""
    screen = Screen(editor.nvim, width, height)
    editor.command(f"set columns={width} lines={height}")
    return screen


def cursor(editor: Editor) -> list[int]:
    return editor.lua("return vim.api.nvim_win_get_cursor(0)")


def here(editor: Editor) -> str:
    """The name of the current buffer's file."""
    return editor.lua("return vim.fn.expand('%:t')")
