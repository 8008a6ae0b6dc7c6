"""`:Placet`: which words are subcommands and which begin a prompt, and what each sends."""

from pathlib import Path
from typing import Any

import pytest

from neovim_support.editor import Editor
from neovim_support.scripted_server import ScriptedServer

Json = dict[str, Any]
CODE = "one\ntwo\nthree\n"


@pytest.fixture
def file(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    """Open, with the server at work."""
    file = project / "a.py"
    file.write_text(CODE)
    editor.open(file)
    connected.wait_for_document(file.as_uri())
    return file


@pytest.fixture
def session(editor: Editor, connected: ScriptedServer, file: Path) -> str:
    """There is one."""
    connected.answers["agent/prompt"] = lambda _: {"stopReason": "end_turn"}
    editor.command("Placet hello")
    connected.wait_for("agent/prompt")
    editor.wait("select(2, require('placet.sessions.known').session()) == 'ses_1'")
    return "ses_1"


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(
    "text",
    [
        "undo the last thing",
        "rename greet to welcome",
        "search for the parser",
        "after the loop, return",
        "accept only absolute paths",
        "model the data first",
        "help me with this",
        "fix: the loop ends too early",
        "rename:",
        "export the class from here",
        "undo: it all",
    ],
)
def test_a_word_of_ours_at_the_start_of_a_prompt_stays_in_it(
    editor: Editor, connected: ScriptedServer, text: str
) -> None:
    editor.command(f"Placet {text}")

    assert connected.wait_for("agent/prompt")["parts"] == [{"type": "text", "text": text}]


@pytest.mark.usefixtures("file")
def test_ask_asks_whatever_the_text_begins_with(editor: Editor, connected: ScriptedServer) -> None:
    editor.command("2Placet ask undo")

    params = connected.wait_for("agent/prompt")

    assert params["parts"][0] == {"type": "text", "text": "undo"}
    assert params["parts"][1]["range"] == {"start": 2, "end": 2}


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(
    ("command", "queue"),
    [("Placet! not there", "steer"), ("Placet steer not there", "steer"), ("Placet after: not there", "after")],
)
def test_a_prompt_joins_the_turn_or_waits_for_its_end(
    editor: Editor, connected: ScriptedServer, command: str, queue: str
) -> None:
    editor.command(command)

    params = connected.wait_for("agent/prompt")

    assert (params["queue"], params["parts"][0]["text"]) == (queue, "not there")


def test_a_range_of_a_buffer_without_a_name_goes_as_text(editor: Editor, connected: ScriptedServer) -> None:
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'one', 'two' })")
    editor.command("2Placet what is this")

    parts = connected.wait_for("agent/prompt")["parts"]

    assert parts == [{"type": "text", "text": "what is this"}, {"type": "text", "text": "```\ntwo\n```"}]


@pytest.mark.parametrize(
    ("command", "method", "params"),
    [
        ("Placet redo", "agent/redo", {}),
        ("Placet undo", "agent/undo", {}),
        ("Placet compact", "agent/session/compact", {}),
        ("Placet summarize", "agent/session/summarize", {}),
        ("Placet changes", "agent/changes", {}),
        ("Placet fork", "agent/session/fork", {}),
        ("Placet! delete", "agent/session/delete", {}),
        ("Placet rename: The parser", "agent/session/rename", {"title": "The parser"}),
        ("Placet model openai/gpt-5", "agent/session/setModel", {"model": "openai/gpt-5"}),
        ("Placet export", "agent/session/export", {"format": "markdown"}),
        ("Placet export all.json", "agent/session/export", {"format": "json"}),
    ],
)
def test_each_subcommand_asks_the_daemon_about_the_session(
    editor: Editor, connected: ScriptedServer, session: str, command: str, method: str, params: Json
) -> None:
    editor.command(command)

    assert connected.wait_for(method) == {"sessionId": session, **params}


@pytest.mark.usefixtures("file")
def test_without_a_session_there_is_nothing_to_fork(editor: Editor) -> None:
    editor.command("Placet fork")
    editor.wait("vim.iter(_G.notices):any(function(text) return text:find('no current session', 1, true) end)")


@pytest.mark.usefixtures("session")
def test_an_agent_is_named_only_by_its_name(editor: Editor, connected: ScriptedServer) -> None:
    agents = [{"name": "build", "description": "", "mode": "primary"}, {"name": "scout", "mode": "subagent"}]
    connected.answers["agent/agents"] = lambda _: {"agents": agents}
    editor.command("Placet agent build")
    assert connected.wait_for("agent/session/setAgent")["agent"] == "build"

    editor.command("Placet agent scout")
    assert connected.wait_for("agent/prompt")["parts"][0]["text"] == "agent scout"


