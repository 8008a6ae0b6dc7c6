"""A login by a plugin whose key runs out: renewed by the plugin before a request, as a model's server sees it."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from extension_support import Work, Workshop, examples
from model_support.authorization_server import CODE, AuthorizationServer
from placet.auth import token_refresh
from placet.auth.keys import KeyStore
from placet.auth.login import LoginPrompt, Step
from placet.core.messages import TextPart, TurnError
from placet.sessions.services.plugins import logins
from placet.sessions.services.signing_in import keep, signed_in
from wire_servers.answers import Text
from wire_servers.server import WireServer

PLENTY_SECONDS = 300.0
"""For a machine that is busy."""


class Ada:
    """placet.sessions.services.signing_in.Person, who has the code."""

    async def show(self, step: Step) -> None:
        assert step.url is not None

    async def answer(self, asked: LoginPrompt) -> str:
        return CODE


@asynccontextmanager
async def signed_in_work(workshop: Workshop, gateway: AuthorizationServer, model: WireServer) -> AsyncGenerator[Work]:
    """With the plugin of the docs, by which the user has signed in."""
    plugin = dict(examples("PLUGINS.md"))["plugin/gateway.py"]
    workshop.own("plugin/gateway.py", plugin.replace("https://gateway.example", gateway.address))
    settings: dict[str, Any] = {
        "model": "litellm_proxy/local",
        "modelOptions": {"apiBase": model.openai_base},
        "plugins": {"waitSeconds": PLENTY_SECONDS, "loadSeconds": PLENTY_SECONDS},
    }
    async with workshop.work(**settings) as work:
        async with logins(work.sessions.config, work.sessions.roots) as provider:
            way = provider.to("litellm_proxy")[0]
            keep(KeyStore(workshop.locations.keys), "litellm_proxy", await signed_in(way, Ada()), way)
        yield work


def bearers(model: WireServer) -> list[str]:
    return [request.headers["authorization"].removeprefix("Bearer ") for request in model.requests]


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    monkeypatch.setattr(token_refresh, "RENEW_SECONDS", PLENTY_SECONDS)
    monkeypatch.delenv("LITELLM_PROXY_API_KEY", raising=False)
    return Workshop(tmp_path)


async def test_a_request_has_the_renewed_key_which_is_nowhere_else_and_is_not_made_without(workshop: Workshop) -> None:
    answers = [(Text("One."),), (Text("Two."),), (Text("Three."),)]
    async with AuthorizationServer() as gateway, WireServer(answers) as model:
        async with signed_in_work(workshop, gateway, model) as work:
            await work.prompt()
            run_out(workshop)
            await work.prompt()
            await work.prompt()

            run_out(workshop)
            gateway.is_shut = True
            refused = await failed(work)
            assert "HTTP Error 400" in refused.message
            assert "placet auth login litellm_proxy" in refused.hint
            (workshop.locations.config / "plugin" / "gateway.py").unlink()
            assert "the plugin `gateway`, which refreshes the sign-in, is gone" in (await failed(work)).message
        assert bearers(model) == [gateway.access(number) for number in (1, 2, 2)]
        assert [grant["grant_type"] for grant in gateway.granted] == ["authorization_code", "refresh_token"]
        words = [CODE, *(name(number) for name in (gateway.access, gateway.refresh) for number in (1, 2))]
        files = [file for file in workshop.directory.rglob("*") if file.is_file() and file != workshop.locations.keys]
        assert not [file for file in files if any(word.encode() in file.read_bytes() for word in words)]


async def failed(work: Work) -> TurnError:
    """What becomes of a prompt."""
    result = await work.session.prompt([TextPart(text="Please.")])
    assert result.error is not None
    assert result.error.code == "authentication"
    return result.error


def run_out(workshop: Workshop) -> None:
    """Have the kept key be over, as the time would."""
    store = KeyStore(workshop.locations.keys)
    ((variable, before),) = store.sign_ins().items()
    tokens = store.tokens(variable) | {"expires": time.time() - 1}
    store.keep_sign_in(variable, type(before)(before.provider, before.plugin, tokens["expires"]), tokens)
