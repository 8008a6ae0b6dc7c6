"""A fresh Neovim, or one whose daemon died, asks the daemon before it says that nothing waits. Real daemon."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from corpus_support import corpus, rows
from neovim_support.daemon import kill_daemon, prompt, use_wire
from neovim_support.editor import Editor, open_editor
from neovim_support.model import WireModel, wire_model
from neovim_support.screen import Screen
from time_support import wait_seconds
from wire_servers.answers import Answer, Call, Text


def proposal(path: Path) -> tuple[Answer, ...]:
    edit = Call("edit", {"filePath": str(path), "oldString": "line 3\n", "newString": "line three\n"})
    return (Call("read", {"filePath": str(path)}),), (edit,), (Text("Proposed."),)


@pytest.fixture
def path(project: Path) -> Path:
    path = project / "a.txt"
    path.write_text("".join(f"line {number}\n" for number in range(1, 9)))
    return path


@contextmanager
def later_editor(project: Path, path: Path, model: WireModel) -> Generator[Editor]:
    """A Neovim that is started after another one was left; the file is open, and no daemon runs."""
    with open_editor(project) as editor:
        use_wire(editor, model, way="stage")
        editor.open(path)
        assert editor.lua("return #vim.lsp.get_clients({ name = 'placet' })") == 0
        yield editor


def leave_changes(editor: Editor, model: WireModel, path: Path) -> None:
    """Have a hunk proposed, and leave the daemon without a decision."""
    use_wire(editor, model, way="stage")
    editor.open(path)
    prompt(editor, "write three out")
    editor.wait("require('placet').details().proposed == 1")
    kill_daemon(editor)


LAST = "(_G.notices[#_G.notices] or '')"
SHOWN_ONLY_NOW = f"{LAST}:find('1 proposed, shown only now: nothing is decided', 1, true)"
FLOAT = "vim.api.nvim_win_get_config(0).relative ~= '' and vim.fn.search('a.txt', 'nw') > 0"
COMMANDS = {
    "Placet review": FLOAT,
    "Placet change-set": FLOAT,
    "Placet accept": SHOWN_ONLY_NOW,
    "Placet accept all": SHOWN_ONLY_NOW,
    "Placet reject file": SHOWN_ONLY_NOW,
    "Placet undo": f"{LAST}:find('There is no applied change to take back', 1, true)",
    "Placet redo": f"{LAST}:find('There is no undo to take back', 1, true)",
    "Placet changes": f"{LAST}:find('the session has changed no files', 1, true)",
    "checkhealth placet": "vim.fn.search('changes to review: 1 file in 1 session', 'nw') > 0",
}
"""What each command leads to where a proposed hunk waits."""


def check(editor: Editor, command: str) -> None:
    editor.lua("_G.notices = {}")
    editor.lua(
        "local health = require('placet.health'); health.start_ms, health.answer_ms = ..., ...",
        int(wait_seconds() * 1000),
    )
    editor.command(command)
    editor.wait(COMMANDS[command])


def test_commands_about_changes_ask_a_daemon_in_a_fresh_neovim(editor: Editor, project: Path, path: Path) -> None:
    with wire_model(*proposal(path)) as model, rows() as failures:
        leave_changes(editor, model, path)
        for command in COMMANDS:
            with failures.row(command), later_editor(project, path, model) as later:
                check(later, command)
    assert "line 3\n" in path.read_text()


def test_commands_about_changes_ask_a_new_daemon_after_one_has_died(editor: Editor, path: Path) -> None:
    with wire_model(*proposal(path)) as model, rows() as failures:
        leave_changes(editor, model, path)
        for command in COMMANDS:
            with failures.row(command):
                check(editor, command)
                editor.command("silent! fclose! | silent! only | cclose")
                kill_daemon(editor)
    assert "line 3\n" in path.read_text()


def test_the_hunks_that_were_shown_only_now_are_accepted_by_the_next_command(
    editor: Editor, project: Path, path: Path
) -> None:
    with wire_model(*proposal(path)) as model:
        leave_changes(editor, model, path)
        with later_editor(project, path, model) as later:
            screen = Screen(later.nvim)
            later.command("3")
            check(later, "Placet accept")
            assert "line three" in screen.settle().text()
            later.command("Placet accept")
            later.wait("vim.fn.getline(3) == 'line three'")
    assert "line three\n" in path.read_text()


def test_a_project_without_a_session_is_told_so_after_the_daemon_was_asked(
    editor: Editor, project: Path, path: Path
) -> None:
    with wire_model() as model, rows() as failures:
        for command, words in {
            "Placet review": "no pending requests, and no changes to review",
            "Placet accept": "no changes to review",
            "Placet undo": "nothing to undo",
            "Placet redo": "nothing to redo",
            "Placet changes": "this project has no session yet",
        }.items():
            with failures.row(command), later_editor(project, path, model) as later:
                later.command(command)
                later.wait(f"{LAST}:find(..., 1, true)", words)
                assert later.lua("return #vim.lsp.get_clients({ name = 'placet' })") == 1


# ---------------------------------------------------------------- at the opening of a project


def told(editor: Editor) -> list[str]:
    """What is said once everything scheduled so far has run."""
    editor.lua("_G.is_over = false; vim.schedule(function() _G.is_over = true end)")
    editor.wait("_G.is_over")
    return [text for text in editor.notices() if "to review" in text]


def write_index(near: Path, **folders: dict[str, int]) -> Path:
    index = near.parent / "home" / "data" / "placet" / "to-review.json"
    index.parent.mkdir(parents=True, exist_ok=True)
    uris = {(near.parent / name).as_uri(): folder for name, folder in folders.items()}
    index.write_text(json.dumps({"version": 1, "folders": uris}))
    return index


def test_opening_a_project_with_waiting_changes_says_so_once_and_starts_no_daemon(
    editor: Editor, project: Path, path: Path
) -> None:
    with wire_model(*proposal(path)) as model:
        leave_changes(editor, model, path)
        with open_editor(project) as later:
            Screen(later.nvim)
            use_wire(later, model, way="stage")
            later.open(path)
            assert told(later) == ["Placet: 1 file to review; :Placet review shows them"]
            later.open(project / "b.txt")
            later.command("doautocmd VimEnter")
            assert len(told(later)) == 1
            assert later.lua("return #vim.lsp.get_clients({ name = 'placet' })") == 0


def test_the_files_of_several_sessions_are_told_in_a_line_that_fits_80_columns(editor: Editor, project: Path) -> None:
    write_index(project, project={"files": 1234, "sessions": 12})
    Screen(editor.nvim, 80, 24)
    editor.open(project / "a.txt")
    [line] = told(editor)
    assert line == "Placet: 1234 files in 12 sessions to review; :Placet review shows them"


@corpus("index", ["", "{", "[]", '{"version": 2, "folders": {}}', '{"version": 1, "folders": {}}', "null"])
def test_an_index_that_says_nothing_is_no_news(index: str, project: Path) -> None:
    write_index(project).write_text(index)
    with open_editor(project) as editor:
        Screen(editor.nvim)
        editor.open(project / "a.txt")
        assert told(editor) == []
        assert editor.messages() == ""


def test_changes_of_another_project_are_no_news(editor: Editor, project: Path) -> None:
    write_index(project, other={"files": 1, "sessions": 1})
    Screen(editor.nvim)
    editor.open(project / "a.txt")
    assert told(editor) == []
