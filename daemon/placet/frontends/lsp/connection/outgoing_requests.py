"""Requests sent to the editor and not answered yet. No inquiry outlives its asker or the connection."""

import asyncio
import itertools
import logging
from collections.abc import Callable
from typing import Any, cast

from placet.frontends.lsp.connection.editor_client import PeerError, PeerGone

logger = logging.getLogger(__name__)

Json = dict[str, Any]


class OutgoingRequests:
    """Requests to the editor: each gets a number, and each answer goes to the asker."""

    def __init__(self, send: Callable[[Json], None]) -> None:
        self._send = send
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._numbers = itertools.count(1)
        self._lost = False

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, message_id: object) -> bool:
        return message_id in self._waiting

    async def ask(self, method: str, params: Any, timeout_seconds: float | None) -> Any:
        """Ask the editor (see Peer.request)."""
        if self._lost:
            raise PeerGone("The connection to the editor is lost.")
        inquiry_id = f"placet-{next(self._numbers)}"
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[inquiry_id] = answer
        self._send({"jsonrpc": "2.0", "id": inquiry_id, "method": method, "params": params})
        try:
            async with asyncio.timeout(timeout_seconds):
                return await answer
        except (asyncio.CancelledError, TimeoutError):
            if answer.cancelled() or not answer.done():
                self._send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": inquiry_id}})
            raise
        finally:
            del self._waiting[inquiry_id]
            if answer.done() and not answer.cancelled():
                # An error that came together with our own cancelling is nobody's any more.
                answer.exception()

    def take_answer(self, message: Json) -> None:
        """Bring an answer to the waiting asker; an answer too late is dropped. A missing result is null."""
        message_id = message.get("id")
        answer = self._waiting.get(message_id) if isinstance(message_id, str) else None
        if answer is None or answer.done():
            logger.debug("An answer came to an inquiry that is over")
        elif (error := message.get("error")) is not None:
            answer.set_exception(_peer_error(error))
        else:
            answer.set_result(message.get("result"))

    def lose(self) -> None:
        """Note the loss of the editor: every waiting asker gets PeerGone, and so does every later asker."""
        self._lost = True
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(PeerGone("The connection to the editor is lost."))


def _peer_error(error: Any) -> PeerError:
    fields = cast("Json", error) if isinstance(error, dict) else {}
    code, message = fields.get("code"), fields.get("message")
    return PeerError(code if isinstance(code, int) else -32603, message if isinstance(message, str) else str(error))
