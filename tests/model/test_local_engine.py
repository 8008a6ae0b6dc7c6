"""Models that Placet itself runs: the engine below the model host, with a stand-in for llama.cpp."""

import asyncio
import json
import os
import signal
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from corpus_support import corpus
from model_support.asking import answer, failure, request, text_of
from model_support.local_engine import MODEL, Machine, local_model
from placet.model import frames
from placet.model.base import Remark, TextDelta
from placet.model.host.engine.running import engine_environment
from placet.model.local.engines import fitting_size, needed_bytes, planned_size, thread_count
from process_support import has_ended
from time_support import limited, wait_seconds
from wire_servers.answers import Text
from wire_servers.server import WireServer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals, and scripts as programs")

GIB = 1 << 30


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.put_file()
    return machine


async def until(holds: Callable[[], object], what: str) -> None:
    """Wait for a state of another process, which nothing tells of."""
    async with limited(lambda: what):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_the_first_request_loads_the_model_and_says_so_and_the_next_uses_the_same_engine(machine: Machine):
    async with machine.host() as host:
        model = local_model(host)
        first, second = await answer(model, "hello"), await answer(model, "again")
    assert [event.message for event in first if isinstance(event, Remark)] == [
        f"Loading {MODEL.title} into memory, about 3.1 GB."
    ]
    assert (text_of(first), text_of(second)) == ("heard hello", "heard again")
    assert not any(isinstance(event, Remark) for event in second)
    assert len(machine.noted("start")) == 1


async def test_all_requests_that_wait_for_the_load_are_told_of_the_load(machine: Machine):
    machine.script(waits="go")
    async with machine.host() as host:
        model = local_model(host)
        first = asyncio.create_task(answer(model, "a title"))
        await until(lambda: machine.noted("start"), "the load to begin")
        stream = model.stream(request("the prompt"))
        assert isinstance(await anext(stream), Remark)
        await stream.aclose()
        (machine.models / "go").touch()
        assert any(isinstance(event, Remark) for event in await first)


async def test_the_engine_answers_nobody_without_the_secret_of_the_host(machine: Machine):
    async with machine.host() as host:
        await answer(local_model(host), "hello")
        address = machine.noted("address")[-1][0]
        assert address.startswith("http://127.0.0.1:")
        asked = urllib.request.Request(f"{address}/v1/chat/completions", b'{"messages": []}')
        with pytest.raises(urllib.error.HTTPError) as refused:
            await asyncio.to_thread(urllib.request.urlopen, asked)
        refused.value.close()
        assert refused.value.code == 401


async def test_the_engine_gets_no_key_of_a_provider_and_no_variable_of_the_user(machine: Machine):
    async with machine.host(OPENAI_API_KEY="sk-of-openai", LLAMA_ARG_HOST="0.0.0.0", MINE="x") as host:
        names = json.loads(text_of(await answer(local_model(host), "environment")).removeprefix("heard "))
    assert "PATH" in names
    assert not {"OPENAI_API_KEY", "LLAMA_ARG_HOST", "MINE", "PLACET_LOCAL_API_KEY"} & set(names)


async def test_no_proxy_of_the_user_gets_the_conversation(machine: Machine):
    async with machine.host(HTTP_PROXY="http://127.0.0.1:9", ALL_PROXY="http://127.0.0.1:9") as host:
        assert text_of(await answer(local_model(host), "hello")) == "heard hello"


async def test_the_settings_choose_the_threads_and_the_size_and_waiting_threads_sleep(machine: Machine):
    sizes = {"local": {"models": {MODEL.name: {"contextSize": 6000}}}}
    async with machine.host() as host:
        await answer(local_model(host, providers=sizes, localModels={"threads": 3}), "hello")
    assert machine.noted("start")[0][1:] == ["6000", "3", "0", "3", "0"]


