"""What the daemon tells the user by `window/showMessage`, in Neovim's own messages and in a plugin's."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from neovim_support.editor import Editor
from neovim_support.screen import Screen

BARRED = ("bwrap", "--dev-bind", "/", "/", "--unshare-user", "--disable-userns", "--")
LONG = "Placet: Commands run without a sandbox: " + "the reason is long " * 20
SHOW = "vim.schedule_wrap(require('placet.ui.notice').show)(...)"


@pytest.fixture
def screen(editor: Editor) -> Screen:
    editor.lua("vim.notify = _G.own_notify")
    return Screen(editor.nvim, 100, 12)


@pytest.mark.parametrize("text", [LONG, f"{LONG}\nAnother line.", "文" * 200])
def test_a_long_notice_stops_neovim_at_no_prompt_and_is_whole_in_messages(
    editor: Editor, screen: Screen, text: str
) -> None:
    editor.lua(SHOW, text, 2)
    screen.wait_for("… (:messages)")
    assert editor.lua("return vim.api.nvim_get_mode()") == {"mode": "n", "blocking": False}
    assert text.replace("\n", "") in editor.messages().replace("\n", "")


def test_a_short_notice_is_shown_as_it_is(editor: Editor, screen: Screen) -> None:
    editor.lua(SHOW, "Placet: a word\x1b[2K", 3)
    screen.wait_for("Placet: a word\\u001b[2K")


def test_a_plugin_for_notices_has_the_whole_text(editor: Editor) -> None:
    editor.lua(SHOW, LONG, 2)
    editor.wait("#_G.notices == 1")
    assert editor.notices() == [LONG]


def can_bar() -> bool:
    """Return whether the system can play a machine without namespaces."""
    return bool(shutil.which("bwrap")) and subprocess.run([*BARRED, "true"], check=False).returncode == 0


@pytest.mark.skipif(not can_bar(), reason="needs bubblewrap 0.8 or later")
def test_the_lack_of_a_sandbox_is_told_below_a_chat_that_goes_on(
    editor: Editor, screen: Screen, project: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script.json"
    call = {"call": "bash", "arguments": {"command": "ls"}}
    script.write_text(json.dumps({"turns": [{"events": [call]}, {"events": [{"text": "It is done."}]}]}))
    command = [*BARRED, sys.executable, "-m", "placet", "--stdio"]
    editor.lua(
        "vim.g.placet = { review = { mode = 'ask' }, cmd = ..., settings = select(2, ...) }",
        command,
        {"model": f"scripted/{script}"},
    )
    editor.open(project / "a.txt")
    editor.command("Placet look")
    screen.wait_for("Placet: The sandbox holds commands only in part: bubblewrap cannot make… (:messages)")
    editor.command("Placet chat")
    screen.wait_for("It is done.")
    screen.save_svg(tmp_path / "notice.svg", "Neovim")
