"""Requests of the direct way, which are litellm's requests: litellm at the locked version is the judge."""

from typing import Any

import pytest

from model_support.litellm_judge import litellm_sends, we_send
from placet.model import frames

pytestmark = pytest.mark.asyncio(loop_scope="session")

Messages = list[dict[str, Any]]

MODELS = ("openai/gpt-4o", "groq/some-model")
TOOL = {"type": "function", "function": {"name": "read", "description": "Reads.", "parameters": {"type": "object"}}}
PLAIN: Messages = [{"role": "system", "content": "You are a test."}, {"role": "user", "content": "hello"}]


@pytest.mark.parametrize("model", MODELS)
async def test_a_request_is_litellms_request(model: str):
    ask = frames.Ask(1, model, PLAIN, [TOOL])
    environment = {f"{model.partition('/')[0].upper()}_API_KEY": "the-key"}

    assert we_send(ask, environment) == await litellm_sends(ask, environment)
