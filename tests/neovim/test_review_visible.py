"""A hunk under review is whole on the screen or says what is below, and is marked while the user types into it."""

from pathlib import Path

import pytest

from neovim_support.change_set import PlayedChangeSet, listed
from neovim_support.editor import Editor
from neovim_support.review import SIZES, hunk, open_file, sized
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer

LINES = [f"line {number}\n" for number in range(1, 61)]
OLD = "".join(LINES)


def grown(number: int, row: int, by: int) -> dict[str, object]:
    """A hunk that replaces a row by its own text in capitals and some more lines."""
    new = [LINES[row].upper(), *(f"more {line} of {number}\n" for line in range(1, by + 1))]
    return hunk(number, row, [LINES[row]], row, new)


HUNKS = [grown(1, 4, 1), grown(2, 19, 7), grown(3, 39, 40)]


def replaced(hunks: list[dict[str, object]]) -> str:
    lines = list(LINES)
    for one in reversed(hunks):
        lines[one["oldStart"] : one["oldStart"] + 1] = one["newLines"]  # type: ignore[misc, index, operator]
    return "".join(lines)


NEW = replaced(HUNKS)


@pytest.fixture
def path(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    return open_file(editor, connected, project / "a.txt", OLD)


def label(editor: Editor, screen: Screen, text: str) -> str:
    """The drawn line with the text, once it is drawn."""
    screen.wait_for(text)
    return next(line for line in screen.lines() if text in line)


@SIZES
@pytest.mark.parametrize("options", ["", "scrolloff=5", "nowrap number", "foldmethod=indent foldlevel=0"])
def test_a_hunk_that_is_gone_to_is_whole_on_the_screen(
    editor: Editor, changes: PlayedChangeSet, path: Path, width: int, height: int, options: str
) -> None:
    screen = sized(editor, width, height)
    changes.stage(listed(path, HUNKS))
    editor.command(f"set {options}" if options else "")
    for number in (1, 2):
        editor.command("call feedkeys(']h', 'mx')")
        text = screen.draw().text()
        assert f"● {number}/3 Proposed" in text
        assert f"more {1 if number == 1 else 7} of {number}" in text
    assert "more 7 of 2" in screen.draw().text()


@SIZES
def test_a_hunk_that_is_higher_than_the_screen_says_how_many_lines_are_below(
    editor: Editor, changes: PlayedChangeSet, path: Path, width: int, height: int
) -> None:
    screen = sized(editor, width, height)
    changes.ask(listed(path, HUNKS), title="Edit a.txt")
    editor.command("Placet review")
    editor.command("call feedkeys(']c]c', 'mx')")
    said = label(editor, screen, "more lines below")
    shown = max(number for number in range(1, 41) if f"more {number} of 3" in screen.text())
    assert f"line 40  ↓ {40 - shown} more lines below" in said
    assert "● 3/3" in said

    editor.command(r'call feedkeys("\<C-y>", "mx")')
    assert f"↓ {41 - shown} more lines below" in label(editor, screen, "more lines below")
    changes.cancel()
    editor.wait("require('placet').details().proposed == 0")
    assert "more lines below" not in screen.draw().text()


def test_the_deleted_lines_above_an_unreviewed_hunk_are_on_the_screen_too(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    path.write_text(NEW)
    editor.command("edit!")
    screen = sized(editor, 80, 24)
    written = [
        hunk(1, 30, [f"gone {number}\n" for number in range(1, 9)], 30, [NEW.splitlines(keepends=True)[30]]),
    ]
    changes.stage(listed(path, written, "unreviewed"))
    editor.command("normal! gg")
    editor.command("call feedkeys(']h', 'mx')")
    text = screen.draw().text()
    assert all(f"gone {number}" in text for number in range(1, 9))


def test_typing_inside_a_hunk_marks_it_and_no_other_and_undo_unmarks_it(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    screen = sized(editor, 80, 40)
    changes.stage(listed(path, HUNKS[:2]))
    editor.keys("5GAxx")
    said = label(editor, screen, "conflict")
    assert "line 5xx" in said
    assert "● 1/2: conflict with your text" in said
    assert "● 2/2 Proposed" in screen.text()
    assert screen.text().count("conflict") == 1
    editor.keys("y" * 60)
    screen.wait_for("line 5xx" + "y" * 60)
    editor.keys("<BS>" * 62)
    editor.wait("vim.api.nvim_get_current_line() == 'line 5'")
    assert "conflict" not in screen.draw().text()


def in_conflict(number: int, present: str) -> dict[str, object]:
    """Return the hunk as the daemon lists the hunk after the user has changed the line."""
    return {**HUNKS[number], "oldLines": [present], "baseLines": HUNKS[number]["oldLines"]}


def test_a_hunk_in_conflict_is_told_once_and_the_other_hunks_are_accepted_without_it(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    screen = sized(editor, 100, 40)
    changes.stage(listed(path, HUNKS))
    changes.files = [listed(path, [in_conflict(0, "line 5xx\n"), *HUNKS[1:]])]
    editor.keys("5GAxx<Esc>")
    assert "● 1/3: conflict with your text" in label(editor, screen, "conflict with")
    assert "LINE 5" in screen.text()
    editor.keys("x")
    editor.keys("u")
    assert editor.notices() == ["Placet: a.txt: you have changed the lines of 1 hunk; `:Placet edit` there"]
    editor.command("Placet accept all")
    decisions = changes.wait_for_decision()
    assert [(decision["outcome"], decision.get("hunks")) for decision in decisions] == [
        ("accept", [2]),
        ("accept", [3]),
    ]


def test_a_hunk_in_conflict_is_settled_by_the_proposal_the_typing_or_a_text_without_markers(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    editor.command("normal! 5GAxx")
    changes.stage(listed(path, [in_conflict(0, "line 5xx\n")]))
    editor.lua(
        "vim.ui.select = function(items, options, choose) _G.asked = options.prompt; choose(items[_G.chosen]) end"
    )
    ways = [("Placet accept", 1, "accept"), ("Placet accept", 2, "reject"), ("Placet reject", 0, "reject")]
    for count, (command, chosen, outcome) in enumerate(ways, start=1):
        editor.lua("_G.chosen = ...", chosen)
        editor.command("normal! 5G")
        editor.command(command)
        (decision,) = changes.wait_for_decision(count)
        assert (decision["outcome"], decision.get("hunks")) == (outcome, [1] if outcome == "accept" else None)
        changes.stage(listed(path, [in_conflict(0, "line 5xx\n")]))
    assert editor.lua("return _G.asked") == "You have changed these lines too:"
    editor.command("normal! 5G")
    editor.command("Placet accept file")
    editor.wait("_G.notices[#_G.notices]:find('nothing accepted', 1, true)")
    editor.command("Placet edit")
    editor.wait("vim.bo.buftype == 'acwrite'")
    assert editor.text().startswith("<<<<<<< the file now\nline 5xx\n||||||| before both changes\nline 5\n=======\n")
    editor.keys("ggcGboth 5<Esc>:w<CR>")
    (decision,) = changes.wait_for_decision(4)
    assert (decision["outcome"], decision["hunks"], decision["text"]) == ("accept", [1], "both 5\n")
