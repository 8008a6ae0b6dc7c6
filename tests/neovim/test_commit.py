"""`:Placet commit`: into the buffer that git opened, or shown beside it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from neovim_support.editor import Editor
from neovim_support.scripted_server import ScriptedServer

TEXT = "Rename greet\n\nThe old name said nothing."
REMARKS = "# Please enter the commit message for your changes.\n# On branch main\n"


@pytest.fixture
def open_message(editor: Editor, connected: ScriptedServer, project: Path) -> Callable[[str], None]:
    """Open a commit's message as git does."""
    connected.answers["agent/commitMessage"] = lambda _: {"text": TEXT}

    def open_message(text: str) -> None:
        file = project / ".git" / "COMMIT_EDITMSG"
        file.write_text(text)
        editor.open(file)
        assert editor.lua("return vim.bo.filetype") == "gitcommit"

    return open_message


def test_the_message_stands_above_the_remarks_of_git(
    editor: Editor, connected: ScriptedServer, project: Path, open_message: Callable[[str], None]
) -> None:
    open_message("\n" + REMARKS)

    editor.command("Placet commit")
    editor.wait("vim.fn.getline(1) == 'Rename greet'")

    assert connected.wait_for("agent/commitMessage") == {"root": project.as_uri()}
    assert editor.text() == f"{TEXT}\n\n{REMARKS}"
    assert editor.lua("return #vim.api.nvim_tabpage_list_wins(0)") == 1
    editor.command("undo")
    assert editor.text() == "\n" + REMARKS


def test_what_is_written_already_stays_and_the_message_is_shown(
    editor: Editor, open_message: Callable[[str], None]
) -> None:
    open_message("Mine\n" + REMARKS)

    editor.command("Placet commit")
    editor.wait("vim.api.nvim_buf_get_name(0):match('^placet%-commit://')")

    assert editor.text().strip() == TEXT
    editor.keys("q")
    editor.wait("vim.fn.expand('%:t') == 'COMMIT_EDITMSG'")
    assert editor.text() == "Mine\n" + REMARKS


def test_in_any_other_buffer_it_is_shown(editor: Editor, open_message: Callable[[str], None], project: Path) -> None:
    open_message("")
    editor.open(project / "a.py")

    editor.command("Placet commit")
    editor.wait("vim.api.nvim_buf_get_name(0):match('^placet%-commit://')")

    assert editor.text().strip() == TEXT
