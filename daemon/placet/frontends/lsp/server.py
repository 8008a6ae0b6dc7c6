"""The process of the LSP front end: one editor over stdin and stdout, from the handshake to the exit code."""

import asyncio
import json
import logging
import signal
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from placet.core.stdio.outbound import Outbound
from placet.frontends.lsp.handshake import Handshake

if TYPE_CHECKING:
    from placet.frontends.lsp.lsp_server import LspServer, OpenSessions

logger = logging.getLogger(__name__)

_CLOSING_SECONDS = 10.0
_LAST_WORDS_SECONDS = 2.0


def serve(open_sessions: "OpenSessions", handshake: Handshake) -> int:
    """Serve the editor until the editor leaves or is gone, and return LSP's exit code.

    `open_sessions(ports, roots, editor_settings, is_trusted)` is called once, after `initialize` was answered.
    """
    # The start is a call of 25 ms without interruption: better now than with messages to deliver.
    import_module("pydantic_core")
    return asyncio.run(_serve(open_sessions, handshake))


async def _serve(open_sessions: "OpenSessions", handshake: Handshake) -> int:
    from placet.frontends.lsp.lsp_server import LspServer

    server = LspServer(open_sessions)
    connection = server.connection
    outbound = Outbound(handshake.output, on_lost=connection.lose)
    outbound.start()
    take_first(server, handshake, outbound)
    loop = asyncio.get_running_loop()
    handshake.inbound.deliver(loop, connection.receive, on_end=connection.lose)
    if sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, connection.lose)
    watching = asyncio.create_task(watch_parent(server))
    try:
        return await connection.ended
    finally:
        watching.cancel()
        try:
            async with asyncio.timeout(_CLOSING_SECONDS):
                await server.close()
        except TimeoutError:
            logger.error("What ran for the editor did not stop in %d s", _CLOSING_SECONDS)  # noqa: TRY400
        await outbound.finish(_LAST_WORDS_SECONDS)


def take_first(server: "LspServer", handshake: Handshake, writer: Outbound) -> None:
    """Have the server take the editor's first message, and write to `writer` from then on.

    An answer that the editor already has is not written again.
    """
    connection, answered = server.connection, handshake.answered
    if answered is None:
        connection.set_writer(writer)
        connection.receive(handshake.first)
        return
    repeated = _Kept()
    connection.set_writer(repeated)
    connection.receive(handshake.first)
    connection.set_writer(writer)
    _, _, body = repeated.data.partition(b"\r\n\r\n")
    if not body or json.loads(body) != json.loads(answered.body):
        logger.error("The server would answer `initialize` differently from the handshake: the editor may be misled")
    if answered.process_id is not None and not server.parent_process_id.done():
        # The editor's process has ended meanwhile.
        server.parent_process_id.set_result(answered.process_id)


class _Kept:
    """Writer which keeps the data instead of writing."""

    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> None:
        self.data += data

    def close(self) -> None:
        """Nothing to close."""


async def watch_parent(server: "LspServer") -> None:
    """End with the editor's process, also when the editor's end of the pipe stays open."""
    await until_ended(await server.parent_process_id)
    server.connection.lose()


async def until_ended(process_id: int, every_seconds: float = 2.0) -> None:
    """Return when the process has ended; the pipe may stay open, as a child of the editor can hold the other end."""
    from placet.core.process_identity import is_running

    while is_running(process_id):  # noqa: ASYNC110 - no system reports the end of a process that is not our child.
        await asyncio.sleep(every_seconds)
