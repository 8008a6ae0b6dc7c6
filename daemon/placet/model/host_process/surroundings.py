"""What the model host settles with its process and its libraries before it loads them."""

import os
import signal
import sys

_PR_SET_PDEATHSIG = 1

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


def end_with_parent(parent: int) -> None:
    """Have the kernel end this process with its parent, where it can (Linux).

    The end of stdin does the same everywhere (channel.py); this also works while that pipe is held by a third.
    """
    if sys.platform != "linux":
        return
    import ctypes

    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        return
    # The parent may have gone before the request was in force.
    if os.getppid() != parent:
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
