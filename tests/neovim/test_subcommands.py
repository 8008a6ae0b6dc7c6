"""Each subcommand with the real daemon and a model behind OpenAI's wire: here, or in the test that the table names."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from mcp_support import odd
from neovim_support.daemon import SANDBOXED, choose, current_session, page, prompt, use_wire
from neovim_support.editor import Editor
from neovim_support.model import wire_model
from wire_servers.answers import Call, Text

HERE = Path(__file__).parent
MODEL = "test_words_that_ask_the_model"
DAEMON = "test_words_that_ask_the_daemon_what_it_knows"
REVIEWED = "test_three_files_are_reviewed_with_a_word_for_each_hunk"
TESTED = {
    "accept": REVIEWED,
    "add": "test_the_command_takes_what_and_a_range",
    "after": "test_a_prompt_steers_the_turn_that_runs_and_another_comes_after_it",
    "agent": "test_agents_and_models_are_chosen_by_name_or_from_a_list",
    "ask": MODEL,
    "cancel": "test_a_turn_is_cancelled_and_the_next_one_goes_well",
    "caution": "test_the_caution_is_chosen_from_a_list_and_by_name",
    "change-set": "test_the_set_is_there_again_after_the_daemon_was_killed",
    "changes": DAEMON,
    "chat": DAEMON,
    "comment": REVIEWED,
    "commit": "test_a_commit_message_is_written_of_what_is_staged",
    "compact": MODEL,
    "delete": "test_a_session_is_deleted_after_a_question",
    "edit": REVIEWED,
    "effort": "test_the_effort_is_a_number_of_tokens_or_the_default_again",
    "favourite": "test_a_favourite_is_set_and_removed_by_a_command_and_stands_in_the_list",
    "explain": MODEL,
    "export": "test_an_export_is_read_in_a_window_or_written_and_taken_in_again",
    "fix": MODEL,
    "fork": "test_a_fork_has_what_was_said_and_goes_its_own_way",
    "help": "test_help_lists_every_subcommand_with_what_it_does",
    "import": "test_an_export_is_read_in_a_window_or_written_and_taken_in_again",
    "log": DAEMON,
    "login": "test_a_provider_is_signed_in_to_with_a_code_that_is_not_shown",
    "worktree": "test_a_conflict_is_shown_with_both_texts_and_settled",
    "completion": "test_the_command_switches_snoozes_and_tells_the_state",
    "mcp": DAEMON,
    "model": "test_agents_and_models_are_chosen_by_name_or_from_a_list",
    "new": "begin",
    "permissions": DAEMON,
    "profile": "test_the_profile_is_chosen_from_a_list_and_by_name_and_holds_for_the_next_turn",
    "back": "test_prompts_are_chosen_from_a_list_with_the_newest_first_and_completed",
    "redo": "test_what_is_typed_during_a_run_is_kept_and_an_autosaver_takes_nothing_away",
    "reject": REVIEWED,
    "rename": "test_a_session_is_renamed",
    "review": REVIEWED,
    "review-mode": "test_the_way_of_reviewing_is_switched_in_the_middle_of_a_turn",
    "revoke": DAEMON,
    "search": "test_sessions_are_found_by_what_was_said_in_them",
    "sessions": "test_a_session_is_switched_to_by_its_title_and_other_words_are_a_prompt",
    "side-by-side": "test_side_by_side_is_opened_by_its_word",
    "status": DAEMON,
    "steer": "test_a_prompt_steers_the_turn_that_runs_and_another_comes_after_it",
    "summarize": MODEL,
    "undo": REVIEWED,
}
"""Which test gives the word to Neovim."""

SAID = """(function(words)
  return vim.iter(_G.notices):any(function(text) return text:find(words, 1, true) ~= nil end)
end)(...)"""
SHEET = "vim.startswith(vim.api.nvim_buf_get_name(0), ...)"
TRIED = """(function()
  local daemon = vim.lsp.get_clients({ name = 'placet' })[1]
  local servers = daemon:request_sync('agent/mcp', vim.empty_dict(), 1000).result.servers
  return vim.iter(servers):all(function(server) return server.state == 'connected' or #server.problems > 0 end)
end)()"""
"""Nobody waits for MCP servers, which are started in the background, and again after each failure for half a minute."""


def functions() -> dict[str, str]:
    """Every function of these tests' modules with its source."""
    sources: dict[str, str] = {}
    for file in HERE.glob("test_*.py"):
        text = file.read_text("utf-8")
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef):
                sources[node.name] = "\n".join(lines[node.lineno - 1 : node.end_lineno])
    return sources


def test_every_subcommand_is_given_by_a_test(editor: Editor) -> None:
    sources = functions()
    names = editor.lua("return require('placet.commands.subcommands').names()")

    assert sorted(TESTED) == sorted(names), "a new word needs a test, named in the table"
    assert [word for word, test in TESTED.items() if not re.search(rf"Placet!? {word}\b", sources.get(test, ""))] == []


@pytest.fixture
def file(editor: Editor, project: Path) -> Path:
    file = project / "a.py"
    file.write_text("one\ntwo\n")
    editor.open(file)
    return file


