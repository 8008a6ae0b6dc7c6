"""Suggestions at the cursor with the real daemon and a server that fills holes."""

from pathlib import Path
from typing import Any

from corpus_support import rows
from neovim_support.daemon import use_daemon
from neovim_support.editor import Editor
from neovim_support.fill import FillModel, fill_model
from neovim_support.screen import Screen
from wire_servers.fill_server import FillAnswer, FillRequest

Json = dict[str, Any]
START = "from math import pi\n\n\nclass Circle:\n    def __init__(self, radius):\n        self.radius = radius\n\n"
TYPED = "    def area(self):"
BODY = "\n        return pi * self.radius ** 2"
SAID = "(_G.notices[#_G.notices] or ''):find(..., 1, true) ~= nil"
KEY = "vim.fn.maparg('<M-Bslash>', 'i', false, true).desc == 'Placet: ask for a suggestion'"


def answer(request: FillRequest) -> FillAnswer:
    """Fill the body of the area; the small text of the daemon's measure gets another text."""
    if "Circle" not in str(request.body):
        return FillAnswer(["sorted(numbers)[0]"])
    ahead = str(request.body["prompt"])
    text = f"{TYPED.strip()}{BODY}"
    return FillAnswer([text[len(ahead.strip()) :] if text.startswith(ahead.strip()) else BODY])


def start(editor: Editor, project: Path, model: FillModel, text: str = START, **settings: Any) -> Path:
    """Open a file with the daemon, and wait until the daemon completes."""
    use_daemon(editor, project.parent, **model.settings, **settings)
    path = project / "circle.py"
    path.write_text(text, "utf-8")
    editor.open(path)
    editor.command("Placet status")
    editor.wait(SAID, "inline completion: ")
    editor.wait(KEY)
    return path


def test_a_suggestion_of_the_daemon_is_drawn_and_accepted(editor: Editor, project: Path, tmp_path: Path) -> None:
    screen = Screen(editor.nvim, 80, 16)
    with fill_model(answer) as model:
        start(editor, project, model)
        editor.keys(f"Go{TYPED}")
        editor.wait("vim.fn.getline('.'):find('def area', 1, true) ~= nil")
        editor.keys("<M-Bslash>")
        screen.wait_for("return pi * self.radius ** 2")
        screen.save_svg(tmp_path / "suggestion.svg", "A suggestion at the cursor")
        assert (
            "\n".join(screen.draw().lines()[3:9]) == f"{START.split(chr(10), 3)[3].rstrip()}\n\n{TYPED}{BODY}".strip()
        )
        assert "return" not in editor.text()
        editor.keys("<Tab>")
        editor.wait("vim.api.nvim_get_current_line() == ...", BODY.removeprefix("\n"))
        assert editor.text() == f"{START}{TYPED}{BODY}\n"


def test_the_states_of_the_daemon_are_told(editor: Editor, project: Path) -> None:
    steps = [
        ("completion", "Placet completion: on, with mine/qwen2.5-coder"),
        ("completion snooze 5", "Placet completion: on your key only: snoozed, with mine/qwen2.5-coder"),
        ("completion on", "Placet completion: on, with mine/qwen2.5-coder"),
        ("status", "inline completion: on, with mine/qwen2.5-coder"),
    ]
    with fill_model(answer) as model:
        start(editor, project, model)
        with rows() as failures:
            for command, said in steps:
                with failures.row(command):
                    editor.command(f"Placet {command}")
                    editor.wait(SAID, said)


def test_the_daemon_takes_a_dismissal(editor: Editor, project: Path) -> None:
    with fill_model(answer) as model:
        start(editor, project, model)
        screen = Screen(editor.nvim, 80, 16)
        editor.keys(f"Go{TYPED}<M-Bslash>")
        screen.wait_for("return pi")
        editor.keys("<C-]>")
        editor.wait("vim.tbl_isempty(vim.lsp.get_clients({ name = 'placet' })[1].requests)")
        assert "return pi" not in screen.draw().text()
        assert editor.notices()[1:] == [], "the daemon answers a wrong message with an error, which is shown"


def test_without_a_model_nothing_is_mapped_and_the_state_gives_the_reason(editor: Editor, project: Path) -> None:
    use_daemon(editor, project.parent)
    path = project / "a.py"
    path.write_text("x\n")
    editor.open(path)
    editor.command("Placet completion")
    editor.wait(SAID, "Placet completion: off: no model is set (`completion.model`)")
    editor.keys("oy = ")
    editor.wait("vim.fn.getline(2) == 'y = '")
    assert editor.lua(f"return {KEY}") is False
    assert editor.lua("return vim.fn.getcompletion('placet.inline_completion', 'augroup')") == []


def test_a_forbidden_file_is_not_sent_and_the_key_says_why(editor: Editor, project: Path) -> None:
    with fill_model(answer) as model:
        start(editor, project, model, permission={"read": {"circle.py": "deny"}})
        editor.keys(f"Go{TYPED}<M-Bslash>")
        editor.wait(SAID, "Placet: no suggestion here. Inline completion: on, with mine/qwen2.5-coder; nothing in")
        assert not [request for request in model.requests if "Circle" in str(request.body)]
