"""Turns cancelled at every stage, turns with commands, and two Neovims in one project, over OpenAI's wire."""

import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from neovim_support.daemon import (
    SANDBOXED,
    asked,
    current_session,
    page,
    prompt,
    use_wire,
    wait_for_page,
    wait_for_session,
)
from neovim_support.editor import Editor, open_editor
from neovim_support.model import wire_model
from neovim_support.review import ASKED_HERE
from time_support import wait_seconds
from wire_servers.answers import Answer, Call, Text, Wait

NAP = ("sleep", "300.125")
COMMAND = f"echo beg''un; {' '.join(NAP)}; touch done"
RUNS = Call("bash", {"command": COMMAND, "description": "work"})
STAGES = ("before the first word", "in the middle of its words", "while a command runs", "while a question is open")
SHOWN = {STAGES[1]: "I begin with it.", STAGES[2]: "begun"}


def napping() -> list[psutil.Process]:
    """Return the processes that sleep as the command of the test does, in a sandbox or outside."""
    return [process for process in psutil.process_iter(["cmdline"]) if process.info["cmdline"] == list(NAP)]


def wait_for_nap() -> None:
    """Wait until the command of the test sleeps: its shell writes a line first."""
    deadline = time.monotonic() + wait_seconds()
    while not napping():
        assert time.monotonic() < deadline, "the command never slept"


@pytest.mark.parametrize(("stage", "sandbox"), [*((stage, "auto") for stage in STAGES), (STAGES[2], "off")])
def test_a_turn_is_cancelled_and_the_next_one_goes_well(
    editor: Editor, project: Path, stage: str, sandbox: str
) -> None:
    never = Wait()
    answers: dict[str, Answer] = {STAGES[0]: (never,), STAGES[1]: (Text("I begin with it."), never)}
    action = "ask" if stage == STAGES[3] else "allow"
    (project / "a.txt").write_text("one\n")
    with wire_model(answers.get(stage, (RUNS,)), Text("All is well.")) as model:
        use_wire(editor, model, permission={"bash": action}, sandbox={"mode": sandbox})
        editor.lua("vim.ui.select = function() _G.is_asked = true end")
        editor.open(project / "a.txt")
        editor.command("Placet begin")
        session = wait_for_session(editor, "require('placet.sessions.known').running_turn(id)")
        request = model.wait_for_request(1)
        if stage in SHOWN:
            wait_for_page(editor, session, SHOWN[stage])
        if stage == STAGES[2]:
            wait_for_nap()
        elif stage == STAGES[3]:
            editor.wait("_G.is_asked and require('placet').details().waiting == 1")

        naps = napping()
        assert bool(naps) == (stage == STAGES[2])

        editor.command("Placet cancel")
        editor.wait("#_G.ended == 1")

        assert editor.lua("return _G.ended") == ["cancelled"]
        assert not psutil.wait_procs(naps, wait_seconds())[1]
        if stage in answers:
            model.wait_until_given_up(request)
        assert editor.lua("return require('placet').details().waiting") == 0
        assert not (project / "done").exists()

        prompt(editor, "go on")
        assert "All is well." in page(editor, session)
        assert editor.lua("return _G.ended") == ["cancelled", "end_turn"]


@pytest.fixture
def other(project: Path) -> Iterator[Editor]:
    """A second Neovim on the same project."""
    with open_editor(project) as other:
        yield other


def test_two_neovims_work_in_one_project_and_each_has_its_own_questions(
    editor: Editor, other: Editor, project: Path
) -> None:
    file = project / "a.txt"
    file.write_text("one\ntwo\n")
    change = Call("edit", {"filePath": str(file), "oldString": "two", "newString": "2"})
    with (
        wire_model(Call("read", {"filePath": str(file)}), change, Text("Here it is.")) as model,
        wire_model(Text("Nothing to do there.")) as quiet,
    ):
        use_wire(editor, model)
        use_wire(other, quiet)
        for instance in (editor, other):
            instance.open(file)
        editor.command("Placet write a number")
        editor.wait(ASKED_HERE)
        prompt(other, "and what do you do")
        assert other.lua("return require('placet').details().waiting") == 0
        assert "Nothing to do there." in page(other, current_session(other))

        editor.keys("gA")
        editor.wait("#_G.ended == 1")
        other.command("checktime")
        assert editor.text() == other.text() == file.read_text() == "one\n2\n"
        assert "Nothing to do there." not in page(editor, current_session(editor))
    listed = [asked(instance, "agent/session/list")["sessions"] for instance in (editor, other)]
    assert [len(sessions) for sessions in listed] == [2, 2]


def test_a_turn_is_shown_as_progress_and_what_a_command_changed_is_read_again(editor: Editor, project: Path) -> None:
    changed, unsaved = project / "a.txt", project / "b.txt"
    for file in (changed, unsaved):
        file.write_text("one\n")
    command = Call("bash", {"command": f"echo two >> {changed.name}; echo two >> {unsaved.name}", "description": "add"})
    with wire_model(command, Text("Both have it.")) as model:
        use_wire(editor, model, permission={"bash": "allow"}, **SANDBOXED)
        editor.lua("""
          _G.progress = {}
          vim.api.nvim_create_autocmd('LspProgress', { callback = function(event)
            table.insert(_G.progress, event.data.params.value.kind)
          end })
        """)
        editor.open(unsaved)
        editor.lua("vim.api.nvim_buf_set_lines(0, -1, -1, true, { 'mine' })")
        editor.open(changed)
        prompt(editor, "add a line")
        editor.wait("vim.fn.line('$') == 2")
        assert editor.text() == "one\ntwo\n"
        assert editor.lua("return vim.fn.getbufline('b.txt', 1, '$')") == ["one", "mine"]
        editor.wait("_G.progress[#_G.progress] == 'end'")
        assert editor.lua("return _G.progress[1]") == "begin"
