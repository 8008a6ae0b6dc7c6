"""Real Neovim, real daemon: back to an earlier prompt in talk and files, and forward again."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from neovim_support.daemon import choose, current_session, kill_daemon, page, prompt, use_wire, wait_for_page
from neovim_support.editor import Editor, open_editor
from neovim_support.model import WireModel, wire_model
from neovim_support.screen import Screen
from wire_servers.answers import Answer, Call, Text, Wait

FIRST = "one\ntwo\nthree\n"
WRITTEN = "1\n2\n3\n"
PROMPTS = ("number one", "number two", "number three")
REDO_LINE = "You went back to here"
FILES_LINE = "The files went back; the talk stayed."
PERMISSION = {"edit": "allow", "bash": "allow"}


@pytest.fixture
def path(project: Path) -> Path:
    path = project / "a.txt"
    path.write_text(FIRST)
    return path


def edit(path: Path, old: str, new: str) -> Call:
    return Call("edit", {"filePath": str(path), "oldString": old, "newString": new})


def three_turns(path: Path) -> list[Answer]:
    """Answers in which each turn edits a line, and the second turn writes another file as well."""
    create = Call("write", {"filePath": str(path.with_name("new.txt")), "content": "new\n"})
    return [
        (Call("read", {"filePath": str(path)}),),
        (edit(path, "one", "1"),),
        (Text("One is done."),),
        (edit(path, "two", "2"), create),
        (Text("Two is done."),),
        (edit(path, "three", "3"),),
        (Text("Three is done."),),
    ]


def have_three_turns(editor: Editor, model: WireModel, path: Path) -> str:
    use_wire(editor, model, permission=PERMISSION)
    editor.open(path)
    for text in PROMPTS:
        prompt(editor, text)
    assert editor.text() == path.read_text() == WRITTEN
    return current_session(editor)


def preview_from_chat(editor: Editor, text: str) -> None:
    """Press the key on the prompt with this text, and wait for the preview."""
    editor.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid('^placet://chat/'))")
    assert editor.lua("return vim.fn.search('\\\\V' .. ..., 'w')", text) > 0
    editor.keys("gb")
    wait_for_preview(editor)


def wait_for_preview(editor: Editor) -> None:
    editor.wait(
        "vim.api.nvim_win_get_config(0).relative ~= '' "
        "and table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n'):find('Files alone', 1, true) ~= nil"
    )


def float_text(editor: Editor) -> str:
    return editor.lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n')")


def input_text(editor: Editor) -> str:
    return editor.lua(
        "local bufnr = require('placet.compose').buffer_of(...) "
        "return bufnr and table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\\n') or ''",
        current_session(editor),
    )


def wait_for_input(editor: Editor, text: str) -> None:
    editor.wait(
        "(function(id, text) local bufnr = require('placet.compose').buffer_of(id) "
        "return bufnr and table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\\n') == text end)(...)",
        current_session(editor),
        text,
    )


def wait_for_notice(editor: Editor, text: str) -> None:
    editor.wait(
        "vim.iter(_G.notices):any((function(text) "
        "return function(notice) return notice:find(text, 1, true) ~= nil end end)(...))",
        text,
    )


def test_back_three_prompts_and_forward_again_gives_the_first_bytes_and_the_whole_talk(
    editor: Editor, path: Path, screen: Screen
) -> None:
    with wire_model(*three_turns(path)) as model:
        session = have_three_turns(editor, model, path)
        whole = page(editor, session)
        preview_from_chat(editor, PROMPTS[0])
        text = float_text(editor)
        assert "hides 3 prompts, restores 2 files" in text
        assert "a.txt" in text
        assert "new.txt" in text
        editor.keys("a")
        wait_for_input(editor, PROMPTS[0])
        wait_for_page(editor, session, REDO_LINE)
        assert path.read_text() == FIRST
        assert not path.with_name("new.txt").exists()
        assert "is done" not in page(editor, session)
        assert "number" not in page(editor, session)
        assert screen.draw().text().count(PROMPTS[0]) == 1
        editor.wait("vim.fn.bufname():match('^placet://prompt/') ~= nil")

        editor.command("Placet back redo")
        wait_for_page(editor, session, "Three is done.")
        wait_for_input(editor, "")
        assert page(editor, session) == whole
    assert path.read_text() == WRITTEN
    assert path.with_name("new.txt").read_text() == "new\n"
    editor.open(path)
    assert editor.text() == WRITTEN


def test_the_files_alone_go_back_and_the_talk_stays(editor: Editor, path: Path) -> None:
    with wire_model(*three_turns(path)) as model:
        session = have_three_turns(editor, model, path)
        preview_from_chat(editor, PROMPTS[1])
        editor.keys("f")
        wait_for_notice(editor, "back in files alone: 2 files restored")
        assert path.read_text() == "1\ntwo\nthree\n"
        assert not path.with_name("new.txt").exists()
        assert "Three is done." in page(editor, session)
        assert REDO_LINE not in page(editor, session)
        assert input_text(editor) == ""
        wait_for_page(editor, session, FILES_LINE)
        assert page(editor, session).rstrip().splitlines()[-1].startswith("> *" + FILES_LINE)

        editor.command("Placet back redo")
        wait_for_notice(editor, "forward again: 2 files restored")
        assert FILES_LINE not in page(editor, session)
    assert path.read_text() == WRITTEN


def test_the_line_with_the_way_forward_of_the_files_ends_with_the_next_prompt(editor: Editor, path: Path) -> None:
    with wire_model(*three_turns(path), Text("Four is done."), Text("Five is done.")) as model:
        session = have_three_turns(editor, model, path)
        for number, done in ((2, "Four is done."), (1, "Five is done.")):
            preview_from_chat(editor, PROMPTS[number])
            editor.keys("f")
            wait_for_page(editor, session, FILES_LINE)
            lines = page(editor, session).rstrip().splitlines()
            assert lines[-1].startswith("> *" + FILES_LINE), "the line is the last of the page"
            prompt(editor, "go on")
            wait_for_page(editor, session, done)
            assert FILES_LINE not in page(editor, session)


def test_the_talk_alone_goes_back_and_the_files_stay_and_the_prompt_is_sent_again(editor: Editor, path: Path) -> None:
    with wire_model(*three_turns(path), (Text("Once more."),)) as model:
        session = have_three_turns(editor, model, path)
        preview_from_chat(editor, PROMPTS[2])
        editor.keys("t")
        wait_for_input(editor, PROMPTS[2])
        wait_for_page(editor, session, REDO_LINE)
        assert path.read_text() == WRITTEN
        assert "Three is done." not in page(editor, session)
        assert "Two is done." in page(editor, session)

        editor.keys("A, please<Esc><CR>")
        wait_for_page(editor, session, "Once more.")
        assert f"{PROMPTS[2]}, please" in page(editor, session)
        assert REDO_LINE not in page(editor, session)
        editor.wait("#_G.ended == 4")
        assert "Three is done." not in str(model.requests[-1].messages)
        editor.command("Placet back redo")
        wait_for_notice(editor, "There is no way forward")


@contextmanager
def restarted(editor: Editor, project: Path, model: WireModel, path: Path) -> Generator[Editor]:
    """Kill the daemon, and yield another Neovim whose user opens the session from the list."""
    kill_daemon(editor)
    with open_editor(project) as second:
        use_wire(second, model, permission=PERMISSION)
        second.open(path)
        choose(second, "A title")
        second.command("Placet sessions")
        yield second


def test_redo_is_possible_after_a_restart_of_the_daemon_and_of_neovim(
    editor: Editor, path: Path, project: Path
) -> None:
    with wire_model(*three_turns(path)) as model:
        session = have_three_turns(editor, model, path)
        preview_from_chat(editor, PROMPTS[0])
        editor.keys("a")
        wait_for_page(editor, session, REDO_LINE)
        with restarted(editor, project, model, path) as second:
            wait_for_page(second, session, REDO_LINE)
            assert "is done" not in page(second, session)
            second.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid('^placet://chat/'))")
            second.keys("<C-r>")
            wait_for_page(second, session, "Three is done.")
            assert REDO_LINE not in page(second, session)
            second.wait("vim.fn.filereadable(...) == 1", str(path.with_name("new.txt")))
    assert path.read_text() == WRITTEN


def test_the_files_alone_are_brought_forth_again_after_a_restart_of_the_daemon_and_of_neovim(
    editor: Editor, path: Path, project: Path
) -> None:
    with wire_model(*three_turns(path)) as model:
        session = have_three_turns(editor, model, path)
        preview_from_chat(editor, PROMPTS[1])
        editor.keys("f")
        wait_for_page(editor, session, FILES_LINE)
        with restarted(editor, project, model, path) as second:
            wait_for_page(second, session, FILES_LINE)
            assert "Three is done." in page(second, session)
            second.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid('^placet://chat/'))")
            second.keys("<C-r>")
            second.wait("vim.fn.filereadable(...) == 1", str(path.with_name("new.txt")))
            wait_for_notice(second, "forward again: 2 files restored")
            assert FILES_LINE not in page(second, session)
    assert path.read_text() == WRITTEN


def test_redo_after_the_daemon_was_killed_restores_talk_and_files(editor: Editor, path: Path) -> None:
    with wire_model(*three_turns(path)) as model:
        session = have_three_turns(editor, model, path)
        preview_from_chat(editor, PROMPTS[1])
        editor.keys("a")
        wait_for_page(editor, session, REDO_LINE)
        kill_daemon(editor)
        editor.command("Placet back redo")
        wait_for_page(editor, session, "Three is done.")
    assert path.read_text() == WRITTEN


def test_two_acts_are_taken_back_one_by_one(editor: Editor, path: Path) -> None:
    with wire_model(*three_turns(path)) as model:
        session = have_three_turns(editor, model, path)
        for text in (PROMPTS[2], PROMPTS[0]):
            preview_from_chat(editor, text)
            editor.keys("a")
            wait_for_input(editor, text)
        assert path.read_text() == FIRST
        assert "is done" not in page(editor, session)
        editor.command("Placet back redo")
        wait_for_page(editor, session, "Two is done.")
        assert path.read_text() == "1\n2\nthree\n"
        assert "Three is done." not in page(editor, session)
        assert REDO_LINE in page(editor, session)
        editor.command("Placet back redo")
        wait_for_page(editor, session, "Three is done.")
        assert REDO_LINE not in page(editor, session)
    assert path.read_text() == WRITTEN


def test_a_redo_of_the_files_leaves_the_prompt_in_the_input_until_the_talk_goes_forward_too(
    editor: Editor, path: Path
) -> None:
    with wire_model(*three_turns(path)) as model:
        session = have_three_turns(editor, model, path)
        preview_from_chat(editor, PROMPTS[2])
        editor.keys("t")
        wait_for_input(editor, PROMPTS[2])
        preview_from_chat(editor, PROMPTS[1])
        editor.keys("f")
        wait_for_notice(editor, "back in files alone")
        wait_for_notice(editor, "`:Placet back redo` takes this back")
        assert "two" in path.read_text()
        editor.command("Placet back redo")
        wait_for_notice(editor, "forward again")
        assert path.read_text() == WRITTEN
        assert input_text(editor) == PROMPTS[2]
        editor.command("Placet back redo")
        wait_for_page(editor, session, "Three is done.")
        wait_for_input(editor, "")


def test_a_file_that_the_user_has_edited_is_named_and_left_alone(editor: Editor, path: Path) -> None:
    with wire_model(*three_turns(path)) as model:
        have_three_turns(editor, model, path)
        editor.keys("2Gccmine<Esc>")
        editor.wait("vim.fn.getline(2) == 'mine' and vim.api.nvim_get_mode().mode == 'n'")
        preview_from_chat(editor, PROMPTS[1])
        assert "Files that stay as they are" in float_text(editor)
        editor.keys("a")
        wait_for_notice(editor, "left as they are: a.txt")
        editor.open(path)
        assert editor.text() == "1\nmine\n3\n"


def test_a_running_turn_is_named_as_the_reason_why_going_back_is_not_possible(editor: Editor, path: Path) -> None:
    wait = Wait(asyncio.Event())
    with wire_model(*three_turns(path)[:3], (wait, Text("Late."))) as model:
        use_wire(editor, model, permission=PERMISSION)
        editor.open(path)
        prompt(editor, PROMPTS[0])
        editor.command(f"Placet {PROMPTS[1]}")
        model.wait_for_request(4)
        for command in ("Placet back", "Placet back 1", "Placet back redo"):
            editor.lua("_G.notices = {}")
            editor.command(command)
            wait_for_notice(editor, "the agent is at work; cancel the turn")
        assert editor.lua("return vim.api.nvim_win_get_config(0).relative") == ""
        model.go_on(wait)
        editor.wait("#_G.ended == 2")
    assert path.read_text() == "1\ntwo\nthree\n"


def test_the_preview_is_left_without_any_change(editor: Editor, path: Path) -> None:
    with wire_model(*three_turns(path)) as model:
        session = have_three_turns(editor, model, path)
        before = page(editor, session)
        preview_from_chat(editor, PROMPTS[1])
        editor.keys("q")
        editor.wait("vim.api.nvim_win_get_config(0).relative == ''")
        assert page(editor, session) == before
        editor.command("Placet back redo")
        wait_for_notice(editor, "There is no way forward")
    assert path.read_text() == WRITTEN


def test_prompts_are_chosen_from_a_list_with_the_newest_first_and_completed(editor: Editor, path: Path) -> None:
    with wire_model(*three_turns(path)) as model:
        have_three_turns(editor, model, path)
        completed = editor.lua("return vim.fn.getcompletion('Placet back ', 'cmdline')")
        assert completed == ["redo", "3 number three", "2 number two", "1 number one"]
        choose(editor, PROMPTS[1])
        editor.command("Placet back")
        wait_for_preview(editor)
        assert editor.lua("return _G.asked[1].lines") == list(reversed(PROMPTS))
        assert f"Back to: {PROMPTS[1]}" in float_text(editor)
        editor.keys("<CR>")
        wait_for_input(editor, PROMPTS[1])
        assert path.read_text() == "1\ntwo\nthree\n"
        editor.command("Placet back 1 number one")
        wait_for_preview(editor)
        assert f"Back to: {PROMPTS[0]}" in float_text(editor)


def test_the_draft_of_the_user_goes_to_the_history(editor: Editor, path: Path) -> None:
    with wire_model(*three_turns(path)) as model:
        have_three_turns(editor, model, path)
        editor.command("Placet ask")
        editor.wait("vim.fn.bufname():match('^placet://prompt/') ~= nil")
        editor.keys("imy own draft<Esc>")
        wait_for_input(editor, "my own draft")
        preview_from_chat(editor, PROMPTS[2])
        editor.keys("t")
        wait_for_input(editor, PROMPTS[2])
        editor.keys("<C-p>")
        wait_for_input(editor, "my own draft")


def test_an_attached_text_without_a_file_is_attached_again(editor: Editor, path: Path, screen: Screen) -> None:
    with wire_model((Text("Read."),)) as model:
        use_wire(editor, model, permission=PERMISSION)
        editor.open(path)
        prompt(editor, "hello")
        editor.command("new")
        editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'a text', 'in no file' })")
        editor.command("1,2Placet add")
        screen.wait_for("attached:")
        label = next(line for line in screen.lines() if "attached:" in line).partition("attached: ")[2].split()[0]
        editor.command("Placet ask")
        editor.wait("vim.fn.bufname():match('^placet://prompt/') ~= nil")
        editor.keys("iwhat is this<Esc><CR>")
        editor.wait("#_G.ended == 2")
        preview_from_chat(editor, "what is this")
        editor.keys("t")
        wait_for_input(editor, "what is this")
        screen.wait_for(f"attached: {label}")
        editor.keys("<CR>")
        editor.wait("#_G.ended == 3")
        assert "in no file" in str(model.requests[-1].messages)


def test_attached_files_are_attached_again(editor: Editor, path: Path, screen: Screen) -> None:
    with wire_model((Text("Read."),)) as model:
        use_wire(editor, model, permission=PERMISSION)
        editor.open(path)
        turns = editor.lua("return #_G.ended")
        editor.command("1,2Placet what is this")
        editor.wait("#_G.ended > ...", turns)
        preview_from_chat(editor, "what is this")
        editor.keys("a")
        wait_for_input(editor, "what is this")
        screen.wait_for("attached: a.txt:1-2")
        editor.keys("<CR>")
        editor.wait("#_G.ended > ...", turns + 1)
        assert str(model.requests[-1].messages).count("what is this") == 1
        assert "two" in str(model.requests[-1].messages)
