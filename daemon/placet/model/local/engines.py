"""Programs that run a local model: the package `xllamacpp` of the extra `placet[local]`, or llama.cpp's llama-server.

Both are llama.cpp: https://github.com/xorbitsai/xllamacpp, https://github.com/ggml-org/llama.cpp/tree/master/tools/server.
"""

import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec

from msgspec import Struct

from placet.model.local.catalog import LocalModel

PACKAGE = "xllamacpp"
PROGRAM = "llama-server"
HOW_TO_INSTALL = (
    'Install the engine with `pip install "placet[local]"` into the Python environment of Placet, or put '
    f"`{PROGRAM}` of llama.cpp on PATH."
)

CONTEXT_SIZES = (32_768, 16_384, 8_192, 4_096)
"""Sizes of the context to choose from, in tokens, the largest first."""
KEPT_MEGABYTES = 256
"""Memory for the contexts of other conversations, so that two sessions in turn need not read everything again."""
_WORK_BYTES = 800_000_000
"""Measured memory of the engine beside the weights and the contexts: weights in another layout, and buffers."""
_SHARE = (2, 3)
"""Part of the machine's memory for the engine in all."""


class EngineProgram(Struct, frozen=True):
    """Engine on this machine."""

    name: str
    """`xllamacpp`, or `llama-server`."""
    path: str = ""
    """Path of the program; empty for the package."""


def find_engine(environment: Mapping[str, str]) -> EngineProgram | None:
    """Return the engine to use, or None. Looks at the disk."""
    if find_spec(PACKAGE) is not None:
        return EngineProgram(PACKAGE)
    from placet.project.processes.programs import find_program  # Most hosts look for no engine.

    path = find_program(PROGRAM, environment.get("PATH"))
    return None if path is None else EngineProgram(PROGRAM, path)


def needed_bytes(model: LocalModel, context_size: int) -> int:
    """Return the memory of an engine with a context of so many tokens."""
    return model.size_bytes + context_size * model.cache_bytes_per_token + (KEPT_MEGABYTES << 20) + _WORK_BYTES


def planned_size(model: LocalModel, memory: int | None) -> int:
    """Return the size of the context for a machine with so many bytes of memory; None: an unknown memory."""
    sizes = [size for size in CONTEXT_SIZES if size <= model.trained_size]
    if memory is None:
        return sizes[len(sizes) // 2]
    fitting = (size for size in sizes if needed_bytes(model, size) <= memory * _SHARE[0] // _SHARE[1])
    return next(fitting, sizes[-1])


def fitting_size(model: LocalModel, wanted: int, available: int) -> int | None:
    """Return the wanted size, or the largest smaller size within the available memory; None for too little memory."""
    sizes = (wanted, *(size for size in CONTEXT_SIZES if size < wanted))
    return next((size for size in sizes if needed_bytes(model, size) <= available), None)


def thread_count(cores: int, load: float) -> int:
    """Return the number of threads: one fewer than the free cores, and at least one.

    The threads of llama.cpp wait for each other: with a thread on a busy core all threads are as slow as this core.
    """
    return max(1, cores - round(load) - 1)


def core_count() -> int:
    """Return the number of the cores of this process."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
