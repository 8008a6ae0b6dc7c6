"""The answer in its Markdown buffer, and the commands around it."""

from pathlib import Path
from typing import Any

import pytest

from neovim_support.editor import Editor
from neovim_support.scripted_server import ScriptedServer

Json = dict[str, Any]

PAGE = """
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(bufnr):match('^placet://') then
      return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\\n')
    end
  end
"""


def page(editor: Editor) -> str:
    return editor.lua(PAGE)


def wait_for_page(editor: Editor, text: str) -> None:
    editor.wait(f"((function() {PAGE} end)() or ''):find(..., 1, true)", text)


def chunk(offset: int, text: str, kind: str = "agent_message_chunk", part: str = "p1") -> Json:
    return {"kind": kind, "messageId": "m1", "partId": part, "offset": offset, "text": text}


def tool(status: str, kind: str = "tool_call_update", call: str = "c1", **state: Any) -> Json:
    part = {"id": "t1", "type": "tool", "callId": call, "tool": "edit", "state": {"status": status, **state}}
    return {"kind": kind, "messageId": "m1", "part": part}


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
    updates = [chunk(0, "Ein Häuschen "), chunk(13, "😀 ja."), tool("completed", title="a.py"), chunk(18, " Ende.")]
    for update in updates:
        prompted.update(update)
    wait_for_page(editor, "Ende.")
    before = page(editor)

    for update in [*updates, chunk(5, "äuschen 😀 ja. Ende. Und mehr.")]:
        prompted.update(update)
    wait_for_page(editor, "mehr.")

    assert page(editor) == before.replace("Ende.", "Ende. Und mehr.")


def test_each_tool_call_is_a_line_with_its_state(editor: Editor, prompted: ScriptedServer) -> None:
    prompted.update(tool("pending", "tool_call", raw="{"))
    prompted.update(tool("running", "tool_call", call="c2", input={"command": "pytest -q"}))
    wait_for_page(editor, "pytest")
    assert page(editor) == "- … `edit`\n- … `edit` pytest -q"

    prompted.update(tool("completed", title="a.py", input={}))
    files = [{"uri": "file:///a.py", "kind": "modify", "additions": 3, "deletions": 1}]
    prompted.update({"kind": "change_applied", "messageId": "m1", "changeId": "chg_1", "callId": "c1", "files": files})
    prompted.update(tool("error", call="c2", title="pytest -q", error="exit code 1\nmore", input={}))
    wait_for_page(editor, "exit code 1")

    assert page(editor) == "- ✓ `edit` a.py (+3 -1)\n- ✗ `edit` pytest -q: exit code 1"


def test_what_a_change_did_to_the_diagnostics_stands_behind_it(editor: Editor, prompted: ScriptedServer) -> None:
    prompted.update(tool("running", "tool_call", title="a.py"))
    files = [{"uri": "file:///a.py", "kind": "modify", "additions": 3, "deletions": 1}]
    applied = {"kind": "change_applied", "messageId": "m1", "changeId": "chg_1", "callId": "c1", "files": files}
    delta = {"kind": "diagnostics_delta", "messageId": "m1", "changeId": "chg_1", "fresh": True}
    error = {"uri": "file:///a.py", "line": 1, "column": 1, "severity": 1, "message": "m", "source": "Pyright"}
    prompted.update(applied)
    prompted.update({**delta, "added": [error], "removed": [error, error]})
    prompted.update(tool("completed", title="a.py"))
    wait_for_page(editor, "✓")
    assert page(editor) == "- ✓ `edit` a.py (+3 -1) Pyright: 2 fixed, 1 new"

    prompted.update({**delta, "fresh": False, "added": [], "removed": []})
    wait_for_page(editor, "not judged in time")
    assert page(editor) == "- ✓ `edit` a.py (+3 -1) not judged in time"


