"""The price of an answer is litellm's price, over all chat models of the table."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import corpus
from model_support.litellm_prices import litellm_cost
from placet.model.frames import Usage
from placet.model.host import model_table
from placet.model.host.catalog import prices

USAGES = (
    Usage(input=1000, output=500, reasoning=0, cache_read=0, cache_write=0),
    Usage(input=1000, output=500, reasoning=200, cache_read=3000, cache_write=700),
    Usage(input=100_000, output=500, reasoning=500, cache_read=0, cache_write=0),
    Usage(input=90_000, output=5, reasoning=0, cache_read=38_000, cache_write=1),
    Usage(input=128_000, output=7, reasoning=3, cache_read=0, cache_write=0),
    Usage(input=200_000, output=7, reasoning=0, cache_read=0, cache_write=0),
    Usage(input=1000, output=7, reasoning=2, cache_read=299_000, cache_write=1000),
    Usage(input=900_000, output=70, reasoning=0, cache_read=0, cache_write=0),
    Usage(input=0, output=0, reasoning=0, cache_read=0, cache_write=0),
)

ASKED_OVER_THE_NETWORK = {"github_copilot", "chatgpt", "ollama"}
"""Providers which litellm asks for their prices: not here."""
UNKNOWN_TO_LITELLM = {"ai21", "anyscale", "coralbricks", "inferenceapis", "openinfer", "scaledown"}
"""Providers with rows in the table, which litellm itself cannot ask."""
NAMES_UNKNOWN_TO_LITELLM = {"azure/mistral-large-latest", "gemini/gemini-exp-1206"}
CACHED_AS_UNCACHED = {"perplexity"}
"""litellm knows one price for all tokens of a prompt here; the rows know more."""

ROWS = model_table.chat_models()
JUDGED = [name for name in ROWS if name.partition("/")[0] not in ASKED_OVER_THE_NETWORK]
NOW = datetime(2026, 11, 23, 5, 30, tzinfo=UTC)


def kind(name: str) -> tuple[str, frozenset[str]]:
    """Return the provider and the names of the prices: what the price is made of, whatever the figures are."""
    return name.partition("/")[0], frozenset(field for field in ROWS[name] if "cost" in field or "pric" in field)


KINDS = {kind(name): name for name in JUDGED}


@corpus("name", KINDS.values())
def test_the_price_is_litellms_price(name: str):
    for usage in USAGES:
        judge(name, usage)


@given(st.sampled_from(JUDGED), st.sampled_from(USAGES))
@settings(max_examples=300)
def test_the_price_of_any_model_is_litellms_price(name: str, usage: Usage):
    judge(name, usage)


def judge(name: str, usage: Usage) -> None:
    provider = name.partition("/")[0]
    if provider in CACHED_AS_UNCACHED and usage != USAGES[0]:
        return
    theirs = litellm_cost(name, usage, NOW)
    if provider in UNKNOWN_TO_LITELLM or name in NAMES_UNKNOWN_TO_LITELLM:
        assert theirs == 0.0
    else:
        assert prices.cost(name, usage, NOW) == pytest.approx(theirs, rel=1e-9, abs=1e-15), usage


@corpus(
    "name",
    [
        "bedrock/converse/anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock/us-east-1/anthropic.claude-sonnet-4-5-20250929-v1:0",
        "openai/ft:gpt-4o-2024-08-06:me::x",
        "ft:gpt-4o-2024-08-06:me::x",
        "litellm_proxy/gpt-4o",
        "gpt-4o",
    ],
)
def test_a_name_that_is_derived_from_a_row_has_the_price_of_the_row(name: str):
    for usage in USAGES[:2]:
        assert prices.cost(name, usage) == pytest.approx(litellm_cost(name, usage))
        assert prices.cost(name, usage) > 0


@corpus("name", ["azure/my-deployment", "openrouter/nobody/knows", "hosted_vllm/x", "x", "ollama/llama3"])
def test_a_model_without_a_row_costs_nothing(name: str):
    assert prices.cost(name, USAGES[1]) == 0.0


def test_cheap_hours_are_litellms():
    models = [name for name, row in ROWS.items() if "off_peak_pricing" in row]
    hours = [NOW + timedelta(minutes=45) * step for step in range(7 * 32)]
    assert models
    for name in models:
        costs = [prices.cost(name, USAGES[1], hour) for hour in hours]
        assert costs == pytest.approx([litellm_cost(name, USAGES[1], hour) for hour in hours])
        assert len(set(costs)) == 2
