"""Messages of the client: each request is answered exactly once, and notifications are handled in order."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar, cast

import msgspec
from msgspec import Struct

from placet.core.errors import PlacetError
from placet.core.framing import Malformed
from placet.core.json.shallow import loads
from placet.core.outgoing_requests import Json, RequestId
from placet.frontends.acp.connection.client import Client
from placet.frontends.acp.connection.rpc_errors import (
    CANCELLED,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    RpcError,
    failed,
    invalid_params,
)

logger = logging.getLogger(__name__)

P = TypeVar("P", bound=Struct)


class AnswerThen(Struct, frozen=True):
    """Result of a request, and work to do once the client has the result."""

    result: Any
    after: Callable[[], None] | None = None


class RequestHandler(Struct, Generic[P], frozen=True):
    """Handler of the requests of a method."""

    params: type[P]
    serve: Callable[[P], Awaitable[Any]]
    """Function for the work; returns the result, or an Answer. Raises RpcError and PlacetError."""


class NotificationHandler(Struct, Generic[P], frozen=True):
    """Handler of the notifications of a method."""

    params: type[P]
    receive: Callable[[P], None]


class Dispatcher:
    """Receiver of the messages of a connection; belongs to the event loop."""

    def __init__(
        self,
        client: Client,
        requests: Mapping[str, RequestHandler[Any]],
        notifications: Mapping[str, NotificationHandler[Any]],
    ) -> None:
        self._client = client
        self._requests = requests
        self._notifications = notifications
        self._serving: dict[RequestId | None, asyncio.Task[Any]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def receive(self, line: bytes | Malformed) -> None:
        """Take a message of the client."""
        if isinstance(line, Malformed):
            self._client.refuse(None, RpcError(PARSE_ERROR, line.reason).dump())
            return
        try:
            message: Any = loads(line)
        except ValueError as error:
            self._client.refuse(None, RpcError(PARSE_ERROR, f"The line is not JSON: {error}").dump())
            return
        if not isinstance(message, dict):
            self._client.refuse(None, RpcError(INVALID_REQUEST, "A message is one JSON object.").dump())
            return
        self._take(cast("Json", message))

    async def close(self) -> None:
        """Cancel all requests at work, and return when all have ended."""
        for task in self._tasks:
            cancel_once(task)
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _take(self, message: Json) -> None:
        message_id, method = message.get("id"), message.get("method")
        if isinstance(message_id, bool) or not isinstance(message_id, int | str | None):
            self._client.refuse(None, RpcError(INVALID_REQUEST, "id: expected an integer or a string").dump())
        elif isinstance(method, str) and "id" in message:
            self._begin(message_id, method, message.get("params"))
        elif isinstance(method, str):
            self._notified(method, message.get("params"))
        elif "id" in message and ("result" in message or "error" in message):
            self._client.take_answer(message)
        else:
            self._client.refuse(message_id, RpcError(INVALID_REQUEST, "method: expected a string").dump())

    def _begin(self, message_id: RequestId | None, method: str, params: Any) -> None:
        task = asyncio.create_task(self._result(method, params), name=f"serve {method}")
        self._serving[message_id] = task
        self._tasks.add(task)
        task.add_done_callback(lambda task: self._end(message_id, task))

    async def _result(self, method: str, params: Any) -> Any:
        if (handler := self._requests.get(method)) is None:
            raise RpcError(METHOD_NOT_FOUND, f"There is no method `{method}`.", {"method": method})
        return await handler.serve(_converted(params, handler.params))

    def _end(self, message_id: RequestId | None, task: "asyncio.Task[Any]") -> None:
        """Answer the request; called once for each request, and the only place of answers."""
        self._tasks.discard(task)
        if self._serving.get(message_id) is task:
            del self._serving[message_id]
        match None if task.cancelled() else task.exception():
            case None if task.cancelled():
                self._client.refuse(message_id, RpcError(CANCELLED, "The request was cancelled.").dump())
            case None:
                answer = task.result() if isinstance(task.result(), AnswerThen) else AnswerThen(task.result())
                self._client.answer(message_id, {} if answer.result is None else answer.result)
                if answer.after is not None:
                    answer.after()
            case RpcError() as error:
                self._client.refuse(message_id, error.dump())
            case PlacetError() as error:
                self._client.refuse(message_id, failed(error).dump())
            case error:
                logger.error("A request failed: %s", task.get_name(), exc_info=error)
                text = "Placet has failed; its log on stderr has details."
                self._client.refuse(message_id, RpcError(INTERNAL_ERROR, text).dump())

    def _notified(self, method: str, params: Any) -> None:
        """Call the handler after the tasks of all earlier requests have begun, as tasks begin in order."""
        if method == "$/cancel_request":
            request_id = cast("Json", params).get("requestId") if isinstance(params, dict) else None
            if isinstance(request_id, int | str) and (task := self._serving.get(request_id)) is not None:
                asyncio.get_running_loop().call_soon(cancel_once, task)
            return
        if (handler := self._notifications.get(method)) is None:
            return
        try:
            converted = _converted(params, handler.params)
        except RpcError as error:
            logger.warning("%s: %s", method, error)
            return
        asyncio.get_running_loop().call_soon(handler.receive, converted)


def cancel_once(task: "asyncio.Task[Any]") -> None:
    """Cancel the task for the first time alone: a second cancellation would break off the orderly end."""
    if not task.done() and not task.cancelling():
        task.cancel()


def _converted(params: Any, kind: type[P]) -> P:
    """Return the params as a value of the kind. Raises RpcError."""
    try:
        return msgspec.convert({} if params is None else params, kind)
    except msgspec.ValidationError as error:
        raise invalid_params(str(error)) from error
