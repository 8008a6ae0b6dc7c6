"""Neovim tells when a prompt is near, so that the model host can be awake by then."""

from pathlib import Path

import pytest

from neovim_support.editor import Editor
from neovim_support.scripted_server import ScriptedServer


@pytest.fixture
def opened(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    file = project / "a.txt"
    file.write_text("one\n")
    editor.open(file)
    connected.wait_for_document(file.as_uri())
    return file


def test_the_daemon_hears_that_the_editor_has_the_focus(
    editor: Editor, connected: ScriptedServer, opened: Path
) -> None:
    editor.command("doautocmd FocusGained")

    assert connected.wait_for("agent/didFocus") == {"uri": opened.as_uri()}


@pytest.mark.usefixtures("opened")
def test_the_daemon_hears_once_that_a_prompt_is_being_typed(editor: Editor, connected: ScriptedServer) -> None:
    editor.keys(":Placet mend the parser<Esc>")
    editor.command("doautocmd FocusGained")

    heard: list[str] = []
    while "agent/didFocus" not in heard:
        heard.append(connected.next_message()["method"])
    assert heard.count("agent/didType") == 1
