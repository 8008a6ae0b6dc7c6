"""Real Neovim, real daemon: a turn collects its changes, the user decides, and the files and the model agree."""

import asyncio
from pathlib import Path

import pytest

from neovim_support.daemon import choose, current_session, kill_daemon, prompt, use_wire, wait_for_session
from neovim_support.editor import Editor, open_editor
from neovim_support.model import wire_model
from neovim_support.review import ASKED_HERE
from neovim_support.screen import Screen
from wire_servers.answers import Call, Text, Wait

LINES = "".join(f"line {number}\n" for number in range(1, 31))


def edit(path: Path, old: str, new: str) -> Call:
    return Call("edit", {"filePath": str(path), "oldString": old, "newString": new})


def read(path: Path) -> Call:
    return Call("read", {"filePath": str(path)})


@pytest.fixture
def files(project: Path) -> list[Path]:
    files = [project / f"{name}.txt" for name in "abc"]
    for file in files:
        file.write_text(LINES)
    return files


def proposals(files: list[Path]) -> list[Call]:
    return [
        *(edit(file, "line 3\n", "line three\n") for file in files),
        edit(files[0], "line 20\n", "line twenty\n"),
    ]


def wait_for_counts(editor: Editor, proposed: int, unreviewed: int = 0) -> None:
    editor.wait(
        "(function(proposed, unreviewed) local facts = require('placet').details() "
        "return facts.proposed == proposed and facts.unreviewed == unreviewed end)(...)",
        proposed,
        unreviewed,
    )


def test_a_turn_collects_its_changes_and_the_accepted_ones_are_written(
    editor: Editor, project: Path, files: list[Path], screen: Screen
) -> None:
    first = files[0]
    new = project / "new.txt"
    create = Call("write", {"filePath": str(new), "content": "new\n"})
    with wire_model(tuple(map(read, files)), (*proposals(files), create), Text("All proposed.")) as model:
        use_wire(editor, model, way="stage")
        editor.open(first)
        prompt(editor, "write three and twenty out")
        assert editor.lua("return _G.ended") == ["end_turn"]
        wait_for_counts(editor, 5)
        assert [file.read_text() for file in files] == [LINES] * 3
        assert not new.exists()
        assert editor.text() == LINES
        text = screen.draw().text()
        assert "line three" in text
        assert "line twenty" in text
        assert editor.lua("return require('placet').status()").startswith("Placet: 5 proposed")

        editor.command("3")
        editor.command("Placet accept")
        editor.wait("vim.fn.getline(3) == 'line three'")
        wait_for_counts(editor, 4)
        editor.wait("vim.fn.line('.') == 20")
        editor.lua("vim.ui.input = function(_, use) use('twenty stays a number') end")
        editor.command("Placet comment")
        editor.command("Placet reject")
        wait_for_counts(editor, 3)

        editor.command("Placet review")
        editor.keys("a")
        wait_for_counts(editor, 2)
        editor.keys("A")
        wait_for_counts(editor, 0)
        editor.keys("q")
        prompt(editor, "go on")
        told = str(model.requests[-1].messages)

    once = LINES.replace("line 3\n", "line three\n")
    assert [file.read_text() for file in files] == [once] * 3
    assert new.read_text() == "new\n"
    assert editor.text() == once
    assert "twenty stays a number" in told


