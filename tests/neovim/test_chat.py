"""The answer in its Markdown buffer, and the commands around it."""

from pathlib import Path

import pytest

from neovim_support.conversation import (
    Json,
    answer,
    call,
    chunk,
    ended,
    page,
    show,
    thought,
    user_message,
    wait_for_page,
)
from neovim_support.editor import Editor
from neovim_support.scripted_server import ScriptedServer


@pytest.fixture
def prompted(editor: Editor, connected: ScriptedServer, project: Path) -> ScriptedServer:
    """The server of a turn that was just begun from a file's window; its request stays open."""
    connected.answers.pop("agent/prompt", None)
    (project / "a.py").write_text("one\ntwo\nthree\n")
    editor.open(project / "a.py")
    editor.command("Placet make it better")
    connected.wait_for("agent/prompt")
    return connected


def test_a_prompt_goes_to_a_new_session(editor: Editor, connected: ScriptedServer, project: Path) -> None:
    editor.command("Placet undo the last thing")

    assert connected.wait_for("agent/prompt") == {
        "sessionId": "ses_1",
        "parts": [{"type": "text", "text": "undo the last thing"}],
    }


def test_a_range_goes_with_the_prompt(editor: Editor, connected: ScriptedServer, project: Path) -> None:
    (project / "a.py").write_text("one\ntwo\nthree\n")
    editor.open(project / "a.py")
    editor.command("2,3Placet explain this")

    assert connected.wait_for("agent/prompt")["parts"] == [
        {"type": "text", "text": "explain this"},
        {"type": "file", "uri": (project / "a.py").as_uri(), "range": {"start": 2, "end": 3}},
    ]


def test_the_answer_streams_beside_the_window_that_keeps_the_focus(editor: Editor, prompted: ScriptedServer) -> None:
    message = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "make it better"}]}
    prompted.update({"kind": "user_message", "message": message})
    prompted.update(chunk(0, "I look "))
    prompted.update(chunk(7, "first.\n\nThen I 😀 "))
    prompted.update(chunk(24, "edit."))
    wait_for_page(editor, "edit.")

    assert page(editor) == "## You\n\nmake it better\n\n## Placet\n\nI look first.\n\nThen I 😀 edit."
    assert editor.lua("return vim.fn.expand('%:t')") == "a.py"
    assert editor.lua("return #vim.api.nvim_tabpage_list_wins(0)") == 2


def test_a_prompt_names_its_attachments_and_shows_none_of_their_content(
    editor: Editor, prompted: ScriptedServer, project: Path
) -> None:
    parts = [
        {"type": "text", "text": "see @pic.png"},
        {"type": "file", "uri": (project / "pic.png").as_uri(), "name": "pic.png"},
        {"type": "text", "text": "The user attached pic.png:", "synthetic": True},
        {"type": "file", "uri": "data:image/png;base64,AAAA", "mime": "image/png", "name": "pic.png"},
        {"type": "file", "uri": "data:image/png;base64,BBBB", "mime": "image/png"},
    ]
    prompted.update({"kind": "user_message", "message": {"id": "u1", "role": "user", "parts": parts}})
    wait_for_page(editor, "image/png")

    assert page(editor) == "## You\n\nsee @pic.png\n`pic.png`\n`image/png`\n\n## Placet"


def test_a_replay_changes_nothing(editor: Editor, prompted: ScriptedServer) -> None:
    updates = [chunk(0, "Ein Häuschen "), chunk(13, "😀 ja."), call("completed", title="a.py"), chunk(18, " Ende.")]
    for update in updates:
        prompted.update(update)
    wait_for_page(editor, "Ende.")
    before = page(editor)

    for update in [*updates, chunk(5, "äuschen 😀 ja. Ende. Und mehr.")]:
        prompted.update(update)
    wait_for_page(editor, "mehr.")

    assert page(editor) == before.replace("Ende.", "Ende. Und mehr.")


