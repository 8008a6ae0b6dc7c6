"""Providers that list the programs of their callers get Placet's name and address, by both ways of a request."""

import os
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
import pytest_asyncio

from model_support.asking import answer, request, text_of
from model_support.provider_server import ProviderServer, event_stream
from placet import __version__
from placet.core.values import replace
from placet.model.client.host import ModelHost
from placet.model.host import own_name
from placet.model.host.compatible.attribution import name_placet
from placet.settings import Settings

ADDRESS = "https://forge.example/placet"
HEAD = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
STREAM = event_stream(
    [
        {**HEAD, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "hi"}, "finish_reason": None}]},
        {**HEAD, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ],
    ends=b"data: [DONE]\n\n",
)
KEYS = {"OPENROUTER_API_KEY": "k", "NOVITA_API_KEY": "k"}
WAYS: dict[str, dict[str, Any]] = {"direct": {}, "through litellm": {"logit_bias": {"1": 2}}}
"""Options with which a provider is asked by each way."""
NAMING = ("http-referer", "x-title", "x-novita-source")


@pytest_asyncio.fixture(loop_scope="session")
async def provider() -> AsyncIterator[ProviderServer]:
    async with ProviderServer() as server:
        yield server


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """An environment in which the installed package is a release with an address."""
    directory = tmp_path_factory.mktemp("released")
    (directory / "placet-1.dist-info").mkdir()
    metadata = f"Metadata-Version: 2.4\nName: placet\nVersion: 1\nProject-URL: Repository, {ADDRESS}\n"
    (directory / "placet-1.dist-info" / "METADATA").write_text(metadata, "utf-8")
    return {**os.environ, **KEYS, "PYTHONPATH": str(directory)}


async def naming(host: ModelHost, provider: ProviderServer, model: str, way: str) -> dict[str, str]:
    """Return the headers of a request that name a program."""
    provider.replies = [STREAM]
    asked = replace(request("hello"), options=WAYS[way])
    opened = host.model(model, Settings.model_validate({"modelOptions": {"apiBase": provider.address}}))
    assert text_of(await answer(opened, asked)) == "hi"
    assert ("logit_bias" in provider.asked[-1].body) == (way != "direct")
    sent = {name.lower(): value for name, value in provider.asked[-1].headers.items()}
    assert "litellm" not in str(sent).lower()
    return {name: sent[name] for name in NAMING if name in sent}


@pytest.mark.asyncio(loop_scope="session")
async def test_a_release_names_itself_and_its_address(released: Mapping[str, str], provider: ProviderServer) -> None:
    host = ModelHost(environment=released)
    try:
        for way in WAYS:
            assert await naming(host, provider, "openrouter/x", way) == {"http-referer": ADDRESS, "x-title": "Placet"}
            assert await naming(host, provider, "novita/x", way) == {"x-novita-source": "placet"}
    finally:
        await host.close()


def test_a_build_without_an_address_gives_its_name_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_name, "home_page", lambda: None)
    assert own_name.for_openrouter() == {"x-title": "Placet"}
    headers = {"http-referer": "https://litellm.ai", "x-title": "liteLLM", "user-agent": "litellm/1"}
    name_placet(headers)
    assert headers == {"x-title": "Placet", "user-agent": f"Placet/{__version__}"}


def test_another_program_that_the_user_names_stays_named() -> None:
    mine = {"http-referer": "https://mine.example", "x-title": "mine", "x-novita-source": "mine", "user-agent": "mine"}
    headers = dict(mine)
    name_placet(headers)
    assert headers == mine
