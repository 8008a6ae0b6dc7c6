"""The client as Placet sees the client: messages to the client, and answers to the requests of either side."""

import itertools
import json
from collections.abc import Callable
from typing import Any, cast

import msgspec

from placet.core.errors import PlacetError
from placet.core.messages import whole_data
from placet.core.outgoing_requests import Json, OutgoingRequests, RequestId

_encode = msgspec.json.Encoder().encode


class ClientGone(PlacetError):
    """The connection to the client is lost."""


class ClientRefused(PlacetError):
    """The client answered a request with an error."""


class Client:
    """Sender of messages to the client; lives as long as the connection, and belongs to the event loop."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        """Make the client; `write` queues a line."""
        self._write = write
        self._ids = itertools.count(1)
        self._requests = OutgoingRequests(
            self._send,
            ids=self._ids,
            refused=_refused,
            lost=lambda: ClientGone("The client is gone."),
            cancellation=_cancellation,
        )

    def notify(self, method: str, params: Any) -> int:
        """Send a notification, and return the number of bytes."""
        line = encode_line({"jsonrpc": "2.0", "method": method, "params": params})
        self._write(line)
        return len(line)

    async def request(self, method: str, params: Any, timeout_seconds: float | None) -> Any:
        """Return the result of a request to the client; without a time limit for questions to a human alone.

        Cancelling the caller sends `$/cancel_request`. Raises ClientGone, ClientRefused, TimeoutError.
        """
        return await self._requests.ask(method, params, timeout_seconds)

    def post(self, method: str, params: Any) -> None:
        """Send a request whose answer nobody waits for, also over a connection whose input is lost."""
        self._send({"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params})

    def answer(self, message_id: RequestId | None, result: Any) -> None:
        self._send({"jsonrpc": "2.0", "id": message_id, "result": result})

    def refuse(self, message_id: RequestId | None, error: Json) -> None:
        """Answer a request with an error."""
        self._send({"jsonrpc": "2.0", "id": message_id, "error": error})

    def take_answer(self, message: Json) -> None:
        """Bring an answer of the client to the asker."""
        self._requests.take_answer(message)

    def lose(self) -> None:
        """Fail every open request with ClientGone: the client is gone."""
        self._requests.lose()

    def _send(self, message: Json) -> None:
        self._write(encode_line(message))


def encode_line(message: Json) -> bytes:
    """Return the message as a line; half characters, which no encoding takes, become U+FFFD."""
    try:
        return _encode(message) + b"\n"
    except UnicodeEncodeError:
        data = whole_data(msgspec.to_builtins(message))
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _cancellation(request_id: RequestId) -> tuple[str, Json]:
    return "$/cancel_request", {"requestId": request_id}


def _refused(error: Any) -> ClientRefused:
    fields = cast("Json", error) if isinstance(error, dict) else {}
    return ClientRefused(str(fields.get("message") or error))