async def test_an_idle_engine_ends_and_the_next_request_starts_another(machine: Machine):
    async with machine.host() as host:
        model = local_model(host, localModels={"idleSeconds": 0.05})
        await answer(model, "hello")
        assert has_ended(machine.engine.pid), "the idle engine did not end"
        assert text_of(await answer(model, "again")) == "heard again"
    assert len(machine.noted("start")) == 2


@corpus("end", ["close", "kill"])
@corpus("kind", ["package", "program"])
async def test_the_engine_ends_with_the_host(tmp_path: Path, kind: str, end: str):
    machine = Machine(tmp_path, has_engine=kind == "package")
    machine.put_file()
    if kind == "program":
        machine.put_program()
    async with machine.host() as host:
        assert text_of(await answer(local_model(host), "hello")) == "heard hello"
        engine = machine.engine.pid
        assert host.process_id is not None
        if end == "kill":
            os.kill(host.process_id, signal.SIGKILL)
            assert has_ended(engine), "the engine outlived the killed host"
    assert has_ended(engine), "the engine outlived the host"


async def test_a_cancel_ends_the_work_of_the_engine(machine: Machine):
    async with machine.host() as host:
        stream = local_model(host).stream(request("endless"))
        async for event in stream:
            if isinstance(event, TextDelta):
                break
        await stream.aclose()
        await until(lambda: "cancelled" in machine.log, "the engine to notice the cancel")
        assert text_of(await answer(local_model(host), "next")) == "heard next"


async def test_requests_of_several_sessions_wait_for_their_turn(machine: Machine):
    async with machine.host() as host:
        model = local_model(host)
        answers = await asyncio.gather(*(answer(model, f"number {number}") for number in range(5)))
    assert [text_of(events) for events in answers] == [f"heard number {number}" for number in range(5)]
    assert "overlap" not in machine.log


async def test_a_cancelled_request_leaves_the_turn_to_the_next(machine: Machine):
    async with machine.host() as host:
        model = local_model(host)
        stream = model.stream(request("endless"))
        while not isinstance(await anext(stream), TextDelta):
            pass
        waiting = [asyncio.create_task(answer(model, "waiting")) for _ in range(2)]
        for _ in range(3):
            await host.models(limit=1)  # The host has both requests now, and could have passed the requests on.
        assert "overlap" not in machine.log
        waiting[0].cancel()
        await asyncio.gather(waiting[0], return_exceptions=True)
        await stream.aclose()
        async with asyncio.timeout(wait_seconds()):
            assert text_of(await waiting[1]) == "heard waiting"


async def test_a_dead_engine_is_an_error_with_a_remedy_and_the_next_request_starts_another(machine: Machine):
    async with machine.host() as host:
        model = local_model(host)
        _, error = await failure(model, "die")
        assert (error.code, error.message) == (
            "host_died",
            "The engine for local models ended during the answer (killed by SIGKILL).",
        )
        assert "smaller `contextSize`" in error.hint
        assert text_of(await answer(model, "again")) == "heard again"


async def test_an_engine_that_keeps_dying_is_not_started_again_at_once(machine: Machine):
    machine.script(dies="SIGABRT")
    async with machine.host() as host:
        errors = [(await failure(local_model(host), "hello"))[1] for _ in range(4)]
    assert "while it loaded the model (killed by SIGABRT)" in errors[0].message
    assert "ended 3 times in a row" in errors[3].message
    assert errors[3].retry_after is not None
    assert len(machine.noted("start")) == 3


async def test_a_model_that_cannot_be_loaded_is_told_with_the_reason(machine: Machine):
    machine.script(fails="unknown model architecture: 'x'")
    async with machine.host() as host:
        _, error = await failure(local_model(host), "hello")
    assert error.code == "not_found"
    assert "cannot load" in error.message
    assert "RuntimeError: unknown model architecture: 'x'" in error.message


