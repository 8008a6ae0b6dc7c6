"""The floating window with a session's change set, and the picker of the way of reviewing."""

from pathlib import Path

import pytest

from neovim_support.change_set import SESSION, PlayedChangeSet, created, listed
from neovim_support.daemon import choose
from neovim_support.editor import Editor
from neovim_support.review import hunk
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer


@pytest.fixture
def changes(editor: Editor, connected: ScriptedServer, path: Path, project: Path) -> PlayedChangeSet:
    changes = PlayedChangeSet(editor, connected)
    connected.answers["agent/session/load"] = lambda params: {"session": {"id": params["sessionId"]}, "events": []}
    changes.begin()
    changes.stage(listed(path), created(project / "new.py", "new\n"))
    return changes


def open_window(editor: Editor) -> None:
    editor.command("Placet review")
    editor.wait("vim.api.nvim_win_get_config(0).relative ~= ''")


def test_the_window_counts_the_hunks_of_each_file(editor: Editor, changes: PlayedChangeSet, screen: Screen) -> None:
    open_window(editor)
    lines = [" ".join(line.split()) for line in editor.text().splitlines()]
    assert lines == ["Proposed 2 files, 3 hunks", "shapes.py +3 -3 2 hunks", "new.py +1 -0 new file"]
    assert "? keys" in screen.draw().text()
    assert editor.lua("return vim.wo.cursorline") is True


@pytest.mark.parametrize(
    ("permissions", "words"), [("executable", "new file, made executable"), ("600", "new file, permissions 600")]
)
def test_the_window_names_the_permissions_of_a_new_file(
    editor: Editor, changes: PlayedChangeSet, project: Path, permissions: str, words: str
) -> None:
    changes.stage({**created(project / "new.py", "new\n"), "permissions": permissions})
    open_window(editor)
    assert editor.text().splitlines()[-1].endswith(words)


def test_the_keys_act_on_the_file_under_the_cursor_and_the_window_follows(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path
) -> None:
    open_window(editor)
    changes.after = changes.files[:1]
    editor.keys("ja")
    [decision] = changes.wait_for_decision()
    assert (decision["uri"], decision["outcome"]) == ((project / "new.py").as_uri(), "accept")
    editor.wait("vim.fn.line('$') == 2")

    changes.after = []
    editor.keys("r")
    [decision] = changes.wait_for_decision(2)
    assert (decision["uri"], decision["outcome"]) == (path.as_uri(), "reject")
    editor.wait("vim.api.nvim_get_current_line() == ' No changes to review '")
    editor.keys("q")
    editor.wait("vim.api.nvim_win_get_config(0).relative == ''")


def test_all_files_are_accepted_from_the_window(editor: Editor, changes: PlayedChangeSet) -> None:
    open_window(editor)
    editor.keys("A")
    assert len(changes.wait_for_decision()) == 2
    editor.wait("_G.notices[#_G.notices] == 'Placet: 3 hunks in 2 files accepted'")


def test_all_files_are_rejected_from_the_window_after_a_question(editor: Editor, changes: PlayedChangeSet) -> None:
    choose(editor, "Reject and undo all")
    open_window(editor)
    editor.keys("R")
    assert {decision["outcome"] for decision in changes.wait_for_decision()} == {"reject"}


def test_a_comment_on_a_file_goes_with_the_decision(editor: Editor, changes: PlayedChangeSet) -> None:
    editor.lua("vim.ui.input = function(_, use) use('in words, please') end")
    open_window(editor)
    editor.keys("c")
    editor.wait("vim.api.nvim_get_current_line():find('with a comment', 1, true)")
    editor.keys("r")
    assert changes.wait_for_decision()[0]["comment"] == "in words, please"


