"""Encrypted thinking of OpenAI's Responses API, which a model receives again with the next step.

https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from placet.model import frames
from placet.model.host import model_table
from placet.model.host.direct.routes import is_for_responses
from placet.model.quirks import REASONING_ITEMS

_INCLUDED = "reasoning.encrypted_content"


def with_sealed_thinking(ask: frames.Ask, environment: Mapping[str, str]) -> frames.Ask:
    """Return the ask with the wish to get the thinking encrypted, where OpenAI's model thinks."""
    provider, _, name = ask.model.partition("/")
    thinks = model_table.row(f"openai/{name.removeprefix('responses/')}").get("supports_reasoning")
    if provider != "openai" or not thinks or not is_for_responses(ask, environment):
        return ask
    include = [*ask.options.get("include", ())]
    if _INCLUDED in include:
        return ask
    return msgspec.structs.replace(ask, options={**ask.options, "include": [*include, _INCLUDED]})


def without_items(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages for a wire that does not know the items."""
    return [{key: value for key, value in message.items() if key != REASONING_ITEMS} for message in messages]
