"""The process of the ACP front end: one client over stdin and stdout, from the handshake to the exit code."""

import asyncio
import logging
import signal
import sys

from placet.core.stdio.garbage import collect_as_usual
from placet.core.stdio.outbound import Outbound
from placet.frontends.acp.connection.client import Client
from placet.frontends.acp.connection.dispatcher import Dispatcher
from placet.frontends.acp.connection.update_queue import UpdateQueue
from placet.frontends.acp.door import Door
from placet.frontends.acp.handlers.table import notifications, requests
from placet.frontends.acp.handshake import Handshake
from placet.frontends.acp.options import DoorOptions
from placet.settings.usable_locations import find_usable

logger = logging.getLogger(__name__)

CLOSING_SECONDS = 10.0
LAST_WORDS_SECONDS = 2.0


def serve(handshake: Handshake, options: DoorOptions | None) -> int:
    """Serve the client until the client closes stdin or ends the process with a signal, and return the exit code."""
    collect_as_usual()
    return asyncio.run(_serve(handshake, options or DoorOptions()))


async def _serve(handshake: Handshake, options: DoorOptions) -> int:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    outbound = Outbound(handshake.output, on_lost=ended.set)
    outbound.start()
    client = Client(outbound.write)
    if sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, ended.set)
    door = Door(client, UpdateQueue(client, lambda: outbound.has_room), options, find_usable(logger.warning))
    dispatcher = Dispatcher(client, requests(door), notifications(door))
    if handshake.is_answered:
        door.meet(handshake.initialize_params)
    else:
        dispatcher.receive(handshake.first)
    handshake.inbound.deliver(loop, dispatcher.receive, on_end=ended.set)
    await ended.wait()
    door.is_closing = True
    try:
        async with asyncio.timeout(CLOSING_SECONDS):
            await dispatcher.close()  # Turns end as cancelled, before their questions fail.
            client.lose()
            await door.close()
    except TimeoutError:
        logger.error("What ran for the client did not stop in %d s", CLOSING_SECONDS)  # noqa: TRY400
    await outbound.finish(LAST_WORDS_SECONDS)
    return 0
