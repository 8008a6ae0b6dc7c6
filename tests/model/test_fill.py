"""Filling of a hole through the real model host, over every interface and with the faults of servers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest
import pytest_asyncio

from corpus_support import rows
from placet.completion.chat_fill import ChatFill
from placet.completion.formats import format_of
from placet.core.errors import ModelError
from placet.model.base import Finished, TextDelta
from placet.model.client.fill import HostedFill, interface_of
from placet.model.client.host import ModelHost
from placet.model.fill import FillModel, FillRequest
from placet.settings import Settings
from time_support import wait_seconds
from wire_servers.fill_server import FillAnswer, FillServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

PREFIX, SUFFIX = "def f(a):\n    return ", "\n\nf(1)\n"
MODELS = {
    "infill": "llamafile/qwen2.5-coder-1.5b",
    "ollama": "ollama/qwen2.5-coder:7b",
    "mistral": "codestral/codestral-latest",
    "completions": "hosted_vllm/Qwen/Qwen2.5-Coder-7B",
    "chat": "openai/gpt-4o",
}


@pytest_asyncio.fixture(loop_scope="session")
async def fill_server() -> AsyncIterator[FillServer]:
    async with FillServer() as server:
        yield server


def opened(host: ModelHost, server: FillServer, name: str) -> FillModel:
    settings = Settings.model_validate({"model": name, "modelOptions": {"apiBase": f"{server.address}/v1"}})
    interface = interface_of(name, settings, has_format=format_of(name) is not None)
    if interface == "chat":
        return ChatFill(host.model(name, settings))
    return HostedFill(host, name, settings, interface)


def hole(model: FillModel, **more: Any) -> FillRequest:
    found = format_of(model.id)
    prompt = found.render(PREFIX, SUFFIX, (), "a.py") if found else ""
    return FillRequest(PREFIX, SUFFIX, "a.py", "python", prompt, stops=("\n\n",), **more)


async def filled(model: FillModel, **more: Any) -> tuple[str, str]:
    texts: list[str] = []
    reason = ""
    async with aclosing(model.fill(hole(model, **more))) as events:
        async for event in events:
            match event:
                case TextDelta(text):
                    texts.append(text)
                case Finished(ended):
                    reason = ended
    return "".join(texts), reason


async def test_every_interface_streams_the_text_of_the_hole_whole(host: ModelHost, fill_server: FillServer):
    answers = {
        "in pieces": ["a", " +", " 1"],
        "with surrogate pairs": ["'😀", "é'"],
        "with line ends of Windows": ["a\r\n", "    b\r\n"],
        "with a fence": ["```python\n", "a\n", "```"],
        "with control tokens": ["a<|endoftext|>", "b"],
    }
    with rows() as failures:
        for interface, name in MODELS.items():
            for kind, pieces in answers.items():
                with failures.row(f"{interface} {kind}"):
                    fill_server.play(lambda _, pieces=pieces: FillAnswer(pieces))
                    assert await filled(opened(host, fill_server, name)) == ("".join(pieces), "stop")
                    assert fill_server.requests[-1].interface == interface


async def test_an_answer_that_ends_at_the_limit_says_so(host: ModelHost, fill_server: FillServer):
    fill_server.play(lambda _: FillAnswer(["a = 1"], reason="length"))
    for interface, name in MODELS.items():
        assert (await filled(opened(host, fill_server, name)))[1] == "length", interface


async def test_each_interface_gets_the_text_in_its_own_form(host: ModelHost, fill_server: FillServer):
    fill_server.play(lambda _: FillAnswer(["a"]))
    bodies: dict[str, dict[str, Any]] = {}
    for interface, name in MODELS.items():
        await filled(opened(host, fill_server, name), most_tokens=33)
        bodies[interface] = fill_server.requests[-1].body
    assert (
        bodies["infill"]
        | {
            "input_prefix": "def f(a):\n",
            "prompt": "    return ",
            "input_suffix": SUFFIX,
            "input_extra": [],
            "n_predict": 33,
            "stop": ["\n\n"],
            "stream": True,
            "temperature": 0,
        }
        == bodies["infill"]
    )
    ollama = bodies["ollama"]
    assert (ollama["prompt"], ollama["suffix"], ollama["stream"]) == (PREFIX, SUFFIX, True)
    assert ollama["options"] | {"num_predict": 33, "stop": ["\n\n"], "temperature": 0} == ollama["options"]
    mistral = bodies["mistral"]
    assert (mistral["prompt"], mistral["suffix"], mistral["max_tokens"]) == (PREFIX, SUFFIX, 33)
    vllm = bodies["completions"]
    assert vllm["prompt"] == f"<|fim_prefix|>{PREFIX}<|fim_suffix|>{SUFFIX}<|fim_middle|>"
    assert "suffix" not in vllm
    assert f"{PREFIX}<FILL_HERE>{SUFFIX}" in bodies["chat"]["messages"][-1]["content"]


async def test_deepseek_gets_the_suffix_apart(host: ModelHost, fill_server: FillServer):
    fill_server.play(lambda _: FillAnswer(["a"]))
    assert await filled(opened(host, fill_server, "deepseek/deepseek-coder")) == ("a", "stop")
    body = fill_server.requests[-1].body
    assert (body["prompt"], body["suffix"]) == (PREFIX, SUFFIX)


async def test_a_model_of_ollama_without_a_place_for_a_suffix_gets_its_control_tokens(
    host: ModelHost, fill_server: FillServer
):
    def script(request: Any) -> FillAnswer:
        if "suffix" in request.body:
            return FillAnswer(status=400, error="registry.ollama.ai/library/x does not support insert")
        return FillAnswer(["a"])

    fill_server.play(script)
    assert await filled(opened(host, fill_server, MODELS["ollama"])) == ("a", "stop")
    assert fill_server.requests[-1].body["raw"] is True
    assert fill_server.requests[-1].body["prompt"].startswith("<|fim_prefix|>def f(a)")


async def test_an_answer_that_breaks_off_is_an_error(host: ModelHost, fill_server: FillServer):
    fill_server.play(lambda _: FillAnswer(["a ="], breaks_off=True))
    with rows() as failures:
        for interface, name in MODELS.items():
            with failures.row(interface):
                with pytest.raises(ModelError) as raised:
                    await filled(opened(host, fill_server, name))
                assert raised.value.code == "interrupted"


async def test_a_refusal_of_the_server_is_told_without_the_key(host: ModelHost, fill_server: FillServer):
    fill_server.play(lambda _: FillAnswer(status=401, error="the key sk-abcdefghijklmnopqrstuvwxyz is not valid"))
    with pytest.raises(ModelError) as raised:
        await filled(opened(host, fill_server, MODELS["completions"]))
    assert raised.value.code == "authentication"
    assert "sk-abcdefghijkl" not in raised.value.message


async def test_the_key_of_the_provider_goes_along_as_for_a_turn(host: ModelHost, fill_server: FillServer):
    fill_server.play(lambda _: FillAnswer(["a"]))
    await filled(opened(host, fill_server, "openai/qwen2.5-coder"))
    assert fill_server.requests[-1].headers["authorization"] == "Bearer the-openai-key"


async def test_closing_the_stream_ends_the_request_at_the_server(host: ModelHost, fill_server: FillServer):
    fill_server.play(lambda _: FillAnswer(["a"], goes_on=True))
    for interface, name in MODELS.items():
        model = opened(host, fill_server, name)
        async with aclosing(model.fill(hole(model))) as events:
            assert isinstance(await anext(events), TextDelta), interface
        request = fill_server.requests[-1]
        async with asyncio.timeout(wait_seconds()):
            await request.disconnected.wait()


async def test_a_hole_is_filled_while_turns_wait_for_their_answers(host: ModelHost, fill_server: FillServer):
    never = asyncio.Event()
    fill_server.play(
        lambda request: FillAnswer(["x"], waits=never) if request.interface == "chat" else FillAnswer(["quick"])
    )
    turns = [asyncio.create_task(filled(opened(host, fill_server, MODELS["chat"]))) for _ in range(8)]
    before = len(fill_server.requests)
    await fill_server.wait_for_requests(before + len(turns))
    async with asyncio.timeout(wait_seconds()):
        assert await filled(opened(host, fill_server, MODELS["infill"])) == ("quick", "stop")
    assert not any(turn.done() for turn in turns)
    for turn in turns:
        turn.cancel()
    await asyncio.gather(*turns, return_exceptions=True)


async def test_a_fill_says_nothing_about_the_transport_of_turns(host: ModelHost, fill_server: FillServer):
    fill_server.play(lambda _: FillAnswer(["a"]))
    name = "llamafile/qwen-of-this-test-coder"
    await filled(opened(host, fill_server, name))
    assert host.transport(name) is None
