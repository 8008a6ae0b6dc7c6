"""Asks which the direct way does not know, and the common ask, which needs no litellm."""

import asyncio
import os
import shutil
import sys
import threading
from collections.abc import AsyncIterator, Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
import pytest_asyncio

from model_support.asking import answer, request, text_of
from model_support.fault_table import NAMES
from model_support.hosts import package
from model_support.provider_server import ProviderServer, Reply, event_stream, json_lines, json_reply
from placet.core.values import replace
from placet.model import frames
from placet.model.client.host import HostedModel, ModelHost
from placet.model.host import answers
from placet.model.host.conversations import Conversation
from placet.settings import Settings
from time_support import wait_seconds
from wire_servers.answers import Text
from wire_servers.server import WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

TABLE = "model_prices_and_context_window_backup.json"
OpenModel = Callable[..., HostedModel]

HEAD = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
STREAM = event_stream(
    [
        {**HEAD, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "hi"}, "finish_reason": None}]},
        {**HEAD, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ],
    ends=b"data: [DONE]\n\n",
)
UNNAMED_STREAM = Reply(STREAM.body, "application/octet-stream")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "host.log"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def host(log: Path) -> AsyncIterator[ModelHost]:
    host = ModelHost(environment={**os.environ, "HYPERBOLIC_API_KEY": "h"}, log=log)
    yield host
    await host.close()


@pytest_asyncio.fixture(loop_scope="session")
async def provider() -> AsyncIterator[ProviderServer]:
    async with ProviderServer() as server:
        yield server


@pytest.fixture
def open_model(host: ModelHost, provider: ProviderServer) -> OpenModel:
    def open_model(name: str, of: ModelHost = host, **options: str) -> HostedModel:
        return of.model(name, Settings.model_validate({"modelOptions": {"apiBase": provider.address, **options}}))

    return open_model


async def test_a_provider_without_a_direct_wire_is_asked_through_litellm(
    open_model: OpenModel, provider: ProviderServer, log: Path
):
    provider.replies = [STREAM]

    assert text_of(await answer(open_model("hyperbolic/x"))) == "hi"
    assert "hyperbolic/x is asked through litellm: the provider hyperbolic has no direct wire" in log.read_text()


async def test_a_provider_that_answers_with_something_unknown_is_asked_through_litellm_from_then_on(
    open_model: OpenModel, provider: ProviderServer, log: Path
):
    provider.replies = [json_reply({"object": "unknown"}), STREAM, STREAM]
    model = open_model("openai/of-my-own")

    assert [text_of(await answer(model)) for _ in range(2)] == ["hi", "hi"]
    assert len(provider.asked) == 3
    assert provider.asked[0].body == provider.asked[1].body == provider.asked[2].body
    written = log.read_text()
    assert "openai/of-my-own is asked through litellm: the provider answered with application/json" in written
    assert "openai/of-my-own is asked through litellm: the direct way could not read an earlier answer" in written


async def test_a_stream_that_does_not_call_itself_a_stream_is_read_through_litellm(
    open_model: OpenModel, provider: ProviderServer
):
    provider.replies = [UNNAMED_STREAM, UNNAMED_STREAM]

    assert text_of(await answer(open_model("openai/of-another"))) == "hi"


async def test_a_parameter_that_the_direct_way_does_not_know_goes_through_litellm(
    open_model: OpenModel, provider: ProviderServer, log: Path
):
    provider.replies = [STREAM]
    asked = replace(request("hello"), options={"logit_bias": {"1": 2}})

    assert text_of(await answer(open_model("openai/gpt-4o"), asked)) == "hi"
    assert provider.asked[0].body["logit_bias"] == {"1": 2}
    assert "openai/gpt-4o is asked through litellm: the parameter `logit_bias`" in log.read_text()


async def test_the_common_ask_is_answered_without_litellm(
    open_model: OpenModel, provider: ProviderServer, tmp_path: Path
):
    host = ModelHost(environment=package(tmp_path, "litellm", "raise RuntimeError('imported')"), log=tmp_path / "log")
    try:
        done = {"message": {"role": "assistant", "content": "hi"}, "done": True, "done_reason": "stop"}
        for name, stream in (
            ("openai/gpt-4o", STREAM),
            ("groq/some-model", STREAM),
            ("ollama_chat/some-model", json_lines([done])),
        ):
            provider.replies = [stream]
            assert text_of(await answer(open_model(name, of=host))) == "hi"
    finally:
        await host.close()
    assert "litellm" not in (tmp_path / "log").read_text()


async def test_every_wire_is_answered_without_litellm(tmp_path: Path):
    """The poisoned litellm has the real table of models."""
    environment = package(tmp_path, "litellm.poison", "")
    (tmp_path / "litellm" / "__init__.py").write_text("raise RuntimeError('imported')", "utf-8")
    table = find_spec("litellm")
    assert table is not None
    assert table.origin is not None
    shutil.copy(Path(table.origin).with_name(TABLE), tmp_path / "litellm" / TABLE)
    keys = {key: "none" for _, key in NAMES.values()}
    host = ModelHost(environment={**environment, **keys}, log=tmp_path / "log")
    async with WireServer(lambda _: (Text("hi"),)) as server:
        for wire, (name, _) in NAMES.items():
            model = host.model(name, Settings.model_validate({"modelOptions": {"apiBase": server.base(wire)}}))
            assert text_of(await answer(model)) == "hi"
        assert [request.wire for request in server.requests] == list(NAMES)
    await host.close()
    assert "litellm" not in (tmp_path / "log").read_text()


async def test_all_calls_wait_for_one_import_of_litellm_and_hold_nobody_up(monkeypatch: pytest.MonkeyPatch):
    begun, go_on, imports = threading.Event(), threading.Event(), []

    def slow_import(name: str) -> None:
        imports.append(name)
        begun.set()
        assert go_on.wait(wait_seconds())

    monkeypatch.setattr(answers, "import_module", slow_import)
    turn_seconds = sys.getswitchinterval()
    opened = answers.Answers({})
    waiting = [asyncio.create_task(opened.load_compatible()) for _ in range(3)]

    await asyncio.to_thread(begun.wait, wait_seconds())
    waiting[0].cancel()
    later = asyncio.create_task(opened.load_compatible())
    await asyncio.sleep(0)
    assert not later.done()
    go_on.set()
    await asyncio.gather(later, *waiting[1:])

    assert len(imports) == 1
    assert sys.getswitchinterval() == turn_seconds


async def test_a_host_without_litellm_outlives_the_preparation_of_a_model_for_litellm(monkeypatch: pytest.MonkeyPatch):
    def no_litellm(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(answers, "import_module", no_litellm)
    opened = answers.Answers({})

    assert await opened.prepare(frames.Prepare("hyperbolic/x")) is None
    with pytest.raises(ImportError):
        await opened.compatible(frames.Ask(1, "hyperbolic/x", []), Conversation())