def test_each_tool_call_is_a_line_with_its_state(editor: Editor, prompted: ScriptedServer) -> None:
    prompted.update(call("pending", raw="{"))
    prompted.update(call("running", call="c2", input={"command": "pytest -q"}))
    wait_for_page(editor, "pytest")
    assert page(editor) == "- … `edit`\n- … `edit` pytest -q"

    prompted.update(call("completed", title="a.py", input={}))
    files = [{"uri": "file:///a.py", "kind": "modify", "additions": 3, "deletions": 1}]
    prompted.update({"kind": "change_applied", "messageId": "m1", "changeId": "chg_1", "callId": "c1", "files": files})
    prompted.update(call("error", call="c2", title="pytest -q", error="exit code 1\nmore", input={}))
    wait_for_page(editor, "exit code 1")

    assert page(editor) == "- ✓ `edit` a.py (+3 -1)\n- ✗ `edit` pytest -q: exit code 1\n  ```text\n  more\n  ```"


def test_what_a_change_did_to_the_diagnostics_stands_behind_it(editor: Editor, prompted: ScriptedServer) -> None:
    prompted.update(call("running", title="a.py"))
    files = [{"uri": "file:///a.py", "kind": "modify", "additions": 3, "deletions": 1}]
    applied = {"kind": "change_applied", "messageId": "m1", "changeId": "chg_1", "callId": "c1", "files": files}
    delta = {"kind": "diagnostics_delta", "messageId": "m1", "changeId": "chg_1", "fresh": True}
    error = {"uri": "file:///a.py", "line": 1, "column": 1, "severity": 1, "message": "m", "source": "Pyright"}
    prompted.update(applied)
    prompted.update({**delta, "added": [error], "removed": [error, error]})
    prompted.update(call("completed", title="a.py"))
    wait_for_page(editor, "✓")
    assert page(editor) == "- ✓ `edit` a.py (+3 -1) Pyright: 2 fixed, 1 new"

    prompted.update({**delta, "fresh": False, "added": [], "removed": []})
    wait_for_page(editor, "diagnostics timed out")
    assert page(editor) == "- ✓ `edit` a.py (+3 -1) diagnostics timed out"


def test_text_after_a_tool_call_is_a_paragraph_of_its_own(editor: Editor, prompted: ScriptedServer) -> None:
    prompted.update(chunk(0, "First."))
    prompted.update(call("running", title="a.py"))
    prompted.update(chunk(0, "Second.", part="p2"))
    prompted.update(call("completed", title="a.py"))
    prompted.update(thought(0, "I think\nso."))
    wait_for_page(editor, "so.")

    assert page(editor) == "First.\n\n- ✓ `edit` a.py\n\nSecond.\n\n> *Thinking*\n> I think\n> so."


def test_a_failed_turn_says_why_and_what_to_do(editor: Editor, prompted: ScriptedServer) -> None:
    error = {"code": "authentication", "message": "The key is wrong.", "hint": "Set OPENAI_API_KEY."}
    prompted.update({"kind": "turn_ended", "turnId": "u1", "stopReason": "error", "error": error})
    wait_for_page(editor, "OPENAI")
    assert page(editor) == "> **The key is wrong.**\n> Set OPENAI_API_KEY."


def test_cancel_is_told_to_the_daemon(editor: Editor, prompted: ScriptedServer) -> None:
    editor.command("Placet cancel")
    assert prompted.wait_for("agent/cancel") == {"sessionId": "ses_1"}


def test_undo_says_what_became_of_each_file(editor: Editor, prompted: ScriptedServer, project: Path) -> None:
    files = [
        {"uri": (project / "a.py").as_uri(), "status": "restored"},
        {"uri": (project / "b.py").as_uri(), "status": "conflict"},
    ]
    prompted.answers["agent/undo"] = lambda _: {"files": files}
    editor.command("Placet undo")
    editor.wait("#_G.notices > 0")
    assert editor.notices() == ["Placet undo: a.py: restored, b.py: conflict"]


def test_the_first_prompt_starts_the_daemon_also_without_a_file(editor: Editor, server: ScriptedServer) -> None:
    editor.lua("require('placet').setup({ cmd = ... })", server.command)
    editor.command("Placet hello")
    assert server.wait_for("agent/prompt")["parts"] == [{"type": "text", "text": "hello"}]


