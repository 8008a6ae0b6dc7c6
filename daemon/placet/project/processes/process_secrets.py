"""Protection of this process's secrets from the user's other processes, among them the commands of tools.

All these processes have the same user id, and Linux lets such processes read each other's /proc/PID/environ and
/proc/PID/mem.
"""

import logging
import os
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path

from placet.project.processes.environment import Secrets, secrets_in

_PR_SET_DUMPABLE = 4

logger = logging.getLogger(__name__)


@cache
def take_secrets() -> Secrets:
    """Take the secrets that this process was started with out of its environment for good, and return the secrets.

    From then on the secrets are in this value alone: no child inherits a secret, /proc/PID/environ does not show a
    secret (not even to root), and the process's memory is closed to other processes of the user.
    """
    secrets = secrets_in(os.environ)
    if secrets:
        if sys.platform == "linux":
            _blot_out(secrets)
        for name in secrets:
            del os.environ[name]
        hide_memory()
    return secrets


def whole_environment() -> dict[str, str]:
    """Return the environment at the start of this process, for callers in need of the secrets; never show the
    result."""
    return {**os.environ, **take_secrets()}


def hide_memory() -> None:
    """Close this process's memory, environment and descriptors to the user's other processes; no core dumps (Linux).

    See prctl(2), PR_SET_DUMPABLE, and ptrace(2), "Ptrace access mode checking". Root may still look.
    """
    if sys.platform != "linux":
        return
    import ctypes

    try:
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    except (OSError, AttributeError):
        logger.warning("This process's memory cannot be closed to other processes of the user")


def _blot_out(names: Collection[str]) -> None:
    """Overwrite the values where the kernel shows the environment: in the memory that the process was started with.

    `unsetenv` only forgets the addresses. libc's `environ` leads to the values until a variable is set anew.
    """
    import ctypes

    try:
        environ = ctypes.POINTER(ctypes.c_void_p).in_dll(ctypes.CDLL(None), "environ")
    except (OSError, ValueError):
        environ = None
    index = 0
    while environ and (address := environ[index]):
        name, _, value = ctypes.string_at(address).partition(b"=")
        if os.fsdecode(name) in names:
            ctypes.memset(address + len(name) + 1, 0, len(value))
        index += 1
    if left := [name for name in names if _is_shown(name)]:
        logger.warning("Other processes of the user can still read %s in /proc/%d/environ", left, os.getpid())


def _is_shown(name: str) -> bool:
    try:
        shown = Path("/proc/self/environ").read_bytes()
    except OSError:
        return False
    start = os.fsencode(name) + b"="
    return any(entry.startswith(start) and entry != start for entry in shown.split(b"\0"))
