"""Loading of the SDK when the first server starts: in a thread, and so that the loop gets turns during the import."""

import asyncio
import logging
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from types import ModuleType

SWITCH_SECONDS = 0.0005
"""Time for which the import may hold the interpreter while the loop waits; a tenth of Python's default."""

_MODULE = "placet.extensions.mcp.connection"


async def connection_module() -> ModuleType:
    """Return connection.py with all its imports. Concurrent callers wait for the same import."""
    return await asyncio.shield(asyncio.wrap_future(_thread().submit(_load)))


@cache
def _thread() -> ThreadPoolExecutor:
    """Return a thread pool for the import alone, as an import takes seconds: the shared pool is for short work."""
    return ThreadPoolExecutor(1, thread_name_prefix="placet-mcp")


def _load() -> ModuleType:
    if _MODULE in sys.modules:
        return sys.modules[_MODULE]
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # Placet reports the SDK's errors itself, once.
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        return import_module(_MODULE)
    finally:
        sys.setswitchinterval(usual)
