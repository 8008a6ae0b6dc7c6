"""Rows of litellm's data file about models: prices, sizes and abilities. Reads the file without importing litellm."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

Row = Mapping[str, Any]

_FILE = "model_prices_and_context_window_backup.json"
# The table names some providers otherwise than a model's name does.
_PROVIDERS = {"bedrock_converse": "bedrock", "cohere_chat": "cohere"}
_GROUPS = ("vertex_ai",)
_MODES = {"chat", "responses"}
_NO_ROW: Row = {}

_read_row = msgspec.json.Decoder(dict[str, Any]).decode


@cache
def row(name: str) -> Row:
    """Return the row of a model by its name, `provider/name`; an empty row if the table does not have the model."""
    keys = {name, name.partition("/")[2]}
    named = {key: _read_row(raw) for key, raw in _raw_rows().items() if key in keys}
    # Where two rows name one chat model, the later row counts.
    as_chat_model = (entry for key, entry in reversed(named.items()) if _chat_name(key, entry) == name)
    return next(as_chat_model, None) or named.get(name) or _NO_ROW


@cache
def any_row(model: str) -> Row:
    """Return the row of a model by its name without a provider, at whichever provider; an empty row if no row fits."""
    rows = (_read_row(raw) for key, raw in _raw_rows().items() if key == model or key.endswith(f"/{model}"))
    return next((entry for entry in rows if entry.get("mode") in _MODES), _NO_ROW)


def provider_of(name: str) -> str:
    """Return the provider of a model which is named without a provider; an empty string if the table does not know."""
    raw = _raw_rows().get(name)
    return _read_row(raw).get("litellm_provider", "") if raw is not None else ""


def load() -> None:
    """Read the table ahead of its first use. Takes some 15 ms."""
    _raw_rows()


def chat_models() -> dict[str, Row]:
    """Return the rows of all chat models by `provider/name`. Takes some 20 ms, and the result some 20 MB."""
    return dict(_chat_rows())


def _chat_rows() -> Iterator[tuple[str, Row]]:
    for key, raw in _raw_rows().items():
        entry = _read_row(raw)
        if (name := _chat_name(key, entry)) is not None:
            yield name, entry


def _chat_name(key: str, entry: Row) -> str | None:
    """Return the name of a chat model from its row, or None for a row of another kind."""
    provider = entry.get("litellm_provider", "")
    if entry.get("mode") not in _MODES or not provider or key.startswith("ft:"):
        return None
    provider = next((group for group in _GROUPS if provider.startswith(f"{group}-")), provider)
    provider = _PROVIDERS.get(provider, provider)
    return key if key.startswith(f"{provider}/") else f"{provider}/{key}"


@cache
def _raw_rows() -> dict[str, msgspec.Raw]:
    """Return all rows undecoded: a whole decoded table takes seven times the memory."""
    spec = find_spec("litellm")
    places = spec.submodule_search_locations if spec is not None else None
    if not places:
        return {}
    return msgspec.json.decode((Path(next(iter(places))) / _FILE).read_bytes(), type=dict[str, msgspec.Raw])