def test_the_model_reads_comments_with_its_next_step_and_the_changes_stay_undecided(
    editor: Editor, files: list[Path]
) -> None:
    first = files[0]
    with wire_model(read(first), tuple(proposals([first])), Text("Done."), Text("Why not?")) as model:
        use_wire(editor, model, way="stage")
        editor.open(first)
        prompt(editor, "write three and twenty out")
        wait_for_counts(editor, 2)
        editor.lua("vim.ui.input = function(_, use) use('why in words?') end")
        editor.command("20")
        editor.command("Placet comment now")
        editor.wait("#_G.notices > 0 and _G.notices[#_G.notices]:find('comment sent', 1, true) ~= nil")
        editor.lua("vim.ui.input = function(_, use) use('is the file needed?') end")
        editor.command("Placet review")
        editor.keys("C")
        editor.wait("#vim.tbl_filter(function(text) return text:find('comment sent', 1, true) end, _G.notices) == 2")
        editor.keys("q")
        prompt(editor, "go on")
        told = str(model.requests[-1].messages)
        wait_for_counts(editor, 2)
    assert "why in words?" in told
    assert "line twenty" in told[told.index("why in words?") - 200 :]
    assert "is the file needed?" in told
    assert first.read_text() == LINES


def test_typing_before_the_decision_stays_in_the_accepted_text(editor: Editor, files: list[Path]) -> None:
    first = files[0]
    with wire_model(read(first), proposals([first])[0], Text("Done.")) as model:
        use_wire(editor, model, way="stage")
        editor.open(first)
        prompt(editor, "write three out")
        wait_for_counts(editor, 1)
        editor.keys("ggOmine<Esc>")
        editor.wait("vim.fn.getline(1) == 'mine' and vim.api.nvim_get_mode().mode == 'n'")
        editor.wait("require('placet.change_set').all()[1].units[1].hunk.oldStart == 3")
        editor.keys("]h")
        editor.wait("vim.fn.line('.') == 4")
        editor.command("Placet accept")
        editor.wait("vim.fn.getline(4) == 'line three'")
    assert editor.text() == "mine\n" + LINES.replace("line 3\n", "line three\n")
    assert first.read_text() == LINES
    assert editor.lua("return vim.bo.modified") is True


def test_lines_of_the_users_own_are_written_in_place_of_one_hunk_and_the_other_hunk_stays_proposed(
    editor: Editor, files: list[Path]
) -> None:
    first = files[0]
    with wire_model(read(first), tuple(proposals([first])), Text("Done.")) as model:
        use_wire(editor, model, way="stage")
        editor.open(first)
        prompt(editor, "write three and twenty out")
        wait_for_counts(editor, 2)
        editor.command("3")
        editor.command("Placet edit")
        editor.wait("vim.bo.buftype == 'acwrite' and vim.fn.getline(1) == 'line three'")
        editor.keys("ccline drei<Esc>:w<CR>")
        wait_for_counts(editor, 1)
        assert first.read_text() == LINES.replace("line 3\n", "line drei\n")
        prompt(editor, "go on")
        told = str(model.requests[-1].messages)
    assert "+line drei" in told


def test_one_line_of_the_user_in_the_same_lines_is_a_conflict_that_is_shown(
    editor: Editor, files: list[Path], screen: Screen
) -> None:
    first = files[0]
    with wire_model(read(first), proposals([first])[0], Text("Done.")) as model:
        use_wire(editor, model, way="stage")
        editor.open(first)
        prompt(editor, "write three out")
        wait_for_counts(editor, 1)
        editor.command("3")
        editor.keys("ccmine<Esc>")
        editor.keys("gg")
        editor.wait("require('placet.change_set').all()[1].files[1].hunks[1].baseLines ~= nil")
        editor.keys("]h")
        screen.wait_for("conflict with your text")
        editor.command("Placet reject")
        wait_for_counts(editor, 0)
    assert editor.text() == LINES.replace("line 3\n", "mine\n")


def test_the_set_is_there_again_after_the_daemon_was_killed(editor: Editor, files: list[Path], screen: Screen) -> None:
    first = files[0]
    with wire_model(read(first), proposals([first])[0], Text("Done."), Text("Again.")) as model:
        use_wire(editor, model, way="stage")
        editor.open(first)
        prompt(editor, "write three out")
        wait_for_counts(editor, 1)
        kill_daemon(editor)
        screen.wait_for("line 3")
        assert "line three" not in screen.text()

        editor.command("Placet change-set")
        editor.wait("vim.api.nvim_win_get_config(0).relative ~= ''")
        wait_for_counts(editor, 1)
        editor.keys("a")
        wait_for_counts(editor, 0)
    assert first.read_text() == LINES.replace("line 3\n", "line three\n")


