"""The host rests when nothing is asked of it, and is there again before it is missed; how often it is started again."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from model_support.asking import answer, failure, text_of
from model_support.hosts import THROUGH_LITELLM, package, until_ended
from placet.model.client.host import ModelHost
from placet.model.client.restarts import Restarts
from placet.settings import ModelSettings, Settings
from wire_servers.answers import Text, Wait
from wire_servers.server import WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def resting() -> AsyncIterator[ModelHost]:
    """A host that ends half a second after its last call."""
    host = ModelHost(environment={**os.environ, "OPENAI_API_KEY": "the-openai-key"}, idle_seconds=0.5)
    yield host
    await host.close()


def settings(server: WireServer) -> Settings:
    return Settings(model_options=ModelSettings(api_base=server.openai_base))


async def test_an_idle_host_ends_and_is_warmed_again_for_the_next_call(resting: ModelHost, server: WireServer):
    server.play([(Text("one"),), (Text("two"),)])
    model = resting.model("openai/gpt-4o", settings(server))
    assert text_of(await answer(model)) == "one"

    await until_ended(resting)
    assert model.context_size == 128_000, "what is known of a model is kept"
    await resting.warm()
    warmed = resting.process_id
    assert warmed is not None
    assert text_of(await answer(model)) == "two"
    assert resting.process_id == warmed


async def test_an_idle_host_is_started_by_a_call_as_well(resting: ModelHost, server: WireServer):
    server.play([(Text("one"),)])
    await resting.start()
    await until_ended(resting)

    assert text_of(await answer(resting.model("openai/gpt-4o", settings(server)))) == "one"


async def test_a_host_with_a_call_in_progress_is_not_idle(resting: ModelHost, server: WireServer):
    go = asyncio.Event()
    server.play([(Text("one", pieces=1), Wait(go), Text(" two"))])
    call = asyncio.create_task(answer(resting.model("openai/gpt-4o", settings(server))))
    await server.wait_for_requests(1)
    await asyncio.sleep(0.8)  # Longer than it may be idle: nothing but time can show that it stays.

    go.set()

    assert text_of(await call) == "one two"


async def test_a_host_that_serves_no_model_is_not_warmed(resting: ModelHost):
    await resting.warm()

    assert resting.process_id is None


async def test_closing_an_idle_host_waits_for_its_process(server: WireServer):
    """Resting begins in the loop's next turn, and ends there too."""
    host = ModelHost(idle_seconds=1e-9)
    await host.ready()
    assert host.process_id is not None
    process = psutil.Process(host.process_id)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert host.process_id is None

    await host.close()

    assert not process.is_running()


async def test_a_host_that_keeps_dying_is_left_alone_for_a_while(tmp_path: Path):
    host = ModelHost(environment=package(tmp_path, "litellm", "import os; os._exit(3)"))
    host._restarts = Restarts(lambda: 0.0)  # Its rest is not over before we look.
    model = host.model("openai/gpt-4o", THROUGH_LITELLM)

    errors = [(await failure(model))[1] for _ in range(4)]
    begun = host.process_id
    await host.close()

    assert all("exit code 3" in error.message for error in errors[:3])
    assert "3 times in a row" in errors[3].message
    assert "model-host.log" in errors[3].hint
    assert errors[3].code == "host_died"
    assert errors[3].retry_after is not None
    assert 0 < errors[3].retry_after <= 1
    assert begun is None, "it was started again all the same"
