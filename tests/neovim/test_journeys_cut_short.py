"""Turns that are cancelled at every stage, and two Neovims at work in one project, over OpenAI's wire."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from neovim_support.daemon import current_session, page, prompt, use_wire, wait_for_page, wait_for_session
from neovim_support.editor import Editor, open_editor
from neovim_support.model import wire_model
from wire_servers.answers import Answer, Call, Text, Wait

NEVER = Wait()
COMMAND = "echo beg''un; sleep 300; touch done"


def bash(command: str) -> Call:
    return Call("bash", {"command": command, "description": "work"})


STAGES: dict[str, tuple[Answer, str]] = {
    "before the first word": ((NEVER,), "allow"),
    "in the middle of its words": ((Text("I begin with it."), NEVER), "allow"),
    "while a command runs": ((bash(COMMAND),), "allow"),
    "while a question is open": ((bash(COMMAND),), "ask"),
}


@pytest.mark.parametrize("stage", STAGES)
def test_a_turn_is_cancelled_and_the_next_one_goes_well(editor: Editor, project: Path, stage: str) -> None:
    answer, action = STAGES[stage]
    (project / "a.txt").write_text("one\n")
    with wire_model(answer, Text("All is well.")) as model:
        use_wire(editor, model, permission={"bash": action})
        editor.lua("vim.ui.select = function() _G.is_asked = true end")
        editor.open(project / "a.txt")
        editor.command("Placet begin")
        session = wait_for_session(editor, "require('placet.sessions').running_turn(id)")
        request = model.wait_for_request(1)
        match stage:
            case "in the middle of its words":
                wait_for_page(editor, session, "I begin with it.")
            case "while a command runs":
                wait_for_page(editor, session, "begun")
            case "while a question is open":
                editor.wait("_G.is_asked and require('placet').details().waiting == 1")
            case _:
                pass

        editor.command("Placet cancel")
        editor.wait("#_G.ended == 1")

        assert editor.lua("return _G.ended") == ["cancelled"]
        if NEVER in answer:
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
        for one in (editor, other):
            one.open(file)
        editor.command("Placet write a number")
        editor.wait("require('placet.review').is_open()")
        prompt(other, "and what do you do")
        assert other.lua("return require('placet').details().waiting") == 0
        assert "Nothing to do there." in page(other, current_session(other))

        editor.keys("gA")
        editor.wait("#_G.ended == 1")
        other.command("checktime")
        assert editor.text() == other.text() == file.read_text() == "one\n2\n"
        assert "Nothing to do there." not in page(editor, current_session(editor))
    sessions = "return #vim.lsp.get_clients({ name = 'placet' })[1]:request_sync(...).result.sessions"
    assert [one.lua(sessions, "agent/session/list", {}, 30000) for one in (editor, other)] == [2, 2]