def test_text_after_a_tool_call_is_a_paragraph_of_its_own(editor: Editor, prompted: ScriptedServer) -> None:
    prompted.update(chunk(0, "First."))
    prompted.update(tool("running", "tool_call", title="a.py"))
    prompted.update(chunk(0, "Second.", part="p2"))
    prompted.update(tool("completed", title="a.py"))
    prompted.update(chunk(0, "I think\nso.", "agent_thought_chunk", "p3"))
    wait_for_page(editor, "so.")

    assert page(editor) == "First.\n\n- ✓ `edit` a.py\n\nSecond.\n\n> I think\n> so."


def test_a_failed_turn_says_why_and_what_to_do(editor: Editor, prompted: ScriptedServer) -> None:
    error = {"code": "authentication", "message": "The key is wrong.", "hint": "Set OPENAI_API_KEY."}
    prompted.update({"kind": "turn_ended", "turnId": "u1", "stopReason": "error", "error": error})
    wait_for_page(editor, "OPENAI")
    assert page(editor) == "> **The key is wrong.**\n> Set OPENAI_API_KEY."


def test_turns_are_seen_by_statusline_and_autocommands(editor: Editor, prompted: ScriptedServer) -> None:
    editor.lua("""
      _G.events = {}
      vim.api.nvim_create_autocmd('User', { pattern = 'Placet*', callback = function(event)
        table.insert(_G.events, { event.match, event.data.turnId, event.data.stopReason })
      end })
    """)
    prompted.update({"kind": "turn_started", "turnId": "u1"})
    editor.wait("require('placet').status() == 'Placet: working'")
    prompted.update({"kind": "turn_ended", "turnId": "u1", "stopReason": "cancelled"})
    editor.wait("require('placet').status() == ''")

    assert editor.lua("return _G.events") == [
        ["PlacetTurnStarted", "u1"],
        ["PlacetTurnEnded", "u1", "cancelled"],
    ]
    assert page(editor) == "> *cancelled*"


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


def test_subcommands_are_completed(editor: Editor) -> None:
    assert editor.lua("return vim.fn.getcompletion('Placet ', 'cmdline')") == [
        "cancel",
        "chat",
        "compact",
        "explain",
        "fix",
        "log",
        "review",
        "undo",
    ]
    assert editor.lua("return vim.fn.getcompletion('Placet please c', 'cmdline')") == []


def test_the_first_prompt_starts_the_daemon_also_without_a_file(editor: Editor, server: ScriptedServer) -> None:
    editor.lua("require('placet').setup({ cmd = ... })", server.command)
    editor.command("Placet hello")
    assert server.wait_for("agent/prompt")["parts"] == [{"type": "text", "text": "hello"}]


def test_a_missing_daemon_is_said_once(editor: Editor, project: Path) -> None:
    (project / "a.py").write_text("one\n")
    editor.lua("vim.notify_once = function(text) table.insert(_G.notices, text) end")
    editor.lua("vim.g.placet = { cmd = { 'no-such-placet' } }")
    editor.command("Placet hello")
    assert editor.notices() == ["Placet: `no-such-placet` is not installed; see :help placet-install"]


def test_unknown_options_are_reported_and_the_rest_is_used(editor: Editor) -> None:
    editor.lua("require('placet').setup({ comand = {}, chat = { side = 'left', size = 0.3 }, review = 1 })")
    config = editor.lua("return require('placet.config').get()")

    assert config["chat"] == {"position": "right", "size": 0.3, "side": "left"}
    assert config["review"]["auto_send"] is True
    [notice] = editor.notices()
    assert "unknown option `comand`" in notice
    assert "unknown option `chat.side`" in notice
    assert "option `review` must be a table" in notice


def test_checkhealth_says_what_is_missing(editor: Editor) -> None:
    editor.lua("vim.g.placet = { cmd = { 'no-such-placet' }, oops = 1 }")
    editor.command("checkhealth placet")
    report = editor.lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n')")
    assert "daemon not found: `no-such-placet`" in report
    assert "unknown option `oops`" in report
