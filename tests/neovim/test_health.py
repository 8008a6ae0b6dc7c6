""":checkhealth says what works, what does not, and the command that mends it; and which options were not understood."""

from pathlib import Path
from typing import Any

import pytest

from neovim_support.daemon import SANDBOXED, use_daemon
from neovim_support.editor import Editor
from neovim_support.scripted_server import ScriptedServer
from time_support import wait_seconds

STATUS: dict[str, Any] = {
    "version": "0.1.0",
    "pid": 7,
    "running": [],
    "pending": 0,
    "sandbox": "none: bubblewrap (bwrap) is not installed",
}


def report(editor: Editor) -> str:
    editor.command("checkhealth placet")
    return editor.lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n')")


@pytest.fixture
def opened(editor: Editor, connected: ScriptedServer, project: Path) -> ScriptedServer:
    connected.answers["agent/agents"] = lambda _: {"agents": [], "problems": ["agents/tidy.md:3: no `modell`"]}
    connected.answers["agent/session/list"] = lambda _: {"sessions": []}
    (project / "a.py").write_text("one\n")
    editor.open(project / "a.py")
    connected.wait_for_document((project / "a.py").as_uri())
    return connected


def test_a_missing_daemon_is_reported_with_how_to_install_it(editor: Editor) -> None:
    editor.lua("vim.g.placet = { cmd = { 'no-such-placet' }, oops = 1 }")

    text = report(editor)

    assert "daemon not found: `no-such-placet` is not installed" in text
    assert "Install the daemon: `uv tool install placet`" in text
    assert "unknown option `oops`" in text


def test_the_true_daemon_is_started_and_described(editor: Editor, project: Path, tmp_path: Path) -> None:
    use_daemon(editor, tmp_path, [{"text": "Hello."}], **SANDBOXED)
    editor.lua(
        "local health = require('placet.health'); health.start_ms, health.answer_ms = ..., ...",
        int(wait_seconds() * 1000),
    )
    (project / "a.py").write_text("one\n")
    editor.open(project / "a.py")

    text = report(editor)

    assert "all options are valid" in text
    assert "found in the option `cmd`" in text
    assert "protocol 1" in text
    assert "no key needed" in text
    assert f"root: {project}" in text
    assert "sandbox: bubblewrap" in text or "sandbox: landlock" in text or "sandbox: none" in text
    assert "log: " in text
    assert "lists are shown by select" in text
    assert "Markdown parser found" in text


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ({"key": "environment"}, "key found in the environment (ANTHROPIC_API_KEY)"),
        ({"key": "keyring"}, "key found in the system's keyring"),
        ({"key": "missing"}, "no key found (ANTHROPIC_API_KEY)"),
        ({"key": "not_needed"}, "no key needed"),
    ],
)
def test_the_key_is_told_of_and_a_missing_one_can_be_set(
    editor: Editor, opened: ScriptedServer, model: dict[str, Any], words: str
) -> None:
    named: dict[str, Any] = {"id": "anthropic/claude-x", "variables": ["ANTHROPIC_API_KEY"], **model}
    opened.answers["agent/status"] = lambda _: {**STATUS, "model": named}

    text = report(editor)

    assert words in text
    assert ("auth login anthropic` in a terminal" in text) == (model["key"] == "missing")
    assert "agents/tidy.md:3: no `modell`" in text


def test_the_way_of_reviewing_and_the_hunks_to_review_are_told(editor: Editor, opened: ScriptedServer) -> None:
    opened.answers["agent/status"] = lambda _: STATUS
    found: list[dict[str, Any]] = [{"id": "ses_1", "toReview": 2}, {"id": "ses_2"}, {"id": "ses_3", "toReview": 1}]
    opened.answers["agent/session/list"] = lambda _: {"sessions": found}

    assert "changes to review: 3 files in 2 sessions; see them: `:Placet review`" in report(editor)
    found = found[1:2]
    text = report(editor)

    assert "changes to review: none" in text
    assert "changes in new sessions: Collect changes for review (option `review.mode`)" in text


def test_a_daemon_that_does_not_fit_is_reported(editor: Editor, connected: ScriptedServer, project: Path) -> None:
    connected.agent = {"protocol": 2, "version": "9.0"}
    (project / "a.py").write_text("one\n")
    editor.open(project / "a.py")
    editor.wait("#_G.notices > 0")

    assert "uses protocol 2; this plugin supports 1" in report(editor)


def test_options_are_checked_to_their_leaves_and_the_rest_is_used(editor: Editor) -> None:
    editor.lua("""
      require('placet').setup({
        comand = {},
        cmd = { 'placet', 7 },
        chat = { side = 'left', size = 3, position = 'top' },
        change_set = { signs = 'yes' },
            review = { mode = 'never', keys = { next = false, accept = 1 } },
        picker = 'dmenu',
        settings = { whatever = { you = 'like' } },
        root_markers = { 'Makefile' },
      })
    """)
    config = editor.lua("return require('placet.config').get()")

    assert (config["chat"]["size"], config["chat"]["position"]) == (0.4, "auto")
    assert (config["change_set"]["signs"], config["picker"], config["cmd"]) == (True, "auto", [])
    assert (config["review"]["keys"]["next"], config["review"]["keys"]["accept"]) == (False, "ga")
    assert config["root_markers"] == ["Makefile"]
    assert config["settings"] == {"whatever": {"you": "like"}}
    [notice] = editor.notices()
    for said in (
        "unknown option `comand`",
        "unknown option `chat.side`",
        "option `cmd` must be a list of strings",
        "option `chat.size` must be above 0 and at most 1",
        "option `chat.position` must be one of ",
        "option `change_set.signs` must be a boolean, not a string",
        "option `review.mode` must be one of ask, stage, apply, default",
        "option `review.keys.accept` must be a string, not a number",
        "option `picker` must be one of ",
    ):
        assert said in notice
    assert "review.keys.next" not in notice


def test_options_of_the_wrong_kind_altogether_are_reported(editor: Editor) -> None:
    editor.lua("vim.g.placet = 'yes'")

    assert "vim.g.placet must be a table or a function that returns a table, not a string" in report(editor)
    assert editor.lua("return require('placet.config').get().chat.size") == 0.4
