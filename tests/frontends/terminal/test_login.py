"""`placet auth login` with a plugin or a subscription in its own process: the result is kept, and is nowhere else."""

import asyncio
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from fork_support.completed import run_forked
from wire_servers.subscription_server import DENIED, NOT_YET, PENDING, USER_CODE, SubscriptionServer

KEY = "sk-ant-api03-abcdefghijklmnop"
CODE = "code-4711-of-the-user"
ACME = f"""
from placet.plugins import hook


@hook("auth")
def login(input, output):
    output["provider"] = "acme"
    output["methods"] = [
        {{"type": "oauth", "label": "Sign in", "prompts": [{{"key": "team", "message": "Team"}}], "authorize": begin}},
        {{"type": "api", "label": "A key"}},
        {{"type": "oauth", "label": "Wait", "authorize": lambda inputs: {{
            "url": "http://127.0.0.1:1/x", "method": "auto", "callback": lambda: {KEY!r}}}}},
        {{"type": "oauth", "label": "No address", "authorize": lambda inputs: {{
            "url": "file:///etc/passwd", "callback": print}}}},
    ]


async def begin(inputs):
    async def callback(code):
        if inputs["team"] == "none":
            raise ValueError(f"no team for {{code}}")
        if code != {CODE!r}:
            return {{"type": "failed", "message": f"{{code}} is wrong"}}
        return {{"type": "success", "key": {KEY!r}}}

    url = "http://127.0.0.1:1/login?team=" + inputs["team"]
    return {{"url": url, "instructions": "Copy it.", "callback": callback}}
"""
RUNS_OUT = f"""
TOKENS = {{"type": "success", "access": {KEY!r}, "refresh": "r", "expires": 4_000_000_000_000, "accountId": "ada"}}
METHOD = {{"type": "oauth", "label": "Sign in", "authorize": lambda inputs: TOKENS}}


def plugin(context):
    return {{"auth": {{"provider": "acme", "methods": [METHOD], "renew": lambda tokens: TOKENS}}}}
"""
"""With milliseconds, as a plugin of OpenCode's would be written."""


