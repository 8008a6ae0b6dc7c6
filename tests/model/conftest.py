"""One real model host for all tests of the session (it takes seconds to start), and a scripted server for each."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from model_support.opened_host import open_host
from model_support.wires import OpenModel, opener
from placet.model.client.host import ModelHost
from wire_servers.server import WireServer

KEYS = {
    "OPENAI_API_KEY": "the-openai-key",
    "ANTHROPIC_API_KEY": "the-anthropic-key",
    "GEMINI_API_KEY": "the-gemini-key",
    **{f"{name}_API_KEY": "none" for name in ("DEEPSEEK", "MISTRAL", "MOONSHOT", "OPENROUTER", "AZURE", "DATABRICKS")},
    "AZURE_API_VERSION": "2024-10-21",
    "SNOWFLAKE_ACCOUNT_ID": "mine",
    "SNOWFLAKE_JWT": "none",
    "AWS_REGION_NAME": "us-east-1",
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
}


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def host() -> AsyncIterator[ModelHost]:
    async with open_host(KEYS) as host:
        yield host


@pytest_asyncio.fixture(loop_scope="session")
async def server() -> AsyncIterator[WireServer]:
    async with WireServer() as server:
        yield server


@pytest.fixture
def open_model(host: ModelHost, server: WireServer) -> OpenModel:
    return opener(host, server)
