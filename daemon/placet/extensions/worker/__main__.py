"""Serve the daemon until stdin ends; the daemon's process id is the only argument.

Started by placet.extensions.plugins.process.
"""

import asyncio
import os
import signal
import sys
import threading

from placet.extensions.worker.channel import Channel
from placet.extensions.worker.service import Service
from placet.project.processes.python_child import claim_standard_streams, end_with_parent


async def _serve(channel: Channel) -> None:
    loop = asyncio.get_running_loop()
    service = Service(channel, loop)

    def read() -> None:
        while (order := channel.receive()) is not None:
            loop.call_soon_threadsafe(service.take, order)
        os._exit(0)  # The daemon is gone, so nobody waits for running calls.

    threading.Thread(target=read, name="orders", daemon=True).start()
    await loop.create_future()


def main() -> None:
    end_with_parent(int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(_serve(Channel(*claim_standard_streams())))


if __name__ == "__main__":
    main()