def test_another_session_has_a_set_of_its_own(editor: Editor, files: list[Path]) -> None:
    first = files[0]
    with wire_model(read(first), proposals([first])[0], Text("Done.")) as model:
        use_wire(editor, model, way="stage")
        editor.open(first)
        prompt(editor, "write three out")
        wait_for_counts(editor, 1)
        session = current_session(editor)
        editor.command("Placet new")
        wait_for_session(editor, "id ~= ...", session)
        wait_for_counts(editor, 0)

        choose(editor, "A title")
        editor.command("Placet sessions")
        wait_for_session(editor, "id == ...", session)
        wait_for_counts(editor, 1)


def test_changes_to_review_in_another_session_are_told_and_opened_from_the_session_that_has_none(
    editor: Editor, files: list[Path], screen: Screen
) -> None:
    first = files[0]
    with wire_model(read(first), proposals([first])[0], Text("Done.")) as model:
        use_wire(editor, model, way="stage")
        editor.open(first)
        prompt(editor, "write three out")
        wait_for_counts(editor, 1)
        assert "other session" not in editor.lua("return require('placet').status()")
        session = current_session(editor)
        editor.command("Placet new")
        wait_for_session(editor, "id ~= ...", session)
        wait_for_counts(editor, 0)
        assert "1 other session to review" in editor.lua("return require('placet').status()")
        assert editor.lua("return require('placet').details().elsewhere") == 1

        choose(editor, "1 file to review")
        editor.command("Placet review")
        wait_for_session(editor, "id == ...", session)
        editor.wait("vim.api.nvim_win_get_config(0).relative ~= ''")
        screen.wait_for("a.txt")
        assert "Sessions with changes to review" in editor.lua("return _G.asked[1].prompt")
        editor.keys("A")
        wait_for_counts(editor, 0)
        editor.keys("q")
        choose(editor)
        editor.lua("_G.notices = {}")
        editor.command("Placet review")
        editor.wait("_G.notices[#_G.notices] == 'Placet: no pending requests, and no changes to review'")
    assert first.read_text() == LINES.replace("line 3\n", "line three\n")


def test_another_neovim_learns_of_changes_to_review_from_the_list_of_sessions(
    editor: Editor, project: Path, files: list[Path]
) -> None:
    first = files[0]
    with wire_model(read(first), proposals([first])[0], Text("Done.")) as model:
        use_wire(editor, model, way="stage")
        editor.open(first)
        prompt(editor, "write three out")
        wait_for_counts(editor, 1)
        with open_editor(project) as second:
            use_wire(second, model, way="stage")
            second.open(first)
            choose(second)
            second.command("Placet sessions")
            second.wait("_G.asked[1] ~= nil")
            assert second.lua("return _G.asked[1].lines[1]").endswith("1 file to review")
            assert second.lua("return require('placet').details().elsewhere") == 1


def test_the_way_of_reviewing_is_switched_in_the_middle_of_a_turn(editor: Editor, files: list[Path]) -> None:
    first, second, _ = files
    wait = Wait(asyncio.Event())
    with wire_model(
        (read(first), read(second)), proposals([first])[0], (wait, proposals([second])[0]), Text("Done.")
    ) as model:
        use_wire(editor, model, way="ask")
        editor.open(first)
        editor.command("Placet write three out")
        editor.wait(ASKED_HERE)
        editor.command("Placet review-mode stage")
        editor.wait("require('placet').details().review == 'stage'")
        editor.command("Placet accept all")
        model.wait_for_request(3)
        model.go_on(wait)
        editor.wait("#_G.ended == 1")
        wait_for_counts(editor, 1)
    assert first.read_text() == LINES.replace("line 3\n", "line three\n")
    assert second.read_text() == LINES


