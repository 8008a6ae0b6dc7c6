"""The sandbox as a user of Neovim meets it, with the true daemon: reviews of commands, the ways out, the marks."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from neovim_support.daemon import SANDBOXED, current_session, page, use_daemon, wait_for_page, wait_for_session
from neovim_support.editor import Editor
from neovim_support.review import ASKED_HERE
from neovim_support.screen import Screen

OLD = "def area(w, h):\n    return w * h\n\n\n\n\n\n\n\n\n\n\ndef circle(r):\n    return 3.14 * r ** 2\n"
RENAME = "sed -i -e 's/w, h/width, height/' -e 's/3.14/pi/' shapes.py && echo renamed"
REASON = "The tool keeps its state in your home.\nAllow it, it is safe."
DONE: list[dict[str, Any]] = [{"text": "Done."}]


@pytest.fixture
def file(project: Path) -> Path:
    path = project / "shapes.py"
    path.write_text(OLD)
    return path


@pytest.fixture
def screen(editor: Editor) -> Screen:
    editor.command("set laststatus=0 noruler noshowcmd fillchars=eob:\\ ")
    return Screen(editor.nvim, 100, 30)


def bash(command: str, **arguments: Any) -> list[dict[str, Any]]:
    return [{"call": "bash", "arguments": {"command": command, **arguments}}]


def begin(editor: Editor, file: Path) -> str:
    """Start a turn, and return the session."""
    editor.open(file)
    editor.command("Placet go on")
    return wait_for_session(editor, "require('placet.sessions.known').running_turn(id)")


def test_a_change_by_a_contained_command_is_reviewed_and_accepted_in_part(
    editor: Editor, screen: Screen, file: Path, tmp_path: Path
) -> None:
    use_daemon(editor, tmp_path, bash(RENAME, description="Name the arguments"), DONE, **SANDBOXED)
    session = begin(editor, file)
    editor.wait(ASKED_HERE)
    assert file.read_text() == OLD, "nothing is on the disk before the answer"
    screen.wait_for("def area(width, height):")
    screen.save_svg(tmp_path / "review.svg", "Neovim")
    assert "● 1/2 Proposed, the agent waits" in screen.text()

    editor.keys("ga")
    editor.wait("vim.fn.line('.') > 10")
    editor.keys("gr")
    editor.wait("#_G.ended == 1")

    assert editor.lua("return _G.ended") == ["end_turn"]
    assert file.read_text() == editor.text() == OLD.replace("w, h", "width, height")
    editor.command("Placet chat")
    wait_for_page(editor, session, "sandboxed")
    screen.wait_for("Done.")
    screen.save_svg(tmp_path / "reviewed.svg", "Neovim")
    editor.command("Placet undo")
    editor.wait("_G.notices[#_G.notices]:find('Placet undo', 1, true)")
    assert file.read_text() == OLD


def test_the_question_to_leave_the_sandbox_quotes_the_models_reason(
    editor: Editor, screen: Screen, file: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "state"
    outside.mkdir()
    use_daemon(editor, tmp_path, bash(f"touch {outside}/made", outside=REASON), DONE, **SANDBOXED)
    session = begin(editor, file)
    screen.wait_for("Allow once")
    screen.save_svg(tmp_path / "leaving.svg", "Neovim")
    lines = [line.strip() for line in screen.lines()]
    assert any(line.startswith(f"$ touch {outside}"[:60]) for line in lines), lines
    assert "Run outside of the sandbox" in lines
    assert any(line.startswith("The model says: “The tool keeps its state") for line in lines), lines

    editor.keys("1<CR>")
    editor.wait("#_G.ended == 1")
    assert (outside / "made").exists()
    editor.command("Placet chat")
    wait_for_page(editor, session, "outside the sandbox")
    screen.wait_for("Done.")
    screen.save_svg(tmp_path / "left.svg", "Neovim")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_a_host_is_asked_while_the_command_waits(editor: Editor, screen: Screen, file: Path, tmp_path: Path) -> None:
    use_daemon(editor, tmp_path, bash("curl -sS http://host.invalid/x", description="Fetch x"), DONE, **SANDBOXED)
    begin(editor, file)
    screen.wait_for("Allow once")
    screen.save_svg(tmp_path / "host.svg", "Neovim")
    lines = [line.strip() for line in screen.lines()]
    assert "$ curl -sS http://host.invalid/x" in lines
    assert "Connect to host.invalid:80" in lines
    assert editor.lua("return #_G.ended") == 0

    reject = next(line for line in lines if line.endswith("Reject")).partition(":")[0]
    editor.keys(f"{reject}<CR>")
    editor.wait("#_G.ended == 1")
    assert editor.lua("return _G.ended") == ["end_turn"]
    assert "sandbox refuses the connection to host.invalid:80" in page(editor, current_session(editor))