def test_a_comment_on_a_file_is_sent_without_a_decision(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    changes.outcome = {"status": "commented"}
    editor.lua("vim.ui.input = function(options, use) _G.asked = options; use('in words, please') end")
    open_window(editor)
    editor.keys("C")
    [decision] = changes.wait_for_decision()
    assert decision == {
        "uri": path.as_uri(),
        "version": changes.files[0]["version"],
        "outcome": "comment",
        "comment": "in words, please",
    }
    assert editor.lua("return _G.asked.prompt") == "Comment on shapes.py: "
    assert editor.lua("return vim.fn.line('$')") == 3, "both files are still listed"


def test_the_file_is_opened_at_its_first_hunk(
    editor: Editor, changes: PlayedChangeSet, project: Path, screen: Screen
) -> None:
    other = project / "other.py"
    other.write_text("one\ntwo\nthree\n")
    changes.stage(listed(other, [hunk(1, 2, ["three\n"], 2, ["four\n"])]))
    open_window(editor)
    editor.keys("<CR>")
    editor.wait("vim.fn.expand('%:t') == 'other.py' and vim.api.nvim_win_get_cursor(0)[1] == 3")
    assert "four" in screen.draw().text()
    assert editor.lua("return #vim.api.nvim_list_wins()") == 1


def test_both_texts_and_the_list_are_a_key_away(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    changes.stage(listed(path, oldText="old\n", newText="new\n"))
    open_window(editor)
    editor.keys("d")
    editor.wait("vim.wo.diff")
    editor.command("tabclose")
    open_window(editor)
    editor.keys("l")
    editor.wait("#vim.fn.getqflist() == 2")


def test_the_keys_are_listed(editor: Editor, changes: PlayedChangeSet, screen: Screen) -> None:
    open_window(editor)
    editor.keys("?")
    screen.wait_for("keys of the changes to review")
    text = screen.text()
    for does in ("accept or keep all hunks of the file", "choose the way of reviewing", "quickfix list"):
        assert does in text


def test_the_way_of_reviewing_is_picked_in_plain_words(
    editor: Editor, changes: PlayedChangeSet, connected: ScriptedServer
) -> None:
    choose(editor, "Apply changes")
    open_window(editor)
    editor.keys("m")

    editor.wait("require('placet').details().review == 'apply'")
    [asked] = editor.lua("return _G.asked")
    assert [line.strip("* ") for line in asked["lines"]] == [
        "Ask before each change",
        "Collect changes for review",
        "Apply changes, review afterwards",
    ]
    assert editor.notices()[-1] == "Placet: Apply changes, review afterwards"


@pytest.mark.parametrize("mode", ["ask", "stage", "apply"])
def test_the_way_of_reviewing_is_set_by_name(
    editor: Editor, changes: PlayedChangeSet, connected: ScriptedServer, mode: str
) -> None:
    assert editor.lua("return vim.fn.getcompletion('Placet review-mode ', 'cmdline')") == ["ask", "stage", "apply"]
    editor.command(f"Placet review-mode {mode}")
    editor.wait("require('placet').details().review == ...", mode)


def test_the_window_of_the_prompt_names_the_way_of_reviewing(editor: Editor, changes: PlayedChangeSet) -> None:
    screen = Screen(editor.nvim, 160)
    editor.command("Placet review-mode apply")
    editor.wait("require('placet').details().review == 'apply'")
    editor.command("Placet ask")
    editor.wait("vim.api.nvim_buf_get_name(0):match('^placet://prompt')")
    screen.wait_for("Apply changes, review afterwards")


def test_a_way_of_reviewing_that_another_client_chose_is_named_at_once(
    editor: Editor, connected: ScriptedServer, changes: PlayedChangeSet
) -> None:
    screen = Screen(editor.nvim, 160)
    editor.command("Placet ask")
    editor.wait("vim.api.nvim_buf_get_name(0):match('^placet://prompt')")
    screen.wait_for("Collect changes for review")
    connected.update({"kind": "review_mode_update", "review": "ask"})
    screen.wait_for("Ask before each change")
    assert editor.lua("return require('placet').details().review") == "ask"


def test_without_a_change_the_user_is_told(editor: Editor, changes: PlayedChangeSet) -> None:
    changes.stage()
    editor.command("Placet review")
    editor.wait("_G.notices[#_G.notices] == 'Placet: no pending requests, and no changes to review'")
    editor.command("Placet change-set")
    editor.wait("_G.notices[#_G.notices] == 'Placet: no changes to review'")


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ("{}", "stage"),
        ("{ review = { mode = 'apply' } }", "apply"),
        ("{ review = { mode = 'default' } }", None),
        ("{ settings = { review = 'ask' } }", None),
        ("{ review = { mode = 'stage' }, settings = { review = 'ask' } }", "stage"),
    ],
)
def test_a_new_session_has_the_way_of_reviewing_of_the_options(
    editor: Editor, connected: ScriptedServer, path: Path, options: str, asked: str | None
) -> None:
    chosen: list[str] = []
    connected.answers["agent/session/setReview"] = lambda params: chosen.append(params["review"]) or {"id": SESSION}
    changes = PlayedChangeSet(editor, connected)
    editor.lua(f"require('placet').setup({options})")

    changes.begin()

    assert chosen == ([asked] if asked else [])


def test_a_daemon_without_a_way_of_reviewing_begins_the_session_all_the_same(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    connected.failures["agent/session/setReview"] = "unknown method"
    changes = PlayedChangeSet(editor, connected)

    changes.begin()

    assert editor.notices() == ["Placet: unknown method"]