@pytest.mark.usefixtures("file")
def test_words_that_ask_the_model(editor: Editor) -> None:
    editor.lua("""
      vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), 0, {
        { lnum = 0, col = 0, end_lnum = 0, end_col = 3, message = '`one` is not defined', severity = 1 },
      })
    """)
    long = "and so on, " * 4000
    with wire_model(Text(f"Answer 1, {long}."), Text("Answer 2."), Text("Answer 3.")) as model:
        use_wire(editor, model)
        for number, command in enumerate(("Placet fix", "Placet explain", "Placet ask undo what you did"), 1):
            editor.command(command)
            editor.wait("#_G.ended == ...", number)
        fix, explain, undo = (str(request.messages[-1]["content"]) for request in model.requests)
        assert "`one` is not defined" in fix
        assert "`one` is not defined" in explain
        assert "undo what you did" in undo
        text = page(editor, current_session(editor))
        assert text.index("Answer 1,") < text.index("Answer 2.") < text.index("Answer 3.")

        editor.command("Placet summarize")
        editor.wait(SHEET, "placet-summary://")
        editor.keys("q")
        editor.command("Placet compact")
        editor.wait(SAID, "Placet compact: about ")


def test_words_that_ask_the_daemon_what_it_knows(editor: Editor, file: Path) -> None:
    change = Call("write", {"filePath": str(file), "content": "1\n2\n"})
    command = Call("bash", {"command": "echo hello", "description": "greet"})
    with wire_model(Call("read", {"filePath": str(file)}), change, command, Text("Done.")) as model:
        asking = odd("environment", env={"GIVEN": "${input:token}"}, inputs=[{"id": "token", "password": True}])
        mcp = {"odd": odd("plain"), "lost": {"command": ["no-such-program"]}, "asking": asking}
        use_wire(editor, model, permission={"edit": "allow", "bash": "ask"}, mcp=mcp, **SANDBOXED)
        choose(editor, "Do not answer", "Always allow in this session")
        prompt(editor, "write numbers and greet")
        values, asked = editor.lua("return _G.asked")
        assert "The MCP server asking asks for: token" in values["prompt"], "the first prompt asks"
        assert f"in {file.parent}" in asked["prompt"], "the directory of a command is named"

        editor.command("Placet changes")
        editor.wait("#vim.fn.getqflist() == 1")
        assert "modify, applied" in editor.lua("return vim.fn.getqflist()[1].text")
        editor.command("cclose | only")
        editor.command("Placet chat")
        editor.wait("#vim.api.nvim_tabpage_list_wins(0) == 2")

        editor.command("Placet permissions")
        editor.wait(SHEET, "placet-permissions://")
        assert "bash: Always allow in this session: echo *" in editor.text()
        editor.keys("q")
        choose(editor, "echo *")
        editor.command("Placet revoke")
        editor.wait(SAID, "grant revoked; Placet will ask again")

        editor.wait(TRIED)
        choose(editor, "odd  connected", "Disconnect")
        editor.command("Placet mcp")
        editor.wait(SAID, "Placet mcp: odd  disconnected")
        choose(editor, "Connect")
        editor.command("Placet mcp odd")
        editor.wait(SAID, "Placet mcp: odd  connected, tools: 3, prompts: 1, resources: 2")
        editor.wait("#vim.fn.getcompletion('Placet mcp ', 'cmdline') == 3")
        assert set(editor.lua("return vim.fn.getcompletion('Placet mcp ', 'cmdline')")) == {"asking", "lost", "odd"}
        editor.lua("vim.fn.inputsecret = function(prompt) _G.hidden = prompt return 'hush' end")
        choose(editor, "Enter values")
        editor.command("Placet mcp asking")
        editor.wait(SAID, "Placet mcp: asking  connected, tools: 3, prompts: 1, resources: 2")
        assert editor.lua("return _G.hidden").startswith("The MCP server asking asks for: token")
        choose(editor, "Show problems")
        editor.command("Placet mcp lost")
        editor.wait(SHEET, "placet-mcp://lost")
        assert "The MCP server lost" in editor.text()
        editor.keys("q")

        editor.command("Placet status")
        editor.wait(SAID, "model: openai/local")
        editor.command("Placet log")
        editor.wait("#vim.api.nvim_list_tabpages() == 2")
        assert editor.lua("return vim.api.nvim_buf_get_name(0)").endswith(".log")


def test_side_by_side_is_opened_by_its_word(editor: Editor, file: Path) -> None:
    change = Call("edit", {"filePath": str(file), "oldString": "two", "newString": "2"})
    with wire_model(Call("read", {"filePath": str(file)}), change) as model:
        use_wire(editor, model)
        editor.command("Placet write a number")
        editor.wait("(require('placet').details() or {}).waiting == 1")
        editor.command("Placet review")
        editor.command("Placet side-by-side")
        editor.wait("vim.wo.diff")
        editor.command("write")
        editor.wait("#_G.ended == 1")
    assert file.read_text() == "one\n2\n"


def test_a_commit_message_is_written_of_what_is_staged(editor: Editor, project: Path, file: Path) -> None:
    for arguments in (["init", "-q"], ["add", file.name]):
        subprocess.run(["git", *arguments], cwd=project, check=True, capture_output=True)
    with wire_model() as model:
        use_wire(editor, model)
        message = project / ".git" / "COMMIT_EDITMSG"
        message.write_text("\n# Please enter the commit message for your changes.\n")
        editor.open(message)
        editor.command("Placet commit")
        editor.wait("vim.fn.getline(1) ~= ''")
    assert editor.text() == "A title\n\n# Please enter the commit message for your changes.\n"
