"""What going back looks like: the preview, the chat and the input afterwards, and the keys."""

import os
from pathlib import Path
from typing import Any

import pytest

from neovim_support.conversation import answer, chunk, ended, show, started, user_message
from neovim_support.editor import Editor
from neovim_support.review import open_file
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer

IMAGES = Path(__file__).parents[2] / "docs" / "images"
SESSION = "ses_1"
PROMPT = "Make the greeting louder, and tell everybody"


@pytest.fixture
def path(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    editor.command("set laststatus=2 noruler noshowcmd fillchars=eob:\\  background=dark showtabline=0")
    editor.command("set statusline=\\ %t")
    return open_file(editor, connected, project / "hello.py", 'def greet():\n    return "hello"\n')


def preview(project: Path, files: int) -> dict[str, Any]:
    def file(name: str, status: str, added: int = 0, deleted: int = 0, **more: str) -> dict[str, Any]:
        uri = (project / name).as_uri()
        return {"uri": uri, "status": status, "additions": added, "deletions": deleted, **more}

    return {
        "files": [
            file("hello.py", "restored", 2, 5),
            file("main.py", "conflict", reason="The same lines were changed since."),
            *(file(f"src/greetings/language{number}.py", "restored", 12, 3) for number in range(files)),
        ],
        "staged": [(project / "notes.md").as_uri()],
        "prompts": 3,
        "effects": [
            {
                "kind": "command",
                "text": "A command ran outside of a sandbox, and may have reached the network or other programs: "
                "git push origin main",
            }
        ],
    }


def open_preview(editor: Editor, server: ScriptedServer, project: Path, files: int = 1) -> None:
    server.answers["agent/session/new"] = lambda _: {"id": SESSION, "title": "Greeting", "agent": "build", "model": "m"}
    server.answers["agent/back/preview"] = lambda _: preview(project, files)
    editor.command("Placet new")
    editor.wait("vim.fn.bufwinid('^placet://chat/ses_1$') ~= -1")
    updates = [
        user_message("What is this?", "u1"),
        started("u1"),
        answer("m1", "u1"),
        chunk(0, "A greeting."),
        ended(turn="u1"),
        user_message(PROMPT, "u2"),
    ]
    show(editor, updates)
    editor.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid('^placet://chat/'))")
    editor.keys("Ggb")
    editor.wait("vim.api.nvim_win_get_config(0).relative ~= ''")


def test_a_picture_of_the_preview(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path, tmp_path: Path
) -> None:
    screen = Screen(editor.nvim, 100, 30)
    open_preview(editor, connected, project)
    text = screen.draw().text()
    directory = IMAGES if os.environ.get("PLACET_UPDATE_IMAGES") else tmp_path
    screen.save_svg(directory / "neovim-going-back.svg", "Placet in Neovim: going back to a prompt")
    assert "Placet: go back to here" in text
    assert f"Back to: {PROMPT}" in text
    assert "a  Talk and files  hides 3 prompts, restores 2 files, 1 file leaves the review" in text
    assert "t  Talk alone" in text
    assert "f  Files alone" in text
    assert "main.py  The same lines were changed since." in text
    assert "programs: git" in text
    assert "q cancel  ? keys" in text


@pytest.mark.parametrize("width", [80, 120])
def test_the_preview_of_many_files_fits_the_screen_with_the_choices_on_top(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path, tmp_path: Path, width: int
) -> None:
    screen = Screen(editor.nvim, width, 24)
    open_preview(editor, connected, project, files=100)
    lines = screen.draw().lines()
    screen.save_svg(tmp_path / "many.svg", "Placet in Neovim: going back over many files")
    assert any("Talk and files" in line for line in lines)
    assert any("Files alone" in line for line in lines)
    assert any("q cancel  ? keys" in line for line in lines)
    editor.keys("G")
    screen.wait_for("git push origin main")


def test_a_picture_of_the_keys(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path, tmp_path: Path
) -> None:
    screen = Screen(editor.nvim, 100, 30)
    open_preview(editor, connected, project)
    editor.keys("?")
    screen.wait_for("keys of going back")
    screen.save_svg(tmp_path / "keys.svg", "Placet in Neovim: the keys of going back")
    assert "go back: talk and files" in screen.text()


def test_a_picture_of_the_chat_after_going_back(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path, tmp_path: Path
) -> None:
    screen = Screen(editor.nvim, 120, 30)

    def go(params: dict[str, Any]) -> dict[str, Any]:
        connected.update({"kind": "session_back", "messageId": params["messageId"]})
        files = preview(project, 0)["files"]
        return {"files": files, "staged": [], "parts": [{"id": "p", "type": "text", "text": PROMPT}]}

    connected.answers["agent/back/go"] = go
    open_preview(editor, connected, project)
    editor.keys("a")
    screen.wait_for("You went back to here")
    editor.wait("vim.fn.bufname():match('^placet://prompt/') ~= nil")
    text = screen.draw().text()
    screen.save_svg(tmp_path / "went-back.svg", "Placet in Neovim: the chat after going back")
    assert text.count("Make the greeting louder") == 1
    assert any("back in talk and files: 1 file restored" in notice for notice in editor.notices())
    assert any("left as they are: main.py" in notice for notice in editor.notices())


def test_a_refusal_of_the_daemon_is_shown_and_the_input_stays_empty(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    connected.failures["agent/back/go"] = "The agent is at work. Stop the turn first, then go back."
    open_preview(editor, connected, project)
    editor.keys("a")
    editor.wait("vim.iter(_G.notices):any(function(notice) return notice:find('The agent is at work', 1, true) end)")
    assert editor.lua("return require('placet.compose').buffer_of('ses_1')") is None