class Home:
    """A user with a plugin of their own, and a project beside."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.project = directory / "project"
        self.project.mkdir()
        self.keys = directory / "CONFIG" / "placet" / "keys.json"
        self.own("acme.py", ACME)

    def own(self, name: str, text: str) -> None:
        file = self.directory / "CONFIG" / "placet" / "plugin" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def login(self, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        return self.placet("auth", "login", *arguments, typed=typed)

    def placet(self, *arguments: str, typed: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")},
            **{f"XDG_{name}_HOME": str(self.directory / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")},
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
            "BROWSER": "true",
            **variables,
        }
        done = run_forked(*arguments, directory=self.project, environment=environment, stdin=typed)
        assert KEY not in done.stdout + done.stderr
        return done

    def kept(self) -> dict[str, str]:
        found = json.loads(self.keys.read_text()) if self.keys.exists() else {}
        return {name: entry["value"] for name, entry in found.items()}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_what_a_plugin_gets_for_a_code_is_kept_and_is_nowhere_else(home: Home) -> None:
    done = home.login("acme", "--method", "1", typed=f"blue\n{CODE}\n")

    assert done.returncode == 0, done.stderr
    assert "open http://127.0.0.1:1/login?team=blue" in done.stderr
    assert "Copy it." in done.stderr
    assert home.kept() == {"ACME_API_KEY": KEY}
    written = [file.read_bytes() for file in home.directory.rglob("*") if file.is_file() and file.suffix != ".py"]
    assert sum(KEY.encode() in content for content in written) == 1, "in the store of keys alone"
    assert not any(CODE.encode() in content for content in written)


def test_a_plugin_may_wait_by_itself_or_leave_the_asking_to_placet(home: Home) -> None:
    assert home.login("acme", "--method", "3").returncode == 0
    assert home.kept() == {"ACME_API_KEY": KEY}
    home.keys.unlink()
    assert home.login("acme", typed=f"2\n{KEY}\n").returncode == 0
    assert home.kept() == {"ACME_API_KEY": KEY}


@pytest.mark.parametrize(
    ("method", "typed", "told"),
    [
        ("1", "blue\nsecret-but-wrong\n", "Sign in: … is wrong"),
        ("1", "none\nsecret-but-wrong\n", "ValueError: no team for …"),
        ("4", "", "its hook `auth` says what cannot be used: url"),
        ("9", "", "There is no such sign-in method. Methods: 1 (Sign in), 2 (A key)"),
        ("1", "", "nothing was changed"),
    ],
)
def test_a_login_that_fails_says_why_and_nothing_of_what_was_entered(
    home: Home, method: str, typed: str, told: str
) -> None:
    done = home.login("acme", "--method", method, typed=typed)
    assert done.returncode != 0
    assert told in done.stderr
    assert "secret-but-wrong" not in done.stderr + done.stdout
    assert home.kept() == {}


def test_a_key_that_runs_out_is_kept_with_what_renews_it(home: Home) -> None:
    home.own("acme.py", RUNS_OUT)
    done = home.login("acme")
    assert done.returncode == 0, done.stderr
    assert "It is valid until 2096-10-02" in done.stdout
    (entry,) = json.loads(home.keys.read_text()).values()
    assert {**entry, "value": json.loads(entry["value"])} == {
        "provider": "acme",
        "plugin": "acme",
        "expires": 4_000_000_000,
        "value": {"access": KEY, "refresh": "r", "expires": 4_000_000_000, "accountId": "ada"},
    }
    assert "refreshed by the plugin `acme`, valid until 2096-10-02" in home.placet("auth", "list").stdout
    home.own("acme.py", RUNS_OUT.replace('"renew"', '"loader"'))
    assert "need a function `renew`" in home.login("acme").stderr


def test_without_a_plugin_the_key_is_asked_for_and_a_projects_plugin_is_none(home: Home) -> None:
    file = home.project / ".placet" / "plugin" / "acme.py"
    file.parent.mkdir(parents=True)
    file.write_text(ACME.replace('"acme"', '"anthropic"'))
    home.own("broken.py", "raise RuntimeError('no such luck')\n")
    assert home.placet("trust", "--yes").returncode == 0

    done = home.login("anthropic", typed=f"{KEY}\n")

    assert done.returncode == 0, done.stderr
    assert "no such luck" in done.stderr
    assert home.kept() == {"ANTHROPIC_API_KEY": KEY}


async def test_a_subscription_is_signed_in_to_by_a_code_listed_without_its_token_and_forgotten(home: Home) -> None:
    async with SubscriptionServer([NOT_YET], interval=0) as owner:
        done = await asyncio.to_thread(home.placet, "auth", "login", "chatgpt", **owner.environment)
        assert done.returncode == 0, done.stderr
        assert f"Enter the code {USER_CODE} at {owner.address}/codex/device" in done.stderr
        assert "You are signed in as ada@example.com, plan plus." in done.stdout
        owner.polls = [PENDING]
        ended = await asyncio.to_thread(
            home.placet, "auth", "login", "github-copilot", "--method", "1", **owner.environment
        )
        assert ended.returncode == 0, ended.stderr

        listed = await asyncio.to_thread(home.placet, "auth", "list")
        chatgpt, copilot = listed.stdout.splitlines()
        assert re.search(r"CHATGPT_API_KEY.*, subscription, ada@example\.com, plan plus, valid until 2", chatgpt)
        assert re.search(r"GITHUB_COPILOT_API_KEY.*, subscription, ada, plus monthly subscriber, valid until", copilot)
        removed = await asyncio.to_thread(home.placet, "auth", "remove", "github-copilot")
        assert "GITHUB_COPILOT_API_KEY was removed" in removed.stdout
        assert "The access that you gave stays valid at GitHub until you revoke the authorization" in removed.stdout
        assert "https://github.com/settings/apps/authorizations" in removed.stdout
        assert set(json.loads(home.keys.read_text())) == {"CHATGPT_API_KEY"}

        written = [file.read_text() for file in home.directory.rglob("*") if file.is_file() and file != home.keys]
        told = "".join((*written, *(one.stdout + one.stderr for one in (done, ended, listed, removed))))
        assert not [secret for secret in owner.secrets() if secret in told]


async def test_a_refused_sign_in_with_a_subscription_is_said_and_keeps_nothing(home: Home) -> None:
    async with SubscriptionServer([DENIED], interval=0) as owner:
        done = await asyncio.to_thread(
            home.placet, "auth", "login", "github_copilot", "--method", "1", **owner.environment
        )
    assert done.returncode == 1
    assert "GitHub Copilot: The sign-in was refused on GitHub's page." in done.stderr
    assert home.kept() == {}
