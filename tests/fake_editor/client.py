"""A FakeEditor in front of a real daemon process, by pytest-lsp's client over stdio."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.io_ import run_async
from pygls.protocol import default_converter
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage
from pytest_lsp import LanguageClient
from pytest_lsp.client import forward_stderr, register_lsp_features
from pytest_lsp.protocol import LanguageClientProtocol

from fake_editor.editor import FakeEditor, Refused
from fake_editor.profiles import EditorProfile
from fork_support import PLACET, start_forked

Json = dict[str, Any]
STREAM_BYTES = 1 << 16

ANSWERED = (
    "workspace/applyEdit",
    "window/showMessageRequest",
    "window/showDocument",
    "editor/readDocuments",
    "editor/save",
    "editor/reload",
    "editor/diagnostics",
    "editor/languageFeature",
    "editor/state",
    "editor/requestPermission",
    "editor/question",
)
HEARD = ("agent/update", "window/showMessage", "window/logMessage", "$/progress")
_PYTEST_LSPS_OWN = (
    "initialize",
    "initialized",
    "shutdown",
    "exit",
    "$/cancelRequest",
    "workspace/configuration",
    "window/workDoneProgress/create",
)


class EditorClient(LanguageClient):
    """pytest-lsp's client of a server that is forked where it can be."""

    async def start_forked(self, directory: Path, environment: Mapping[str, str]) -> None:
        """As `start_io` does, with `placet --stdio` of the fork server."""
        process = await start_forked(["--stdio"], directory, environment, STREAM_BYTES)
        assert process.stdin is not None
        self.protocol.set_writer(process.stdin)
        reading = run_async(
            stop_event=self._stop_event,
            reader=process.stdout,
            protocol=self.protocol,
            logger=logging.getLogger(__name__),
            error_handler=self.report_server_error,
        )
        self._server = process  # type: ignore[assignment] (what the client asks of a process of asyncio)
        self._async_tasks += [asyncio.create_task(reading), asyncio.create_task(self._server_exit())]
        self._stderr_forwarder = asyncio.create_task(forward_stderr(process))  # type: ignore[arg-type]


class EditorProtocol(LanguageClientProtocol):
    """Plain JSON for all that the editor's model reads and writes: pygls's structuring loses unknown fields."""

    def structure_message(self, data: Any) -> Any:
        return data

    def handle_message(self, message: Any) -> None:
        super().handle_message(super().structure_message(message) if isinstance(message, dict) else message)

    def get_message_type(self, method: str) -> Any:
        return super().get_message_type(method) if method in _PYTEST_LSPS_OWN else None

    def get_result_type(self, method: str) -> Any:
        return super().get_result_type(method) if method in _PYTEST_LSPS_OWN else None


def _converter() -> Any:
    converter = default_converter()
    for kind in (JsonRPCRequestMessage, JsonRPCNotification, JsonRPCResponseMessage):
        converter.register_structure_hook(
            kind,
            lambda value, kind: kind(
                **{"params" if "method" in value else "result": None}
                | {key: one for key, one in value.items() if key in ("id", "method", "params", "jsonrpc", "result")}
            ),
        )
    return converter


def make_client(editor: FakeEditor) -> EditorClient:
    """The client with the editor behind it."""
    client = EditorClient(protocol_cls=EditorProtocol, converter_factory=_converter)
    register_lsp_features(client)

    def serve(method: str) -> None:
        async def answer(params: Any) -> Any:
            try:
                return await editor.answer(method, params)
            except Refused as error:
                raise JsonRpcException(error.message, error.code) from error

        client.protocol.fm.features[method] = answer

    def listen(method: str) -> None:
        async def hear(params: Any) -> None:
            await editor.hear(method, params)

        client.protocol.fm.features[method] = hear

    for method in ANSWERED:
        serve(method)
    for method in HEARD:
        listen(method)
    return client


class DaemonEditor:
    """An editor with its daemon. Commands and prompts go through here, the user's hands are `editor`."""

    def __init__(self, editor: FakeEditor, client: EditorClient) -> None:
        self.editor = editor
        self.client = client

    @property
    def process(self) -> asyncio.subprocess.Process:
        assert self.client._server is not None
        return self.client._server

    async def kill(self) -> None:
        """The daemon dies without a word."""
        self.process.kill()
        await self.process.wait()

    async def request(self, method: str, params: Any) -> Any:
        return await self.client.protocol.send_request_async(method, params)

    async def command(self, name: str, *arguments: Any) -> None:
        """Run a command of the server, as a user of a plain editor does."""
        self.editor.command_was_run()
        await self.request("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

    async def new_session(self) -> str:
        return (await self.request("agent/session/new", {}))["id"]

    async def prompt(self, session_id: str, text: str) -> Json:
        """A turn from its prompt to its end."""
        parts = [{"type": "text", "text": text}]
        return await self.request("agent/prompt", {"sessionId": session_id, "parts": parts})

    def begin_prompt(self, session_id: str, text: str) -> None:
        """A turn whose end nobody waits for."""
        parts = [{"type": "text", "text": text}]
        self.client.protocol.send_request("agent/prompt", {"sessionId": session_id, "parts": parts})

    def updates(self, kind: str) -> list[Json]:
        told = (params["update"] for method, params in self.editor.told if method == "agent/update")
        return [update for update in told if update["kind"] == kind]

    def messages(self) -> list[str]:
        return [params["message"] for method, params in self.editor.told if method == "window/showMessage"]


@asynccontextmanager
async def daemon(
    profile: EditorProfile,
    root: Path,
    home: Path,
    *,
    command: Sequence[str] | None = None,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    **settings: Any,
) -> AsyncIterator[DaemonEditor]:
    """A daemon of its own, with its places under `home`, open on `root`; ended as an editor ends it.

    With `command` it is a process of its own from the start, and else one of the fork server.
    """
    editor = FakeEditor(profile, root)
    client = make_client(editor)
    homes = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "CACHE", "STATE")}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PLACET_")}
    own = {**kept, **homes, "HOME": str(home)} if environment is None else environment
    if command is None and sys.platform == "linux":
        await client.start_forked(cwd or Path.cwd(), own)
    else:
        await client.start_io(*(command or (*PLACET, "--stdio")), cwd=cwd, env=own)
    try:
        params = editor.initialize_params()
        params["initializationOptions"]["settings"] = settings
        converter = client.protocol._converter
        result = await client.initialize_session(converter.structure(params, types.InitializeParams))
        encoding = result.capabilities.position_encoding or "utf-16"
        editor.encoding = encoding.value if isinstance(encoding, types.PositionEncodingKind) else encoding
        editor.send = lambda method, params: client.protocol.notify(method, params)
        placet = DaemonEditor(editor, client)
        yield placet
        if placet.process.returncode is None:
            await client.shutdown_session()
    finally:
        server = client._server
        if server is not None and server.returncode is None:
            server.kill()
            await server.wait()
        is_killed = server is not None and server.returncode == -signal.SIGKILL
        with suppress(asyncio.IncompleteReadError) if is_killed else nullcontext():  # It may die within a message.
            await client.stop()
