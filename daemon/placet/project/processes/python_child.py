"""Set-up of a child of the daemon, a Python process of ours: the child's end, and the pipe."""

import os
import signal
import sys
from typing import BinaryIO

_PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int) -> None:
    """Make the kernel end this process with its parent, where the kernel can (Linux).

    The end of stdin does the same everywhere (each channel.py); this call also works while a third process holds the
    pipe. The parent 0 is a parent out of sight, in another namespace: the sandbox ends with the daemon.
    """
    if sys.platform != "linux":
        return
    import ctypes

    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        return
    # The parent may have gone before the request was in force.
    if parent and os.getppid() != parent:
        os._exit(0)


def claim_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Take stdin and stdout for the pipe; later prints of a library go to stderr, and a library reads nothing."""
    sys.stdout.flush()
    source = os.fdopen(os.dup(0), "rb")
    target = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return source, target
