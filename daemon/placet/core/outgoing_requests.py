"""Requests sent over a JSON-RPC connection and not answered yet. No request outlives its asker or the connection."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from placet.core.errors import PlacetError

logger = logging.getLogger(__name__)

Json = dict[str, Any]
RequestId = int | str


def lsp_cancellation(request_id: RequestId) -> tuple[str, Json]:
    """Return the method and the params with which LSP cancels a request."""
    return "$/cancelRequest", {"id": request_id}


class OutgoingRequests:
    """Table of the unanswered requests of one connection: each gets an id, and each answer goes to the asker."""

    def __init__(
        self,
        send: Callable[[Json], None],
        *,
        ids: Iterator[RequestId],
        refused: Callable[[Any], Exception],
        lost: Callable[[], Exception],
        cancellation: Callable[[RequestId], tuple[str, Json]] = lsp_cancellation,
    ) -> None:
        """Create the table. `send` may raise a PlacetError where the other end is gone.

        `refused` makes the asker's error from the error of an answer, `lost` the error when the connection is lost.
        `cancellation` makes the method and the params of the notification that cancels a request.
        """
        self._send = send
        self._ids = ids
        self._refused = refused
        self._lost = lost
        self._cancellation = cancellation
        self._waiting: dict[RequestId | float, asyncio.Future[Any]] = {}
        self._is_lost = False

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, request_id: object) -> bool:
        return request_id in self._waiting

    async def ask(self, method: str, params: Any, timeout_seconds: float | None) -> Any:
        """Send the request and return the result; a late or cancelled request is cancelled at the other end.

        Raises TimeoutError, and the errors of `send`, `refused` and `gone`.
        """
        if self._is_lost:
            raise self._lost()
        request_id = next(self._ids)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = answer
        try:
            self._send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
            async with asyncio.timeout(timeout_seconds):
                return await answer
        except (asyncio.CancelledError, TimeoutError):
            if answer.cancelled() or not answer.done():
                method, params = self._cancellation(request_id)
                with suppress(PlacetError):
                    self._send({"jsonrpc": "2.0", "method": method, "params": params})
            raise
        finally:
            del self._waiting[request_id]
            if answer.done() and not answer.cancelled():
                # Nobody asks any more for an error that came together with the cancelling.
                answer.exception()

    def take_answer(self, message: Json) -> None:
        """Bring an answer to the waiting asker; an answer too late is dropped. A missing result is null."""
        request_id = message.get("id")
        answer = self._waiting.get(request_id) if isinstance(request_id, int | float | str) else None
        if answer is None or answer.done():
            logger.debug("An answer came to a request that is over")
        elif (error := message.get("error")) is not None:
            answer.set_exception(self._refused(error))
        else:
            answer.set_result(message.get("result"))

    def lose(self) -> None:
        """Note the loss of the connection: every waiting asker gets the error of `gone`, and so does a later asker."""
        self._is_lost = True
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(self._lost())