def test_unknown_options_are_reported_and_the_rest_is_used(editor: Editor) -> None:
    editor.lua("require('placet').setup({ comand = {}, chat = { side = 'left', size = 0.3 }, review = 1 })")
    config = editor.lua("return require('placet.config').get()")

    assert (config["chat"]["size"], config["chat"]["position"]) == (0.3, "auto")
    assert config["review"]["mode"] == "stage"
    [notice] = editor.notices()
    assert "unknown option `comand`" in notice
    assert "unknown option `chat.side`" in notice
    assert "option `review` must be a table" in notice


# ---------------------------------------------------------------- the page


def keys_in_chat(editor: Editor, keys: str) -> None:
    """Type in the page's window."""
    editor.lua("vim.api.nvim_set_current_win(require('placet.chat').show('ses_1'))")
    editor.keys(keys)


def test_a_turn_says_what_it_took(editor: Editor) -> None:
    show(editor, [user_message("hello"), answer(), chunk(0, "Hi."), answer(completed=13_400, cost=0.031), ended()])
    assert page(editor).endswith("Hi.\n\n> *Done (12 s, $0.03)*")


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("cancelled", "> *Cancelled (2.0 s)*"),
        ("max_steps", "> *Stopped at the step limit of a turn (2.0 s)*"),
        ("rejected", "> *Stopped, because you rejected the request (2.0 s)*"),
    ],
)
def test_a_turn_says_why_it_ended(editor: Editor, reason: str, text: str) -> None:
    show(editor, [user_message("hello"), answer(completed=3_000), ended(reason)])
    assert page(editor).endswith(text)


OUTPUT = "".join(f"line {number}\n" for number in range(1, 41))


def folded(editor: Editor, line: str) -> bool:
    """Whether the line lies in a closed fold of the page's window."""
    return editor.lua(
        """
        local line = ...
        local window = require('placet.chat').show('ses_1')
        return vim.api.nvim_win_call(window, function()
          local lines = vim.api.nvim_buf_get_lines(0, 0, -1, true)
          for number, text in ipairs(lines) do
            if text == line then
              return vim.fn.foldclosed(number) ~= -1
            end
          end
          error('no line ' .. line .. ' in\\n' .. table.concat(lines, '\\n'))
        end)
        """,
        line,
    )


def test_a_commands_last_lines_are_shown_while_it_runs_and_all_of_them_folded_after(editor: Editor) -> None:
    running = call("running", "bash", title="make", input={"command": "make"}, metadata={"output": OUTPUT}, start=0)
    show(editor, [user_message("hello"), answer(), running])
    body = "\n".join(f"  line {number}" for number in range(36, 41))
    assert page(editor).endswith(f"- … `bash` make\n  ```text\n{body}\n  ```")
    assert not folded(editor, "  line 40")

    state: Json = {"title": "make", "input": {}, "output": "told", "start": 0, "end": 2500}
    show(editor, [call("completed", "bash", metadata={"output": OUTPUT, "exit": 2}, **state)])

    assert "- ✓ `bash` make (exit 2, 2.5 s, 40 lines)\n  ```text\n  line 1\n" in page(editor)
    assert folded(editor, "  line 40")
    assert editor.lua("return vim.fn.foldclosed(1)") == -1

    keys_in_chat(editor, "gg/bash. make<CR>zo")
    editor.wait("vim.fn.line('.') > 5 and vim.fn.foldclosed('.') == -1")
    assert not folded(editor, "  line 40")


def test_a_command_says_whether_the_sandbox_held_it(editor: Editor) -> None:
    state: Json = {"title": "make", "input": {}, "output": "told", "start": 0, "end": 0}
    show(editor, [user_message("hello"), answer()])
    show(editor, [call("completed", "bash", metadata={"sandbox": "outside", "exit": 0}, **state)])

    assert "- ✓ `bash` make (outside the sandbox)" in page(editor)


def test_short_output_is_not_folded_and_no_fence_in_it_ends_its_own(editor: Editor) -> None:
    state: Json = {
        "title": "a",
        "input": {},
        "metadata": {"output": "```\nx\n```\n"},
        "output": "",
        "start": 0,
        "end": 1,
    }
    show(editor, [user_message("hello"), answer(), call("completed", "bash", **state)])
    assert page(editor).endswith("- ✓ `bash` a\n  ````text\n  ```\n  x\n  ```\n  ````")
    assert not folded(editor, "  x")


