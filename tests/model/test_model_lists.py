"""Lists of models that providers send: asked with each provider's own key, bounded, and kept with their time."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from corpus_support import corpus
from placet.model import frames
from placet.model.client.host import ModelHost
from placet.model.client.providers import all_providers
from placet.settings import Settings
from wire_servers.server import WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def host() -> AsyncIterator[ModelHost]:
    plain = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    host = ModelHost(environment={**plain, "CORP_API_KEY": "key-of-corp", "OTHER_API_KEY": "key-of-other"})
    yield host
    await host.close()


@pytest_asyncio.fixture(loop_scope="session")
async def other() -> AsyncIterator[WireServer]:
    async with WireServer() as server:
        yield server


def order(cache: Path, ask: frames.Asking = "stale", **providers: dict[str, Any]) -> frames.ListModels:
    table = all_providers(Settings.model_validate({"providers": providers}))
    return frames.ListModels(0, providers=table, ask=ask, cache=str(cache))


async def test_two_providers_list_their_models_and_each_sees_its_own_key_alone(
    host: ModelHost, server: WireServer, other: WireServer, tmp_path: Path
):
    server.listed = {"data": [{"id": "qwen", "max_model_len": 32768}, {"id": "claude-sonnet-4-5"}]}
    other.listed = {"data": [{"id": "claude-x", "display_name": "X"}]}
    asked = order(
        tmp_path,
        corp={"apiBase": server.openai_base, "headers": {"X-Team": "blue"}},
        other={"kind": "anthropic", "apiBase": other.anthropic_base},
    )
    told = await host.models(more=asked)
    sizes = {facts.name: facts.context_size for facts in told.models}
    assert sizes == {"corp/claude-sonnet-4-5": 200_000, "corp/qwen": 32768, "other/claude-x": None}
    assert server.list_requests[0]["authorization"] == "Bearer key-of-corp"
    assert server.list_requests[0]["x-team"] == "blue"
    assert other.list_requests[0]["x-api-key"] == "key-of-other"
    assert (server.list_requests[0][":path"], other.list_requests[0][":path"]) == ("/v1/models", "/v1/models")
    assert "key-of-other" not in str(server.list_requests)
    assert "key-of-corp" not in str(other.list_requests)
    assert "key-of" not in "".join(str(file.read_bytes()) for file in tmp_path.iterdir())


async def test_a_list_is_kept_and_asked_again_when_the_user_wants_it(
    host: ModelHost, server: WireServer, tmp_path: Path
):
    provider = {"apiBase": server.openai_base}
    server.listed = {"data": [{"id": "one"}]}
    for _ in range(2):
        told = await host.models(more=order(tmp_path, corp=provider))
        assert [facts.name for facts in told.models] == ["corp/one"]
    assert len(server.list_requests) == 1
    server.listed = {"data": [{"id": "two"}]}
    told = await host.models(more=order(tmp_path, "always", corp=provider))
    assert [facts.name for facts in told.models] == ["corp/two"]


async def test_an_old_list_is_asked_again_and_stays_when_the_provider_is_gone(
    host: ModelHost, server: WireServer, tmp_path: Path
):
    provider = {"apiBase": server.openai_base}
    server.listed = {"data": [{"id": "one"}]}
    await host.models(more=order(tmp_path, corp=provider))
    (file,) = tmp_path.iterdir()
    content = msgspec.msgpack.decode(file.read_bytes())
    file.write_bytes(msgspec.msgpack.encode({**content, "asked": content["asked"] - 25 * 3600}))
    server.listed = None
    told = await host.models(more=order(tmp_path, corp=provider))
    assert len(server.list_requests) == 2
    assert [facts.name for facts in told.models] == ["corp/one"]
    assert [(listed.name, listed.problem) for listed in told.lists] == [
        ("corp", "it has no list of models (status 404)")
    ]


async def test_the_list_of_another_address_does_not_count(host: ModelHost, server: WireServer, tmp_path: Path):
    server.listed = {"data": [{"id": "one"}]}
    await host.models(more=order(tmp_path, corp={"apiBase": server.openai_base}))
    told = await host.models(more=order(tmp_path, corp={"apiBase": "http://127.0.0.1:9/v1"}))
    assert told.models == []
    assert told.lists[0].problem.startswith("it cannot be reached")


@corpus(
    ("body", "names"),
    [
        ({"data": [{"id": "a\x1b[31mb"}, {"id": ""}, {"id": 3}, {"name": "x" * 300}, "y", {"id": "good"}]}, ["good"]),
        ({"models": [{"name": "models/g", "supportedGenerationMethods": ["generateContent"]}]}, ["g"]),
        ({"models": [{"name": "models/e", "supportedGenerationMethods": ["embedContent"]}]}, []),
        ([{"id": "plain"}], ["plain"]),
        ({"data": [{"id": f"m{number:05}"} for number in range(3000)]}, [f"m{number:05}" for number in range(2000)]),
    ],
    server=WireServer,
)
async def test_a_list_from_outside_is_read_within_bounds(
    host: ModelHost, server: WireServer, tmp_path: Path, body: Any, names: list[str]
):
    server.listed = body
    told = await host.models(limit=5000, more=order(tmp_path, corp={"apiBase": server.openai_base}))
    assert [facts.name.removeprefix("corp/") for facts in told.models] == names


@corpus("body", ["words", {"data": 3}, {}], server=WireServer)
async def test_a_list_of_another_form_is_a_reason(host: ModelHost, server: WireServer, tmp_path: Path, body: Any):
    server.listed = body
    told = await host.models(more=order(tmp_path, corp={"apiBase": server.openai_base}))
    assert told.lists[0].problem == "its list of models has an unknown form"


async def test_prices_and_abilities_of_openrouters_list_count_and_the_settings_outweigh(
    host: ModelHost, server: WireServer, tmp_path: Path
):
    row = {
        "id": "maker/model",
        "context_length": 131072,
        "pricing": {"prompt": "0.0000005", "completion": "-1"},
        "architecture": {"input_modalities": ["text", "image"]},
        "supported_parameters": ["tools"],
        "top_provider": {"max_completion_tokens": 4096},
    }
    server.listed = {"data": [row]}
    models = {"maker/model": {"contextSize": 1000}}
    asked = order(tmp_path, router={"kind": "openrouter", "apiBase": server.openai_base, "models": models})
    (facts,) = (await host.models(more=asked)).models
    assert (facts.name, facts.context_size, facts.output_limit) == ("router/maker/model", 1000, 4096)
    assert (facts.input_price, facts.output_price, facts.vision, facts.tools) == (0.5, None, True, True)


async def test_models_of_the_settings_are_listed_without_a_question(host: ModelHost, tmp_path: Path):
    models = {"b": {"contextSize": 5}, "a": {}}
    asked = order(tmp_path, "never", corp={"apiBase": "http://127.0.0.1:9/v1", "models": models})
    told = await host.models(more=asked)
    assert [(facts.name, facts.context_size) for facts in told.models] == [("corp/b", 5), ("corp/a", None)]
    assert told.lists == []
