"""The pages say the same review mode of new sessions as the front doors and both plugins have."""

import argparse
import asyncio
import inspect
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from acp_support import AcpClient
from corpus_support import corpus
from neovim_support.editor import open_editor
from placet.command_line.registry import Command
from placet.command_line.work import chat, run
from placet.core.ports import Ports
from placet.frontends.terminal.interactive.shell import REVIEW
from placet.settings import Settings
from placet.settings.review_modes import REVIEW_MODES, ReviewMode
from run_support import Place

ROOT = Path(__file__).parents[2]
ACTIONS = {
    "ask": "be asked before each change",
    "stage": "collect changes for review",
    "apply": "apply changes and review afterwards",
}
"""What the user chooses, by mode, in the words of README."""


class Defaults(NamedTuple):
    daemon: str
    vscode: ReviewMode
    neovim: str
    terminal: str
    acp: str


@pytest.fixture(scope="module")
def defaults(tmp_path_factory: pytest.TempPathFactory) -> Defaults:
    manifest: dict[str, Any] = json.loads((ROOT / "clients" / "vscode" / "package.json").read_text("utf-8"))
    groups = manifest["contributes"]["configuration"]
    settings: dict[str, Any] = {}
    for group in groups if isinstance(groups, list) else [groups]:
        settings |= group["properties"]
    with open_editor(tmp_path_factory.mktemp("editor")) as editor:
        neovim: str = editor.lua("return require('placet.config').defaults.review.mode")
    acp = asyncio.run(mode_at_a_client(Place(tmp_path_factory.mktemp("acp"))))
    daemon = inspect.signature(Ports).parameters["review"].default
    return Defaults(daemon, settings["placet.reviewMode"]["default"], neovim, REVIEW, acp)


async def mode_at_a_client(place: Place) -> str:
    """The mode that a client of the Agent Client Protocol shows for a new session."""
    async with AcpClient(place, review=None) as client:
        await client.initialize()
        made = await client.call("session/new", {"cwd": str(place.project), "mcpServers": []})
        return next(option["currentValue"] for option in made["configOptions"] if option["id"] == "review")


def test_every_client_that_lists_and_decides_begins_sessions_with_the_same_mode(defaults: Defaults) -> None:
    assert {defaults.vscode, defaults.neovim, defaults.terminal, defaults.acp} == {"stage"}
    assert defaults.daemon == "ask"


def test_the_settings_leave_the_mode_to_the_client() -> None:
    assert Settings().review is None


@pytest.mark.parametrize(("command", "door"), [(chat.COMMAND, "terminal"), (run.COMMAND, "daemon")])
def test_the_help_of_the_option_names_the_default(command: Command, door: str, defaults: Defaults) -> None:
    parser = argparse.ArgumentParser()
    command.add(parser)
    assert f"(default: the setting, else {getattr(defaults, door)})" in re.sub(r"\s+", " ", parser.format_help())


@corpus(
    ("page", "sentence"),
    [
        ("README.md", "{plugin_action} (the default in VS Code, Neovim, interactive sessions and ACP clients)"),
        ("README.md", "{daemon_action} (the default elsewhere)"),
        (
            "docs/REVIEW.md",
            "Our plugins for VS Code and Neovim, interactive sessions at a terminal and clients of the Agent Client "
            "Protocol begin with `{plugin}`; `placet run` and editors without a plugin begin with `{daemon}`.",
        ),
        (
            "docs/SETTINGS.md",
            "if not set, `{plugin}` in VS Code, Neovim, interactive sessions at a terminal and clients of the Agent "
            "Client Protocol, and `{daemon}` elsewhere",
        ),
        ("clients/vscode/README.md", "| {plugin_label} (default) |"),
        ("clients/neovim/doc/placet.txt", '|placet-review|. Default: "{plugin}"'),
    ],
)
def test_a_page_says_the_default_that_holds(defaults: Defaults, page: str, sentence: str) -> None:
    words = {
        "plugin": defaults.vscode,
        "plugin_action": ACTIONS[defaults.vscode],
        "plugin_label": REVIEW_MODES[defaults.vscode].title,
        "daemon": defaults.daemon,
        "daemon_action": ACTIONS[defaults.daemon],
    }
    text = re.sub(r"\s+", " ", (ROOT / page).read_text("utf-8"))
    assert sentence.format(**words) in text
