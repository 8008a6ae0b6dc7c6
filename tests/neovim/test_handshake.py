"""What the plugin says of itself, and that it starts without being set up."""

from pathlib import Path
from typing import get_args

from neovim_support.editor import Editor
from neovim_support.scripted_server import ScriptedServer
from placet.frontends.lsp.editor_messages import FeatureMethod


def test_the_client_declares_what_it_serves(editor: Editor, connected: ScriptedServer, project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    editor.open(project / "a.txt")
    connected.wait_for_document((project / "a.txt").as_uri())

    agent = connected.initialize_params["initializationOptions"]["agent"]

    assert agent["protocol"] == 1
    assert agent["strictApply"] is True
    assert agent["ui"] == ["permission", "hunks", "question", "diff"]
    assert agent["requests"] == [
        "editor/closeDiff",
        "editor/diagnostics",
        "editor/languageFeature",
        "editor/question",
        "editor/readDocuments",
        "editor/reload",
        "editor/requestPermission",
        "editor/save",
        "editor/showDiff",
        "editor/state",
    ]
    assert agent["languageFeatures"] == sorted(get_args(FeatureMethod))
    assert connected.initialize_params["initializationOptions"]["settings"] == {}
    assert connected.initialize_params["workspaceFolders"][0]["uri"] == project.as_uri()
