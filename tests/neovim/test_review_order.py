"""Reviews of many files go in order, say where the user is, list the files, and are not forgotten by `:qa`."""

from pathlib import Path

import pytest

from neovim_support.change_set import PlayedChangeSet, listed
from neovim_support.editor import Editor
from neovim_support.review import OLD, SIZES, here, open_file, sized
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer

NAMES = ["zebra.py", "b/two.py", "a.py", "m.py"]
IN_ORDER = ["a.py", "b/two.py", "m.py", "zebra.py"]


@pytest.fixture
def files(project: Path) -> list[Path]:
    (project / "b").mkdir()
    for name in NAMES:
        (project / name).write_text(OLD)
    return [project / name for name in NAMES]


@pytest.fixture
def path(editor: Editor, connected: ScriptedServer, files: list[Path]) -> Path:
    """The file in the window: the third by path."""
    return open_file(editor, connected, files[3])


@SIZES
def test_a_change_set_goes_by_path_and_each_hunk_says_where_it_is(
    editor: Editor, changes: PlayedChangeSet, path: Path, files: list[Path], width: int, height: int
) -> None:
    screen = sized(editor, width, height)
    changes.stage(*(listed(file) for file in files))
    editor.command("normal! gg")
    assert "● file 3/4, hunk 1/2 Proposed" in screen.draw().text()

    visited: list[str] = []
    for _ in range(8):
        editor.command("call feedkeys(']h', 'mx')")
        visited.append(here(editor))
    assert visited == ["m.py", "zebra.py", "zebra.py", "a.py", "a.py", "two.py", "two.py", "m.py"]
    assert "● file 3/4, hunk 1/2 Proposed" in screen.draw().text()


@SIZES
def test_the_list_of_files_has_the_current_file_first_and_the_others_by_path(
    editor: Editor, changes: PlayedChangeSet, path: Path, files: list[Path], width: int, height: int
) -> None:
    screen = sized(editor, width, height)
    changes.stage(*(listed(file) for file in files))
    editor.command("Placet review")
    for name in IN_ORDER:  # The window is drawn line by line.
        screen.wait_for(f" {name} ")
    rows = [next(i for i, line in enumerate(screen.lines()) if f" {name} " in line) for name in IN_ORDER]
    assert rows[2] < rows[0] < rows[1] < rows[3]
    assert screen.cursor[0] == rows[2]
    assert max(map(len, screen.lines())) <= width


def test_a_change_that_waits_begins_with_the_current_file_and_goes_on_by_path(
    editor: Editor, changes: PlayedChangeSet, path: Path, files: list[Path], screen: Screen
) -> None:
    changes.ask(*(listed(file) for file in files), title="Edit 4 files")
    editor.command("Placet review")
    visited: list[str] = [here(editor)]
    for _ in range(8):
        editor.command("call feedkeys(']c', 'mx')")
        visited.append(here(editor))
    assert visited == ["m.py", "m.py", "zebra.py", "zebra.py", "a.py", "a.py", "two.py", "two.py", "m.py"]
    assert "● file 3/4, hunk 1/2 Proposed, the agent waits" in screen.draw().text()


def held_back(editor: Editor, command: str = "qa") -> None:
    """Give the command, confirm Neovim's own message, and wait until the list is shown."""
    editor.keys(f":{command}<CR>")
    while not editor.nvim.request("nvim_get_mode")["blocking"]:
        pass
    editor.keys("<CR>")
    editor.wait("vim.api.nvim_buf_get_name(0) == 'placet://waiting'")


@SIZES
def test_leaving_with_hunks_to_review_says_what_waits_once(
    editor: Editor, changes: PlayedChangeSet, path: Path, files: list[Path], width: int, height: int
) -> None:
    screen = sized(editor, width, height)
    changes.stage(*(listed(file) for file in files))

    held_back(editor)
    text = screen.draw().text()
    assert "8 proposed in 4 files" in text
    assert "b/two.py  +3 -3" in text
    assert "`:qa` again, or `:qa!`, leaves Neovim; `q` goes back." in text
    editor.command("call feedkeys('q', 'mx')")
    assert here(editor) == "m.py"
    assert editor.lua("return vim.fn.bufexists('placet://waiting')") == 0

    changes.stage(listed(files[0]))
    held_back(editor)
    editor.nvim.send("nvim_command", "qa")
    editor.nvim.wait_for_end()


@pytest.mark.parametrize("command", ["wqa", "xa", "wqall", "xall"])
def test_writing_all_and_leaving_writes_and_then_says_what_waits_once(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen, command: str
) -> None:
    changes.stage(listed(path))
    editor.keys("Omine<Esc>")
    held_back(editor, command)
    assert path.read_text().startswith("mine\n")
    assert "2 proposed in 1 file" in screen.draw().text()
    editor.nvim.send("nvim_command", command)
    editor.nvim.wait_for_end()


def test_writing_all_and_leaving_with_a_bang_leaves_at_once(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    changes.stage(listed(path))
    editor.keys("Omine<Esc>")
    editor.nvim.send("nvim_command", "wqa!")
    editor.nvim.wait_for_end()
    assert path.read_text().startswith("mine\n")


def test_leaving_with_a_request_of_the_agent_says_so_and_does_not_say_that_its_files_stay(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    changes.ask(listed(path))
    held_back(editor)
    text = screen.draw().text()
    assert "1 request of the agent; leaving rejects them." in text
    assert "They stay" not in text
    editor.nvim.send("nvim_command", "qa!")
    editor.nvim.wait_for_end()


def test_leaving_with_nothing_to_decide_asks_nothing(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    changes.stage(listed(path))
    changes.stage()
    editor.nvim.send("nvim_command", "qa")
    editor.nvim.wait_for_end()
