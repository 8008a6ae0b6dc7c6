"""Requests to servers on this machine fit the context that the server serves, and nothing is cut unsaid."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from corpus_support import corpus
from model_support.asking import answer, failure, request, text_of
from model_support.ollama_server import MODEL, OllamaServer
from model_support.provider_server import ProviderServer, event_stream, json_reply
from placet.model.base import ModelEvent, Remark
from placet.model.client.host import HostedModel, ModelHost
from placet.settings import Settings

pytestmark = pytest.mark.asyncio(loop_scope="session")

NAME = f"ollama_chat/{MODEL}"


@asynccontextmanager
async def opened(server: OllamaServer, **settings: Any) -> AsyncIterator[HostedModel]:
    """Return the server's model, in a host that finds the server at Ollama's usual place."""
    host = ModelHost(environment={**os.environ, "OLLAMA_API_BASE": server.address})
    try:
        model = host.model(NAME, Settings.model_validate({"model": NAME, **settings}))
        # A busy machine may take longer than a server is given.
        while (facts := await host.facts_soon(NAME)) is None or facts.server is None:
            await host.close()
            host = ModelHost(environment={**os.environ, "OLLAMA_API_BASE": server.address})
            model = host.model(NAME, Settings.model_validate({"model": NAME, **settings}))
        yield model
    finally:
        await host.close()


def remarks_of(events: list[ModelEvent]) -> list[str]:
    return [event.message for event in events if isinstance(event, Remark)]


async def test_ollama_serves_the_size_that_placet_asks_for():
    async with OllamaServer() as server, opened(server) as model:
        events = await answer(model, request("x" * 20_000))

        assert text_of(events) == "hi"
        assert remarks_of(events) == []
        assert (model.context_size, server.size) == (server.requests[0]["options"]["num_ctx"], model.context_size)
        assert model.context_size > 5_000
        assert server.cuts == 0


async def test_the_size_of_the_settings_outweighs_placets_choice():
    own = {"ollama_chat": {"models": {MODEL: {"contextSize": 6000}}}}
    async with OllamaServer() as server, opened(server, providers=own) as model:
        await answer(model)

        assert (server.requests[0]["options"]["num_ctx"], model.context_size) == (6000, 6000)


async def test_a_request_that_does_not_fit_is_never_sent():
    own = {"ollama_chat": {"models": {MODEL: {"contextSize": 4096}}}}
    async with OllamaServer() as server, opened(server, providers=own) as model:
        _, error = await failure(model, request("x" * 20_000))

        assert (error.code, error.before_first_delta, server.requests) == ("context_overflow", True, [])
        assert error.message.endswith(f"and the context of {NAME} 4,096, set in your settings.")
        assert "`contextSize`" in error.hint


async def test_a_request_that_ollama_finds_too_long_is_refused_and_not_cut():
    own = {"ollama_chat": {"models": {MODEL: {"contextSize": 6000}}}}
    async with OllamaServer(2048, heeds_size=False) as server, opened(server, providers=own) as model:
        _, error = await failure(model, request("x" * 20_000))

        assert (error.code, error.status, server.cuts) == ("context_overflow", 400, 0)
        assert "exceeds the available context size (2048 tokens)" in error.message


@corpus("size", [2048, 4096])
async def test_a_server_that_cuts_silently_is_told_of_once_and_then_its_size_counts(size: int):
    async with OllamaServer(size, heeds_size=False, refuses=False) as server, opened(server) as model:
        first = await answer(model, request("x" * 30_000))
        second = await failure(model, request("x" * 30_000))

        assert server.cuts == 1
        (remark,) = remarks_of(first)
        assert remark.startswith(f"{NAME} has read {size // 2:,} tokens of about 7,")
        assert (second[1].code, model.context_size, len(server.requests)) == ("context_overflow", size, 1)


async def test_the_estimate_follows_the_servers_count():
    """The server counts half of what Placet estimates, so twice as much text fits."""
    own = {"llama": {"apiBase": "", "key": False, "models": {"m": {"contextSize": 4000}}}}
    usage = {"prompt_tokens": 1000, "completion_tokens": 1, "total_tokens": 1001}
    chunk = {"choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": "stop"}], "usage": usage}
    host = ModelHost()
    try:
        async with ProviderServer(*[event_stream([chunk])] * 2) as server:
            own["llama"]["apiBase"] = f"{server.address}/v1"
            model = host.model("llama/m", Settings.model_validate({"model": "llama/m", "providers": own}))
            too_long = request("x" * 17_000)

            _, error = await failure(model, too_long)
            await answer(model, request("x" * 6_400))
            events = await answer(model, too_long)
    finally:
        await host.close()

    assert (error.code, text_of(events), len(server.asked)) == ("context_overflow", "hi", 2)


@corpus(
    ("pages", "size", "source"),
    [
        (
            {"/v1/models": {"data": [{"id": "m", "meta": {"n_ctx_train": 32_768, "n_ctx": 16_384}}]}},
            *(16_384, "served by the server"),
        ),
        (
            {
                "/v1/models": {"data": [{"id": "m", "meta": {"n_ctx_train": 32_768}}]},
                "/props": {"default_generation_settings": {"n_ctx": 8192}},
            },
            *(8192, "served by the server"),
        ),
        ({"/v1/models": {"data": [{"id": "m", "meta": {"n_ctx_train": 32_768}}]}}, 32_768, "of the model"),
        ({"/v1/models": {"data": [{"id": "m", "max_model_len": 9000}]}}, 9000, "served by the server"),
        (
            {
                "/v1/models": {"data": [{"id": "m"}]},
                "/api/v0/models/m": {"id": "m", "max_context_length": 32_768, "loaded_context_length": 4096},
            },
            *(4096, "loaded in the server"),
        ),
        ({"/v1/models": {"data": [{"id": "other", "max_model_len": 9000}]}}, None, ""),
        ({}, None, ""),
    ],
)
async def test_any_server_on_this_machine_tells_the_size_that_it_serves(
    pages: dict[str, Any], size: int | None, source: str
):
    async with ProviderServer(pages={path: json_reply(page) for path, page in pages.items()}) as server:
        host = ModelHost()
        try:
            settings = {"model": "openai/m", "modelOptions": {"apiBase": f"{server.address}/v1"}}
            host.model("openai/m", Settings.model_validate(settings))
            facts = await host.facts_soon("openai/m")
        finally:
            await host.close()

    assert facts is not None
    assert (facts.context_size, facts.context_source) == (size, source)
