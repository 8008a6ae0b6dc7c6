"""The real engine with the real model: the wire that the stand-in of the other tests speaks, and the life of a process.

`make test-model` fetches both and runs this room.
"""

import asyncio
import json
import os
import signal
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from model_support.asking import answer, failure, text_of, usage_of, user
from model_support.local_engine import ENGINE, MODEL, local_model
from placet.completion.formats import format_of
from placet.core.errors import ModelError
from placet.model.base import ModelEvent, ModelRequest, Remark, TextDelta
from placet.model.client.fill import HostedFill
from placet.model.fill import FillRequest
from placet.model.local.files import LocalFiles
from placet.settings import Settings
from process_support import has_ended
from real_model.machine import PACKAGES, RealMachine, missing

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800), pytest.mark.skipif(missing() != "", reason=missing())]

SMALL = {"providers": {"local": {"models": {MODEL.name: {"contextSize": 4096}}}}}


def prompt(text: str) -> ModelRequest:
    """Return a request without tools, whose answer is the same each time."""
    return ModelRequest(("You answer briefly.",), (user(text),), (), "session", temperature=0.0)


OK, LONG = prompt("Say only: ok"), prompt("Write a story of two thousand words about the sea.")


async def drained(stream: AsyncIterator[ModelEvent]) -> None:
    async for _ in stream:
        pass


@pytest.fixture
def machine(tmp_path: Path) -> RealMachine:
    return RealMachine(tmp_path)


async def test_the_model_answers_and_says_that_it_is_loaded_and_the_front_of_a_prompt_is_read_once(
    machine: RealMachine,
):
    async with machine.host() as host:
        model = local_model(host, **SMALL)
        first, second = await answer(model, OK), await answer(model, OK)
    assert [event.message for event in first if isinstance(event, Remark)][-1].startswith("Loading ")
    assert "ok" in text_of(first).lower()
    assert not any(isinstance(event, Remark) for event in second)
    tokens = usage_of(first).tokens
    assert tokens.input > tokens.output > 0
    assert usage_of(second).tokens.cache_read > 0


async def test_a_hole_is_filled(machine: RealMachine):
    settings = Settings.model_validate({"model": MODEL.full_name, **SMALL})
    assert format_of(MODEL.full_name) is not None
    async with machine.host() as host:
        fill = HostedFill(host, MODEL.full_name, settings, "infill")
        asked = FillRequest("def add(a, b):\n    return ", "\n", "a.py", "python", "", most_tokens=16, stops=("\n",))
        text = "".join([event.text async for event in fill.fill(asked) if isinstance(event, TextDelta)])
    assert "a + b" in text


async def test_a_cancel_frees_the_slot_for_the_next_request(machine: RealMachine):
    async with machine.host() as host:
        model = local_model(host, **SMALL)
        stream = model.stream(LONG)
        while not isinstance(await anext(stream), TextDelta):
            pass
        await stream.aclose()
        assert "ok" in text_of(await answer(model, OK)).lower()


async def test_two_sessions_wait_for_their_turn_on_the_slot(machine: RealMachine):
    async with machine.host() as host:
        model = local_model(host, **SMALL)
        answers = await asyncio.gather(*(answer(model, prompt(f"What is 1 + {number}?")) for number in (1, 2)))
    assert ["2" in text_of(answers[0]), "3" in text_of(answers[1])] == [True, True]


async def test_a_killed_engine_is_told_and_replaced(machine: RealMachine):
    async with machine.host() as host:
        model = local_model(host, **SMALL)
        stream = model.stream(LONG)
        while not isinstance(await anext(stream), TextDelta):
            pass
        (engine,) = machine.engines(host)
        os.kill(engine.pid, signal.SIGKILL)
        with pytest.raises(ModelError, match="killed by SIGKILL"):
            await drained(stream)
        assert "ok" in text_of(await answer(model, OK)).lower()


