"""A session's change set in the buffers of its files: shown, moved through, and decided, never in the user's way."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from neovim_support.change_set import PlayedChangeSet, created, deleted, listed
from neovim_support.editor import Editor
from neovim_support.review import HUNKS, NEW, OLD, cursor, here, hunk
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer

Json = dict[str, Any]


@contextmanager
def restarted(editor: Editor, files: list[Json]) -> Generator[None]:
    """Another daemon, started by the user, which knows the session and lists the files."""
    server = ScriptedServer()
    try:
        PlayedChangeSet(editor, server).files = files
        server.answers["agent/session/load"] = lambda params: {"session": {"id": params["sessionId"]}, "events": []}
        editor.lua("vim.g.placet = { cmd = ... } require('placet').setup()", server.command)
        editor.command("Placet chat")
        yield
    finally:
        server.close()


def test_proposed_hunks_are_shown_in_the_buffer_without_moving_the_cursor(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    editor.command("normal! 4G")

    changes.stage(listed(path))

    text = screen.draw().text()
    assert "def area(w, h):" in text
    assert "def area(width, height):" in text
    assert "● 1/2 Proposed" in text
    assert "● 2/2 Proposed" in text
    assert "┃" in text
    assert cursor(editor) == [4, 0]
    assert editor.text() == OLD
    assert editor.lua("return vim.bo.modified") is False
    assert editor.lua("return require('placet').status()").startswith("Placet: 2 proposed")


def test_unreviewed_hunks_show_the_deleted_lines_above_the_written_lines(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    path.write_text(NEW)
    editor.command("edit!")

    changes.stage(listed(path, HUNKS, "unreviewed"))

    lines = screen.draw().lines()
    row = next(index for index, line in enumerate(lines) if "return 'rectangle'" in line)
    assert "return 'box'" in lines[row - 1]
    assert "● 2/2 Unreviewed" in lines[row]
    assert editor.lua("return require('placet').details().unreviewed") == 2


def test_a_closed_file_shows_its_hunks_when_it_is_opened(
    editor: Editor, changes: PlayedChangeSet, project: Path, screen: Screen
) -> None:
    other = project / "other.py"
    other.write_text(OLD)
    changes.stage(listed(other))
    assert "rectangle" not in screen.draw().text()
    assert editor.lua("return vim.fn.bufexists(...)", str(other)) == 0

    editor.open(other)

    screen.wait_for("return 'rectangle'")


def test_a_file_that_no_window_shows_is_not_drawn(
    editor: Editor, changes: PlayedChangeSet, project: Path, screen: Screen
) -> None:
    """As 300 files are, which the accepting of a set loads to write them."""
    other = project / "other.py"
    other.write_text(OLD)
    changes.stage(listed(other))
    marks = """
      local namespace = vim.api.nvim_get_namespaces()['placet.change_set.drawn']
      return namespace and #vim.api.nvim_buf_get_extmarks(vim.fn.bufnr(...), namespace, 0, -1, {}) or 0
    """
    editor.lua("vim.fn.bufload(vim.fn.bufadd(...))", str(other))
    changes.stage(listed(other, HUNKS[1:]))
    assert editor.lua(marks, str(other)) == 0

    editor.command(f"buffer {other}")
    screen.wait_for("● 1/1 Proposed")
    assert editor.lua(marks, str(other)) > 0


def test_the_hunk_under_the_cursor_is_accepted_and_the_cursor_goes_on_to_the_next(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    file = listed(path)
    changes.stage(file)
    rest = "def area(width, height):\n    return width * height\n\n\ndef name():\n    return 'box'\n"
    changes.after = [listed(path, [{**HUNKS[1], "id": 1}])]
    editor.command("normal! gg")

    editor.command("Placet accept")

    assert changes.wait_for_decision() == [
        {"uri": path.as_uri(), "version": file["version"], "outcome": "accept", "hunks": [1]}
    ]
    editor.wait("vim.api.nvim_win_get_cursor(0)[1] == 6")
    assert editor.text() == OLD != rest


def test_a_rejected_hunk_takes_its_comment_along(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    changes.stage(listed(path))
    editor.lua("vim.ui.input = function(_, use) use('a box it stays') end")
    editor.command("6")
    editor.command("Placet comment")

    editor.command("Placet reject")

    [decision] = changes.wait_for_decision()
    assert decision["outcome"] == "reject"
    assert decision["hunks"] == [2]
    assert decision["comment"] == "a box it stays"


COMMENT_SENT = (
    "_G.notices[#_G.notices] == 'Placet: comment sent; the agent reads it with its next step, nothing is decided'"
)


def test_a_comment_without_a_decision_is_sent_at_once_and_the_hunk_stays(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    file = listed(path)
    changes.stage(file)
    changes.outcome = {"status": "commented"}
    editor.lua("vim.ui.input = function(options, use) use(options.default or 'a box it stays') end")
    editor.command("6")
    editor.command("Placet comment")
    assert "You: a box it stays" in screen.draw().text()

    editor.command("Placet comment now")

    comment = {"uri": path.as_uri(), "version": file["version"], "outcome": "comment"}
    assert changes.wait_for_decision() == [{**comment, "hunks": [2], "comment": "a box it stays"}]
    editor.wait(COMMENT_SENT)
    assert "You:" not in screen.draw().text(), "the decision does not send the comment again"
    assert editor.lua("return require('placet').details().proposed") == 2

    changes.outcome = {"status": "rejected"}
    editor.command("Placet reject")
    assert "comment" not in changes.wait_for_decision(2)[0]


def test_a_comment_that_was_not_sent_stays_for_the_decision(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    changes.stage(listed(path))
    changes.outcome = {"status": "moved"}
    editor.lua("vim.ui.input = function(options, use) use(options.default or 'a box it stays') end")
    editor.command("6")
    editor.command("Placet comment")
    editor.command("Placet comment now")
    changes.wait_for_decision()
    editor.wait("#_G.notices > 0 and _G.notices[#_G.notices]:find('not done', 1, true) ~= nil")
    editor.wait("not require('placet.change_set').all()[1].is_listing")
    assert "You: a box it stays" in screen.draw().text()


def test_an_empty_comment_is_not_sent(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    changes.stage(listed(path))
    editor.lua("vim.ui.input = function(_, use) use('  ') end")
    editor.command("6")
    editor.command("Placet comment now")
    editor.command("Placet accept")
    assert [decision["outcome"] for decision in changes.wait_for_decision()] == ["accept"]


def test_a_comment_stays_on_its_hunk_when_the_set_is_listed_again(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    changes.stage(listed(path))
    editor.lua("vim.ui.input = function(_, use) use('a box it stays') end")
    editor.command("6")
    editor.command("Placet comment")

    moved = [{**HUNKS[1], "id": 1}]
    changes.stage(listed(path, moved))

    assert "You: a box it stays" in screen.draw().text()
    assert "● 1/1 Proposed, with a comment" in screen.text()


def test_the_file_is_decided_whole(editor: Editor, changes: PlayedChangeSet, path: Path, project: Path) -> None:
    file = listed(path)
    changes.stage(file, created(project / "new.py", "new\n"))

    editor.command("Placet accept file")

    assert changes.wait_for_decision() == [{"uri": path.as_uri(), "version": file["version"], "outcome": "accept"}]
    editor.wait("_G.notices[#_G.notices] == 'Placet: 2 hunks in 1 file accepted'")


def test_a_decision_on_proposed_and_unreviewed_hunks_is_told_in_the_words_of_each(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path
) -> None:
    written = created(project / "written.py", "one\n", "unreviewed")
    changes.stage(listed(path), written)
    changes.outcome = {"status": "kept"}
    changes.after = []
    editor.command("Placet accept all")
    editor.wait("_G.notices[#_G.notices] == 'Placet: 2 hunks in 1 file accepted, 1 hunk in 1 file kept'")
    assert editor.lua("return require('placet').details().proposed") == 0


def test_lines_of_a_range_are_decided(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    changes.stage(listed(path))
    editor.command("4,6Placet accept")
    assert [decision.get("hunks") for decision in changes.wait_for_decision()] == [[2]]


def test_all_files_are_accepted_in_one_request(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path
) -> None:
    changes.stage(listed(path), created(project / "new.py", "new\n"))
    editor.command("Placet accept all")
    decisions = changes.wait_for_decision()
    assert [(decision["uri"], decision.get("hunks")) for decision in decisions] == [
        ((project / "new.py").as_uri(), None),
        (path.as_uri(), None),
    ]


def test_the_set_is_listed_once_after_a_decision(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    changes.stage(listed(path))
    lists = changes.lists

    editor.lua("""
      local change_set = require('placet.change_set')
      local set = change_set.all()[1]
      change_set.decide(set, set.units, 'accept', function(renewed)
        _G.left = { units = #renewed.units, is_listing = renewed.is_listing }
      end)
    """)

    editor.wait("_G.left")
    assert editor.lua("return _G.left") == {"units": 0, "is_listing": False}
    assert changes.lists == lists + 1


def test_all_are_rejected_only_after_a_question(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    changes.stage(listed(path))
    editor.lua("vim.ui.select = function(items, options, use) _G.prompt = options.prompt use(_G.answer) end")

    editor.command("Placet reject all")
    assert "2 proposed" in editor.lua("return _G.prompt")
    assert changes.decided == []

    editor.lua("_G.answer = 'Reject and undo all'")
    editor.command("Placet reject all")
    assert [decision["outcome"] for decision in changes.wait_for_decision()] == ["reject"]


def test_unreviewed_hunks_are_kept_and_undone(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    path.write_text(NEW)
    editor.command("edit!")
    changes.stage(listed(path, HUNKS, "unreviewed"))
    changes.after = changes.files
    editor.command("6")

    editor.command("Placet reject")
    [decision] = changes.wait_for_decision(1)
    assert (decision["outcome"], decision["hunks"]) == ("reject", [2])
    editor.command("Placet accept file")
    [decision] = changes.wait_for_decision(2)
    assert decision["outcome"] == "accept"
    editor.wait("_G.notices[#_G.notices] == 'Placet: 2 hunks in 1 file kept'")


def test_the_keys_move_through_all_files_and_go_when_the_last_hunk_goes(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path
) -> None:
    other = project / "other.py"
    other.write_text(OLD)
    changes.stage(listed(path), listed(other, HUNKS[1:]))
    editor.command("normal! 3G")

    editor.keys("]h")
    editor.wait("vim.api.nvim_win_get_cursor(0)[1] == 6")
    editor.keys("]h")
    editor.wait("vim.fn.expand('%:t') == 'other.py' and vim.api.nvim_win_get_cursor(0)[1] == 6")
    editor.keys("]h")
    editor.wait("vim.fn.expand('%:t') == 'shapes.py' and vim.api.nvim_win_get_cursor(0)[1] == 1")
    editor.keys("[h")
    editor.wait("vim.fn.expand('%:t') == 'other.py'")

    changes.stage()
    assert editor.lua("return vim.fn.maparg(']h', 'n')") == ""
    editor.open(path)
    assert editor.lua("return vim.fn.maparg(']h', 'n')") == ""


def test_a_users_own_mapping_stays_unless_the_key_is_configured(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    editor.command("nnoremap ]h :let g:mine = 1<CR>")
    changes.stage(listed(path))
    assert "mine" in editor.lua("return vim.fn.maparg(']h', 'n')")
    assert "placet" in editor.lua("return vim.fn.maparg('[h', 'n')")

    changes.stage()
    editor.lua("require('placet').setup({ change_set = { hunk_keys = { next = ']h' } } })")
    changes.stage(listed(path))
    assert "placet" in editor.lua("return vim.fn.maparg(']h', 'n')")
    changes.stage()
    assert "mine" in editor.lua("return vim.fn.maparg(']h', 'n')")


def test_hunks_move_along_with_typing_and_are_listed_again_when_the_user_stops(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    changes.stage(listed(path))
    lists = changes.lists
    editor.keys("3Goone<CR>two")
    editor.wait("vim.api.nvim_buf_line_count(0) == 8")
    lines = screen.draw().lines()
    row = next(index for index, line in enumerate(lines) if "return 'box'" in line)
    assert "● 2/2 Proposed" in lines[row]
    assert changes.lists == lists

    shifted = [HUNKS[0], {**HUNKS[1], "oldStart": 7, "newStart": 7}]
    changes.files = [listed(path, shifted)]
    editor.keys("<Esc>")
    changes.wait_for_lists(lists + 1)
    version = changes.files[0]["version"]
    editor.wait("require('placet.change_set').all()[1].files[1].version == ...", version)
    editor.command("8")
    editor.command("Placet reject")
    [decision] = changes.wait_for_decision()
    assert (decision["version"], decision["hunks"]) == (version, [2])


def test_nothing_is_drawn_while_the_user_types_in_the_file(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    editor.keys("3Gi# here")
    editor.wait("vim.api.nvim_get_current_line() == '# here'")

    changes.stage(listed(path))
    assert "rectangle" not in screen.draw().text()

    editor.keys("<Esc>")
    screen.wait_for("return 'rectangle'")


def test_a_list_that_does_not_fit_the_text_draws_nothing(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    changes.stage(listed(path, [hunk(1, 0, ["another text\n"], 0, ["new\n"])]))
    assert "Proposed" not in screen.draw().text()
    assert editor.text() == OLD


def test_a_decision_on_a_file_that_has_changed_is_told_and_nothing_is_done(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    changes.stage(listed(path))
    changes.outcome = {"status": "moved", "reason": "The file has changed since you looked."}
    lists = changes.lists

    editor.command("Placet accept file")
    changes.wait_for_lists(lists + 1)

    editor.wait("#_G.notices > 0")
    assert editor.notices() == ["Placet: not done. shapes.py: The file has changed since you looked."]
    assert editor.text() == OLD


def test_a_new_file_is_previewed_and_the_file_takes_its_place_when_it_is_accepted(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path, screen: Screen
) -> None:
    new = project / "new.py"
    changes.stage(created(new, "import shapes\n\nprint(shapes)\n"))
    editor.command("Placet review")
    editor.wait("vim.api.nvim_win_get_config(0).relative ~= ''")
    editor.keys("<CR>")
    editor.wait("vim.api.nvim_buf_get_name(0) == 'placet-change://' .. ...", str(new))
    text = screen.draw().text()
    assert "print(shapes)" in text
    assert "● 1/1 Proposed, new file" in text
    assert editor.lua("return vim.bo.filetype") == "python"
    assert editor.lua("return vim.bo.modifiable") is False

    new.write_text("import shapes\n\nprint(shapes)\n")
    editor.command("Placet accept")
    changes.wait_for_decision()

    editor.wait("vim.api.nvim_buf_get_name(0) == ...", str(new))
    assert not editor.lua("return vim.fn.bufexists('placet-change://' .. ...)", str(new))


def test_a_file_to_be_deleted_is_shown_in_its_buffer(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    changes.stage(deleted(path, OLD))
    assert "● 1/1 Proposed, delete file" in screen.draw().text()
    assert screen.highlight_at(1, 6) != {}


def test_a_deleted_file_is_previewed_and_can_be_undone(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path, screen: Screen
) -> None:
    changes.stage(listed(path, HUNKS[:1]), deleted(project / "gone.py", "one\ntwo\n", "unreviewed"))
    editor.keys("]h")
    editor.wait("vim.fn.bufname():match('^placet%-change://')")
    assert "● file 1/2 Unreviewed, deleted file" in screen.draw().text()
    assert editor.text() == "one\ntwo\n"
    editor.command("Placet reject")
    assert changes.wait_for_decision()[0]["uri"] == (project / "gone.py").as_uri()


def test_a_file_that_is_no_text_is_shown_by_its_description_and_undone_whole(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path, screen: Screen
) -> None:
    link = project / "link"
    link.symlink_to(path)
    changes.stage(listed(link, [], "unreviewed", description="symbolic link to shapes.py"))
    assert "Unreviewed" not in screen.draw().text()

    editor.command("Placet review")
    text = screen.draw().text()
    assert "link  " in text
    assert "symbolic link to shapes.py" in text
    assert "+0" not in text
    editor.keys("<CR>")

    editor.wait("vim.fn.bufname():match('^placet%-change://')")
    assert editor.text() == "symbolic link to shapes.py\n"
    assert "● 1/1 Unreviewed, no text" in screen.draw().text()
    editor.command("Placet reject")
    (decision,) = changes.wait_for_decision()
    assert (decision["uri"], decision["outcome"], decision.get("hunks")) == (link.as_uri(), "reject", None)


def test_permissions_alone_are_shown_above_the_file(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    changes.stage(listed(path, [], "unreviewed", permissions="executable"))
    assert "● 1/1 Unreviewed, made executable" in screen.draw().text()


def test_a_conflict_is_named_above_the_file_and_settled_side_by_side(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    conflict = "The same lines have been changed since the change was staged."
    changes.stage(listed(path, [], conflict=conflict, oldText=OLD, newText=NEW))
    editor.keys("]h")
    screen.wait_for(f"● 1/1 Proposed: {conflict}")

    editor.command("Placet accept")
    editor.wait("vim.wo.diff and vim.bo.buftype == 'acwrite'")
    editor.command("call append('$', '# mine') | write")

    [decision] = changes.wait_for_decision()
    assert (decision["outcome"], decision["text"]) == ("accept", NEW + "# mine\n")


def test_the_only_hunk_of_a_file_is_edited_in_a_small_buffer(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    file = listed(path, HUNKS[1:], oldText=OLD, newText=NEW)
    changes.stage(file)
    editor.command("6")
    editor.command("Placet edit")
    editor.wait("vim.bo.buftype == 'acwrite'")
    editor.keys("ccreturn 'square'<Esc>:w<CR>")

    assert changes.wait_for_decision() == [
        {
            "uri": path.as_uri(),
            "version": file["version"],
            "outcome": "accept",
            "hunks": [2],
            "text": "    return 'square'\n",
        }
    ]
    editor.wait("#vim.api.nvim_list_wins() == 1")


def test_one_of_several_hunks_is_edited_alone_and_its_comment_goes_along(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    file = listed(path)
    changes.stage(file)
    editor.lua("vim.ui.input = function(_, use) use('a square it is') end")
    editor.command("6")
    editor.command("Placet comment")
    editor.command("Placet edit")
    editor.wait("vim.bo.buftype == 'acwrite'")
    editor.keys("ccreturn 'square'<Esc>:w<CR>")

    assert changes.wait_for_decision() == [
        {
            "uri": path.as_uri(),
            "version": file["version"],
            "outcome": "accept",
            "hunks": [2],
            "text": "    return 'square'\n",
            "comment": "a square it is",
        }
    ]


def test_closing_the_edited_lines_leads_back_to_the_file_also_beside_a_window_below(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    changes.stage(listed(path))
    editor.command("belowright new | wincmd p")
    editor.command("6")
    editor.command("Placet edit")
    editor.wait("vim.bo.buftype == 'acwrite'")
    editor.keys(":q<CR>")
    editor.wait("#vim.api.nvim_list_wins() == 2 and vim.fn.expand('%:t') == 'shapes.py'")


def test_lines_of_the_users_own_stay_open_if_they_could_not_be_written(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    changes.stage(listed(path))
    changes.outcome = {"status": "moved", "reason": "The file has changed since you looked."}
    editor.command("6")
    editor.command("Placet edit")
    editor.wait("vim.bo.buftype == 'acwrite'")
    editor.keys("ccreturn 'square'<Esc>:w<CR>")

    changes.wait_for_decision()
    editor.wait("#_G.notices > 0")
    assert editor.lua("return vim.fn.getline(1)") == "    return 'square'"
    assert editor.lua("return vim.bo.buftype") == "acwrite"


def test_a_text_of_the_users_own_is_shown_again_if_it_could_not_be_written(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    changes.stage(listed(path, oldText=OLD, newText=NEW))
    changes.outcome = {"status": "moved", "reason": "The file has changed since you looked."}
    editor.command("Placet side-by-side")
    editor.wait("vim.wo.diff and vim.bo.buftype == 'acwrite'")

    editor.command("call append('$', '# mine') | write")

    changes.wait_for_decision()
    editor.wait("#_G.notices > 0 and vim.wo.diff and vim.bo.buftype == 'acwrite'")
    assert editor.text() == NEW + "# mine\n"


def test_several_hunks_are_edited_side_by_side(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    changes.stage(listed(path, oldText=OLD, newText=NEW))
    editor.command("Placet change-set")
    editor.wait("vim.api.nvim_win_get_config(0).relative ~= ''")
    editor.keys("e")
    editor.wait("vim.wo.diff and vim.bo.buftype == 'acwrite'")
    assert editor.text() == NEW
    editor.command("%s/rectangle/square/ | write")
    assert changes.wait_for_decision()[0]["text"] == NEW.replace("rectangle", "square")


def test_written_texts_are_shown_side_by_side_to_read(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    path.write_text(NEW)
    editor.command("edit!")
    changes.stage(listed(path, HUNKS, "unreviewed", oldText=OLD, newText=NEW))
    editor.command("Placet side-by-side")
    editor.wait("vim.wo.diff")
    assert editor.lua("return vim.bo.modifiable") is False
    editor.command("tabclose")
    assert here(editor) == "shapes.py"


def test_the_quickfix_list_holds_every_hunk_and_follows_the_set(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path
) -> None:
    changes.stage(listed(path), created(project / "new.py", "new\n"))
    window = editor.lua("return vim.api.nvim_get_current_win()")

    editor.command("Placet! change-set")
    editor.wait("#vim.fn.getqflist() == 3")
    assert editor.lua("return vim.tbl_map(function(item) return item.text end, vim.fn.getqflist())") == [
        "Proposed hunk 1: +1 -0",
        "Proposed hunk 2: +2 -2",
        "Proposed hunk 3: +1 -1",
    ]
    assert editor.lua("return vim.api.nvim_get_current_win()") == window

    changes.stage(listed(path, HUNKS[1:]))
    assert editor.lua("return vim.tbl_map(function(item) return item.lnum end, vim.fn.getqflist())") == [6]
    editor.command("cfirst")
    assert cursor(editor)[0] == 6


def test_the_end_of_the_daemon_clears_the_screen_and_its_restart_shows_the_set_again(
    editor: Editor, changes: PlayedChangeSet, path: Path, connected: ScriptedServer, screen: Screen
) -> None:
    changes.stage(listed(path))
    connected.close()
    editor.wait("require('placet').status() == ''")
    assert "rectangle" not in screen.draw().text()
    assert editor.lua("return vim.fn.maparg(']h', 'n')") == ""

    with restarted(editor, [listed(path)]):
        screen.wait_for("return 'rectangle'")


def test_a_list_that_the_daemon_did_not_live_to_send_is_asked_of_the_next_daemon(
    editor: Editor, changes: PlayedChangeSet, path: Path, connected: ScriptedServer, screen: Screen
) -> None:
    changes.stage(listed(path))
    del connected.answers["agent/review/list"]
    changes.announce()
    connected.wait_for("agent/review/list")
    connected.close()
    editor.wait("require('placet').status() == ''")

    with restarted(editor, [listed(path, HUNKS[1:])]):
        screen.wait_for("● 1/1 Proposed")


def test_another_sessions_set_is_shown_after_switching(
    editor: Editor, changes: PlayedChangeSet, path: Path, connected: ScriptedServer, screen: Screen
) -> None:
    changes.stage(listed(path))
    other = {"id": "ses_2", "title": "other", "agent": "build", "model": "m", "updated": 0, "usage": {"cost": 0}}
    connected.answers["agent/session/list"] = lambda _: {"sessions": [other]}
    connected.answers["agent/session/load"] = lambda params: {
        "session": {**other, "id": params["sessionId"]},
        "events": [],
    }
    connected.answers["agent/changes"] = lambda _: {"changes": []}
    editor.command("Placet sessions other")
    editor.wait("require('placet').details().proposed == 0")
    assert "rectangle" not in screen.draw().text()


def test_without_colours_signs_tell_the_sides_apart(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    editor.command("set notermguicolors")
    screen = Screen(editor.nvim, 80, 20, rgb=False, colours=2)
    path.write_text(NEW)
    editor.command("edit!")
    changes.stage(listed(path, HUNKS, "unreviewed"))
    lines = [line.strip() for line in screen.draw().lines()]
    assert "- return 'box'" in [" ".join(line.split()) for line in lines]


def test_placet_stop_leaves_nothing_in_the_buffer(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    changes.stage(listed(path))
    editor.lua("require('placet').stop(function() _G.stopped = true end)")
    editor.wait("_G.stopped")
    assert "rectangle" not in screen.draw().text()
    assert editor.lua("return vim.fn.maparg(']h', 'n')") == ""


def test_lines_proposed_above_the_first_line_are_seen_without_a_key(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    changes.stage(listed(path, [hunk(1, 0, [], 0, ["import math\n", "\n"])]))
    assert screen.draw().lines()[0].strip() == "import math"
    changes.stage(listed(path, [hunk(1, 0, [], 0, ["import math\n", "import os\n", "\n"])]))
    assert screen.draw().lines()[1].strip() == "import os"
    assert cursor(editor) == [1, 0]


def test_a_file_with_crlf_and_without_a_last_line_end_shows_its_hunks(
    editor: Editor, changes: PlayedChangeSet, project: Path, screen: Screen
) -> None:
    dos = project / "dos.txt"
    dos.write_bytes(b"one\r\ntwo")
    editor.open(dos)
    changes.stage(listed(dos, [hunk(1, 1, ["two"], 1, ["three"])]))
    assert "● 1/1 Proposed" in screen.draw().text()
    assert "three" in screen.text()


def test_a_file_reached_through_a_link_shows_its_hunks(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path, screen: Screen
) -> None:
    (project / "link.py").symlink_to(path)
    editor.command("bwipeout!")
    editor.open(project / "link.py")
    changes.stage(listed(path))
    assert "● 2/2 Proposed" in screen.draw().text()


def test_a_reloaded_file_shows_its_hunks_again_and_its_keys_go_with_the_set(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    changes.stage(listed(path))
    editor.command("edit!")
    screen.wait_for("● 2/2 Proposed")
    editor.command("new | bunload! shapes.py | edit shapes.py")
    screen.wait_for("● 2/2 Proposed")
    changes.stage()
    assert "Proposed" not in screen.draw().text()
    assert editor.lua("return vim.fn.maparg(']h', 'n')") == ""


def test_two_windows_show_the_same_hunks(editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen) -> None:
    editor.command("vsplit")
    changes.stage(listed(path))
    assert screen.draw().text().count("● 2/2 Proposed") == 2
