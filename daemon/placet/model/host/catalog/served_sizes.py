"""Sizes of the context that servers on this machine serve, by what the servers tell. Pure but for `memory_bytes`."""

import os
import re
from dataclasses import dataclass
from typing import Any

import msgspec

_LARGEST = 32_768
"""Size of the context that Placet asks of Ollama where the memory allows the size."""
_LEAST = 4_096
_CACHE_SHARE = 4
"""Part of the machine's memory that the cache of a full context may take: one in so many."""
_BYTES_PER_VALUE = 2
"""Bytes of a value in Ollama's cache, which holds 16-bit floats unless the user says otherwise."""
_SET_SIZE = re.compile(r"^num_ctx\s+(\d{1,9})\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ServedSize:
    tokens: int | None = None
    """Size in tokens, or None for an unknown size."""
    source: str = ""
    """Who set the size, in words that follow the number."""


class ShownModel(msgspec.Struct):
    """Answer of Ollama's `/api/show`: https://docs.ollama.com/api/show."""

    capabilities: list[str] | None = None
    model_info: dict[str, Any] = {}
    parameters: str = ""
    """Parameters of the model's file, a line each."""
    remote_host: str = ""
    """Address where Ollama runs the model, if Ollama does not run the model on this machine."""


class LoadedModel(msgspec.Struct):
    name: str = ""
    context_length: int = 0


class LoadedModels(msgspec.Struct):
    """Answer of Ollama's `/api/ps`: https://docs.ollama.com/api/ps."""

    models: list[LoadedModel] = []

    def size_of(self, model: str) -> int:
        """Return the size with which the model is loaded, or 0."""
        names = {model, f"{model}:latest"}
        return next((loaded.context_length for loaded in self.models if loaded.name in names), 0)


class LmStudioModel(msgspec.Struct):
    """Answer of LM Studio's `/api/v0/models/NAME`: https://lmstudio.ai/docs/developer/rest/endpoints."""

    loaded_context_length: int | None = None


class _GenerationSettings(msgspec.Struct):
    n_ctx: int | None = None


class Properties(msgspec.Struct):
    """Answer of llama-server's `/props`: https://github.com/ggml-org/llama.cpp/tree/master/tools/server."""

    default_generation_settings: _GenerationSettings = msgspec.field(default_factory=_GenerationSettings)


def of_ollama(shown: ShownModel, loaded: int, memory: int | None, *, is_asked: bool = False) -> ServedSize:
    """Return the size to ask of Ollama.

    `loaded`: the size with which Ollama has the model in memory; another size would load the model anew. `memory`: the
    machine's memory in bytes, None for an unknown memory. `is_asked`: Ollama has loaded the model for Placet's own
    request, so a smaller size is all that Ollama serves.
    """
    if is_asked and loaded:
        return ServedSize(loaded, "loaded in Ollama")
    trained = _number(shown, "context_length")
    if shown.remote_host:
        return ServedSize(trained or None, "of the model")
    if match := _SET_SIZE.search(shown.parameters):
        return ServedSize(int(match[1]), "set in the model's file")
    if not trained:
        return ServedSize(loaded or None, "loaded in Ollama" if loaded else "")
    wanted = min(trained, _wanted(shown, memory))
    if loaded >= wanted:
        return ServedSize(loaded, "loaded in Ollama")
    return ServedSize(wanted, "asked of Ollama by Placet")


def _wanted(shown: ShownModel, memory: int | None) -> int:
    """Return the largest size whose cache takes no more than its share of the memory, within bounds."""
    size, each = _LARGEST, _cache_bytes(shown)
    if memory is None or not each:
        return size // 2
    while size > _LEAST and size * each > memory // _CACHE_SHARE:
        size //= 2
    return size


def _cache_bytes(shown: ShownModel) -> int:
    """Return the bytes which one token takes in the cache of a transformer, or 0 if Ollama does not tell them."""
    heads = _number(shown, "attention.head_count_kv")
    length = _number(shown, "embedding_length") // (_number(shown, "attention.head_count") or 1)
    key, value = _number(shown, "attention.key_length"), _number(shown, "attention.value_length")
    return _number(shown, "block_count") * heads * ((key or length) + (value or length)) * _BYTES_PER_VALUE


def _number(shown: ShownModel, name: str) -> int:
    """Return a figure of the model's own architecture, or 0; a figure for each layer is a list, of which the largest
    counts.
    """
    value = shown.model_info.get(f"{shown.model_info.get('general.architecture')}.{name}")
    if isinstance(value, list):
        value = max((item for item in value if isinstance(item, int)), default=0)
    return value if isinstance(value, int) and 0 < value < 1 << 32 else 0


def memory_bytes() -> int | None:
    """Return the machine's memory in bytes, or None where the system does not tell the memory this way."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
