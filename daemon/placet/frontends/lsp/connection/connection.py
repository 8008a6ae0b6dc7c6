"""JSON-RPC with one editor by pygls, whose protocol loses, corrupts or tells messages in some places. Connection
overrides the methods at fault, and no others; `OVERRIDES` in tests/frontends/lsp/test_overrides.py names the defect
and the test of each.
"""

import asyncio
import inspect
import json
import logging
import uuid
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from typing import Any, Literal, cast

import attrs
from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
)

from placet.core.framing import Malformed, frame
from placet.frontends.lsp.connection.editor_client import EditorError, EditorGone
from placet.frontends.lsp.connection.profile import Profile
from placet.frontends.lsp.initialize import experimental
from placet.frontends.lsp.protocol.standard import unfit

logger = logging.getLogger(__name__)
# pygls logs messages with their content; the faults in a handler are logged below.
logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)

MessageId = str | int | None
Json = dict[str, Any]
State = Literal["new", "ready", "shut down", "lost"]

_SHUTDOWN_SECONDS = 5.0
_PLAIN = frozenset({types.INITIALIZE, types.WORKSPACE_APPLY_EDIT})
"""Methods whose params and results stay JSON: `initialize`, which the handshake reads before lsprotocol is loaded, and
`workspace/applyEdit`, whose member `agent` the type of LSP would lose. (frontends/lsp/ports/apply_edit.py has the
types.)
"""


