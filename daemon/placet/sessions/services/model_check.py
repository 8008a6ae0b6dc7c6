"""Check of a model with a single short call, for a user who has just entered a key. No session takes part."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from placet.core.messages import TextPart, UserMessage
from placet.model.base import ModelEvent, ModelRequest, Remark
from placet.model.select import ready_model
from placet.sessions.services.services import Services

_MOST_TOKENS = 16
"""The smallest limit that every provider takes."""


async def check_model(services: Services, name: str) -> None:
    """Ask the model for a word, and leave at the start of the answer.

    Raises ModelError when the model does not answer, and SettingsError for a name that is no model's.
    """
    model = await ready_model(name, services.settings, services.host)
    request = ModelRequest(
        system=(),
        messages=(UserMessage(parts=(TextPart(text="Reply with OK."),)),),
        tools=(),
        session_id="",
        max_output_tokens=_MOST_TOKENS,
    )
    async with aclosing(cast("AsyncGenerator[ModelEvent, None]", model.stream(request))) as answer:
        async for event in answer:
            if not isinstance(event, Remark):
                return
