"""`:Placet login` with the real daemon: a plugin that asks for a code, and a subscription."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from neovim_support.daemon import choose, use_wire
from neovim_support.editor import Editor
from neovim_support.model import wire_model

KEY, CODE = "sk-ant-api03-abcdefghijklmnop", "code-4711"
PLUGIN = f"""
import time


def with_code(code):
    return {KEY!r} if code == {CODE!r} else {{"type": "failed", "message": "that is not it"}}


def ask(inputs):
    return {{"url": "http://127.0.0.1:9/" + inputs["team"], "instructions": "Copy it.", "callback": with_code}}


def wait(inputs):
    return {{"url": "http://127.0.0.1:9/wait", "method": "auto", "callback": lambda: time.sleep(600)}}


TEAM = {{"key": "team", "message": "Team", "type": "select", "options": ["red", "blue"]}}
METHODS = [
    {{"type": "oauth", "label": "By a code", "prompts": [TEAM], "authorize": ask}},
    {{"type": "oauth", "label": "By waiting", "authorize": wait}},
]


def plugin(context):
    return {{"auth": {{"provider": "acme", "methods": METHODS}}}}
"""
SAID = """(function(words)
  return vim.iter(_G.notices):any(function(text) return text:find(words, 1, true) ~= nil end)
end)(...)"""


def test_a_provider_is_signed_in_to_with_a_code_that_is_not_shown(editor: Editor, project: Path) -> None:
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "placet"
    (config / "plugin").mkdir(parents=True)
    (config / "plugin" / "acme.py").write_text(PLUGIN)
    editor.open(project / "a.py")
    editor.lua(
        """
        vim.env.PYTHON_KEYRING_BACKEND = 'keyring.backends.fail.Keyring'
        _G.opened, _G.entered = {}, {}
        vim.ui.open = function(address) table.insert(_G.opened, address) return {} end
        local codes = { ... }
        vim.fn.inputsecret = function(prompt)
          table.insert(_G.entered, prompt)
          return table.remove(codes, 1)
        end
        """,
        "wrong",
        CODE,
        "",
    )
    with wire_model() as model:
        use_wire(editor, model, plugins={"loadSeconds": 300})  # On a busy machine.
        choose(editor, "acme: By a code", "blue", "acme: By a code", "red", "acme: By waiting", "openai: Enter the key")
        editor.command("Placet login")
        editor.wait(SAID, "Placet login: acme: By a code: that is not it")
        editor.command("Placet login acme")
        editor.wait(SAID, "Placet login: acme: ACME_API_KEY is kept in")
        assert json.loads((config / "keys.json").read_text()) == {"ACME_API_KEY": {"value": KEY}}

        editor.command("Placet login acme")
        editor.wait("_G.opened[3] ~= nil")
        editor.command("Placet login")
        editor.wait(SAID, "Placet login: acme: cancelled")
        editor.command("Placet login")
        editor.wait(SAID, "Placet login: openai: Nothing was changed.")

        assert editor.lua("return _G.opened") == [f"http://127.0.0.1:9/{path}" for path in ("blue", "red", "wait")]
        assert editor.lua("return _G.entered") == ["Copy it. ", "Copy it. ", "OPENAI_API_KEY "]
        assert not any(secret in text for text in editor.notices() for secret in (KEY, CODE, "wrong"))


@contextmanager
def owner_of_subscriptions() -> Generator[tuple[dict[str, str], IO[str]]]:
    """The variables which lead to the server, and a file: a line there enters the code."""
    command = [sys.executable, "-m", "wire_servers.subscription_server"]
    path = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=path) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        yield json.loads(server.stdout.readline()), server.stdin
        server.stdin.close()


def test_a_subscription_is_signed_in_to_by_a_code_that_stays_visible(editor: Editor, project: Path) -> None:
    keys = Path(os.environ["XDG_CONFIG_HOME"]) / "placet" / "keys.json"
    editor.open(project / "a.py")
    with owner_of_subscriptions() as (variables, user), wire_model() as model:
        editor.lua(
            """
            for name, value in pairs(...) do vim.env[name] = value end
            _G.opened = {}
            vim.ui.open = function(address) table.insert(_G.opened, address) return {} end
            """,
            {**variables, "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"},
        )
        use_wire(editor, model)
        choose(editor, "Open the page")
        editor.command("Placet login chatgpt")
        editor.wait(SAID, "Enter the code WDJB-MJHT at http://127.0.0.1:")
        editor.wait("_G.opened[1] ~= nil")
        assert editor.lua("return _G.opened") == [f"{variables['CHATGPT_AUTH_BASE']}/codex/device"]
        user.write("entered\n")
        user.flush()
        editor.wait(SAID, "You are signed in as ada@example.com, plan plus.")
        assert list(json.loads(keys.read_text())) == ["CHATGPT_API_KEY"]

        choose(editor, "github_copilot: GitHub Copilot", "I open the page myself")
        editor.command("Placet login github-copilot")
        editor.wait(SAID, "You are signed in as ada, plus monthly subscriber.")
        assert len(editor.lua("return _G.opened")) == 1
        assert not any("ghu_" in text or "tid=" in text for text in editor.notices())
