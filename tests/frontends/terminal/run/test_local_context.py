"""A model of Ollama at the terminal: the context that is asked for, and a request that does not fit the context."""

import asyncio
import json
from pathlib import Path
from typing import Any

from model_support.ollama_server import MODEL, OllamaServer
from run_support import Place

NAME = f"ollama_chat/{MODEL}"


def place_with(directory: Path, server: OllamaServer, **settings: Any) -> Place:
    place = Place(directory)
    file = directory / "CONFIG" / "placet" / "placet.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"model": NAME, **settings}))
    del place.environment["PLACET_MODEL"]
    place.environment["OLLAMA_API_BASE"] = server.address
    return place


async def test_the_first_request_of_the_usual_agent_fits_what_placet_asks_of_ollama(tmp_path: Path) -> None:
    async with OllamaServer() as server:
        place = place_with(tmp_path, server, profile="full")
        ended = await asyncio.to_thread(place.ended, "say hi")

    assert (ended["exitCode"], ended["answer"], server.cuts) == (0, "hi", 0)
    assert {body["options"]["num_ctx"] for body in server.requests} == {server.size}


async def test_a_first_request_that_does_not_fit_ends_with_the_sizes_and_the_remedy(tmp_path: Path) -> None:
    small = {"ollama_chat": {"models": {MODEL: {"contextSize": 4096}}}}
    async with OllamaServer() as server:
        place = place_with(tmp_path, server, providers=small, profile="full")
        ended = await asyncio.to_thread(place.ended, "say hi")

    error = ended["result"]["error"]
    assert (ended["exitCode"], error["code"]) == (1, "context_overflow")
    assert "the context of ollama_chat/qwen3:8b 4,096, set in your settings" in error["message"]
    assert "`contextSize`" in error["hint"]
    assert [body for body in server.requests if body.get("tools")] == []


async def test_the_first_request_of_a_small_model_fits_ollamas_smallest_context(tmp_path: Path) -> None:
    small = {"ollama_chat": {"models": {MODEL: {"contextSize": 4096}}}}
    async with OllamaServer() as server:
        place = place_with(tmp_path, server, providers=small)
        ended = await asyncio.to_thread(place.ended, "say hi")

    assert (ended["exitCode"], ended["answer"], server.cuts) == (0, "hi", 0)
    assert {body["options"]["num_ctx"] for body in server.requests} == {4096}
