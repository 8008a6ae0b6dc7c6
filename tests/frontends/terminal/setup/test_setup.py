"""`placet setup EDITOR`: what it prints, what it finds, and the documentation made of the same texts."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.__main__ import main
from placet.frontends.lsp.protocol.methods import GENERIC_COMMANDS
from placet.frontends.terminal.setup.acp_client_texts import ACP_CLIENTS
from placet.frontends.terminal.setup.editor_text import EditorText
from placet.frontends.terminal.setup.editor_texts import EDITORS, EMACS, HELIX
from placet.frontends.terminal.setup.setup import find
from scripts.protocol.editor_page import editor_page

DOCS = Path(__file__).parents[4] / "docs" / "editors"
every_editor = pytest.mark.parametrize("editor", EDITORS.values(), ids=lambda editor: editor.name)


def program(directory: Path, name: str, says: str) -> Path:
    directory.mkdir(exist_ok=True)
    file = directory / name
    file.write_text(f"#!/bin/sh\necho '{says}'\n")
    file.chmod(0o755)
    return file


@every_editor
def test_the_page_is_made_of_the_texts_that_are_printed(editor: EditorText) -> None:
    assert (DOCS / f"{editor.name}.md").read_text("utf-8") == editor_page(editor), "make docs writes it"


@every_editor
def test_a_snippet_can_be_read_and_is_found_again(editor: EditorText) -> None:
    assert editor.mark in editor.snippet
    match editor.language:
        case "toml":
            assert tomllib.loads(editor.snippet)["language-server"]["placet"]["args"] == ["--stdio"]
        case "json":
            settings = json.loads(editor.snippet)
            if editor in ACP_CLIENTS:
                server = settings["agent_servers"]["Placet"]
                assert (server["command"], server["args"]) == ("placet", ["--acp"])
        case _:
            assert editor.snippet.endswith("\n")


@every_editor
def test_only_commands_that_there_are_stand_in_a_text(editor: EditorText) -> None:
    if editor.name in ("neovim", "vscode") or editor in ACP_CLIENTS:
        return
    named = set(re.findall(r"placet\.[a-z]+", editor.snippet + editor.use + editor.limits)) - {"placet.command"}
    assert named <= set(GENERIC_COMMANDS)


def test_what_is_there_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hx, placet = program(tmp_path / "bin", "hx", "helix 25.01 (x)"), program(tmp_path / "bin", "placet", "placet")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    found = find(HELIX, tmp_path)
    assert (found.program, found.version, found.placet) == (str(hx), "helix 25.01 (x)", str(placet))
    assert (found.is_set_up, found.problems) == (False, [])
    config = tmp_path / HELIX.place
    config.parent.mkdir(parents=True)
    config.write_text("# mine\n" + HELIX.snippet)
    assert find(HELIX, tmp_path).is_set_up


def test_the_file_that_there_is_is_named(tmp_path: Path) -> None:
    (tmp_path / ".emacs").write_text("(setq mine t)\n")
    found = find(EMACS, tmp_path)
    assert (found.place, found.is_set_up) == (str(tmp_path / ".emacs"), False)


def test_what_is_missing_is_said_and_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["setup", "vim"]) == 1
    told = capsys.readouterr().out
    assert "! `placet` is not on PATH" in told
    assert "ale#linter#Define" in told
    program(tmp_path, "placet", "placet")
    assert main(["setup", "vim", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["problems"] == ["The editor was not found on PATH."]
    assert answer["snippet"] == EDITORS["vim"].snippet


@every_editor
def test_the_setup_of_an_editor_is_not_taken_for_the_setup_of_another(
    editor: EditorText, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    file = tmp_path / editor.place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(editor.snippet)
    for other in EDITORS.values():
        assert find(other, tmp_path).is_set_up == (other == editor), other.name


@pytest.mark.parametrize("editor", [editor for editor in EDITORS.values() if editor.name not in ("neovim", "vscode")])
def test_every_editor_without_a_plugin_can_be_named_on_the_command_line(
    editor: EditorText, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["setup", editor.name]) == 1
    assert editor.snippet.rstrip("\n") in capsys.readouterr().out


@corpus("client", ACP_CLIENTS)
def test_every_client_of_acp_starts_the_agent_and_not_the_language_server(client: EditorText) -> None:
    assert "--acp" in client.snippet
    assert "--stdio" not in client.snippet