class Connection(LanguageServerProtocol):
    """Connection to one editor; an EditorClient. The connection belongs to the event loop in which the connection was
    made.

    Handlers are pygls features, called at once and in the order of the messages; an asynchronous handler goes on as a
    task of this connection, which `$/cancelRequest` cancels.
    """

    def __init__(self, server: Any, converter: Any) -> None:
        super().__init__(server, converter)
        self.profile = Profile()
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """Future which resolves with the exit code once the editor has said `exit`, or is gone."""
        self._state: State = "new"
        self._stopping: asyncio.Future[None] | None = None
        """Work of the request `shutdown`; an `exit` right behind waits for the answer."""

    # ---------------------------------------------------------------- the connection's life

    def _register_builtin_features(self) -> None:
        """Register four features in place of pygls's, which keep documents of their own, end the process at `exit`, and
        let a cancelled command run on.
        """
        self.fm.add_builtin_feature(types.INITIALIZE, self._initialize)
        self.fm.add_builtin_feature(types.SHUTDOWN, self._shut_down)
        self.fm.add_builtin_feature(types.EXIT, self._exit)
        self.fm.add_builtin_feature(types.WORKSPACE_EXECUTE_COMMAND, self._start_command)

    def _initialize(self, params: Any) -> types.InitializeResult:
        """Answer by the declared features. The feature `initialize` of the server may refuse the params."""
        if not isinstance(params, dict):
            raise JsonRpcInvalidParams("params: expected an object")
        profile = Profile.of(cast("Json", params))
        self.profile = profile
        self.fm.features[types.INITIALIZE](params)
        capabilities = ServerCapabilitiesBuilder(
            types.ClientCapabilities(),
            set(self.fm.features),
            self.fm.feature_options,
            list(self.fm.commands),
            types.TextDocumentSyncKind.Incremental,
            position_encoding=profile.position_encoding,
        ).build()
        if not profile.is_generic:
            # A plugin has commands of its own, and VS Code would register these commands over them.
            capabilities.execute_command_provider = None
        if capabilities.workspace is not None:
            capabilities.workspace.file_operations = None
        capabilities.experimental = experimental()
        self._state = "ready"
        return types.InitializeResult(capabilities=capabilities, server_info=self.server_info)

    def _shut_down(self, _params: Any) -> Awaitable[None]:
        """Note the end at once, as `exit` may be right behind; return the stop of the work in progress."""
        self._state = "shut down"
        self._stopping = asyncio.ensure_future(self._stop_others())
        return self._stopping

    async def _stop_others(self) -> None:
        """Stop the work in progress; `shutdown` is answered once each of the stopped requests has its own answer."""
        others = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others, timeout=_SHUTDOWN_SECONDS)

    def _exit(self, _params: Any) -> None:
        if self._stopping is None:
            self.lose()
        else:
            self._stopping.add_done_callback(lambda _: self.lose())

    def _start_command(self, params: types.ExecuteCommandParams) -> None:
        """Start a command as a task of its own: some editors stand still until a command is answered.

        A command is a pygls command taking its arguments as one list.
        """
        if (command := self.fm.commands.get(params.command)) is None:
            raise JsonRpcInvalidParams(f"command: there is no command `{params.command}`")
        self._execute_handler(str(uuid.uuid4()), command, self._check_handler_result, ([*(params.arguments or ())],))

    @property
    def is_leaving(self) -> bool:
        """Return whether the editor has said `shutdown`, or is gone."""
        return self._state in ("shut down", "lost")

    def lose(self) -> None:
        """Note the end of the connection: the editor has said `exit`, the pipe is closed, or the editor's process is
        gone.
        """
        if not self.ended.done():
            self.ended.set_result(0 if self._state == "shut down" else 1)
        self._state = "lost"
        for message_id, future in self._request_futures.items():
            if self._is_asked(message_id) and not future.done():
                future.set_exception(_gone())

    async def close(self) -> None:
        """Cancel all work for this editor, and wait until the work has stopped."""
        self.lose()
        tasks = self._tasks
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def _tasks(self) -> list[asyncio.Task[Any]]:
        """Tasks of all work: requests, notifications, commands."""
        return [future for future in self._request_futures.values() if isinstance(future, asyncio.Task)]

    def _is_asked(self, message_id: MessageId) -> bool:
        """Return whether the id is of a request to the editor that the editor has not answered."""
        future = self._request_futures.get(cast("Any", message_id))
        return future is not None and not isinstance(future, asyncio.Task)

    @property
    def unanswered_requests(self) -> int:
        """Number of requests to the editor that the editor has not answered."""
        return sum(map(self._is_asked, self._request_futures))

    # ---------------------------------------------------------------- from the editor

    def receive(self, body: bytes | Malformed) -> None:
        """Take one message as read from the wire. Never raises."""
        if isinstance(body, Malformed):
            self._refuse(None, JsonRpcParseError(f"Not a message: {body.reason}."))
            return
        try:
            message = json.loads(body)
        except (ValueError, RecursionError) as error:
            self._refuse(None, JsonRpcParseError(f"Not JSON: {error}."))
            return
        self.handle_message(message)

    def handle_message(self, message: Any) -> None:
        """Take one message as JSON. Never raises: a fault in a request becomes the request's answer, a fault in a
        notification is logged.
        """
        if not isinstance(message, dict):
            self._refuse(None, JsonRpcInvalidRequest("A message is a JSON object; batches are not served."))
            return
        fields = cast("Json", message)
        message_id, method = fields.get("id"), fields.get("method")
        if message_id is not None and (isinstance(message_id, bool) or not isinstance(message_id, str | int)):
            self._refuse(None, JsonRpcInvalidRequest("An id is a string or an integer."))
        elif isinstance(method, str) and "id" in fields:
            try:
                self._check_request(message_id, method)
                params = self._structured(fields).params
            except JsonRpcException as error:
                self._refuse(message_id, error)
            else:
                copy_context().run(self._handle_request, cast("Any", message_id), method, params)
        elif isinstance(method, str):
            self._take_notification(method, fields)
        elif "method" not in fields and ("result" in fields or "error" in fields or self._is_asked(message_id)):
            self._take_answer(message_id, fields)
        else:
            self._refuse(message_id, JsonRpcInvalidRequest("A message has a `method`, a `result` or an `error`."))

    def _structured(self, fields: Json) -> Any:
        """Return the message as pygls's or lsprotocol's type. Raises JsonRpcException."""
        try:
            # Params may be absent, and some editors leave the version of JSON-RPC out.
            return self.structure_message({"params": None, **fields, "jsonrpc": self.VERSION})
        except JsonRpcException as error:
            raise JsonRpcInvalidParams(unfit(error.__cause__ or error)) from error

    def _check_request(self, message_id: MessageId, method: str) -> None:
        """Raise the error which keeps a request from being served (LSP 3.17, Server lifecycle)."""
        if self._state in ("shut down", "lost"):
            raise JsonRpcInvalidRequest(f"`{method}` came after `shutdown`.")
        if method == types.INITIALIZE and self._state != "new":
            raise JsonRpcInvalidRequest("`initialize` may be sent only once.")
        if method != types.INITIALIZE and self._state == "new":
            raise JsonRpcServerNotInitialized(f"`{method}` came before `initialize`.")
        if message_id in self._request_futures:
            raise JsonRpcInvalidRequest("A request with this id is still in work.")

    def _take_notification(self, method: str, fields: Json) -> None:
        if method != types.EXIT and self._state != "ready":
            logger.debug("Dropped `%s`: the connection is %s", method, self._state)
            return
        try:
            params = self._structured(fields).params
        except JsonRpcException as error:
            logger.warning("Dropped `%s`, which is malformed: %s", method, error.message)
        else:
            copy_context().run(self._handle_notification, method, params)

    def _take_answer(self, message_id: MessageId, fields: Json) -> None:
        """Bring an answer to its asker. A missing result is null, and so is an error of null."""
        future = self._request_futures.get(cast("Any", message_id))
        if future is None or future.done() or not self._is_asked(message_id):
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

    async def request(self, method: str, params: Any, *, timeout_seconds: float | None = None) -> Any:
        """Send a request (see EditorClient)."""
        if self._state == "lost":
            raise _gone()
        request_id = str(uuid.uuid4())
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        try:
            self.send_request(method, params, msg_id=request_id)
            # pygls's own future is one of threads, and wakes the asker behind the messages that come after the answer.
            self._request_futures[request_id] = cast("Any", answer)
            async with asyncio.timeout(timeout_seconds):
                return await answer
        except JsonRpcException as error:
            raise EditorError(error.code, error.message) from error
        except (asyncio.CancelledError, TimeoutError):
            if answer.cancelled() or not answer.done():
                self.notify(types.CANCEL_REQUEST, types.CancelParams(id=request_id))
            raise
        finally:
            self._request_futures.pop(request_id, None)
            self._result_types.pop(request_id, None)
            if answer.done() and not answer.cancelled():
                # Nobody asks any more for an error that came together with the cancelling.
                answer.exception()

    def has_room(self) -> bool:
        """Return whether the editor reads as fast as Placet writes; if not, messages that can be put together should
        be.
        """
        return bool(getattr(self.writer, "has_room", True))

    def _refuse(self, message_id: MessageId, error: JsonRpcException) -> None:
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
        if self.writer is not None and self._state != "lost":
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


def _encode(message: Json, default: Callable[[Any], Any]) -> bytes:
    try:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=default)
        return text.encode()
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8 form, but an escape.
        return json.dumps(message, allow_nan=False, separators=(",", ":"), default=default).encode()


def _gone() -> EditorGone:
    return EditorGone("The connection to the editor is lost.")


def _error_of(future: Future[Any]) -> JsonRpcException | None:
    """Return the error of a handler's result as the editor may see the error."""
    if future.cancelled():
        return JsonRpcRequestCancelled("The request was cancelled.")
    error = future.exception()
    return None if error is None else _presentable(error)


def _presentable(error: BaseException) -> JsonRpcException:
    """Return the error without our paths and our trace, which go to the log."""
    if isinstance(error, JsonRpcException):
        logger.debug("A message was refused with %d", error.code)
        return error
    logger.error("A handler failed", exc_info=error)
    return JsonRpcInternalError("The request failed inside Placet. See the log for details.")