async def test_without_the_file_or_the_engine_the_remedy_is_told(tmp_path: Path):
    without_file, without_engine = Machine(tmp_path / "a"), Machine(tmp_path / "b", has_engine=False)
    without_engine.put_file()
    async with without_file.host() as host:
        _, error = await failure(local_model(host), "hello")
        assert f"`placet models pull {MODEL.name}`" in error.hint
        assert [model for model in (await host.models(query="qwen")).models if model.name == MODEL.full_name] == []
    async with without_engine.host() as host:
        _, error = await failure(local_model(host), "hello")
        assert error.message == "There is no engine for local models."
        assert 'pip install "placet[local]"' in error.hint


async def test_a_file_with_another_sum_is_not_loaded(machine: Machine):
    path = machine.models / MODEL.file_name
    (machine.models / "sums.json").write_text(
        (machine.models / "sums.json").read_text().replace(MODEL.sha256, "0" * 64)
    )
    async with machine.host() as host:
        _, error = await failure(local_model(host), "hello")
    assert f"{path} is not {MODEL.title}" in error.message
    assert f"`placet models remove {MODEL.name}`" in error.hint
    assert machine.log == []


async def test_a_request_that_does_not_fit_is_not_sent_and_the_remedy_is_told(machine: Machine):
    sizes = {"local": {"models": {MODEL.name: {"contextSize": 4096}}}}
    async with machine.host() as host:
        _, error = await failure(local_model(host, providers=sizes), "word " * 6000)
    assert (error.code, machine.log) == ("context_overflow", [])
    assert "4,096, set in your settings" in error.message
    assert "larger `contextSize`" in error.hint


async def test_the_list_has_the_local_model_with_its_size(machine: Machine):
    async with machine.host() as host:
        listed = await host.models(query="qwen", more=frames.ListModels(0, only="local"))
    (facts,) = listed.models
    assert (facts.name, facts.context_size, facts.server) == (MODEL.full_name, 32_768, "Placet itself, on this machine")
    assert facts.context_source == "chosen by the memory of this machine"


async def test_a_provider_of_the_user_called_local_with_an_address_is_asked_as_before(machine: Machine):
    async with WireServer() as server, machine.host() as host:
        server.play([(Text("from the user's server"),)])
        providers = {"local": {"apiBase": server.openai_base, "key": False}}
        assert text_of(await answer(local_model(host, providers=providers), "hello")) == "from the user's server"
    assert machine.log == []


async def test_an_unknown_local_model_is_told(machine: Machine):
    async with machine.host() as host:
        _, error = await failure(local_model(host, model="local/nothing"), "hello")
    assert (error.code, error.message) == ("not_found", "Placet has no local model `local/nothing`.")


@corpus(
    ("cores", "load", "threads"),
    [(2, 0.0, 1), (1, 0.0, 1), (8, 0.1, 7), (8, 3.4, 4), (8, 20.0, 1)],
)
def test_the_engine_leaves_a_free_core(cores: int, load: float, threads: int):
    assert thread_count(cores, load) == threads


@corpus(("memory", "size"), [(24 * GIB, 32_768), (4 * GIB, 16_384), (3 * GIB, 4_096), (1 * GIB, 4_096), (None, 8_192)])
def test_the_size_of_the_context_follows_the_memory(memory: int | None, size: int):
    assert planned_size(MODEL, memory) == size


def test_too_little_free_memory_makes_the_context_smaller_and_at_last_refuses_the_start():
    assert fitting_size(MODEL, 32_768, needed_bytes(MODEL, 32_768)) == 32_768
    assert fitting_size(MODEL, 32_768, needed_bytes(MODEL, 32_768) - 1) == 16_384
    assert fitting_size(MODEL, 6_000, needed_bytes(MODEL, 6_000) - 1) == 4_096
    assert fitting_size(MODEL, 32_768, needed_bytes(MODEL, 4_096) - 1) is None


def test_only_named_variables_reach_the_engine():
    environment = {"PATH": "/bin", "CUDA_VISIBLE_DEVICES": "0", "LLAMA_API_KEY": "k", "HF_TOKEN": "t", "GREETING": "g"}
    assert engine_environment(environment) == {"PATH": "/bin", "CUDA_VISIBLE_DEVICES": "0"}