async def test_an_idle_engine_ends_and_the_engine_ends_with_a_killed_host(machine: RealMachine):
    async with machine.host() as host:
        model = local_model(host, **SMALL, localModels={"idleSeconds": 0.05})
        await answer(model, OK)
        for engine in machine.engines(host):
            assert has_ended(engine.pid)
        model = local_model(host, **SMALL)
        await answer(model, OK)
        (engine,) = machine.engines(host)
        assert host.process_id is not None
        os.kill(host.process_id, signal.SIGKILL)
        assert has_ended(engine.pid)


async def test_a_request_that_the_estimate_lets_through_and_the_engine_does_not_is_an_overflow(machine: RealMachine):
    async with machine.host() as host:
        # The tokenizer takes each digit for a token, and Placet expects fewer tokens.
        _, error = await failure(local_model(host, **SMALL), prompt("1234567890" * 600))
    assert error.code == "context_overflow"
    assert "exceeds the available context size" in error.message


# ---------------------------------------------------------------- the wire of the stand-in


@pytest.fixture(params=["real", "stand-in"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Address and secret of a running engine."""
    from subprocess import PIPE, Popen

    from placet.model.host.engine.running import engine_environment
    from placet.project.processes.child import python_command

    machine = RealMachine(tmp_path)
    path = LocalFiles(machine.models, {}, tmp_path).own_path(MODEL)
    packages = PACKAGES if request.param == "real" else ENGINE
    environment = {**engine_environment(os.environ), "PYTHONPATH": str(packages)}
    command = python_command("placet.model.host.engine.process", directory=tmp_path, environment=environment)
    order = {"name": "m", "file": str(path), "context_size": 512, "threads": 1, "secret": "a-secret"}
    with Popen(command.arguments, cwd=command.directory, env=environment, stdin=PIPE, stdout=PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps(order).encode() + b"\n")
        child.stdin.flush()
        yield json.loads(child.stdout.readline())["address"], "a-secret"
        child.stdin.close()


def asked(engine: tuple[str, str], path: str, body: dict[str, Any] | None, *, key: str | None = None) -> Any:
    """Return the status, the headers and the text of the answer."""
    headers = {"content-type": "application/json", "authorization": f"Bearer {engine[1] if key is None else key}"}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(engine[0] + path, data, headers)) as answered:
            return answered.status, answered.headers, answered.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read().decode()


def test_both_engines_speak_the_same_wire(engine: tuple[str, str]):
    hello = {"messages": [{"role": "user", "content": "hello"}], "stream": True, "max_tokens": 4}
    hello |= {"return_progress": True, "cache_prompt": True, "stream_options": {"include_usage": True}}

    assert asked(engine, "/health", None, key="")[0] == 200
    status, _, text = asked(engine, "/v1/chat/completions", hello, key="wrong")
    assert (status, json.loads(text)["error"]["type"]) == (401, "authentication_error")

    status, headers, text = asked(engine, "/v1/chat/completions", hello)
    assert (status, headers["content-type"]) == (200, "text/event-stream")
    lines = [line for line in text.split("\n\n") if line]
    assert lines[-1].strip() == "data: [DONE]"
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]
    assert set(chunks[0]["prompt_progress"]) >= {"total", "cache", "processed"}
    assert {"id", "object", "created", "model", "choices"} <= set(chunks[0])
    assert "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks if chunk["choices"])
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks if chunk["choices"]][-1] in ("stop", "length")
    assert {"completion_tokens", "prompt_tokens", "total_tokens"} <= set(chunks[-1]["usage"])

    long = {**hello, "messages": [{"role": "user", "content": "word " * 4000}]}
    status, _, text = asked(engine, "/v1/chat/completions", long)
    error = json.loads(text)["error"]
    assert (status, error["code"], error["type"], error["n_ctx"]) == (400, 400, "exceed_context_size_error", 512)
    assert error["n_prompt_tokens"] > 512
    assert "exceeds the available context size (512 tokens)" in error["message"]
