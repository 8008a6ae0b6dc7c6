"""What the plugin says of itself, that it starts without being set up, and what it says when the two do not fit."""

import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from neovim_support.editor import Editor
from neovim_support.scripted_server import ScriptedServer
from placet.frontends.lsp.protocol.editor_messages import FeatureMethod

SAID = """(function(words)
  return vim.iter(_G.notices):any(function(text) return text:find(words, 1, true) ~= nil end)
end)(...)"""


def test_the_client_declares_what_it_serves(editor: Editor, connected: ScriptedServer, project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    editor.open(project / "a.txt")
    connected.wait_for_document((project / "a.txt").as_uri())

    agent = connected.initialize_params["initializationOptions"]["agent"]

    assert agent["protocol"] == 1
    assert agent["strictApply"] is True
    assert agent["ui"] == ["changeSet"]
    assert agent["requests"] == [
        "editor/diagnostics",
        "editor/languageFeature",
        "editor/question",
        "editor/readDocuments",
        "editor/reload",
        "editor/requestPermission",
        "editor/save",
        "editor/state",
    ]
    assert agent["languageFeatures"] == sorted(get_args(FeatureMethod))
    assert connected.initialize_params["initializationOptions"]["settings"] == {}
    assert connected.initialize_params["workspaceFolders"][0]["uri"] == project.as_uri()


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (None, "is not a Placet daemon, or is too old for this plugin. Update: `"),
        ({"protocol": 0, "version": "0.0.9"}, "version 0.0.9, uses protocol 0; this plugin requires 1. Update: `"),
        ({"protocol": 2, "version": "9.0"}, "version 9.0, uses protocol 2; this plugin supports 1. Update the plugin"),
    ],
)
def test_a_daemon_that_does_not_fit_is_told_of_once_and_not_used(
    editor: Editor, connected: ScriptedServer, project: Path, agent: dict[str, Any] | None, words: str
) -> None:
    connected.agent = agent
    (project / "a.py").write_text("one\n")
    (project / "b.py").write_text("two\n")
    editor.command("Placet hello")
    editor.wait(SAID, words)
    editor.wait("#vim.lsp.get_clients({ _uninitialized = true }) == 0")

    editor.open(project / "a.py")
    editor.open(project / "b.py")

    assert editor.lua("return #vim.lsp.get_clients({ _uninitialized = true })") == 0, "it is not started for files"
    about = [notice for notice in editor.notices() if "protocol" in notice or "not a Placet daemon" in notice]
    assert len(about) == 1, editor.notices()
    assert "found in the option `cmd`" not in about[0]
    assert "(in the option `cmd`)" in about[0]


def test_a_program_that_is_no_language_server_is_told_of_with_where_its_words_are(
    editor: Editor, project: Path
) -> None:
    (project / "a.py").write_text("one\n")
    editor.lua("vim.g.placet = { cmd = { ..., '-ISc', 'import sys; sys.exit(3)' } }", sys.executable)
    editor.open(project / "a.py")
    editor.command("Placet hello")

    editor.wait(SAID, "the daemon exited during the start (exit code 3). See its log: ")


def test_what_was_asked_while_it_started_is_asked_once_it_is_ready(
    editor: Editor, connected: ScriptedServer, project: Path
) -> None:
    (project / "a.py").write_text("one\n")
    editor.open(project / "a.py")
    editor.command("Placet first")
    editor.command("Placet second")

    asked = [connected.wait_for("agent/prompt") for _ in range(2)]

    assert [prompt["parts"][0]["text"] for prompt in asked] == ["first", "second"]
    assert {prompt["sessionId"] for prompt in asked} == {"ses_1"}
