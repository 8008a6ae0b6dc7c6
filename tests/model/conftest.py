"""One real model host for all tests of the session (it takes seconds to start), and a scripted server for each."""

from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio

from model_support.opened_host import open_host
from placet.model.client.host import HostedModel, ModelHost
from placet.settings import ModelSettings, Settings
from wire_servers.server import Wire, WireServer

NAMES: dict[Wire, str] = {
    "openai": "openai/gpt-4o",
    "anthropic": "anthropic/claude-sonnet-4-5",
    "responses": "openai/gpt-5-codex",
    "gemini": "gemini/gemini-2.5-flash",
}
KEYS = {
    "OPENAI_API_KEY": "the-openai-key",
    "ANTHROPIC_API_KEY": "the-anthropic-key",
    "GEMINI_API_KEY": "the-gemini-key",
}

OpenModel = Callable[..., HostedModel]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def host() -> AsyncIterator[ModelHost]:
    async with open_host(KEYS) as host:
        yield host


@pytest_asyncio.fixture(loop_scope="session")
async def server() -> AsyncIterator[WireServer]:
    async with WireServer() as server:
        yield server


@pytest.fixture(params=list(NAMES))
def wire(request: pytest.FixtureRequest) -> Wire:
    return request.param


@pytest.fixture
def open_model(host: ModelHost, server: WireServer) -> OpenModel:
    """A model of the host that asks the scripted server over a wire."""

    def open_model(wire: Wire, **options: object) -> HostedModel:
        base = server.base(wire)
        return host.model(
            NAMES[wire], Settings(model_options=ModelSettings.model_validate({"apiBase": base, **options}))
        )

    return open_model
