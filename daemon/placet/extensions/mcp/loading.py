"""The SDK is loaded when the first server starts, in a thread, and so that the loop gets its turns meanwhile."""

import asyncio
import logging
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from types import ModuleType

SWITCH_SECONDS = 0.0005
"""How long the import may hold the interpreter while the loop waits for it; a tenth of Python's default."""

_MODULE = "placet.extensions.mcp.connection"


async def connection_module() -> ModuleType:
    """connection.py with all that it imports. Whoever asks meanwhile waits for the same import."""
    return await asyncio.shield(asyncio.wrap_future(_thread().submit(_load)))


@cache
def _thread() -> ThreadPoolExecutor:
    """Of its own, as an import takes seconds: the pool's are for what takes a moment."""
    return ThreadPoolExecutor(1, thread_name_prefix="placet-mcp")


def _load() -> ModuleType:
    if _MODULE in sys.modules:
        return sys.modules[_MODULE]
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # What it raises is told by us, once.
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        return import_module(_MODULE)
    finally:
        sys.setswitchinterval(usual)
