"""Providers of the settings: two servers side by side, each asked in its own wire with its own key and headers."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from corpus_support import corpus
from model_support.asking import answer, failure, request, text_of
from placet.auth.keys import KeyStore
from placet.model.base import UsageReport
from placet.model.client.host import ModelHost
from placet.settings import Settings
from wire_servers.answers import Text
from wire_servers.server import WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

ENVIRONMENT = {
    "OPENAI_API_KEY": "key-of-the-known-openai",
    "ANTHROPIC_API_KEY": "key-of-the-known-anthropic",
    "CORP_API_KEY": "key-of-corp",
    "GATEWAY_TOKEN": "token-of-the-gateway",
}
ALL_KEYS = {*ENVIRONMENT.values(), "stored-key-of-other"}


@pytest_asyncio.fixture(loop_scope="session")
async def other() -> AsyncIterator[WireServer]:
    async with WireServer() as server:
        yield server


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def host(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ModelHost]:
    directory = tmp_path_factory.mktemp("own-providers")
    KeyStore(directory / "keys.json").keep("OTHER_API_KEY", "stored-key-of-other")
    plain = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    host = ModelHost(environment={**plain, **ENVIRONMENT}, keys=directory / "keys.json", log=directory / "host.log")
    yield host
    await host.close()


def settings(**providers: dict[str, Any]) -> Settings:
    return Settings.model_validate({"providers": providers})


def keys_seen(server: WireServer) -> set[str]:
    """The keys in all headers of all requests to the server."""
    values = " ".join(value for asked in server.requests for value in asked.headers.values())
    return {key for key in ALL_KEYS if key in values}


@corpus("transport", ["auto", "compatible"], other=WireServer, server=WireServer)
async def test_two_servers_of_one_kind_stand_side_by_side_and_each_sees_its_own_key_alone(
    host: ModelHost, server: WireServer, other: WireServer, transport: str
):
    options = {"transport": transport}
    table = settings(
        corp={"apiBase": server.openai_base, "modelOptions": options},
        other={"kind": "openai", "apiBase": other.openai_base, "modelOptions": options},
    )
    server.play([(Text("from corp"),)])
    other.play([(Text("from the other"),)])
    answers = await asyncio.gather(
        answer(host.model("corp/qwen/coder", table)), answer(host.model("other/qwen", table))
    )
    assert [text_of(events) for events in answers] == ["from corp", "from the other"]
    assert (server.requests[0].body["model"], other.requests[0].body["model"]) == ("qwen/coder", "qwen")
    assert (keys_seen(server), keys_seen(other)) == ({"key-of-corp"}, {"stored-key-of-other"})


@corpus("transport", ["auto", "compatible"], server=WireServer)
async def test_a_provider_without_a_key_gets_no_key_of_a_known_provider(
    host: ModelHost, server: WireServer, transport: str
):
    server.play([(Text("hi"),)] * 3)
    for provider in ({"kind": "openai"}, {"kind": "openai", "key": False}, {"kind": "anthropic"}):
        base = server.anthropic_base if provider["kind"] == "anthropic" else server.openai_base
        table = settings(local={**provider, "apiBase": base, "modelOptions": {"transport": transport}})
        assert text_of(await answer(host.model("local/of-my-own", table))) == "hi"
    assert keys_seen(server) == set()


@corpus(
    ("kind", "wire", "path"),
    [
        ("openai", "openai", "/v1/chat/completions"),
        ("openai-responses", "responses", "/v1/responses"),
        ("anthropic", "anthropic", "/v1/messages"),
        ("gemini", "gemini", "/v1/models/gemini-2.5-flash:streamGenerateContent"),
        ("hosted_vllm", "openai", "/v1/chat/completions"),
        ("litellm_proxy", "openai", "/v1/chat/completions"),
    ],
    server=WireServer,
)
async def test_the_kind_chooses_the_wire(host: ModelHost, server: WireServer, kind: str, wire: str, path: str):
    server.play([(Text("hi"),)])
    table = settings(corp={"kind": kind, "apiBase": f"{server.address}/v1"})
    assert text_of(await answer(host.model("corp/gemini-2.5-flash", table))) == "hi"
    assert (server.requests[0].wire, server.requests[0].path) == (wire, path)
    assert keys_seen(server) == {"key-of-corp"}


async def test_a_server_of_the_kind_openai_is_asked_over_chat_also_for_models_that_openai_asks_otherwise(
    host: ModelHost, server: WireServer
):
    server.play([(Text("hi"),)])
    await answer(host.model("corp/gpt-5-codex", settings(corp={"apiBase": server.openai_base})))
    assert server.requests[0].wire == "openai"


@corpus("transport", ["auto", "compatible"], server=WireServer)
async def test_headers_and_keys_are_references_that_the_host_replaces(
    host: ModelHost, server: WireServer, tmp_path: Path, transport: str
):
    (tmp_path / "team.txt").write_text("blue\n")
    server.play([(Text("hi"),)])
    table = settings(
        proxy={
            "kind": "openai",
            "apiBase": server.openai_base,
            "key": "{env:GATEWAY_TOKEN}",
            "headers": {"X-Team": f"{{file:{tmp_path / 'team.txt'}}}", "X-Login": "id {env:CORP_API_KEY}"},
            "modelOptions": {"transport": transport},
        }
    )
    await answer(host.model("proxy/qwen", table))
    headers = server.requests[0].headers
    assert headers["authorization"] == "Bearer token-of-the-gateway"
    assert (headers["x-team"], headers["x-login"]) == ("blue", "id key-of-corp")


async def test_a_login_in_a_header_stands_alone(host: ModelHost, server: WireServer):
    server.play([(Text("hi"),)])
    headers = {"Authorization": "Basic {env:GATEWAY_TOKEN}"}
    table = settings(proxy={"kind": "openai", "apiBase": server.openai_base, "headers": headers})
    await answer(host.model("proxy/qwen", table))
    assert server.requests[0].headers["authorization"] == "Basic token-of-the-gateway"


@corpus("transport", ["auto", "compatible"], server=WireServer)
@corpus(
    ("provider", "message", "hint"),
    [
        ({"key": "{env:MISSING_API_KEY}"}, "There is no key for", "placet auth set MISSING_API_KEY"),
        ({"key": "{file:/nowhere/key}"}, "The setting `providers.proxy` cannot be used: /nowhere/key", "reference"),
        ({"headers": {"X-A": "{env:NOBODY_SETS}"}}, "the environment variable NOBODY_SETS is not set", "reference"),
    ],
)
async def test_a_broken_reference_is_a_clear_error_and_asks_nobody(
    host: ModelHost, server: WireServer, provider: dict[str, Any], message: str, hint: str, transport: str
):
    full = {"kind": "openai", "apiBase": server.openai_base, "modelOptions": {"transport": transport}, **provider}
    _, error = await failure(host.model("proxy/qwen", settings(proxy=full)))
    assert error.code == "authentication"
    assert message in error.message
    assert hint in error.hint
    assert server.requests == []


async def test_a_known_provider_is_changed_by_its_own_name_and_keeps_its_own_key(host: ModelHost, server: WireServer):
    server.play([(Text("hi"),)])
    table = settings(openai={"apiBase": server.openai_base, "headers": {"X-Team": "blue"}})
    await answer(host.model("openai/gpt-4o", table))
    assert server.requests[0].headers["x-team"] == "blue"
    assert keys_seen(server) == {"key-of-the-known-openai"}


async def test_a_server_that_is_not_there_is_named_with_its_setting(host: ModelHost):
    _, error = await failure(host.model("corp/qwen", settings(corp={"apiBase": "http://127.0.0.1:9/v1"})))
    assert error.code == "connection"
    assert "the server at http://127.0.0.1:9/v1" in error.message.lower()
    assert "`providers.corp.apiBase`" in error.hint


async def test_prices_and_sizes_of_the_settings_count(host: ModelHost, server: WireServer):
    server.play([(Text("hi"),)])
    models = {"qwen": {"contextSize": 32768, "inputPrice": 1_000_000, "outputPrice": 0, "vision": False}}
    table = settings(corp={"apiBase": server.openai_base, "models": models})
    model = host.model("corp/qwen", table)
    (usage,) = [event for event in await answer(model) if isinstance(event, UsageReport)]
    assert usage.cost == usage.tokens.input > 0
    facts = await host.facts_soon("corp/qwen")
    assert facts is not None
    assert (facts.context_size, facts.vision, model.context_size) == (32768, False, 32768)


async def test_a_model_known_elsewhere_has_its_size_and_no_price_at_a_server_of_ones_own(
    host: ModelHost, server: WireServer
):
    host.model("corp/claude-sonnet-4-5", settings(corp={"apiBase": server.openai_base}))
    facts = await host.facts_soon("corp/claude-sonnet-4-5")
    assert facts is not None
    assert facts.name == "corp/claude-sonnet-4-5"
    assert facts.context_size == 200_000
    assert facts.input_price is None


async def test_options_of_the_provider_outweigh_the_options_for_all_models(host: ModelHost, server: WireServer):
    server.play([(Text("hi"),)])
    table = Settings.model_validate(
        {
            "modelOptions": {"temperature": 0.1, "maxOutputTokens": 7},
            "providers": {"corp": {"apiBase": server.openai_base, "modelOptions": {"temperature": 0.9}}},
        }
    )
    await answer(host.model("corp/qwen", table), request("hello", tools=()))
    assert server.requests[0].body["temperature"] == 0.9
    assert server.requests[0].body["max_tokens"] == 7