def test_changes_are_listed_without_moving_the_cursor(
    editor: Editor, connected: ScriptedServer, session: str, file: Path
) -> None:
    change = {"state": "applied", "kind": "edit", "created": 0, "files": [{"uri": file.as_uri(), "kind": "modify"}]}
    connected.answers["agent/changes"] = lambda _: {"changes": [change]}
    editor.command("Placet changes")
    editor.wait("#vim.fn.getqflist() == 1")

    assert editor.lua("return vim.fn.expand('%:t')") == "a.py"
    assert "modify, applied" in editor.lua("return vim.fn.getqflist()[1].text")
    assert session in editor.lua("return vim.fn.getqflist({ title = 1 }).title")


@pytest.mark.usefixtures("file")
def test_what_was_allowed_is_read_and_taken_back(editor: Editor, connected: ScriptedServer) -> None:
    rule = {"permission": "bash", "pattern": "*", "action": "ask", "source": "built in"}
    grant = {"id": "grt_1a", "permission": "bash", "pattern": "make *", "scope": "project", "given": "2026-02-03T09"}
    connected.answers["agent/permission/rules"] = lambda _: {"rules": [rule], "grants": [grant]}
    connected.answers["agent/permission/revoke"] = lambda _: None
    editor.command("Placet permissions")
    editor.wait("vim.api.nvim_buf_get_name(0):match('^placet%-permissions://')")
    text = editor.text()
    assert "ask    bash: *  (built in)" in text
    assert "grt_1a  bash: Always allow in this project: make * (2026-02-03)" in text

    editor.keys("q")
    editor.completes("Placet revoke ", "grt_1a")
    editor.command("Placet revoke grt_1a")
    assert connected.wait_for("agent/permission/revoke") == {"id": "grt_1a"}
    editor.lua("vim.ui.select = function(items, _, choose) choose(items[1]) end")
    editor.command("Placet revoke")
    assert connected.wait_for("agent/permission/revoke") == {"id": "grt_1a"}


@pytest.mark.usefixtures("session")
def test_status_says_what_is_known(editor: Editor, connected: ScriptedServer) -> None:
    answer: Json = {"version": "0.1.0", "pid": 7, "running": [], "pending": 0}
    connected.answers["agent/status"] = lambda _: answer
    connected.update({"kind": "current_mode_update", "agent": "build", "model": "openai/gpt-5"})
    usage = {"kind": "usage_update", "messageId": "m1", "cost": 0.25, "contextUsed": 50, "contextSize": 200}
    connected.update(usage)
    editor.wait("require('placet').status() == 'Placet: gpt-5 25% $0.25'")

    editor.command("Placet status")
    editor.wait("#_G.notices > 0")

    [said] = editor.notices()
    for line in ("Placet 0.1.0, idle", "agent: build", "context: 50 of 200 tokens", "cost: $0.2500", "process: 7"):
        assert line in said
    assert "found in the option `cmd`" in said


@pytest.mark.usefixtures("session")
def test_what_happens_is_told_by_autocommands(editor: Editor, connected: ScriptedServer, file: Path) -> None:
    editor.lua("""
      _G.events = {}
      vim.api.nvim_create_autocmd('User', { pattern = 'Placet*', callback = function(event)
        _G.events[event.match] = event.data
      end })
      vim.ui.select = function() end
    """)
    files = [{"uri": file.as_uri(), "kind": "modify"}]
    change = {"messageId": "m1", "changeId": "chg_1", "files": files}
    connected.update({"kind": "turn_started", "turnId": "u1"})
    connected.update({"kind": "change_proposed", **change})
    connected.update({"kind": "change_applied", **change})
    connected.update({"kind": "change_reverted", "messageId": "m1", "changeId": "chg_1"})
    question = {"header": "Name", "question": "Which?", "options": [{"label": "a"}]}
    asked = connected.ask("editor/question", {"sessionId": "ses_1", "questions": [question]})
    editor.wait("require('placet').details().waiting == 1")
    assert editor.lua("return _G.events.PlacetStatusChanged.state") == "waiting"
    connected.cancel(asked)
    editor.wait("require('placet').details().waiting == 0")
    connected.update({"kind": "turn_ended", "turnId": "u1", "stopReason": "end_turn"})
    editor.command("Placet new")
    editor.wait("_G.events.PlacetTurnEnded ~= nil")

    events = editor.lua("return _G.events")
    of_change = {"sessionId": "ses_1", "changeId": "chg_1"}
    assert events["PlacetTurnStarted"] == {"sessionId": "ses_1", "turnId": "u1"}
    assert events["PlacetChangeProposed"] == {**of_change, "uris": [file.as_uri()]}
    assert events["PlacetChangeApplied"] == {**of_change, "uris": [file.as_uri()]}
    assert events["PlacetChangeReverted"] == {**of_change, "uris": []}
    assert events["PlacetQuestion"] == {"sessionId": "ses_1", "question": "Which?"}
    assert events["PlacetTurnEnded"] == {"sessionId": "ses_1", "turnId": "u1", "stopReason": "end_turn"}


