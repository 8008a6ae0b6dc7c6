"""Filter on a server's messages to the SDK: a limit on speed, results without entries that cannot be read, and texts
without the passwords that the user gave for the server.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Any, Protocol, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCResponse, jsonrpc_message_adapter

from placet.extensions.mcp.inputs.redaction import NO_REDACTION, Redaction
from placet.extensions.mcp.transport.lenient_messages import mend_result

_SPOKEN = ("params", "result", "error")
"""Parts of a message with texts of the server."""
MOST_A_SECOND = 1000
"""Limit on messages per second; a server with more messages is read more slowly, and so has to wait."""


class Incoming(Protocol):
    async def receive(self) -> SessionMessage | Exception: ...
    async def aclose(self) -> None: ...


class WatchedStream:
    """ReadStream of the SDK around another ReadStream."""

    def __init__(
        self,
        name: str,
        inner: Incoming,
        end: Callable[[], None],
        version: Callable[[], str],
        redaction: Redaction = NO_REDACTION,
    ) -> None:
        self._redaction = redaction
        self._name = name
        self._inner = inner
        self._end = end
        self._version = version
        self._began = 0.0
        self._count = 0

    @property
    def last_context(self) -> Any:
        """Context of the last message; the SDK's HTTP transports use the context to find the message's request."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        await self._keep_pace()
        try:
            message = await self._inner.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._end()
            raise
        if isinstance(message, SessionMessage):
            if self._redaction:
                message = self._redacted(message)
            if isinstance(message.message, JSONRPCResponse):
                mend_result(self._name, self._version, message.message.result)
        return message

    def _redacted(self, message: SessionMessage) -> SessionMessage:
        written = message.message.model_dump(mode="json", by_alias=True, exclude_unset=True)
        spoken = {key: value for key, value in written.items() if key in _SPOKEN}
        redacted = {**written, **self._redaction.value(spoken)}
        return replace(message, message=jsonrpc_message_adapter.validate_python(redacted, by_name=False))

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
