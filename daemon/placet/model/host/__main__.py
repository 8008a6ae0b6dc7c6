"""Main function of the model host: prepare the process, and serve until stdin ends.

The host ends with its parent, closes itself to other processes and claims the pipes before the host loads the rest.
placet.model.client.host_child starts the host. The arguments are the parent's process id, the path of the key store's
file, and the path of the directory of local models; an empty path stands for none. The host takes the daemon's secrets
from stdin (placet.auth.secret_handoff), then speaks placet.model.frames.
"""

import asyncio
import gc
import os
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from placet.auth.keys import KeyStore
from placet.model import frames
from placet.model.host import host_environment
from placet.model.host.channel import Channel, EndGate
from placet.model.host.stored_keys import StoredKeys
from placet.project.processes.python_child import claim_standard_streams, end_with_parent


def main() -> int:
    begun = time.monotonic()
    end_with_parent(int(sys.argv[1]))
    host_environment.ignore_interrupts()
    host_environment.close_to_others()
    host_environment.take_secrets()
    host_environment.redact_what_is_printed()
    host_environment.write_bytecode()
    host_environment.configure_litellm()
    host_environment.trust_authorities(os.environ)
    gate = EndGate()
    channel = Channel(*claim_standard_streams(), gate)
    channel.send(frames.Hello(frames.VERSION))
    key_file, local_models = (Path(path) if path else None for path in sys.argv[2:4])
    keys = StoredKeys(None if key_file is None else KeyStore(key_file))
    try:
        serve = _load_service()
    except ImportError as error:
        channel.send(frames.Unusable(f"{type(error).__name__}: {error}"))
        channel.close()
        return 1
    channel.send(frames.Ready(time.monotonic() - begun))
    asyncio.run(serve(channel, keys, gate, local_models))
    return 0


def _load_service() -> Callable[[Channel, StoredKeys, EndGate, Path | None], Coroutine[Any, Any, None]]:
    # A collection during the import only costs time.
    gc.disable()
    from placet.model.host.service import serve

    gc.enable()
    gc.freeze()
    return serve


if __name__ == "__main__":
    sys.exit(main())