def test_thinking_is_folded_until_it_is_asked_for(editor: Editor) -> None:
    show(editor, [user_message("hello"), answer(), thought(0, "First this.\nThen"), thought(16, " that.")])
    show(editor, [chunk(0, "Done.")])
    assert "> *Thinking*\n> First this.\n> Then that.\n\nDone." in page(editor)
    assert folded(editor, "> Then that.")

    keys_in_chat(editor, "gh")
    editor.wait("vim.fn.foldclosed(8) == -1")
    keys_in_chat(editor, "gh")
    editor.wait("vim.fn.foldclosed(8) ~= -1")


def test_thinking_can_be_left_out(editor: Editor) -> None:
    editor.lua("vim.g.placet = { chat = { thinking = 'hidden' } }")
    show(editor, [user_message("hello"), answer(), thought(0, "This."), chunk(0, "Done.")])
    without = "## You\n\nhello\n\n## Placet\n\nDone."
    assert page(editor) == without

    keys_in_chat(editor, "gh")
    editor.wait("vim.api.nvim_buf_line_count(0) == 10")
    assert page(editor) == without.replace("Done.", "> *Thinking*\n> This.\n\nDone.")

    keys_in_chat(editor, "gh")
    editor.wait("vim.api.nvim_buf_line_count(0) == 7")
    assert page(editor) == without


def plan(*statuses: str) -> dict[str, object]:
    entries = [{"content": f"Step {number}", "status": status} for number, status in enumerate(statuses, 1)]
    return {"kind": "plan", "entries": entries}


def test_the_list_of_things_to_do_changes_where_it_stands(editor: Editor) -> None:
    show(editor, [user_message("hello"), answer(), plan("in_progress", "pending"), chunk(0, "Going on.")])
    show(editor, [plan("completed", "in_progress", "cancelled")])
    assert page(editor).endswith(
        "## Placet\n\n- [x] Step 1\n- [ ] Step 2 (in progress)\n- [x] ~~Step 3~~ (dropped)\n\nGoing on."
    )

    show(editor, [user_message("more", "u2"), answer("m2", "u2"), plan("completed", "completed", "completed")])
    assert page(editor).count("- [x] Step 1") == 2, "an earlier turn's list stays as it was left"


def test_a_subagents_work_is_shown_while_it_runs_and_its_session_can_be_opened(editor: Editor) -> None:
    given = {"description": "Find the callers", "prompt": "Find all callers of f.", "subagent_type": "explore"}
    running = call("running", "task", title="Find the callers", input=given, metadata={"agent": "explore"}, start=0)
    show(editor, [user_message("hello"), answer(), running])
    sub = [user_message("Find all callers of f.", "u9"), answer("m9", "u9")]
    for number in range(5):
        state = {"title": f"pattern {number}", "input": {}, "output": "", "metadata": {}, "start": 0, "end": 1}
        sub.append(call("completed", "grep", f"g{number}", **state))
    editor.lua("for _, update in ipairs(...) do require('placet.chat').update('ses_9', update) end", sub)
    editor.wait(
        "table.concat(vim.fn.getbufline('placet://chat/ses_1', 1, '$')):find('pattern 4')",
    )

    lines = "".join(f"\n  - ✓ `grep` pattern {number}" for number in (2, 3, 4))
    assert page(editor).endswith(f"- … `task` Find the callers (@explore)\n  - 2 earlier calls{lines}")

    keys_in_chat(editor, "Ggo")
    editor.wait("vim.api.nvim_buf_get_name(0) == 'placet://chat/ses_9'")
    assert editor.lua("return vim.api.nvim_buf_get_lines(0, 2, 3, true)[1]") == "Find all callers of f."

    output = '<task id="ses_9" state="completed">\n<task_result>\nTwo of them.\n</task_result>\n</task>'
    state: Json = {"title": "Find the callers", "input": given, "output": output, "start": 0, "end": 1}
    show(editor, [call("completed", "task", metadata={"agent": "explore", "sessionId": "ses_9"}, **state)])
    report = "- ✓ `task` Find the callers (@explore)\n  ```markdown\n  Two of them.\n  ```"
    assert page(editor).endswith(report)


DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1,4 +1,5 @@\n one\n-two\n+TWO\n+2\n three\n four\n"


