"""Questions of the agent: one after the other, in the user's own words where they may be; dismissed is "later"."""

from pathlib import Path
from typing import Any

import pytest

from neovim_support.editor import Editor
from neovim_support.review import open_file
from neovim_support.scripted_server import CANCELLED, ScriptedServer

OPTIONS = [{"label": "A"}, {"label": "B", "description": "the second"}]

CHOOSE = """
  _G.shown = {}
  local labels = ...
  vim.ui.select = function(items, options, use)
    table.insert(_G.shown, vim.tbl_map(options.format_item, items))
    local label = table.remove(labels, 1)
    use(vim.iter(items):find(function(item) return item.label == label end))
  end
"""


@pytest.fixture(autouse=True)
def path(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    return open_file(editor, connected, project / "a.txt", "one\n")


def question(text: str, **more: Any) -> dict[str, Any]:
    return {"header": text, "question": text, "options": OPTIONS, **more}


def asked(*questions: dict[str, Any]) -> dict[str, Any]:
    return {"sessionId": "ses_1", "questions": list(questions)}


def test_questions_are_put_one_after_the_other(editor: Editor, connected: ScriptedServer) -> None:
    editor.lua(CHOOSE, ["B", "A", "B", "Done", "Other (type an answer)"])
    editor.lua("vim.ui.input = function(_, use) use('my own') end")

    questions = asked(question("Which?"), question("Which ones?", multiple=True), question("Else?"))

    assert connected.request("editor/question", questions) == {"answers": [["B"], ["A", "B"], ["my own"]]}
    assert editor.lua("return _G.shown[1]") == ["A", "B: the second", "Other (type an answer)", "Do not answer"]
    assert editor.lua("return _G.shown[3]")[:2] == ["[x] A", "[ ] B: the second"]


def test_own_words_can_be_kept_out(editor: Editor, connected: ScriptedServer) -> None:
    editor.lua(CHOOSE, ["A"])
    assert connected.request("editor/question", asked(question("Which?", custom=False))) == {"answers": [["A"]]}
    assert editor.lua("return _G.shown[1]") == ["A", "B: the second", "Do not answer"]


def test_a_question_can_be_declined(editor: Editor, connected: ScriptedServer) -> None:
    editor.lua(CHOOSE, ["Do not answer"])
    assert connected.request("editor/question", asked(question("Which?"))) == {"answers": None}


def test_a_dismissed_question_waits_with_what_was_answered_before(editor: Editor, connected: ScriptedServer) -> None:
    editor.lua(CHOOSE, ["A"])
    inquiry = connected.ask("editor/question", asked(question("First?"), question("Second?")))
    editor.wait("#_G.notices == 1")
    assert "postponed" in editor.notices()[0]
    assert editor.lua("return require('placet').status()") == "Placet: 1 pending"

    editor.lua(CHOOSE, ["B"])
    editor.command("Placet review")

    assert inquiry.answer() == {"answers": [["A"], ["B"]]}


def test_while_the_user_types_a_question_is_only_announced(editor: Editor, connected: ScriptedServer) -> None:
    editor.lua(CHOOSE, ["A"])
    editor.keys("ix")
    editor.wait("vim.api.nvim_get_mode().mode == 'i'")
    inquiry = connected.ask("editor/question", asked(question("Which?")))
    editor.wait("#_G.notices == 1")
    assert editor.notices() == ["Placet asks: Which?. :Placet review"]
    editor.keys("<Esc>")
    editor.command("Placet review")
    assert inquiry.answer() == {"answers": [["A"]]}


def test_a_cancelled_question_leaves_the_screen(editor: Editor, connected: ScriptedServer) -> None:
    editor.lua("vim.ui.select = function(_, _, use) _G.use = use end")
    inquiry = connected.ask("editor/question", asked(question("Which?")))
    editor.wait("_G.use")
    connected.cancel(inquiry)
    assert inquiry.failure().code == CANCELLED
    editor.lua("_G.use(nil)")
    assert editor.notices() == []
    assert editor.lua("return require('placet').status()") == ""


SECRET = """
  _G.hidden = {}
  vim.fn.inputsecret = function(prompt) table.insert(_G.hidden, prompt) return 'hush' end
  vim.ui.input = function() error('the words would be seen') end
"""


def test_a_secret_answer_is_typed_hidden(editor: Editor, connected: ScriptedServer) -> None:
    editor.lua(CHOOSE, ["Other (type an answer)"])
    editor.lua(SECRET)
    secret = question("Token?", secret=True, options=[])
    assert connected.request("editor/question", asked(secret)) == {"answers": [["hush"]]}
    at_once = {**asked(secret), "sessionId": ""}
    assert connected.request("editor/question", at_once) == {"answers": [["hush"]]}
    assert editor.lua("return _G.hidden") == ["Token? ", "Token? "]


def test_a_question_of_an_action_offers_own_words_beside_the_options(editor: Editor, connected: ScriptedServer) -> None:
    editor.lua(CHOOSE, ["Other (type an answer)", "A"])
    editor.lua("vim.ui.input = function(_, use) use('my own') end")
    questions = [question("Which?"), question("Which of them?", custom=False)]
    put = {**asked(*questions), "sessionId": ""}
    assert connected.request("editor/question", put) == {"answers": [["my own"], ["A"]]}
    assert editor.lua("return _G.shown") == [["A", "B: the second", "Other (type an answer)"], ["A", "B: the second"]]
