"""Sessions in the real Neovim with the real daemon: several, found again, copied, deleted, and whole after a crash."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from neovim_support.daemon import (
    choose,
    current_session,
    kill_daemon,
    page,
    prompt,
    use_daemon,
    wait_for_page,
    wait_for_session,
)
from neovim_support.editor import Editor, open_editor

ANSWERS = tuple([{"text": f"Answer {number}."}] for number in range(1, 6))


@pytest.fixture
def talking(editor: Editor, project: Path, tmp_path: Path) -> Editor:
    use_daemon(editor, tmp_path, *ANSWERS)
    (project / "a.py").write_text("one\n")
    editor.open(project / "a.py")
    return editor


def begin(editor: Editor, text: str) -> str:
    """A new session with one turn."""
    before = current_session(editor)
    editor.command("Placet new")
    session = wait_for_session(editor, "id ~= ...", before or "")
    prompt(editor, text)
    return session


def test_two_sessions_are_talked_to_and_switched_between(talking: Editor) -> None:
    prompt(talking, "paint the barn")
    barn = current_session(talking)
    house = begin(talking, "paint the house")
    choose(talking, "paint the barn")

    talking.command("Placet sessions")
    wait_for_session(talking, "id == ...", barn)
    prompt(talking, "and its door")

    assert "Answer 1." in page(talking, house)
    assert "and its door" in page(talking, barn)
    assert "Answer 2." in page(talking, barn)
    [asked] = talking.lua("return _G.asked")
    assert asked["kind"] == "placet_session"
    assert [line.strip()[:1] for line in asked["lines"]] == ["*", "2"], "the current one is marked, the newest first"


def test_a_session_is_switched_to_by_a_key_of_the_chat(talking: Editor) -> None:
    prompt(talking, "paint the barn")
    barn = current_session(talking)
    house = begin(talking, "paint the house")
    choose(talking, "paint the barn")

    talking.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid(require('placet.chat').buffer_of(...)))", house)
    talking.keys("gs")

    wait_for_session(talking, "id == ...", barn)


def test_a_session_is_switched_to_by_its_title_and_other_words_are_a_prompt(talking: Editor) -> None:
    prompt(talking, "paint the barn")
    barn = current_session(talking)
    house = begin(talking, "paint the house")

    talking.command("Placet sessions paint the barn")
    wait_for_session(talking, "id == ...", barn)
    talking.completes("Placet sessions paint the h", "house")

    prompt(talking, "sessions are lost, why?")

    assert "sessions are lost, why?" in page(talking, barn)
    assert "sessions are lost, why?" not in page(talking, house)


def test_sessions_are_found_by_what_was_said_in_them(talking: Editor) -> None:
    prompt(talking, "paint the barn")
    barn = current_session(talking)
    begin(talking, "mend the roof")
    choose(talking, "paint")

    talking.command("Placet search: barn")
    wait_for_session(talking, "id == ...", barn)
    assert len(talking.lua("return _G.asked")[0]["lines"]) == 1

    talking.command("Placet search: nowhere said")
    talking.wait("vim.iter(_G.notices):any(function(text) return text:find('no session of this project') end)")


def test_a_session_is_renamed(talking: Editor) -> None:
    prompt(talking, "paint the barn")

    talking.command("Placet rename: The barn")
    session = wait_for_session(talking, "require('placet.sessions.known').info(id).title == 'The barn'")
    talking.lua("vim.ui.input = function(options, use) use(options.default .. ', red') end")
    talking.command("Placet rename")

    wait_for_session(talking, "require('placet.sessions.known').info(id).title == 'The barn, red'")
    assert session == current_session(talking)


def test_a_fork_has_what_was_said_and_goes_its_own_way(talking: Editor) -> None:
    prompt(talking, "paint the barn")
    barn = current_session(talking)
    prompt(talking, "and its door")

    talking.command("Placet fork")
    copy = wait_for_session(talking, "id ~= ...", barn)
    prompt(talking, "in green")
    assert "Answer 2." in page(talking, copy)
    assert "in green" in page(talking, copy)
    assert "in green" not in page(talking, barn)

    choose(talking, "and its door")
    talking.command("Placet! fork")
    earlier = wait_for_session(talking, "id ~= ...", copy)
    wait_for_page(talking, earlier, "paint the barn")
    assert "and its door" not in page(talking, earlier)


def test_an_export_is_read_in_a_window_or_written_and_taken_in_again(talking: Editor, tmp_path: Path) -> None:
    prompt(talking, "paint the barn")
    first = current_session(talking)

    talking.command("Placet export")
    talking.wait("vim.api.nvim_buf_get_name(0):match('^placet%-export://')")
    assert "paint the barn" in talking.text()
    assert talking.lua("return vim.bo.filetype") == "markdown"
    talking.keys("q")

    file = tmp_path / "session.json"
    talking.command(f"Placet export {file}")
    talking.wait("vim.uv.fs_stat(...) ~= nil", str(file))
    talking.command(f"Placet export {file}")
    talking.wait("vim.iter(_G.notices):any(function(text) return text:find('already exists', 1, true) end)")

    talking.command(f"Placet import {file}")
    copy = wait_for_session(talking, "id ~= ...", first)
    wait_for_page(talking, copy, "Answer 1.")


def test_a_session_is_deleted_after_a_question(talking: Editor) -> None:
    prompt(talking, "paint the barn")
    barn = current_session(talking)
    choose(talking, "Cancel", "Delete")

    talking.command("Placet delete")
    talking.wait("#_G.asked == 1")
    assert current_session(talking) == barn
    talking.command("Placet delete")
    talking.wait("select(2, require('placet.sessions.known').session()) == nil")

    assert page(talking, barn) == ""
    prompt(talking, "paint the house")
    assert current_session(talking) != barn


def test_agents_and_models_are_chosen_by_name_or_from_a_list(talking: Editor) -> None:
    talking.command("Placet agent plan")
    wait_for_session(talking, "require('placet.sessions.known').info(id).agent == 'plan'")
    choose(talking, "build", "builtin/rules")
    talking.command("Placet agent")
    wait_for_session(talking, "require('placet.sessions.known').info(id).agent == 'build'")
    talking.command("Placet model")
    wait_for_session(talking, "require('placet.sessions.known').info(id).model == 'builtin/rules'")

    talking.completes("Placet agent p", "plan")
    talking.completes("Placet model built", "builtin/rules")


def test_a_daemon_killed_between_turns_is_started_again_and_the_session_goes_on(talking: Editor) -> None:
    prompt(talking, "paint the barn")
    barn = current_session(talking)
    kill_daemon(talking)
    talking.wait(
        "vim.iter(_G.notices):any(function(text) return text:find('the next :Placet restarts the daemon') end)"
    )

    prompt(talking, "and its door")

    assert current_session(talking) == barn
    text = page(talking, barn)
    assert text.count("paint the barn") == 1
    assert text.count("and its door") == 1
    talking.wait("vim.lsp.buf_is_attached(0, vim.lsp.get_clients({ name = 'placet' })[1].id)")


def test_a_daemon_killed_in_a_turn_says_so_and_the_page_is_whole_on_the_next_use(
    editor: Editor, project: Path, tmp_path: Path
) -> None:
    never = str(tmp_path / "never")
    use_daemon(editor, tmp_path, [{"text": "I begin to paint."}, {"wait_for_file": never}])
    (project / "a.py").write_text("one\n")
    editor.open(project / "a.py")
    editor.command("Placet paint the barn")
    session = wait_for_session(editor, "require('placet.sessions.known').running_turn(id)")
    wait_for_page(editor, session, "I begin to paint.")

    kill_daemon(editor)
    editor.wait("vim.iter(_G.notices):any(function(text) return text:find('during a turn', 1, true) end)")
    assert editor.lua("return require('placet').details().state") == "off"
    use_daemon(editor, tmp_path, [{"text": "Painted."}])
    editor.command("Placet go on")
    wait_for_page(editor, session, "Painted.")

    text = page(editor, session)
    assert text.count("I begin to paint.") == 1
    assert "Placet ended before this was finished." in text
    assert text.index("Placet ended") < text.index("go on") < text.index("Painted.")


@pytest.fixture
def other(project: Path, tmp_path: Path) -> Iterator[Editor]:
    """A second Neovim on the same project."""
    with open_editor(project) as other:
        directory = tmp_path / "other"
        directory.mkdir()
        use_daemon(other, directory, *ANSWERS)
        yield other


def test_two_neovims_share_the_sessions_of_a_project(talking: Editor, other: Editor) -> None:
    prompt(talking, "paint the barn")
    barn = current_session(talking)
    choose(other, "paint the barn")

    other.command("Placet sessions")
    wait_for_session(other, "id == ...", barn)
    wait_for_page(other, barn, "Answer 1.")
    prompt(other, "from the other side")
    talking.command("Placet and its door")
    wait_for_page(talking, barn, "and its door")

    text = page(talking, barn)
    assert text.index("paint the barn") < text.index("from the other side") < text.index("and its door")


def test_a_session_at_work_in_another_neovim_says_so(
    talking: Editor, other: Editor, project: Path, tmp_path: Path
) -> None:
    # The session has its model, and so this script, in the other Neovim too.
    (go := tmp_path / "go").touch()
    use_daemon(talking, tmp_path, [{"wait_for_file": str(go)}, {"text": "Painted."}])
    prompt(talking, "paint the barn")
    go.unlink()
    barn = current_session(talking)
    choose(other, "paint the barn")
    other.command("Placet sessions")
    wait_for_session(other, "id == ...", barn)
    other.command("Placet from the other side")
    other.wait("require('placet.sessions.known').running_turn(...)", barn)

    talking.command("Placet and its door")

    talking.wait("vim.iter(_G.notices):any(function(text) return text:find('in use by another', 1, true) end)")
