"""Signing in to a provider from an editor, with ours and with a plain one, by the plugin of the docs."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from extension_support import examples
from lsp_link.links import OurLink
from model_support.authorization_server import CODE, AuthorizationServer
from placet.auth.keys import KeyStore
from placet.frontends.lsp.initialize import EditorSettings
from placet.model.client.host import ModelHost
from placet.sessions.bootstrap import open_sessions
from placet.settings import Locations, load_settings
from wire_servers.subscription_server import NOT_YET, PENDING, USER_CODE, SubscriptionServer

OURS = {"agent": {"protocol": 1, "requests": ["editor/question"]}}
KEY = "sk-ant-api03-abcdefghijklmnop"
WAITS = """
from placet.plugins import hook


@hook("auth")
def login(input, output):
    output["provider"] = "slow"
    output["methods"] = [{"type": "oauth", "label": "Wait", "authorize": begin}]


def begin(inputs):
    import threading

    waits = threading.Event().wait
    return {"url": "http://127.0.0.1:9/login", "instructions": "Enter 1234.", "method": "auto", "callback": waits}
"""
Json = dict[str, Any]


class Desk:
    """An editor whose user signs in."""

    def __init__(self, link: OurLink, directory: Path, gateway: AuthorizationServer) -> None:
        self.link = link
        self.gateway = gateway
        self.store = KeyStore(directory / "config" / "keys.json")
        self._directory = directory

    async def asked(self, method: str, number: int = 1) -> Json:
        """The request of that number and method that the daemon has made."""
        seen: list[Json] = []

        def fits(one: Json) -> bool:
            seen[:] = [it for it in self.link.sent.messages if it.get("method") == method]
            return len(seen) >= number

        await self.link.sent.first(fits)
        return seen[number - 1]

    def answer(self, request: Json, result: Any) -> None:
        self.link.send({"id": request["id"], "result": result})

    async def opened(self, number: int = 1) -> str:
        """The address that the daemon has had opened."""
        request = await self.asked("window/showDocument", number)
        assert request["params"]["external"] is True
        self.answer(request, {"success": True})
        return request["params"]["uri"]

    async def told(self, words: str) -> str:
        """The message to the user with these words."""

        def is_it(one: Json) -> bool:
            return one.get("method") == "window/showMessage" and words in one["params"]["message"]

        return (await self.link.sent.first(is_it))["params"]["message"]

    def is_clean(self, *more: str) -> bool:
        """Whether nothing secret was written but to the store of keys, or said to the editor."""
        words = [CODE, KEY, *(name(one) for name in (self.gateway.access, self.gateway.refresh) for one in (1, 2))]
        words += more
        files = [one for one in self._directory.rglob("*") if one.is_file() and one != self.store.file]
        written = b"".join(file.read_bytes() for file in files) + json.dumps(self.link.sent.messages).encode()
        return not any(word.encode() in written for word in words)


@asynccontextmanager
async def desk(directory: Path, options: Json, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Desk]:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    locations = Locations(*(directory / name for name in ("config", "data", "cache", "log")))
    project = directory / "project"
    project.mkdir()

    async def open_them(ports: Any, roots: tuple[Path, ...], editor_settings: EditorSettings, *_: Any) -> Any:
        settings = load_settings(locations, environment={}, editor=editor_settings.user)
        return await open_sessions(ports(settings), roots, settings, locations, ModelHost())

    async with AuthorizationServer() as gateway:
        plugin = dict(examples("PLUGINS.md"))["plugin/gateway.py"].replace("https://gateway.example", gateway.address)
        (locations.config / "plugin").mkdir(parents=True)
        (locations.config / "plugin" / "gateway.py").write_text(plugin)
        (locations.config / "plugin" / "waits.py").write_text(WAITS)
        link = OurLink(open_them)
        await link.start(
            rootUri=project.as_uri(),
            initializationOptions={
                **options,
                "settings": {"model": "anthropic/claude", "plugins": {"loadSeconds": 300}},  # On a busy machine.
            },
            capabilities={"window": {"showDocument": {"support": True}}},
        )
        try:
            yield Desk(link, directory, gateway)
        finally:
            await link.stop()


async def test_an_editor_of_ours_lists_the_ways_and_is_asked_for_what_they_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path, OURS, monkeypatch) as ada:
        listed = (await ada.link.call("agent/auth/methods", {}))["result"]
        assert [(one["provider"], one["method"], one.get("plugin")) for one in listed["ways"]] == [
            ("litellm_proxy", 1, "gateway"),
            ("litellm_proxy", 2, "gateway"),
            ("slow", 1, "waits"),
            ("chatgpt", 1, None),
            ("github_copilot", 1, None),
            ("github_copilot", 2, None),
            ("anthropic", 1, None),
        ]

        login = ada.link.begin("agent/auth/login", {"provider": "litellm_proxy", "method": 1})
        assert await ada.opened() == f"{ada.gateway.address}/login"
        question = await ada.asked("editor/question")
        assert question["params"]["sessionId"] == ""
        (item,) = question["params"]["questions"]
        assert (item["question"], item["secret"]) == ("Sign in, and copy the code that you are shown.", True)
        ada.answer(question, {"answers": [[CODE]]})
        result = (await ada.link.answer(login))["result"]
        assert result["outcome"] == "signedIn"
        assert "LITELLM_PROXY_API_KEY is kept in" in result["message"]
        assert ada.store.tokens("LITELLM_PROXY_API_KEY")["access"] == ada.gateway.access(1)

        login = ada.link.begin("agent/auth/login", {"provider": "anthropic"})
        ada.answer(await ada.asked("editor/question", 2), {"answers": [[KEY]]})
        assert (await ada.link.answer(login))["result"]["outcome"] == "signedIn"
        assert ada.store.values()[0]["ANTHROPIC_API_KEY"] == KEY
        assert ada.is_clean()


async def test_what_is_declined_given_up_or_refused_is_said_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path, OURS, monkeypatch) as ada:
        login = ada.link.begin("agent/auth/login", {"provider": "anthropic"})
        ada.answer(await ada.asked("editor/question"), {"answers": None})
        assert (await ada.link.answer(login))["result"]["outcome"] == "cancelled"

        login = ada.link.begin("agent/auth/login", {"provider": "slow"})
        await ada.opened()
        await ada.told("Enter 1234.")
        ada.link.notify("$/cancelRequest", {"id": login})
        assert (await ada.link.answer(login))["error"]["code"] == -32800

        login = ada.link.begin("agent/auth/login", {"provider": "litellm_proxy"})
        await ada.opened(2)
        ada.answer(await ada.asked("editor/question", 2), {"answers": [["wrong-code"]]})
        failed = (await ada.link.answer(login))["error"]["message"]
        assert "HTTP Error 400" in failed
        assert "wrong-code" not in failed
        for params, told in (
            ({"provider": "litellm_proxy", "method": 9}, "litellm_proxy has no sign-in method 9"),
            ({"provider": "no provider"}, "is neither a provider"),
        ):
            assert told in (await ada.link.call("agent/auth/login", params))["error"]["message"]
        assert ada.store.places() == {}


async def test_a_plain_editor_signs_in_by_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk(tmp_path, {}, monkeypatch) as ada:

        async def command(name: str, *arguments: Any) -> None:
            await ada.link.call("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

        await command("placet.login", "slow")
        await ada.opened()
        await command("placet.login")
        await ada.told("A sign-in is already in progress")
        await command("placet.cancel")
        await ada.told("Nothing was changed.")

        await command("placet.login")
        chosen = await ada.asked("window/showMessageRequest")
        ada.answer(chosen, {"title": "litellm_proxy: Sign in to the gateway"})
        await ada.opened(2)
        waits = await ada.told("Placet waits: ")
        assert "copy the code" in waits
        await command("placet.answer", CODE)
        await ada.told("LITELLM_PROXY_API_KEY is kept in")
        assert ada.store.tokens("LITELLM_PROXY_API_KEY")["access"] == ada.gateway.access(1)

        await command("placet.login", "anthropic")
        await ada.told("run `placet auth login anthropic` in a terminal")
        assert ada.is_clean()


async def test_a_subscription_shows_its_code_and_opens_its_page_only_if_the_user_wants_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with SubscriptionServer([NOT_YET], interval=0) as owner, desk(tmp_path, OURS, monkeypatch) as ada:
        for name, value in owner.environment.items():
            monkeypatch.setenv(name, value)

        login = ada.link.begin("agent/auth/login", {"provider": "chatgpt"})
        question = await ada.asked("editor/question")
        (item,) = question["params"]["questions"]
        assert item["header"] == f"Enter the code {USER_CODE}"
        assert item["question"] == f"Enter the code {USER_CODE} at {owner.address}/codex/device"
        assert [option["label"] for option in item["options"]] == ["Open the page", "I open the page myself"]
        ada.answer(question, {"answers": [["Open the page"]]})
        assert await ada.opened() == f"{owner.address}/codex/device"
        result = (await ada.link.answer(login))["result"]
        assert result["outcome"] == "signedIn"
        assert "You are signed in as ada@example.com, plan plus." in result["message"]
        assert "is renewed by itself" in result["message"]

        owner.polls = [PENDING]
        login = ada.link.begin("agent/auth/login", {"provider": "github-copilot"})
        ada.answer(await ada.asked("editor/question", 2), {"answers": [["I open the page myself"]]})
        assert USER_CODE in await ada.told("Enter the code")
        assert (await ada.link.answer(login))["result"]["outcome"] == "signedIn"
        opened = [one for one in ada.link.sent.messages if one.get("method") == "window/showDocument"]
        assert len(opened) == 1, "the second page was not wanted"
        assert set(ada.store.places()) == {"CHATGPT_API_KEY", "GITHUB_COPILOT_API_KEY"}
        assert ada.is_clean(*owner.secrets())


async def test_a_sign_in_with_a_subscription_can_be_put_away_or_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with SubscriptionServer([PENDING] * 1000, interval=600) as owner, desk(tmp_path, OURS, monkeypatch) as ada:
        for name, value in owner.environment.items():
            monkeypatch.setenv(name, value)

        login = ada.link.begin("agent/auth/login", {"provider": "github_copilot"})
        ada.answer(await ada.asked("editor/question"), {"answers": None})
        assert (await ada.link.answer(login))["result"]["outcome"] == "cancelled"

        login = ada.link.begin("agent/auth/login", {"provider": "github_copilot"})
        ada.answer(await ada.asked("editor/question", 2), {"answers": [["I open the page myself"]]})
        await ada.told("Enter the code")
        ada.link.notify("$/cancelRequest", {"id": login})
        assert (await ada.link.answer(login))["error"]["code"] == -32800

        login = ada.link.begin("agent/auth/login", {"provider": "github_copilot", "method": 2})
        ada.answer(await ada.asked("editor/question", 3), {"answers": [["not a host"]]})
        assert "a name such as company.ghe.com" in (await ada.link.answer(login))["error"]["message"]
        assert ada.store.places() == {}
