"""JSON-RPC with one editor, on pygls's feature registry, with the faults of pygls 2.1 mended.

Messages stay plain JSON from end to end: no key is renamed, lost or rejected. Every request gets exactly one answer,
and no content of a message gets into a log.
"""

import asyncio
import inspect
import itertools
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Literal, NoReturn, cast

from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol

from placet.core.framing import Malformed, frame
from placet.core.outgoing_requests import OutgoingRequests
from placet.frontends.lsp.connection.editor_client import EditorError, EditorGone
from placet.frontends.lsp.connection.profile import Profile

logger = logging.getLogger(__name__)

MessageId = str | int | None
Json = dict[str, Any]
Handler = Callable[[Any], Any]
"""Function taking plain params, and returning a result or an awaitable of a result."""
State = Literal["new", "ready", "shut down", "lost"]

_SHUTDOWN_SECONDS = 5.0


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
        self.outgoing_requests = OutgoingRequests(
            self._send_data,
            ids=(f"placet-{number}" for number in itertools.count(1)),
            refused=_peer_error,
            lost=_editor_gone,
        )
        self._state: State = "new"
        self._working: dict[MessageId, asyncio.Task[None]] = {}
        """Tasks of the requests in work, by message id."""
        self._tasks: set[asyncio.Task[None]] = set()
        """Tasks of all work: requests, notifications, commands."""
        self._shutdown: asyncio.Task[None] | None = None
        """Task of the request `shutdown`; an `exit` right behind waits for the answer."""

    def _register_builtin_features(self) -> None:
        """Register no feature of pygls: pygls's features keep documents, and end the process on `exit`. See
        lsp_server.py.
        """

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
        """Take one message. Never raises: a fault in a request becomes the request's answer, a fault in a notification
        is logged.
        """
        if not isinstance(message, dict):
            self._refuse(None, JsonRpcInvalidRequest("A message is a JSON object; batches are not served."))
            return
        fields = cast("Json", message)
        message_id, method = fields.get("id"), fields.get("method")
        if message_id is not None and (isinstance(message_id, bool) or not isinstance(message_id, str | int)):
            self._refuse(None, JsonRpcInvalidRequest("An id is a string or an integer."))
        elif isinstance(method, str) and "id" in fields:
            self._take_request(message_id, method, fields.get("params"))
        elif isinstance(method, str):
            self._take_notification(method, fields.get("params"))
        elif "method" not in fields and (
            "result" in fields or "error" in fields or message_id in self.outgoing_requests
        ):
            self.outgoing_requests.take_answer(fields)
        else:
            self._refuse(message_id, JsonRpcInvalidRequest("A message has a `method`, a `result` or an `error`."))

    def _take_request(self, message_id: MessageId, method: str, params: Any) -> None:
        try:
            self._check_request(message_id, method)
            outcome = self._handler_of(method)(params)
        except Exception as error:  # noqa: BLE001 - the edge of every handler: each error becomes the answer.
            self._refuse(message_id, _presentable(error, method))
        else:
            if inspect.isawaitable(outcome):
                task = self._working[message_id] = self._spawn(self._finish_request(message_id, method, outcome))
                if method == "shutdown":
                    self._shutdown = task
            else:
                self._answer(message_id, outcome)

    def _check_request(self, message_id: MessageId, method: str) -> None:
        """Raise the error which keeps a request from being served (LSP 3.17, Server lifecycle)."""
        if self._state in ("shut down", "lost"):
            raise JsonRpcInvalidRequest(f"`{method}` came after `shutdown`.")
        if method == "initialize" and self._state != "new":
            raise JsonRpcInvalidRequest("`initialize` may be sent only once.")
        if method != "initialize" and self._state == "new":
            raise JsonRpcServerNotInitialized(f"`{method}` came before `initialize`.")
        if message_id in self._working:
            raise JsonRpcInvalidRequest("A request with this id is still in work.")

    def _handler_of(self, method: str) -> Handler:
        match method:
            case "initialize":
                return self._initialize
            case "shutdown":
                return self._shut_down
            case "workspace/executeCommand":
                return self._start_command
            case _ if method in self.fm.features:
                return self.fm.features[method]
            case _:
                raise JsonRpcMethodNotFound.of(method)

    async def _finish_request(self, message_id: MessageId, method: str, outcome: Awaitable[Any]) -> None:
        try:
            result = await outcome
        except asyncio.CancelledError:
            del self._working[message_id]
            self._refuse(message_id, JsonRpcRequestCancelled(f"`{method}` was cancelled."))
            raise
        except Exception as error:  # noqa: BLE001 - the same edge, for a handler that went on as a task.
            del self._working[message_id]
            self._refuse(message_id, _presentable(error, method))
        else:
            del self._working[message_id]
            self._answer(message_id, result)

    def _take_notification(self, method: str, params: Any) -> None:
        if method == "exit" and self._shutdown is not None:
            self._shutdown.add_done_callback(lambda _: self.lose())
        elif method == "exit":
            self.lose()
        elif self._state != "ready":
            logger.debug("Dropped `%s`: the connection is %s", method, self._state)
        elif method == "$/cancelRequest":
            self._cancel_request(params)
        elif handler := self.fm.features.get(method):
            self._run(method, handler, params)

    def _cancel_request(self, params: Any) -> None:
        """Cancel a request in work. A request just received gets its first step before, and so can react."""
        message_id = cast("Json", params).get("id") if isinstance(params, dict) else None
        if isinstance(message_id, str | int) and (task := self._working.get(message_id)):
            asyncio.get_running_loop().call_soon(task.cancel)

    def _run(self, name: str, handler: Handler, argument: Any) -> None:
        """Call a handler whose result has no reader."""
        try:
            outcome = handler(argument)
        except Exception as error:  # noqa: BLE001 - the edge: no answer could carry the error.
            _presentable(error, name)
        else:
            if inspect.isawaitable(outcome):
                self._spawn(self._see_through(name, outcome))

    async def _see_through(self, name: str, outcome: Awaitable[Any]) -> None:
        try:
            await outcome
        except Exception as error:  # noqa: BLE001 - as in _run.
            _presentable(error, name)

    def _spawn(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # ---------------------------------------------------------------- the connection's life

    def _initialize(self, params: Any) -> Any:
        if not isinstance(params, dict):
            raise JsonRpcInvalidParams("params: expected an object")
        self.profile = Profile.of(cast("Json", params))
        result = self.fm.features["initialize"](params)
        self._state = "ready"
        return result

    def _shut_down(self, params: Any) -> Awaitable[None]:
        """Note the end at once, as `exit` may be right behind; return the stop of the work in progress."""
        self._state = "shut down"
        return self._stop_others()

    async def _stop_others(self) -> None:
        """Stop the work in progress; `shutdown` is answered once each of the stopped requests has its own answer."""
        others = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others, timeout=_SHUTDOWN_SECONDS)

    def _start_command(self, params: Any) -> None:
        """Start a command as a task of its own: some editors stand still until a command is answered.

        A command is a pygls command taking its arguments as one list.
        """
        fields = cast("Json", params) if isinstance(params, dict) else {}
        name, arguments = fields.get("command"), fields.get("arguments")
        if not isinstance(name, str) or name not in self.fm.commands:
            raise JsonRpcInvalidParams(f"command: there is no command `{name}`")
        self._run(name, self.fm.commands[name], arguments if isinstance(arguments, list) else [])

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
        self.outgoing_requests.lose()

    async def close(self) -> None:
        """Cancel all work for this editor, and wait until the work has stopped."""
        self.lose()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # ---------------------------------------------------------------- to the editor

    async def request(self, method: str, params: Any, *, timeout_seconds: float | None = None) -> Any:
        """Send a request (see EditorClient)."""
        return await self.outgoing_requests.ask(method, params, timeout_seconds)

    def send_request(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise NotImplementedError: pygls's own requests cannot be cancelled, and wait for ever for an editor which is
        gone.
        """
        raise NotImplementedError("Use Connection.request.")

    def has_room(self) -> bool:
        """Return whether the editor reads as fast as Placet writes; if not, messages that can be put together should
        be.
        """
        return bool(getattr(self.writer, "has_room", True))

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification (see EditorClient)."""
        self._send_data({"jsonrpc": "2.0", "method": method, "params": params})

    def _refuse(self, message_id: MessageId, error: JsonRpcException) -> None:
        failure: Json = {"code": error.code, "message": error.message}
        if error.data is not None:
            failure["data"] = error.data
        self._send_data({"jsonrpc": "2.0", "id": message_id, "error": failure})

    def _answer(self, message_id: MessageId, result: Any) -> None:
        answer = {"jsonrpc": "2.0", "id": message_id, "result": result}
        try:
            self._send_data(answer)
        except (TypeError, ValueError, RecursionError) as error:
            self._refuse(message_id, _presentable(error, "the answer"))

    def _send_data(self, data: Any) -> None:
        """Queue one message. Only the loop may call this method."""
        if self.writer is not None and self._state != "lost":
            self.writer.write(frame(_encode(data)))


def _encode(message: Json) -> bytes:
    if message.get("params", message) is None:
        del message["params"]
    try:
        return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8 form, but an escape.
        return json.dumps(message, allow_nan=False, separators=(",", ":")).encode()


def _presentable(error: Exception, name: str) -> JsonRpcException:
    """Return the error as the editor may see the error: without our paths and our trace, which go to the log."""
    if isinstance(error, JsonRpcException):
        logger.debug("`%s` was refused with %d", name, error.code)
        return error
    logger.error("`%s` failed", name, exc_info=error)
    return JsonRpcInternalError(f"`{name}` failed inside Placet. See the log for details.")


def _peer_error(error: Any) -> EditorError:
    fields = cast("Json", error) if isinstance(error, dict) else {}
    code, message = fields.get("code"), fields.get("message")
    return EditorError(code if isinstance(code, int) else -32603, message if isinstance(message, str) else str(error))


def _editor_gone() -> EditorGone:
    return EditorGone("The connection to the editor is lost.")
