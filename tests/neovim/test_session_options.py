"""How much the model thinks and how careful the session is, chosen in the real Neovim with the real daemon."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from neovim_support.daemon import choose, current_session, page, prompt, use_wire, wait_for_session
from neovim_support.editor import Editor
from neovim_support.model import WireModel, wire_model
from neovim_support.screen import Screen
from wire_servers.answers import Text, Thought

INFO = "require('placet.sessions.known').info(id)"


@pytest.fixture
def model() -> Iterator[WireModel]:
    with wire_model(Text("One."), Text("Two."), Text("Three."), Text("Four.")) as model:
        yield model


@pytest.fixture
def talking(editor: Editor, project: Path, model: WireModel) -> Editor:
    """An editor with a session of a model that has levels of effort."""
    use_wire(editor, model, "gpt-5")
    (project / "a.py").write_text("one\n")
    editor.open(project / "a.py")
    prompt(editor, "begin")
    return editor


def said(editor: Editor, text: str) -> None:
    editor.wait("table.concat(_G.notices, '\\n'):find(..., 1, true)", text)


def prompt_bar(editor: Editor) -> str:
    return editor.lua("""
      local window = vim.fn.bufwinid('^placet://prompt/')
      return vim.wo[window].winbar
    """)


def test_the_effort_is_chosen_among_the_levels_of_the_model(talking: Editor, model: WireModel) -> None:
    choose(talking, "high")
    talking.command("Placet effort")
    wait_for_session(talking, f"{INFO}.effort == 'high'")

    asked = talking.lua("return _G.asked[1]")
    assert asked["prompt"] == "Effort of openai/gpt-5"
    assert asked["lines"] == [
        "* default: as the agent or your settings say, else as the model does",
        "  minimal",
        "  low",
        "  medium",
        "  high",
        "  a number of tokens …",
    ]
    said(talking, "Placet: effort high")
    prompt(talking, "go on")
    assert "reasoning_effort" not in model.requests[0].body
    assert model.requests[1].body["reasoning_effort"] == "high"


def test_the_effort_is_a_number_of_tokens_or_the_default_again(talking: Editor, model: WireModel) -> None:
    talking.command("Placet effort 4096")
    wait_for_session(talking, f"{INFO}.effort == 4096")
    said(talking, "Placet: effort 4096 tokens")
    choose(talking, "default")
    talking.command("Placet effort")
    wait_for_session(talking, f"{INFO}.effort == nil")
    assert "* 4096 tokens" in talking.lua("return _G.asked[1].lines")
    said(talking, "Placet: effort default")

    talking.lua("vim.ui.input = function(_, use) use('a lot') end")
    choose(talking, "a number of tokens")
    talking.command("Placet effort")
    said(talking, "Placet: `a lot` is not a number of tokens")
    talking.lua("vim.ui.input = function(_, use) use(' 2048 ') end")
    choose(talking, "a number of tokens")
    talking.command("Placet effort")
    wait_for_session(talking, f"{INFO}.effort == 2048")


def test_a_favourite_is_set_and_removed_by_a_command_and_stands_in_the_list(talking: Editor) -> None:
    talking.command("Placet favourite ollama/liked")
    said(talking, "Placet: the model ollama/liked is now a favourite")
    talking.command("Placet favourite")
    said(talking, "Placet: the model openai/gpt-5 is now a favourite")
    talking.lua("vim.ui.input = function(_, use) use('') end")
    choose(talking, "ollama/liked")
    talking.command("Placet model")
    wait_for_session(talking, "require('placet.sessions.known').info(id).model == 'ollama/liked'")
    lines = talking.lua("return _G.asked[1].lines")
    assert [line for line in lines if "favourite" in line][-1] == "  ollama/liked  (favourite)"
    talking.command("Placet favourite ollama/liked")
    said(talking, "Placet: the model ollama/liked is no longer a favourite")


def test_effort_and_caution_are_completed_and_other_words_are_a_prompt(talking: Editor, model: WireModel) -> None:
    talking.completes("Placet effort ", "default", "minimal", "low", "medium", "high")
    talking.completes("Placet caution m", "more")

    prompt(talking, "effort is what we lack")
    assert "effort is what we lack" in str(model.requests[1].messages[-1]["content"])


def test_the_caution_is_chosen_from_a_list_and_by_name(talking: Editor) -> None:
    choose(talking, "Ask less")
    talking.command("Placet caution")
    wait_for_session(talking, f"{INFO}.caution == 'less'")
    assert talking.lua("return _G.asked[1].lines") == [
        "  Ask before every act: also where a rule or the sandbox would allow it",
        "* Ask where it matters: your rules and earlier answers decide",
        "  Ask less: pages and searches of the web are not asked",
    ]
    talking.command("Placet caution more")
    wait_for_session(talking, f"{INFO}.caution == 'more'")
    said(talking, "Placet: Ask before every act")


def test_the_profile_is_chosen_from_a_list_and_by_name_and_holds_for_the_next_turn(
    talking: Editor, model: WireModel
) -> None:
    choose(talking, "small:")
    talking.command("Placet profile")
    wait_for_session(talking, f"{INFO}.profile == 'small'")
    assert talking.lua("return _G.asked[1].lines") == [
        "* default: as your settings say",
        "  auto: by the size, the context and the speed of a model on your own server",
        "  full: all tools",
        "  small: six tools and a short prompt",
        "  smallest: no tools; Placet finds the files, and the model answers with whole files",
    ]
    said(talking, "Placet: profile small")
    talking.completes("Placet profile s", "small", "smallest")
    prompt(talking, "go on")
    tools = {tool["function"]["name"] for tool in model.requests[-1].body["tools"]}
    assert tools == {"read", "list", "grep", "apply_patch", "bash"}

    talking.command("Placet profile default")
    wait_for_session(talking, f"{INFO}.profile == nil")
    said(talking, "Placet: profile default")
    prompt(talking, "profile the parser")
    assert "profile the parser" in str(model.requests[-1].messages[-1]["content"])
    assert len(model.requests[-1].body["tools"]) > 6


def test_a_chosen_effort_and_caution_stand_beside_the_model(talking: Editor) -> None:
    talking.command("Placet")
    talking.wait("vim.bo.filetype == 'placet-prompt'")
    assert "effort" not in prompt_bar(talking)
    talking.command("set columns=160")
    talking.command("Placet effort low")
    wait_for_session(talking, f"{INFO}.effort == 'low'")
    talking.wait("vim.wo.winbar:find('openai/gpt-5 · effort low', 1, true)")
    talking.command("Placet caution more")
    talking.wait("vim.wo.winbar:find('effort low · asks more', 1, true)")
    assert talking.lua("return { require('placet').details().effort, require('placet').details().caution }") == [
        "low",
        "more",
    ]
    talking.command("Placet effort default")
    talking.wait("not vim.wo.winbar:find('effort', 1, true)")


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 30)])
def test_thinking_is_one_line_until_it_is_opened(editor: Editor, project: Path, width: int, height: int) -> None:
    thoughts = "The area of a box is width times height.\nWho calls it?\n\nI look first."
    screen = Screen(editor.nvim, width, height)
    editor.command(f"set columns={width} lines={height}")
    with wire_model((Thought(thoughts), Text("Nobody calls it."))) as model:
        use_wire(editor, model, "gpt-5")
        (project / "a.py").write_text("one\n")
        editor.open(project / "a.py")
        prompt(editor, "who calls area?")
        assert "Who calls it?" in page(editor, current_session(editor))
        folded = screen.draw().text()
        assert "Thinking" in folded
        assert "Who calls it?" not in folded
        assert "Nobody calls it." in folded
        editor.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid('^placet://chat/'))")
        editor.keys("gh")
        screen.wait_for("Who calls it?")


def test_a_bar_that_becomes_narrow_leaves_out_the_provider_of_the_model(talking: Editor) -> None:
    talking.command("Placet")
    talking.wait("vim.bo.filetype == 'placet-prompt'")
    talking.command("Placet effort low")
    talking.command("Placet caution less")
    talking.wait("vim.wo.winbar:find('build · openai/gpt-5 · effort low · asks less · ', 1, true)")
    talking.command("set columns=68")
    talking.wait("vim.wo.winbar:find('build · gpt-5 · effort low · asks less · ', 1, true)")
