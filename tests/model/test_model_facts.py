"""What the host tells of models, by litellm's own table."""

import os
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from placet.model.client.host import ModelHost

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def host() -> AsyncIterator[ModelHost]:
    """With a key for one provider alone, and a proxy that nothing can pass: no call may leave the process."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")
    host = ModelHost(environment={**environment, **nowhere, "ANTHROPIC_API_KEY": "the-key"})
    yield host
    await host.close()


async def test_models_are_those_of_providers_whose_key_is_there(host: ModelHost):
    told = await host.models(limit=1000)

    assert {facts.name.partition("/")[0] for facts in told.models} == {"anthropic"}
    assert told.total == len(told.models) > 5


async def test_facts_are_sizes_abilities_and_prices(host: ModelHost):
    (facts,) = (await host.models(query="anthropic/claude-sonnet-4-5-20250929")).models

    assert (facts.context_size, facts.output_limit) == (200_000, 64_000)
    assert (facts.vision, facts.tools) == (True, True)
    assert (facts.input_price, facts.output_price) == (3.0, 15.0)


async def test_a_named_model_is_told_first_and_whatever_is_known_of_it(host: ModelHost):
    told = await host.models(limit=2, named=["openai/gpt-4o", "ollama/of-my-own"])

    assert [facts.name for facts in told.models] == ["openai/gpt-4o", "ollama/of-my-own"]
    assert told.models[0].context_size == 128_000
    assert told.models[1].context_size is told.models[1].tools is told.models[1].input_price is None
    assert told.total > 2


async def test_a_query_is_words_in_any_order_and_case(host: ModelHost):
    told = await host.models(query="SONNET claude", named=["openai/gpt-4o"])

    assert told.models
    assert all("sonnet" in facts.name for facts in told.models)


async def test_no_name_is_told_twice(host: ModelHost):
    names = [facts.name for facts in (await host.models(limit=1000, named=["anthropic/claude-sonnet-4-5"])).models]

    assert len(names) == len(set(names))