def test_a_change_that_is_always_allowed_is_written_with_the_hunks_left_and_the_next_is_not_asked(
    editor: Editor, files: list[Path]
) -> None:
    first = files[0]
    both = LINES.replace("line 3\n", "line three\n").replace("line 20\n", "line twenty\n")
    write = Call("write", {"filePath": str(first), "content": both})
    again = edit(first, "line 10\n", "line ten\n")
    with wire_model(read(first), write, again, Text("Done.")) as model:
        use_wire(editor, model, way="ask")
        editor.open(first)
        editor.command("Placet write numbers out")
        editor.wait(ASKED_HERE)
        editor.keys("3Ggr")
        editor.wait("vim.fn.line('.') == 20")
        choose(editor, "Always allow in this session")
        editor.keys("g!")
        editor.wait("#_G.ended == 1")
        assert "line three" in str(model.requests[-1].messages)
    written = LINES.replace("line 20\n", "line twenty\n").replace("line 10\n", "line ten\n")
    assert editor.text() == first.read_text() == written


def test_changes_are_collected_without_any_option(editor: Editor, files: list[Path]) -> None:
    first = files[0]
    with wire_model(read(first), proposals([first])[0], Text("Done.")) as model:
        use_wire(editor, model)
        editor.lua("local options = vim.g.placet options.review = nil vim.g.placet = options")
        editor.open(first)
        prompt(editor, "write three out")
        wait_for_counts(editor, 1)
        assert editor.lua("return require('placet').details().review") == "stage"


def test_applied_changes_are_kept_and_undone_hunk_by_hunk(editor: Editor, files: list[Path], screen: Screen) -> None:
    first, second, _ = files
    calls = [
        edit(first, "line 3\n", "line three\n"),
        edit(first, "line 20\n", "line twenty\n"),
        edit(second, "line 3\n", ""),
    ]
    with wire_model((read(first), read(second)), tuple(calls), Text("All written.")) as model:
        use_wire(editor, model, way="apply")
        editor.open(first)
        prompt(editor, "write three and twenty out")
        wait_for_counts(editor, 0, 3)
        written = LINES.replace("line 3\n", "line three\n").replace("line 20\n", "line twenty\n")
        assert editor.text() == written == first.read_text()
        lines = screen.draw().lines()
        row = next(index for index, line in enumerate(lines) if "line three" in line)
        assert "line 3" in lines[row - 1]
        assert "● file 1/2, hunk 1/2 Unreviewed" in lines[row]

        editor.keys("5GOtyped meanwhile<Esc>")
        editor.wait("vim.fn.line('$') == 31 and vim.api.nvim_get_mode().mode == 'n'")
        editor.wait("require('placet.change_set').all()[1].units[2].hunk.oldStart == 20")
        editor.command("3")
        editor.command("Placet accept")
        wait_for_counts(editor, 0, 2)
        editor.wait("vim.fn.line('.') == 21")
        editor.command("Placet reject")
        editor.wait("vim.fn.getline(21) == 'line 20'")
        wait_for_counts(editor, 0, 1)
        typed = LINES.replace("line 3\n", "line three\n").replace("line 5\n", "typed meanwhile\nline 5\n")
        assert editor.text() == typed

        editor.open(second)
        screen.wait_for("● 1/1 Unreviewed")
        assert "line 3" in screen.lines()[2]
        editor.command("2")
        editor.command("Placet reject file")
        wait_for_counts(editor, 0, 0)
        assert second.read_text() == LINES
        prompt(editor, "go on")
        told = str(model.requests[-1].messages)
    assert "a.txt: this part of the change is undone" in told
    assert "b.txt: this part of the change is undone" in told
    assert editor.notices() == []
