"""Servers of models on this machine: found where they usually listen, and offered with what they say of themselves."""

import asyncio
import os
import socket
from collections.abc import Mapping
from contextlib import AsyncExitStack

import pytest

from corpus_support import corpus
from model_support.asking import answer, text_of
from model_support.provider_server import ProviderServer, Reply, event_stream, json_reply
from placet.core.values import replace
from placet.model.client.host import ModelHost
from placet.model.frames import ModelFacts
from placet.model.host.catalog import local_servers
from placet.model.host.catalog.local_servers import KNOWN, LocalModels, is_loopback
from placet.settings import Settings
from time_support import wait_seconds

LISTED = json_reply({"object": "list", "data": [{"id": "qwen3:8b", "object": "model", "owned_by": "library"}]})


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a server that exists the time to answer on any machine."""
    monkeypatch.setattr(local_servers, "_SECONDS", 60.0)


async def offered(pages: Mapping[str, ProviderServer], **environment: str) -> tuple[ModelFacts, ...]:
    """What is found when servers of these kinds are there and no others."""
    nowhere = "http://127.0.0.1:9"
    servers = [replace(one, address=pages[one.provider].address if one.provider in pages else nowhere) for one in KNOWN]
    return await LocalModels(environment, servers).offered()


async def test_each_kind_of_server_is_offered_with_its_models() -> None:
    sized = {"object": "list", "data": [{"id": "org/name", "max_model_len": 32768}]}
    trained = {"object": "list", "data": [{"id": "gemma.gguf", "meta": {"n_ctx_train": 8192}}]}
    shown = json_reply({"capabilities": ["completion"], "model_info": {}})
    async with AsyncExitStack() as stack:
        servers = {
            provider: await stack.enter_async_context(ProviderServer(pages=pages))
            for provider, pages in (
                ("ollama_chat", {"/v1/models": LISTED, "/api/show": shown}),
                ("hosted_vllm", {"/v1/models": json_reply(sized)}),
                ("lm_studio", {"/v1/models": LISTED}),
                ("llamafile", {"/v1/models": json_reply(trained)}),
            )
        }
        found = await offered(servers)

    ollama, vllm, lm_studio, llama = found
    assert (ollama.name, ollama.tools, ollama.vision) == ("ollama_chat/qwen3:8b", False, False)
    assert ollama.server == f"Ollama at {servers['ollama_chat'].address}"
    assert (vllm.name, vllm.context_size, vllm.tools) == ("hosted_vllm/org/name", 32768, None)
    assert lm_studio.name == "lm_studio/qwen3:8b"
    assert (llama.name, llama.context_size) == ("llamafile/gemma.gguf", 8192)


@corpus(
    "page",
    [json_reply({"hello": "world"}), json_reply(["a"]), json_reply({}, 500), event_stream([{"id": "x"}])],
)
async def test_what_is_no_server_of_models_is_not_offered(page: Reply) -> None:
    async with ProviderServer(pages={"/v1/models": page}) as server:
        assert await offered({"hosted_vllm": server}) == ()


async def test_a_server_that_hangs_holds_nothing_up_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_servers, "_SECONDS", 5.0)
    with socket.create_server(("127.0.0.1", 0)) as hangs:
        address = f"http://127.0.0.1:{hangs.getsockname()[1]}"
        async with asyncio.timeout(wait_seconds()), ProviderServer(pages={"/v1/models": LISTED}) as server:
            found = await offered({"lm_studio": server}, HOSTED_VLLM_API_BASE=address)

    assert [one.name for one in found] == ["lm_studio/qwen3:8b"]


async def test_an_address_of_another_machine_is_not_looked_at() -> None:
    assert await LocalModels({"OLLAMA_API_BASE": "http://198.51.100.7:1"}, KNOWN[:1]).offered() == ()
    for address, own in (
        ("http://127.0.0.1:1", True),
        ("http://localhost:1", True),
        ("http://[::1]:1", True),
        ("http://10.0.0.1", False),
        ("http://127.0.0.1.example.org", False),
        ("nonsense", False),
    ):
        assert is_loopback(address) == own, address


async def models(host: ModelHost) -> list[ModelFacts]:
    return (await host.models(query="qwen3")).models


@pytest.mark.asyncio(loop_scope="session")
async def test_a_model_that_is_offered_can_be_asked_without_any_setting() -> None:
    done = {"choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": "stop"}]}
    async with ProviderServer(event_stream([done]), pages={"/v1/models": LISTED}) as server:
        plain = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        host = ModelHost(environment={**plain, "LM_STUDIO_API_BASE": f"{server.address}/v1"})
        try:
            # Our server has half a second; when it is slower, it is looked for again.
            while not (mine := [one for one in await models(host) if one.name.startswith("lm_studio/")]):
                pass
            elsewhere = {"model": "openai/gpt-4o", "modelOptions": {"apiBase": "http://127.0.0.1:9"}}
            events = await answer(host.model(mine[0].name, Settings.model_validate(elsewhere)))
        finally:
            await host.close()

    assert mine[0].server == f"LM Studio at {server.address}/v1"
    assert text_of(events) == "hi"
    assert server.asked[0].path == "/v1/chat/completions"
    assert server.asked[0].body["model"] == "qwen3:8b"
