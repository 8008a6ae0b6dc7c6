"""The model host's main: claim the pipes, outlive no parent, load litellm, serve calls until stdin ends.

Started by placet.model.host with its parent's process id as the only argument; speaks placet.model.frames.
"""

import asyncio
import gc
import sys
import time
from collections.abc import Callable, Coroutine
from typing import Any

from placet.model import frames
from placet.model.host_process import surroundings
from placet.model.host_process.channel import Channel


def main() -> int:
    begun = time.monotonic()
    surroundings.end_with_parent(int(sys.argv[1]))
    surroundings.ignore_interrupts()
    surroundings.write_bytecode()
    surroundings.configure_litellm()
    channel = Channel.claim_standard_streams()
    channel.send(frames.Hello(frames.VERSION))
    try:
        serve = _load_service()
    except ImportError as error:
        channel.send(frames.Unusable(f"{type(error).__name__}: {error}"))
        channel.close()
        return 1
    channel.send(frames.Ready(time.monotonic() - begun))
    asyncio.run(serve(channel))
    return 0


def _load_service() -> Callable[[Channel], Coroutine[Any, Any, None]]:
    # The import makes a million objects: collecting among them only costs time and stalls (a tenth of the import).
    gc.disable()
    from placet.model.host_process.service import serve

    gc.enable()
    gc.freeze()
    return serve


if __name__ == "__main__":
    sys.exit(main())
