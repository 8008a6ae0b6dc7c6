"""Comments on hunks: shown below them, sent with the answer, and a refusal unless the hunk is accepted."""

from pathlib import Path

from neovim_support.editor import Editor
from neovim_support.review import ask, modify, permission
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer


def says(editor: Editor, text: str) -> None:
    """What the user types when asked next."""
    editor.lua("local text = ...; vim.ui.input = function(options, use) _G.asked = options; use(text) end", text)


def test_a_comment_is_shown_below_its_hunk_and_refuses_it(
    editor: Editor, connected: ScriptedServer, path: Path, screen: Screen
) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    says(editor, "keep the short names")
    editor.keys("gm")
    editor.wait("_G.asked")

    lines = screen.draw().lines()
    row = next(index for index, line in enumerate(lines) if "return width * height" in line)
    assert lines[row + 1] == "  You: keep the short names"
    assert "1/2 commented, rejected unless accepted" in screen.text()
    assert editor.lua("return _G.asked.prompt") == "Comment on hunk 1: "

    editor.keys("6Gga")
    assert inquiry.answer() == {
        "outcome": "once",
        "hunks": {path.as_uri(): [2]},
        "comments": [{"uri": path.as_uri(), "hunk": 1, "text": "keep the short names"}],
    }


def test_a_commented_hunk_can_be_accepted(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    says(editor, "good, and next time with a test")
    editor.keys("gmgaga")
    assert inquiry.answer() == {
        "outcome": "once",
        "comments": [{"uri": path.as_uri(), "hunk": 1, "text": "good, and next time with a test"}],
    }


def test_comments_alone_are_sent_as_a_refusal(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    says(editor, "why?")
    editor.keys("gm]cgm<CR>")
    result = inquiry.answer()
    assert result["outcome"] == "reject"
    assert [comment["hunk"] for comment in result["comments"]] == [1, 2]


def test_an_empty_comment_takes_it_back(editor: Editor, connected: ScriptedServer, path: Path, screen: Screen) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    says(editor, "why?")
    editor.keys("gm")
    editor.wait("_G.asked")
    says(editor, "")
    editor.keys("gm")
    editor.wait("_G.asked.default == 'why?'")
    assert "why?" not in screen.draw().text()
    editor.keys("gA")
    assert inquiry.answer() == {"outcome": "once"}


def test_a_refusal_with_a_reason_carries_the_comments(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    says(editor, "no")
    editor.keys("gmgC")
    assert inquiry.answer() == {
        "outcome": "reject",
        "feedback": "no",
        "comments": [{"uri": path.as_uri(), "hunk": 1, "text": "no"}],
    }


def test_a_comment_is_kept_for_later(editor: Editor, connected: ScriptedServer, path: Path, screen: Screen) -> None:
    ask(editor, connected, permission(modify(path)))
    says(editor, "why?")
    editor.keys("gmgq")
    editor.wait("not require('placet.review').is_open()")
    assert "why?" not in screen.draw().text()
    editor.command("Placet review")
    assert "You: why?" in screen.draw().text()
