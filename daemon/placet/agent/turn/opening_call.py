"""Model with a given first answer in a turn: the call which the user has asked for, run as any other call."""

import json
from collections.abc import AsyncIterator

from msgspec import Struct

from placet.core.ids import new_id
from placet.core.messages import JsonObject
from placet.model.base import CallDelta, CallStarted, Finished, Model, ModelEvent, ModelRequest


class OpeningCall(Struct, frozen=True):
    """A model.base.Model which answers a certain message with the call; the real model gives all later answers."""

    model: Model
    message_id: str
    """Id of the user's message which the call answers."""
    tool: str
    arguments: JsonObject

    @property
    def id(self) -> str:
        return self.model.id

    @property
    def context_size(self) -> int | None:
        return self.model.context_size

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        is_first = bool(request.messages) and request.messages[-1].id == self.message_id
        return self._call() if is_first else self.model.stream(request)

    async def _call(self) -> AsyncIterator[ModelEvent]:
        call_id = new_id("call")
        yield CallStarted(call_id, self.tool)
        yield CallDelta(call_id, json.dumps(self.arguments))
        yield Finished("tool_calls")