def changed_files(project: Path, **fields: object) -> list[dict[str, object]]:
    uri = (project / "a.py").as_uri()
    return [{"uri": uri, "kind": "modify", "status": "applied", "additions": 2, "deletions": 1, "diff": DIFF, **fields}]


def test_refused_hunks_are_told(editor: Editor, project: Path) -> None:
    hunk = {"id": 2, "oldStart": 7, "oldLines": ["x\n"], "newStart": 7, "newLines": ["y\n"]}
    uri = (project / "a.py").as_uri()
    refused = [{"uri": uri, "kind": "modify", "whole": False, "hunks": [hunk]}]
    applied = {"kind": "change_applied", "messageId": "m1", "changeId": "chg_1", "callId": "c1", "refused": refused}
    show(editor, [user_message("hello"), answer(), call("running", title="a.py", input={})])
    show(editor, [{**applied, "files": changed_files(project)}])
    assert page(editor).endswith("- … `edit` a.py (+2 -1, 1 hunk rejected)")

    metadata = {"changeId": "chg_1", "files": changed_files(project, refused="--- a\n", refusedHunks=[hunk])}
    state: Json = {"title": "a.py", "input": {}, "output": "", "metadata": metadata, "start": 0, "end": 1}
    show(editor, [call("completed", **state)])
    assert "- ✓ `edit` a.py (+2 -1, 1 hunk rejected)\n  ```diff\n  --- a/a.py\n" in page(editor)

    show(editor, [{"kind": "change_reverted", "messageId": "m1", "changeId": "chg_1"}])
    assert "- ✓ `edit` a.py (+2 -1, 1 hunk rejected, undone)\n" in page(editor)


def test_what_the_user_said_of_a_change_stands_at_its_call(editor: Editor, project: Path) -> None:
    (project / "a.py").write_text("one\n" * 9)
    editor.command(f"cd {project}")
    hunk = {"id": 2, "oldStart": 5, "oldLines": ["x\n"], "newStart": 6, "newLines": ["y\n"]}
    uri = (project / "a.py").as_uri()
    said = [{"text": "Fine"}, {"text": "Add a test,\nplease", "uri": uri}, {"text": "Louder", "uri": uri, "hunk": hunk}]
    words = "  - You: Fine\n  - You, on `a.py`: Add a test,\n    please\n  - You, on `a.py`, line 7: Louder"
    state: Json = {"title": "a.py", "input": {}, "start": 0, "end": 1}
    done = {**state, "metadata": {"files": changed_files(project), "said": said}, "output": ""}
    show(editor, [user_message("hello"), answer(), call("completed", "edit", "c1", **done)])
    assert f"- ✓ `edit` a.py (+2 -1)\n{words}\n  ```diff\n" in page(editor)

    error = "The user rejected this call and said: Fine\n\nOn this part of a.py (refused):"
    show(editor, [call("error", "edit", "c2", **{**state, "metadata": {"said": said}, "error": error})])
    assert page(editor).endswith(f"- ✗ `edit` a.py: rejected by you\n{words}")


def test_a_line_of_a_change_opens_the_file_at_its_place_in_a_window_of_files(editor: Editor, project: Path) -> None:
    (project / "a.py").write_text("one\nTWO\n2\nthree\nfour\n")
    (project / "other.py").write_text("other\n")
    editor.open(project / "other.py")
    files = changed_files(project)
    state: Json = {"title": "a.py", "input": {}, "output": "", "metadata": {"files": files}, "start": 0, "end": 1}
    show(editor, [user_message("hello"), answer(), call("completed", **state)])

    keys_in_chat(editor, "gg/a.py (+2<CR><CR>")
    editor.wait("vim.fn.expand('%:t') == 'a.py'")
    assert editor.lua("return vim.api.nvim_win_get_cursor(0)") == [2, 0]
    assert editor.lua("return #vim.api.nvim_tabpage_list_wins(0)") == 2

    keys_in_chat(editor, "zRgg/  three<CR>gf")
    editor.wait("vim.fn.expand('%:t') == 'a.py' and vim.api.nvim_win_get_cursor(0)[1] == 4")


