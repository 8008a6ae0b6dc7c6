"""What the model host settles with its process and its libraries before it loads them."""

import os
import signal
import sys
from typing import TextIO, cast

from placet.model import handover
from placet.model.host_process.redaction import RedactedStream
from placet.project.secrecy import hide_memory

_LITELLM_ENVIRONMENT = {
    # Otherwise the import fetches a price list from the network.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    # Otherwise the import looks for a .env file and loads it.
    "LITELLM_MODE": "PRODUCTION",
    # Requests of openai/ are built without the OpenAI SDK, at a quarter of the cost for long histories.
    "EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER": "true",
    # Otherwise a stream of 100 equal chunks (a table's dashes) is taken for a loop and aborted.
    "REPEATED_STREAMING_CHUNK_LIMIT": str(1 << 30),
}


def close_to_others() -> None:
    """Let no other process of the user look into this one, which holds the keys, nor a core file keep them."""
    hide_memory()
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def redact_what_is_printed() -> None:
    """Take the keys out of what Python code prints from now on; it all goes to stderr, the host's log."""
    sys.stderr = sys.stdout = cast("TextIO", RedactedStream(sys.stderr))


def take_secrets() -> None:
    """Put the secrets the daemon hands over into the environment, where litellm looks for them.

    What is set after the start is in this process's memory alone, and not in its /proc/PID/environ.
    """
    try:
        os.environ.update(handover.received(0))
    except EOFError:
        # The daemon is gone.
        os._exit(0)


def ignore_interrupts() -> None:
    """Ctrl-C in a terminal reaches this process too, but means the turn, not the host."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def write_bytecode() -> None:
    """Keep litellm compiled whatever PYTHONDONTWRITEBYTECODE says: without, each start costs twice the time.

    Nothing of a user's project is ever imported here, so nothing is written into one.
    """
    sys.dont_write_bytecode = False


def configure_litellm() -> None:
    """Set what litellm reads from the environment while it is imported."""
    os.environ.update(_LITELLM_ENVIRONMENT)
