"""Connection to one editor: the connection's life, the editor's messages as read from the wire, and requests."""

import asyncio
import json
import uuid
from collections.abc import Awaitable
from typing import Any, cast

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcParseError

from placet.core.framing import Malformed
from placet.frontends.lsp.connection.editor_client import EditorError, EditorGone
from placet.frontends.lsp.connection.mended_protocol import Json, MendedProtocol
from placet.frontends.lsp.connection.profile import Profile
from placet.frontends.lsp.protocol.methods import EXPERIMENTAL

_SHUTDOWN_SECONDS = 5.0


class Connection(MendedProtocol):
    """Connection to one editor; an EditorClient. The connection belongs to the event loop in which the connection was
    made.
    """

    def __init__(self, server: Any, converter: Any) -> None:
        super().__init__(server, converter)
        self.profile = Profile()
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """Future which resolves with the exit code once the editor has said `exit`, or is gone."""
        self._stopping: asyncio.Future[None] | None = None
        """Work of the request `shutdown`; an `exit` right behind waits for the answer."""
        self.fm.add_builtin_feature(types.INITIALIZE, self._initialize)
        self.fm.add_builtin_feature(types.SHUTDOWN, self._shut_down)
        self.fm.add_builtin_feature(types.EXIT, self._exit)
        self.fm.add_builtin_feature(types.WORKSPACE_EXECUTE_COMMAND, self._start_command)

    def receive(self, body: bytes | Malformed) -> None:
        """Take one message as read from the wire. Never raises."""
        if isinstance(body, Malformed):
            self.refuse(None, JsonRpcParseError(f"Not a message: {body.reason}."))
            return
        try:
            message = json.loads(body)
        except (ValueError, RecursionError) as error:
            self.refuse(None, JsonRpcParseError(f"Not JSON: {error}."))
            return
        self.handle_message(message)

    # ---------------------------------------------------------------- the life of the connection

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
        if profile.inline_completion != "static":
            capabilities.inline_completion_provider = None
        if capabilities.workspace is not None:
            capabilities.workspace.file_operations = None
        capabilities.experimental = EXPERIMENTAL
        self.state = "ready"
        return types.InitializeResult(capabilities=capabilities, server_info=self.server_info)

    def _shut_down(self, _params: Any) -> Awaitable[None]:
        """Note the end at once, as `exit` may be right behind; return the stop of the work in progress."""
        self.state = "shut down"
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
        return self.state in ("shut down", "lost")

    def lose(self) -> None:
        """Note the end of the connection: the editor has said `exit`, the pipe is closed, or the editor's process is
        gone.
        """
        if not self.ended.done():
            self.ended.set_result(0 if self.state == "shut down" else 1)
        self.state = "lost"
        for message_id, future in self._request_futures.items():
            if self.is_asked(message_id) and not future.done():
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

    @property
    def unanswered_requests(self) -> int:
        """Number of requests to the editor that the editor has not answered."""
        return sum(map(self.is_asked, self._request_futures))

    # ---------------------------------------------------------------- to the editor

    async def request(self, method: str, params: Any, *, timeout_seconds: float | None = None) -> Any:
        """Send a request (see EditorClient)."""
        if self.state == "lost":
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


def _gone() -> EditorGone:
    return EditorGone("The connection to the editor is lost.")