def test_subcommands_are_completed_and_prompts_are_not(editor: Editor) -> None:
    def complete(line: str) -> list[str]:
        return editor.lua("return vim.fn.getcompletion(..., 'cmdline')", line)

    names = editor.lua("return require('placet.commands.subcommands').names()")

    assert complete("Placet ") == sorted(names)
    assert complete("Placet re") == ["redo", "reject", "rename", "review", "review-mode", "revoke"]
    assert complete("'<,'>Placet! ex") == ["explain", "export"]
    assert complete("Placet accept ") == ["all", "file"]
    assert complete("Placet help und") == ["undo"]
    assert complete("Placet please c") == []
    assert complete("Placet undo t") == []


def test_help_lists_every_subcommand_with_what_it_does(editor: Editor) -> None:
    editor.command("Placet help")
    text = editor.text()

    for subcommand in editor.lua("""
      return vim.tbl_map(function(subcommand)
        return { subcommand.name, subcommand.about }
      end, require('placet.commands.subcommands').LIST)
    """):
        assert subcommand[0] in text
        assert subcommand[1] in text
    assert max(map(len, text.splitlines())) < 120
    editor.keys("q")
    editor.wait("#vim.api.nvim_list_wins() == 1")


def test_every_subcommand_and_every_action_of_a_review_has_a_plug_key(editor: Editor) -> None:
    plugs = editor.lua("""
      return vim.iter(vim.api.nvim_get_keymap('n')):map(function(map)
        return map.lhs:match('^<Plug>%(placet%-(.*)%)$')
      end):totable()
    """)
    names = set(editor.lua("return require('placet.commands.subcommands').names()"))

    assert names - set(plugs) == set()
    assert {"next-hunk", "previous-hunk", "accept-file", "reject-with-reason", "always", "later"} <= set(plugs)


@pytest.mark.usefixtures("file")
def test_a_plug_key_in_visual_mode_takes_the_selected_lines(editor: Editor, connected: ScriptedServer) -> None:
    connected.answers["textDocument/codeAction"] = lambda _: []
    editor.lua("vim.keymap.set('x', 'gx', '<Plug>(placet-explain)')")
    editor.keys("2GVjgx")

    params = connected.wait_for("textDocument/codeAction")

    assert params["range"] == {"start": {"line": 1, "character": 0}, "end": {"line": 3, "character": 0}}


def test_names_from_outside_are_shown_with_visible_control_characters(
    editor: Editor, connected: ScriptedServer, project: Path
) -> None:
    """File names, reasons and titles reach messages and prompts; a model or a repository may have made them."""
    editor.command("Placet hello")
    connected.wait_for("agent/prompt")
    uri = (project / "a.txt").as_uri().replace("a.txt", "a%1b%5b2J%0ab.txt")
    reason = "changed by\u202eyou"
    connected.answers["agent/undo"] = lambda _: {"files": [{"uri": uri, "status": "conflict", "reason": reason}]}
    title = "The barn\x1b[2J\nPlacet: all is well"
    info = {"id": "ses_1", "title": title, "agent": "build\x1b", "model": "m"}
    connected.answers["agent/session/rename"] = lambda _: info
    connected.answers["agent/session/setModel"] = lambda _: info
    editor.lua("""
      vim.ui.select = function(_, options, choose)
        table.insert(_G.notices, options.prompt)
        choose(nil)
      end
    """)

    editor.command("Placet undo")
    editor.wait("vim.iter(_G.notices):any(function(text) return text:match('conflict') end)")
    editor.command("Placet rename: The barn")
    connected.wait_for("agent/session/rename")
    editor.command("Placet model a/m")
    editor.wait("vim.iter(_G.notices):any(function(text) return text:match('model m') end)")
    editor.command("Placet delete")
    editor.wait("vim.iter(_G.notices):any(function(text) return text:match('Delete') end)")

    notices = editor.notices()
    assert any("a\\u001b[2J b.txt: conflict (changed by\\u202eyou)" in text for text in notices), notices
    assert "Placet: agent build\\u001b, model m" in notices
    assert any(text.startswith('Delete session "The barn\\u001b[2J Placet: all is well"') for text in notices), notices
    assert not any(mark in text for text in notices for mark in ("\x1b", "\n", "\u202e"))
