"""A change for which the agent waits: its hunks stand in the change set, and the user decides there or answers."""

import threading
from pathlib import Path

import pytest

from neovim_support.change_set import PlayedChangeSet, created, listed, renamed
from neovim_support.daemon import current_session
from neovim_support.editor import Editor
from neovim_support.review import HUNKS, OLD, cursor, here, hunk, permission
from neovim_support.screen import Screen
from neovim_support.scripted_server import CANCELLED, ScriptedServer

REST = [{**HUNKS[1], "id": 1}]
"""The hunk that is left, with the id that the daemon gives the hunk then."""


@pytest.fixture
def other(project: Path) -> Path:
    """A file that nobody has open."""
    other = project / "other.py"
    other.write_text(OLD)
    return other


def says(editor: Editor, text: str) -> None:
    """What the user types when asked next."""
    editor.lua("local text = ...; vim.ui.input = function(_, use) use(text) end", text)


def mapped(editor: Editor, key: str) -> bool:
    """Whether the key is one of Placet's in the current buffer."""
    return "placet" in editor.lua("return vim.fn.maparg(..., 'n')", key)


def test_a_change_that_waits_is_shown_where_the_user_looks_and_moves_nothing(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    editor.command("normal! 4G")

    changes.ask(listed(path))

    text = screen.draw().text()
    assert "def area(width, height):" in text
    assert "● 2/2 Proposed, the agent waits" in text
    assert cursor(editor) == [4, 0]
    assert editor.text() == OLD
    assert editor.lua("return vim.bo.modified") is False
    assert editor.notices() == ["Placet asks: edit shapes.py. ga accepts, gr rejects, g? all keys"]
    assert editor.lua("return require('placet').status()").startswith("Placet: 1 pending, 2 proposed")


def test_each_hunk_is_decided_with_keys_and_the_last_decision_ends_the_request(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    file = listed(path)
    inquiry = changes.ask(file)
    changes.after = [{**listed(path, REST), "waits": "chg_1"}]

    editor.keys("ga")
    editor.wait("vim.api.nvim_win_get_cursor(0)[1] == 6")
    changes.after = []
    editor.keys("gr")

    of_file = {"uri": path.as_uri(), "version": file["version"]}
    assert changes.wait_for_decision() == [{**of_file, "outcome": "accept", "hunks": [1]}]
    [decision] = changes.wait_for_decision(2)
    assert (decision["version"], decision["outcome"]) == (listed(path, REST)["version"], "reject")
    assert inquiry.failure().code == CANCELLED
    editor.wait("require('placet').details().waiting == 0 and vim.fn.maparg('ga', 'n') == ''")
    editor.wait("#(require('placet.change_set').all()[1] or { units = {} }).units == 0")
    assert "rectangle" not in screen.draw().text()


def test_keys_typed_at_once_decide_one_hunk_after_the_other(
    editor: Editor, changes: PlayedChangeSet, path: Path, connected: ScriptedServer
) -> None:
    file, rest = listed(path), {**listed(path, REST), "waits": "chg_1"}
    changes.ask(file)
    changes.after = [rest]
    decide, may_answer = connected.answers["agent/review/decide"], threading.Event()
    connected.answers["agent/review/decide"] = lambda params: may_answer.wait() and decide(params)
    editor.command("call feedkeys('ga', 'mx')")
    editor.command("call feedkeys('gr', 'mx')")
    may_answer.set()
    [first], [second] = changes.wait_for_decision(1), changes.wait_for_decision(2)
    assert (first["version"], first["outcome"]) == (file["version"], "accept")
    assert (second["version"], second["outcome"]) == (rest["version"], "reject")


def test_a_key_works_again_after_a_decision_that_the_daemon_could_not_take(
    editor: Editor, changes: PlayedChangeSet, path: Path, connected: ScriptedServer
) -> None:
    changes.ask(listed(path))
    connected.failures["agent/review/decide"] = "the store is locked"
    editor.keys("ga")
    editor.wait("_G.notices[#_G.notices] == 'Placet: the store is locked'")
    del connected.failures["agent/review/decide"]
    editor.keys("ga")
    [decision] = changes.wait_for_decision()
    assert decision["hunks"] == [1]


@pytest.mark.parametrize(("key", "outcome"), [("gA", "accept"), ("gR", "reject")])
def test_a_key_decides_about_the_whole_call_and_leaves_the_rest_of_the_set(
    editor: Editor, changes: PlayedChangeSet, path: Path, other: Path, project: Path, key: str, outcome: str
) -> None:
    new = created(project / "new.py", "new\n")
    staged = listed(other)
    changes.stage(staged)
    changes.ask(listed(path), new)
    changes.after = [staged]

    editor.keys(key)

    decisions = changes.wait_for_decision()
    assert [(decision["uri"], decision["outcome"], decision.get("hunks")) for decision in decisions] == [
        (new["uri"], outcome, None),
        (path.as_uri(), outcome, None),
    ]
    editor.wait("require('placet').details().waiting == 0 and require('placet').details().proposed == 2")


def test_a_file_of_the_call_is_decided_with_one_key_and_its_comment_goes_along(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    file = listed(path)
    changes.ask(file)
    says(editor, "keep the short names")
    editor.keys("gmgX")
    assert changes.wait_for_decision() == [
        {"uri": path.as_uri(), "version": file["version"], "outcome": "reject", "comment": "keep the short names"}
    ]


def test_a_rejection_with_a_reason_answers_the_request_and_carries_the_comments(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    file = listed(path)
    changes.ask(file)
    says(editor, "no")
    editor.keys("gmgC")
    comment = {"uri": path.as_uri(), "version": file["version"], "outcome": "comment", "hunks": [1], "comment": "no"}
    assert changes.answer() == {"outcome": "reject", "feedback": "no", "decisions": [comment]}
    assert changes.decided == []
    assert not mapped(editor, "ga")


def test_a_change_can_be_allowed_for_the_whole_session(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    changes.ask(listed(path))
    editor.keys("g!")
    assert changes.answer() == {"outcome": "always", "scope": "session"}


def test_where_several_scopes_are_offered_the_user_chooses(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    changes.ask(listed(path), always=[{"scope": scope, "patterns": ["a.py"]} for scope in ("session", "project")])
    editor.lua(
        """
        vim.ui.select = function(items, options, use)
          _G.labels = vim.tbl_map(options.format_item, items)
          use(items[2])
        end
        """
    )
    editor.keys("g!")
    assert changes.answer() == {"outcome": "always", "scope": "project"}
    assert editor.lua("return _G.labels") == [
        "Always allow in this session: a.py",
        "Always allow in this project: a.py",
    ]


def test_a_change_without_an_offer_of_always_says_so(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    inquiry = changes.ask(listed(path), always=[])
    editor.keys("g!")
    editor.wait("""_G.notices[#_G.notices] == 'Placet: "always allow" is not available for this change'""")
    assert not inquiry.done()


def test_of_an_unreviewed_and_a_waiting_change_of_a_file_the_waiting_one_is_shown_until_it_is_decided(
    editor: Editor, changes: PlayedChangeSet, path: Path, other: Path, screen: Screen
) -> None:
    written = listed(other, [hunk(1, 5, ["    return 'lid'\n"], 5, ["    return 'box'\n"])], "unreviewed")
    changes.stage(written)
    changes.ask(listed(other, HUNKS[:1]))
    editor.open(other)
    screen.wait_for("Proposed, the agent waits")
    assert mapped(editor, "ga")
    changes.after = [written]
    editor.keys("gA")
    screen.wait_for("Unreviewed")
    assert not mapped(editor, "ga")


def test_later_takes_the_keys_away_and_the_review_brings_them_back_at_the_first_open_hunk(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    inquiry = changes.ask(listed(path))
    changes.after = [{**listed(path, REST), "waits": "chg_1"}]
    editor.keys("ga")
    editor.wait("vim.api.nvim_win_get_cursor(0)[1] == 6")
    editor.keys("gq")
    editor.wait("_G.notices[#_G.notices]:find('postponed', 1, true)")

    assert not mapped(editor, "ga")
    assert mapped(editor, "]h")
    assert "● 1/1 Proposed, the agent waits" in screen.draw().text()
    assert editor.lua("return require('placet').details().waiting") == 1
    assert not inquiry.done()

    editor.command("normal! gg")
    editor.command("Placet review")
    assert cursor(editor)[0] == 6
    changes.after = []
    editor.keys("ga")
    assert inquiry.failure().code == CANCELLED


def test_while_typing_a_change_only_announces_itself_and_its_keys_come_with_the_end_of_typing(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    editor.keys("4GA  # here")
    editor.wait("vim.api.nvim_get_current_line():match('here')")

    changes.ask(listed(path))

    assert editor.notices() == ["Placet asks: edit shapes.py. :Placet review"]
    assert editor.lua("return vim.api.nvim_get_mode().mode") == "i"
    assert "rectangle" not in screen.draw().text()
    editor.keys(" and on<Esc>")
    screen.wait_for("return 'rectangle'")
    assert "here and on" in screen.text()
    editor.keys("6Gga")
    [decision] = changes.wait_for_decision()
    assert decision["hunks"] == [2]


def test_in_another_tab_page_a_change_only_announces_itself_and_the_review_goes_to_its_file(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    editor.command("tabnew")
    changes.ask(listed(path))
    assert editor.notices() == ["Placet asks: edit shapes.py. :Placet review"]
    assert here(editor) == ""
    editor.command("Placet review")
    assert here(editor) == "shapes.py"
    assert cursor(editor)[0] == 1


def test_a_cancelled_request_leaves_nothing_on_the_screen(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    before = screen.draw().text()
    inquiry = changes.ask(listed(path))
    assert "rectangle" in screen.draw().text()

    changes.cancel()

    assert inquiry.failure().code == CANCELLED
    editor.wait("require('placet').status():find('pending') == nil and vim.fn.maparg('ga', 'n') == ''")
    editor.wait("require('placet').details().proposed == 0")
    assert screen.draw().text() == before


def test_the_users_own_keys_come_back(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    editor.command("nnoremap <buffer> ]c :let g:mine = 1<CR>")
    editor.lua("require('placet').setup({ change_set = { hunk_keys = { next = ']c' } } })")
    changes.ask(listed(path))
    assert mapped(editor, "]c")

    changes.cancel()
    editor.wait("require('placet').details().proposed == 0")

    editor.keys("]c")
    editor.wait("vim.g.mine == 1")


def test_the_end_of_the_daemon_clears_the_screen(
    editor: Editor, changes: PlayedChangeSet, path: Path, connected: ScriptedServer, screen: Screen
) -> None:
    changes.ask(listed(path))
    connected.close()
    editor.wait("require('placet').status() == ''")
    assert "rectangle" not in screen.draw().text()
    assert not mapped(editor, "ga")


def test_of_two_changes_that_wait_the_user_chooses_one_by_its_agent_and_title(
    editor: Editor, changes: PlayedChangeSet, path: Path, other: Path
) -> None:
    first = changes.ask(listed(path))
    second = changes.ask(listed(other), change="chg_2", title="edit other.py", origin=["scout"])
    editor.lua(
        """
        vim.ui.select = function(items, options, use)
          _G.labels = vim.tbl_map(options.format_item, items)
          use(items[2])
        end
        """
    )
    editor.command("Placet review")
    assert editor.lua("return _G.labels") == ["edit shapes.py", "scout: edit other.py"]
    assert here(editor) == "other.py"

    changes.after = [file for file in changes.files if file["waits"] == "chg_1"]
    editor.keys("gA")
    assert [decision["uri"] for decision in changes.wait_for_decision()] == [other.as_uri()]
    assert second.failure().code == CANCELLED
    editor.wait("require('placet').details().waiting == 1")
    assert not first.done()


def test_the_request_is_shown_only_when_its_files_are_listed_also_if_it_comes_first(
    editor: Editor, changes: PlayedChangeSet, path: Path, connected: ScriptedServer, screen: Screen
) -> None:
    are_listed = threading.Event()
    connected.answers["agent/review/list"] = lambda _: (
        are_listed.wait() and {"files": [{**listed(path), "waits": "chg_1"}]}
    )
    connected.ask("editor/requestPermission", permission("edit shapes.py", changeId="chg_1"))
    editor.wait("(require('placet.change_set').all()[1] or {}).is_listing")
    assert editor.notices() == []
    assert "rectangle" not in screen.draw().text()

    are_listed.set()

    screen.wait_for("● 1/2 Proposed, the agent waits")
    assert editor.notices() == ["Placet asks: edit shapes.py. ga accepts, gr rejects, g? all keys"]


def test_a_request_that_is_cancelled_before_its_files_are_listed_is_never_shown(
    editor: Editor, changes: PlayedChangeSet, connected: ScriptedServer
) -> None:
    are_listed = threading.Event()
    connected.answers["agent/review/list"] = lambda _: are_listed.wait() and {"files": []}
    inquiry = connected.ask("editor/requestPermission", permission("edit shapes.py", changeId="chg_1"))
    editor.wait("(require('placet.change_set').all()[1] or {}).is_listing")
    connected.cancel(inquiry)
    are_listed.set()
    assert inquiry.failure().code == CANCELLED
    editor.wait("not (require('placet.change_set').all()[1] or {}).is_listing")
    assert editor.notices() == []
    assert editor.lua("return require('placet').details().waiting") == 0


def test_a_request_whose_files_are_not_listed_is_a_choice(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    changes.ask()
    assert editor.notices() == ["Placet asks: edit shapes.py. :Placet review"]
    editor.lua("vim.ui.select = function(items, _, use) use(items[1]) end")
    editor.command("Placet review")
    assert changes.answer() == {"outcome": "once"}


def test_a_change_of_another_session_announces_itself_and_the_review_switches_to_the_session(
    editor: Editor, changes: PlayedChangeSet, path: Path, other: Path, connected: ScriptedServer
) -> None:
    changes.stage(listed(path))
    of_session = {"ses_1": changes.files, "ses_2": [{**listed(other), "waits": "chg_2"}]}
    connected.answers["agent/review/list"] = lambda params: {"files": of_session[params["sessionId"]]}
    connected.answers["agent/changes"] = lambda _: {"changes": []}
    params = permission("edit other.py", changeId="chg_2", sessionId="ses_2")
    connected.ask("editor/requestPermission", params)
    editor.wait("#_G.notices == 1")
    assert editor.notices() == ["Placet asks: edit other.py. :Placet review"]
    assert editor.lua("return require('placet').details().proposed") == 2

    editor.command("Placet review")

    editor.wait("vim.fn.expand('%:t') == 'other.py'")
    assert mapped(editor, "ga")
    assert current_session(editor) == "ses_2"


def test_only_the_selected_lines_are_accepted(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    file = listed(path)
    changes.ask(file)
    editor.keys("2GVga")
    assert changes.wait_for_decision() == [
        {
            "uri": path.as_uri(),
            "version": file["version"],
            "outcome": "accept",
            "hunks": [1],
            "text": "def area(w, h):\n    return width * height\n",
        }
    ]


def test_a_selection_of_a_part_and_of_a_whole_hunk_is_one_request(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    changes.ask(listed(path))
    editor.keys("2GVGga")
    decisions = changes.wait_for_decision()
    assert [(decision["hunks"], decision.get("text")) for decision in decisions] == [
        ([1], "def area(w, h):\n    return width * height\n"),
        ([2], None),
    ]


def test_a_selection_over_whole_hunks_accepts_the_file_as_it_is(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    changes.ask(listed(path))
    editor.keys("ggVGga")
    [decision] = changes.wait_for_decision()
    assert "hunks" not in decision
    assert "text" not in decision


def test_selected_lines_of_a_new_file_are_accepted(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path
) -> None:
    changes.ask(created(project / "new.py", "one\ntwo\nthree\n"))
    editor.command("Placet review")
    editor.keys("ggVjga")
    [decision] = changes.wait_for_decision()
    assert (decision["hunks"], decision["text"]) == ([1], "one\ntwo\n")


def test_lines_without_a_change_accept_nothing(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    changes.ask(listed(path))
    editor.keys("3GVga")
    editor.wait("_G.notices[#_G.notices] == 'Placet: the change set does not touch these lines'")
    assert changes.decided == []


def test_an_edited_hunk_beside_a_rejected_file_of_the_same_call(
    editor: Editor, changes: PlayedChangeSet, path: Path, other: Path
) -> None:
    inquiry = changes.ask(listed(path), listed(other))
    changes.after = changes.files
    editor.keys("6Gge")
    editor.wait("vim.bo.buftype == 'acwrite'")
    editor.keys("ccreturn 'oblong'<Esc>:wq<CR>")
    [edited] = changes.wait_for_decision()
    assert (edited["hunks"], edited["text"]) == ([2], "    return 'oblong'\n")
    assert not inquiry.done()
    editor.wait("vim.fn.expand('%:t') == 'shapes.py'")
    editor.open(other)
    editor.wait("vim.fn.maparg('gX', 'n') ~= ''")
    editor.keys("gX")
    [rejected] = changes.wait_for_decision(2)
    assert (rejected["uri"], rejected["outcome"]) == (other.as_uri(), "reject")


def test_after_the_last_hunk_of_a_file_the_cursor_goes_on_to_the_next_file_of_the_call_alone(
    editor: Editor, changes: PlayedChangeSet, path: Path, other: Path, project: Path
) -> None:
    staged = created(project / "a.py", "of no call\n")
    changes.stage(staged)
    changes.ask(listed(path, HUNKS[1:]), listed(other))
    changes.after = [staged, {**listed(other), "waits": "chg_1"}]
    editor.keys("6Gga")
    editor.wait("vim.fn.expand('%:t') == 'other.py'")
    changes.after = [staged]
    editor.keys("gA")
    editor.wait("require('placet').details().waiting == 0")
    assert here(editor) == "other.py"


def test_a_decision_on_a_file_that_has_changed_is_told_and_the_agent_goes_on_waiting(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    inquiry = changes.ask(listed(path))
    changes.outcome = {"status": "moved", "reason": "The file has changed since you looked."}
    editor.keys("gA")
    editor.wait("_G.notices[#_G.notices]:find('not done', 1, true)")
    assert editor.notices()[-1] == "Placet: not done. shapes.py: The file has changed since you looked."
    assert not inquiry.done()
    assert mapped(editor, "gA")


def test_accepting_the_call_leaves_a_hunk_in_conflict_to_the_user(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    conflict = {**HUNKS[1], "oldLines": ["    return 'crate'\n"], "baseLines": HUNKS[1]["oldLines"]}
    editor.command("6s/box/crate/")
    inquiry = changes.ask(listed(path, [HUNKS[0], conflict]))
    changes.after = [{**listed(path, [{**conflict, "id": 1}]), "waits": "chg_1"}]
    editor.command("normal! gg")
    editor.keys("gA")
    [decision] = changes.wait_for_decision()
    assert decision["hunks"] == [1]
    screen.wait_for("● 1/1: conflict with your text")
    assert not inquiry.done()
    editor.keys("6GgR")
    [decision] = changes.wait_for_decision(2)
    assert decision["outcome"] == "reject"


def test_a_renamed_file_waits_with_its_hunks(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path, screen: Screen
) -> None:
    changes.ask(renamed(path, project / "forms.py"))
    assert "rename shapes.py → forms.py  ● 1/1 Proposed, the agent waits, rename file" in screen.draw().text()
    editor.keys("6Gga")
    [decision] = changes.wait_for_decision()
    assert (decision["uri"], decision["hunks"]) == ((project / "forms.py").as_uri(), [2])


def test_both_texts_stand_side_by_side_and_writing_accepts_the_file(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    changes.ask(listed(path, HUNKS[1:], oldText=OLD, newText=OLD.replace("box", "rectangle")))
    editor.keys("gD")
    editor.wait("vim.wo.diff and vim.bo.buftype == 'acwrite'")
    editor.command("%s/rectangle/oblong/ | write")
    [decision] = changes.wait_for_decision()
    assert decision["text"] == OLD.replace("box", "oblong")


def test_the_files_of_the_call_come_first_in_the_list_of_files(
    editor: Editor, changes: PlayedChangeSet, path: Path, other: Path, screen: Screen
) -> None:
    changes.stage(listed(other))
    changes.ask(listed(path))
    editor.keys("gL")
    screen.wait_for("Proposed, the agent waits 1 file, 2 hunks")
    lines = screen.lines()
    rows = [
        next(index for index, line in enumerate(lines) if text in line)
        for text in ("the agent waits 1 file", " shapes.py ", "Proposed 1 file, 2 hunks", " other.py ")
    ]
    assert rows == sorted(rows)


def test_the_keys_are_listed(editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen) -> None:
    changes.ask(listed(path))
    editor.keys("g?")
    editor.wait("vim.api.nvim_win_get_config(0).relative ~= ''")
    text = screen.draw().text()
    assert "gm       comment on the hunk" in text
    assert "gD       show old and new text side by side" in text
    editor.keys("q")
    editor.wait("vim.api.nvim_win_get_config(0).relative == ''")
    assert here(editor) == "shapes.py"


def test_a_key_about_a_request_says_so_where_none_waits(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    changes.stage(listed(path))
    for name in ("later", "always", "reject-with-reason"):
        editor.command(f'call feedkeys("\\<Plug>(placet-{name})", "mx")')
    said = "Placet: no request is open here; `:Placet review` opens pending requests"
    assert editor.notices() == [said] * 3


def test_a_hunk_of_one_line_can_be_inserted_below_the_selected_line(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    changes.ask(listed(path, [hunk(1, 3, [], 3, ["one\n", "two\n"])]))
    editor.keys("3GVga")
    [decision] = changes.wait_for_decision()
    assert "text" not in decision
