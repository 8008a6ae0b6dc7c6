"""The process of the LSP front end: one editor over stdin and stdout, from the first byte to the exit code.

Only the standard library and a few small modules are imported until `serve` has the pipes and can hurry the start.
"""

import asyncio
import logging
import signal
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from placet.frontends.lsp.connection.garbage import collect_only_the_young
from placet.frontends.lsp.connection.stdio import Inbound, Outbound, Wire, claim_stdio

if TYPE_CHECKING:
    from placet.frontends.lsp.lsp_server import LspServer, OpenSessions

logger = logging.getLogger(__name__)

_CLOSING_SECONDS = 10.0
_LAST_WORDS_SECONDS = 2.0


def serve(open_sessions: "OpenSessions") -> int:
    """Serve the editor until the editor leaves or is gone, and return LSP's exit code.

    `open_sessions(ports, roots, editor_settings, is_trusted)` is called once, after `initialize` was answered.
    """
    wire = claim_stdio()
    collect_only_the_young()  # Until all is loaded, in lsp_server.py.
    logging.getLogger("pygls").setLevel(logging.WARNING)
    # The start is a call of 25 ms without interruption: better now than with an editor to answer.
    import_module("pydantic_core")
    return asyncio.run(_serve(wire, open_sessions))


async def _serve(wire: Wire, open_sessions: "OpenSessions") -> int:
    from placet.frontends.lsp.lsp_server import LspServer

    server = LspServer(open_sessions)
    connection = server.connection
    outbound = Outbound(wire.write, on_lost=connection.lose)
    connection.set_writer(outbound)
    inbound = Inbound(wire.read, deliver=connection.receive, on_end=connection.lose)
    outbound.start()
    inbound.start()
    if sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, connection.lose)
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


async def watch_parent(server: "LspServer") -> None:
    """End with the editor's process, also when the editor's end of the pipe stays open."""
    await until_ended(await server.parent_process_id)
    server.connection.lose()


async def until_ended(process_id: int, every_seconds: float = 2.0) -> None:
    """Return when the process has ended; the pipe may stay open, as a child of the editor can hold the other end."""
    from placet.core.process_identity import is_running

    while is_running(process_id):  # noqa: ASYNC110 - no system reports the end of a process that is not our child.
        await asyncio.sleep(every_seconds)