def test_windows_at_the_end_follow_and_others_stay(editor: Editor) -> None:
    editor.command("set lines=20 columns=80")
    text = "".join(f"paragraph {number}\n\n" for number in range(30))
    show(editor, [user_message("hello"), answer(), plan("pending"), chunk(0, text)])
    keys_in_chat(editor, "<C-w>v20Gzt")
    editor.wait("vim.api.nvim_win_get_cursor(0)[1] == 20")
    before = editor.lua("return { vim.api.nvim_get_current_line(), vim.fn.winline(), vim.fn.line('w0') }")

    show(editor, [chunk(len(text), "The end."), plan("completed", "pending", "pending")])

    shown = editor.lua("return { vim.api.nvim_get_current_line(), vim.fn.winline(), vim.fn.line('w0') - 2 }")
    assert shown == before
    other = "vim.fn.getwininfo(vim.fn.win_getid(vim.fn.winnr('#')))[1]"
    assert editor.lua(f"return vim.api.nvim_win_get_cursor({other}.winid)[1] == vim.api.nvim_buf_line_count(0)")


def test_prompts_are_gone_through_by_keys(editor: Editor) -> None:
    show(editor, [user_message("first"), answer(), chunk(0, "One."), ended()])
    show(editor, [user_message("second", "u2"), answer("m2", "u2"), chunk(0, "Two.", part="p2"), ended(turn="u2")])
    keys_in_chat(editor, "gg]]jj")
    editor.wait("vim.api.nvim_get_current_line() == 'second'")
    keys_in_chat(editor, "[[[[jj")
    editor.wait("vim.api.nvim_get_current_line() == 'first'")


def test_an_answer_is_copied_without_tools_and_thinking(editor: Editor) -> None:
    show(editor, [user_message("first"), answer(), thought(0, "Hm."), chunk(0, "One.")])
    show(editor, [call("running", title="a.py", input={}), chunk(0, "Two.", part="p2")])
    keys_in_chat(editor, "Ggy")
    editor.wait("vim.fn.getreg('\"') == 'One.\\n\\nTwo.'")


def test_a_turn_is_undone_and_begun_again_from_its_prompt(editor: Editor, prompted: ScriptedServer) -> None:
    prompted.answers["agent/undo"] = lambda _: {"files": []}
    prompted.answers["agent/session/fork"] = lambda _: {"id": "ses_2", "title": "fork"}
    show(editor, [user_message("first"), answer(), chunk(0, "One."), ended()])
    show(
        editor,
        [
            user_message("second", "u2"),
            answer("m2", "u2"),
            {**chunk(0, "Two.", part="p2"), "messageId": "m2"},
            ended(turn="u2"),
        ],
    )

    keys_in_chat(editor, "ggGgU")
    assert prompted.wait_for("agent/undo") == {"sessionId": "ses_1", "turnId": "u2"}
    keys_in_chat(editor, "GgB")
    assert prompted.wait_for("agent/session/fork") == {"sessionId": "ses_1", "messageId": "u2"}
    editor.wait("vim.api.nvim_buf_get_name(0) == 'placet://prompt/ses_2'")
    assert editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)") == ["second"]


def test_the_keys_are_listed(editor: Editor) -> None:
    show(editor, [user_message("first")])
    keys_in_chat(editor, "g?")
    editor.wait("vim.api.nvim_win_get_config(0).relative == 'editor'")
    text = editor.lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n')")
    assert " ]]       go to the next prompt" in text
    assert " go       open the subagent's session" in text
    editor.keys("q")
    editor.wait("vim.api.nvim_win_get_config(0).relative == ''")


def test_a_page_can_be_made_a_web_page(editor: Editor) -> None:
    show(editor, [user_message("first"), answer(), chunk(0, "One **two**.")])
    editor.lua("vim.api.nvim_set_current_win(require('placet.chat').show('ses_1'))")
    editor.command("runtime plugin/tohtml.lua")
    editor.lua("_G.html = table.concat(require('tohtml').tohtml(0), '\\n')")
    assert "first" in editor.lua("return _G.html")


def test_what_another_session_says_is_not_in_the_page(editor: Editor) -> None:
    show(editor, [user_message("first")])
    editor.lua("require('placet.chat').update('ses_5', ...)", user_message("elsewhere"))
    assert "elsewhere" not in page(editor)
    assert editor.lua("return require('placet.chat').buffer_of('ses_5')") is None
