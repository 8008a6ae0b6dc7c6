"""pygls's protocol with its faults mended: messages come through whole, and each request gets exactly one answer.

MendedProtocol overrides the methods of pygls that are at fault, and no others. A test in
tests/frontends/lsp/test_defects.py shows the fault of each on a stock server, and OVERRIDES there names the test.
"""

import asyncio
import inspect
import json
import logging
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import Context, ContextVar, copy_context
from functools import partial
from typing import Any, Literal, cast

import attrs
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
)

from placet.core.framing import frame
from placet.frontends.lsp.protocol.standard import unfit

logger = logging.getLogger(__name__)
# pygls logs messages with their content; the faults in a handler are logged below.
logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)

MessageId = str | int | None
Json = dict[str, Any]
State = Literal["new", "ready", "shut down", "lost"]

_PLAIN = frozenset({types.INITIALIZE, types.WORKSPACE_APPLY_EDIT})
"""Methods whose params and results stay JSON: `initialize`, which the handshake reads before lsprotocol is loaded, and
`workspace/applyEdit`, whose member `agent` the type of LSP would lose. (frontends/lsp/ports/apply_edit.py has the
types.)
"""
_METHOD: ContextVar[str] = ContextVar("method")
"""Method of the message in work, for messages about errors."""


class MendedProtocol(LanguageServerProtocol):
    """Protocol of one connection. Handlers are pygls features, called at once and in the order of the messages; an
    asynchronous handler goes on as a task.
    """

    state: State = "new"
    """State of the connection (LSP 3.17, Server lifecycle); the subclass moves the state."""

    def _register_builtin_features(self) -> None:
        """Register none of pygls's features: these keep documents of their own, end the process at `exit`, and let a
        cancelled command run on. The subclass has features in their place.
        """

    # ---------------------------------------------------------------- from the editor

    def handle_message(self, message: Any) -> None:
        """Take one message as JSON. Never raises: a fault in a request becomes the request's answer, a fault in a
        notification is logged.
        """
        if not isinstance(message, dict):
            self.refuse(None, JsonRpcInvalidRequest("A message is a JSON object; batches are not served."))
            return
        fields = cast("Json", message)
        message_id, method = fields.get("id"), fields.get("method")
        if message_id is not None and (isinstance(message_id, bool) or not isinstance(message_id, str | int)):
            self.refuse(None, JsonRpcInvalidRequest("An id is a string or an integer."))
        elif isinstance(method, str) and "id" in fields:
            try:
                self._check_request(message_id, method)
                params = self._structured(fields).params
            except JsonRpcException as error:
                self.refuse(message_id, error)
            else:
                _context_of(method).run(self._handle_request, cast("Any", message_id), method, params)
        elif isinstance(method, str):
            self._take_notification(method, fields)
        elif "method" not in fields and ("result" in fields or "error" in fields or self.is_asked(message_id)):
            self._take_answer(message_id, fields)
        else:
            self.refuse(message_id, JsonRpcInvalidRequest("A message has a `method`, a `result` or an `error`."))

    def _structured(self, fields: Json) -> Any:
        """Return the message as pygls's or lsprotocol's type. Raises JsonRpcException."""
        try:
            # Params may be absent, and some editors leave the version of JSON-RPC out.
            return self.structure_message({"params": None, **fields, "jsonrpc": self.VERSION})
        except JsonRpcException as error:
            raise JsonRpcInvalidParams(unfit(error.__cause__ or error)) from error

    def _check_request(self, message_id: MessageId, method: str) -> None:
        """Raise the error which keeps a request from being served (LSP 3.17, Server lifecycle)."""
        if self.state in ("shut down", "lost"):
            raise JsonRpcInvalidRequest(f"`{method}` came after `shutdown`.")
        if method == types.INITIALIZE and self.state != "new":
            raise JsonRpcInvalidRequest("`initialize` may be sent only once.")
        if method != types.INITIALIZE and self.state == "new":
            raise JsonRpcServerNotInitialized(f"`{method}` came before `initialize`.")
        if message_id in self._request_futures:
            raise JsonRpcInvalidRequest("A request with this id is still in work.")
        if not self._is_served(method):
            raise JsonRpcMethodNotFound.of(method)

    def _is_served(self, method: str) -> bool:
        """Return whether the params are to be read: editors send many messages that no server has to know."""
        return method in self.fm.features or method in self.fm.builtin_features or method == types.CANCEL_REQUEST

    def _take_notification(self, method: str, fields: Json) -> None:
        if method != types.EXIT and self.state != "ready":
            logger.debug("Dropped `%s`: the connection is %s", method, self.state)
            return
        if not self._is_served(method):
            return
        try:
            params = self._structured(fields).params
        except JsonRpcException as error:
            logger.warning("Dropped `%s`, which is malformed: %s", method, error.message)
        else:
            _context_of(method).run(self._handle_notification, method, params)

    def _take_answer(self, message_id: MessageId, fields: Json) -> None:
        """Bring an answer to its asker. A missing result is null, and so is an error of null."""
        future = self._request_futures.get(cast("Any", message_id))
        if future is None or future.done() or not self.is_asked(message_id):
            logger.debug("An answer came to a request that is over")
            return
        names = ("id", "result") if fields.get("error") is None else ("id", "error")
        try:
            answer = self._structured({name: fields.get(name) for name in names})
        except JsonRpcException as error:
            future.set_exception(JsonRpcInternalError(f"a malformed answer: {error.message}"))
        else:
            result, error = getattr(answer, "result", None), getattr(answer, "error", None)
            self._handle_response(cast("Any", message_id), result, error)

    def is_asked(self, message_id: MessageId) -> bool:
        """Return whether the id is of a request to the editor that the editor has not answered."""
        future = self._request_futures.get(cast("Any", message_id))
        return future is not None and not isinstance(future, asyncio.Task)

    # The caches of pygls would keep every connection of a shared daemon.

    def get_message_type(self, method: str) -> type[Any] | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the type of a message of LSP; None for any other message."""
        return None if method in _PLAIN else types.METHOD_TO_TYPES.get(method, (None,))[0]

    def get_result_type(self, method: str) -> type[Any] | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the type of the answer to a request of LSP; None for any other request."""
        return None if method in _PLAIN else types.METHOD_TO_TYPES.get(method, (None, None))[1]

    def _execute_handler(
        self,
        msg_id: Any,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Call the handler, and go on with an awaitable result as a task; the task leaves the table at its end."""
        future: Future[Any] = Future()
        try:
            outcome = handler(*(args or ()), **(kwargs or {}))
        except Exception as error:  # noqa: BLE001 - the edge of every handler: the callback tells the error.
            future.set_exception(error)
        else:
            if inspect.isawaitable(outcome):
                task = self._request_futures[msg_id] = cast("Any", asyncio.ensure_future(outcome))
                task.add_done_callback(partial(self._forget, msg_id))
                task.add_done_callback(callback)
                return
            future.set_result(outcome)
        callback(future)

    def _forget(self, msg_id: Any, _task: "asyncio.Future[Any]") -> None:
        self._request_futures.pop(msg_id, None)

    def _send_handler_result(self, future: Future[Any], *, msg_id: Any) -> None:
        """Answer a request: with the handler's error, where the handler failed, and without our paths and our trace."""
        error = _error_of(future)
        if error is None:
            try:
                self._send_response(msg_id, future.result())
            except (TypeError, ValueError, RecursionError) as unsendable:
                error = _presentable(unsendable)
        if error is not None:
            self._send_response(msg_id, error=error.to_response_error())

    def _check_handler_result(self, future: Future[Any]) -> None:
        """Log the error of a handler whose result has no reader. The user gets no message."""
        if not future.cancelled():
            _error_of(future)

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        """Cancel a request in work. A request just received gets its first step before, and so can react."""
        if isinstance(msg_id, str | int) and isinstance(task := self._request_futures.get(msg_id), asyncio.Task):
            asyncio.get_running_loop().call_soon(task.cancel)

    # ---------------------------------------------------------------- to the editor

    def refuse(self, message_id: MessageId, error: JsonRpcException) -> None:
        """Answer with an error. The id is None where the message has no id that can be read."""
        self._send_response(cast("Any", message_id), error=error.to_response_error())

    def _serialize_message(self, data: Any) -> Any:
        """Return a value of lsprotocol as JSON. Raises TypeError for any other object. (pygls sends the attributes.)"""
        if attrs.has(type(data)):
            return self._converter.unstructure(data)
        raise TypeError(f"{type(data).__name__} has no form in JSON")

    def _send_data(self, data: Any) -> None:
        """Queue one message. Only the loop may call this method. Raises TypeError, ValueError or RecursionError for a
        message without a form in JSON.
        """
        if self.writer is not None and self.state != "lost":
            self.writer.write(frame(_encode(self._fields(data), self._serialize_message)))

    def _fields(self, message: Any) -> Json:
        """Return the members of a message. Params of our own messages are JSON already, and may be long."""
        if isinstance(message, JsonRPCNotification | JsonRPCRequestMessage | JsonRPCResponseMessage):
            fields = attrs.asdict(message, recurse=False)
        else:
            fields = self._converter.unstructure(message)
        if isinstance(message, types.ResponseErrorMessage):
            fields["id"] = message.id  # The converter leaves an id of null out.
        if fields.get("params", message) is None:
            del fields["params"]
        return fields


def _context_of(method: str) -> Context:
    """Return a context of its own for the work on a message."""
    context = copy_context()
    context.run(_METHOD.set, method)
    return context


def _encode(message: Json, default: Callable[[Any], Any]) -> bytes:
    try:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=default)
        return text.encode()
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8 form, but an escape.
        return json.dumps(message, allow_nan=False, separators=(",", ":"), default=default).encode()


def _error_of(future: Future[Any]) -> JsonRpcException | None:
    """Return the error of a handler's result as the editor may see the error."""
    if future.cancelled():
        return JsonRpcRequestCancelled(f"`{_METHOD.get()}` was cancelled.")
    error = future.exception()
    return None if error is None else _presentable(error)


def _presentable(error: BaseException) -> JsonRpcException:
    """Return the error without our paths and our trace, which go to the log."""
    if isinstance(error, JsonRpcException):
        logger.debug("`%s` was refused with %d", _METHOD.get(), error.code)
        return error
    logger.error("`%s` failed", _METHOD.get(), exc_info=error)
    return JsonRpcInternalError(f"`{_METHOD.get()}` failed inside Placet. See the log for details.")
