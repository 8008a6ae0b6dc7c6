"""What a server says, on its way to the SDK: no faster than can be served, and lists of tools without what spoils them.

One tool that is not as MCP has it makes the SDK refuse the whole list, and one result that does not fit its own
declared schema the whole result. Neither is the model's fault, so the one is left out and the schema not looked at.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol, Self, cast

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCResponse

from placet.messages import JsonObject

logger = logging.getLogger(__name__)

MOST_A_SECOND = 1000
"""Messages; a server that says more is read more slowly, and so has to wait."""


class Incoming(Protocol):
    async def receive(self) -> SessionMessage | Exception: ...
    async def aclose(self) -> None: ...


class WatchedStream:
    """A ReadStream of the SDK's around another."""

    def __init__(self, name: str, inner: Incoming, end: Callable[[], None]) -> None:
        self._name = name
        self._inner = inner
        self._end = end
        self._began = 0.0
        self._count = 0

    @property
    def last_context(self) -> Any:
        """The SDK's HTTP transports tell by it which request a message belongs to."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        await self._keep_pace()
        try:
            message = await self._inner.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._end()
            raise
        if isinstance(message, SessionMessage) and isinstance(message.message, JSONRPCResponse):
            mend_tools(self._name, message.message.result)
        return message

    async def aclose(self) -> None:
        self._end()
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _keep_pace(self) -> None:
        moment = time.monotonic()
        if moment - self._began >= 1:
            self._began, self._count = moment, 0
        self._count += 1
        if self._count > MOST_A_SECOND:
            await asyncio.sleep(max(0.0, self._began + 1 - moment))


def mend_tools(name: str, result: JsonObject) -> None:
    """In a result that lists tools, leave out those that are none, and what they say of their results."""
    tools = result.get("tools")
    if not isinstance(tools, list):
        return
    kept: list[Any] = []
    for tool in cast("list[Any]", tools):
        schema = tool.get("inputSchema") if isinstance(tool, dict) else None
        if isinstance(schema, dict) and schema.get("type", "object") == "object" and isinstance(tool.get("name"), str):
            kept.append({**_without(tool, "outputSchema"), "inputSchema": {**schema, "type": "object"}})
        else:
            shown = tool.get("name") if isinstance(tool, dict) else tool
            logger.warning("The MCP server %s has a tool that cannot be used: %.100r", name, shown)
    result["tools"] = kept


def _without(tool: JsonObject, key: str) -> JsonObject:
    return {name: value for name, value in tool.items() if name != key}
