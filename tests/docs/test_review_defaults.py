"""The pages say the same review mode of new sessions as the settings and both plugins have."""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from corpus_support import corpus
from neovim_support.editor import open_editor
from placet.settings import Settings

ROOT = Path(__file__).parents[2]
ACTIONS = {
    "ask": "be asked before each change",
    "stage": "collect changes for review",
    "apply": "apply changes and review afterwards",
}
"""What the user chooses, by mode, in the words of README."""
LABELS = {
    "ask": "Ask before each change",
    "stage": "Collect changes for review",
    "apply": "Apply changes, review afterwards",
}
"""Names of the modes on the screen of VS Code."""


class Defaults(NamedTuple):
    daemon: str
    vscode: str
    neovim: str


@pytest.fixture(scope="module")
def defaults(tmp_path_factory: pytest.TempPathFactory) -> Defaults:
    manifest: dict[str, Any] = json.loads((ROOT / "clients" / "vscode" / "package.json").read_text("utf-8"))
    groups = manifest["contributes"]["configuration"]
    settings: dict[str, Any] = {}
    for group in groups if isinstance(groups, list) else [groups]:
        settings |= group["properties"]
    with open_editor(tmp_path_factory.mktemp("editor")) as editor:
        neovim: str = editor.lua("return require('placet.config').defaults.review.mode")
    return Defaults(Settings().review, settings["placet.reviewMode"]["default"], neovim)


def test_both_plugins_begin_sessions_with_the_same_mode(defaults: Defaults) -> None:
    assert defaults.vscode == defaults.neovim


@corpus(
    ("page", "sentence"),
    [
        ("README.md", "{plugin_action} (the default in VS Code and Neovim)"),
        ("README.md", "{daemon_action} (the default elsewhere)"),
        (
            "docs/REVIEW.md",
            "Our plugins for VS Code and Neovim begin sessions with `{plugin}`; elsewhere the default is `{daemon}`.",
        ),
        ("clients/vscode/README.md", "| {plugin_label} (default) |"),
        ("clients/neovim/doc/placet.txt", '|placet-review|. Default: "{plugin}"'),
    ],
)
def test_a_page_says_the_default_that_holds(defaults: Defaults, page: str, sentence: str) -> None:
    words = {
        "plugin": defaults.vscode,
        "plugin_action": ACTIONS[defaults.vscode],
        "plugin_label": LABELS[defaults.vscode],
        "daemon": defaults.daemon,
        "daemon_action": ACTIONS[defaults.daemon],
    }
    text = re.sub(r"\s+", " ", (ROOT / page).read_text("utf-8"))
    assert sentence.format(**words) in text
