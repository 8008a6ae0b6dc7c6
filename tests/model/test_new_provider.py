"""A provider with the common wire is one row of the table: address, key, headers and effort follow from the row."""

from pathlib import Path

import pytest

from model_support.asking import answer, failure, request, text_of
from model_support.hosts import package
from model_support.provider_server import ProviderServer, event_stream
from placet.core.values import replace
from placet.model.client.host import ModelHost
from placet.model.host.catalog.efforts import levels
from placet.model.host.providers.table import PROVIDERS, Provider
from placet.settings import Settings

HEAD = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
STREAM = event_stream(
    [
        {**HEAD, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "hi"}, "finish_reason": None}]},
        {**HEAD, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ],
    ends=b"data: [DONE]\n\n",
)
ROW = """
from placet.model.host.providers import table
table.PROVIDERS["hal"] = table.Provider(
    "{address}/v9", key_variables=("HAL_API_KEY",), needed_variables=("HAL_API_KEY",), headers=lambda: {{"x-ship": "d"}}
)
"""
"""Row as it stands in the table, in the host's process from the start."""


async def test_a_new_row_is_asked_directly_at_its_address_with_its_key(tmp_path: Path) -> None:
    async with ProviderServer(STREAM) as server:
        environment = package(tmp_path, "sitecustomize", ROW.format(address=server.address))
        host = ModelHost(environment=environment | {"HAL_API_KEY": "secret"}, log=tmp_path / "log")
        try:
            model = host.model("hal/9000", Settings())
            asked = replace(request("hello"), options={"reasoning_effort": "high", "seed": 7})
            assert text_of(await answer(model, asked)) == "hi"
        finally:
            await host.close()
        (sent,) = server.asked
        headers = {name.lower(): value for name, value in sent.headers.items()}
        assert (headers["authorization"], headers["x-ship"]) == ("Bearer secret", "d")
        assert sent.path == "/v9/chat/completions"
        assert (sent.body["model"], sent.body["seed"]) == ("9000", 7)
        assert "reasoning_effort" not in sent.body, "the row drops the parameter"
        assert "litellm" not in (tmp_path / "log").read_text()


async def test_a_new_row_without_its_key_names_the_variable(tmp_path: Path) -> None:
    environment = package(tmp_path, "sitecustomize", ROW.format(address="http://127.0.0.1:9"))
    host = ModelHost(environment={name: value for name, value in environment.items() if name != "HAL_API_KEY"})
    try:
        _, error = await failure(host.model("hal/9000", Settings()))
        assert "HAL_API_KEY" in error.with_hint
    finally:
        await host.close()


@pytest.mark.parametrize(
    ("row", "offered"),
    [
        (Provider(""), []),
        (Provider("", effort="parameter"), ["low", "medium", "high"]),
        (Provider("", effort="thinking", is_switched=True), ["none", "high"]),
    ],
)
def test_a_row_says_which_efforts_its_models_have(
    monkeypatch: pytest.MonkeyPatch, row: Provider, offered: list[str]
) -> None:
    monkeypatch.setitem(PROVIDERS, "hal", row)  # pyright: ignore[reportArgumentType]
    assert levels("hal/9000", {"supports_reasoning": True}) == offered
