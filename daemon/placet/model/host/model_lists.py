"""Lists of models which providers offer: asked over the network within limits, and kept in files with their time.

A list is read in the shapes of OpenAI, OpenRouter, Anthropic, Gemini, vLLM and llama-server. The texts come from
outside: a model whose name is not printable is left out.
"""

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from placet.model import frames
from placet.model.host import model_table
from placet.model.host.direct.own_providers import on_wire
from placet.model.host.direct.routes import Route, route
from placet.model.host.errors import NotDirect
from placet.model.host.http_client.client import HttpClient, HttpRequest
from placet.model.host.http_client.failures import HttpFailure
from placet.model.host.redaction import redact

FRESH_SECONDS = 24 * 3600.0
"""Age from which a list is asked for again."""
_SECONDS = 5.0
"""Seconds within which a provider must answer."""
_WAITED_SECONDS = 300.0
"""Seconds after a failure in which a provider is not asked again unless the user wants a fresh list."""
_MOST_BYTES = 16 << 20
_MOST_MODELS = 2000
_LONGEST_NAME = 200
_PER = 1_000_000
_SIZES = ("max_model_len", "context_length", "context_window", "inputTokenLimit", "max_input_tokens")
"""Names of the size of the input: vLLM, OpenRouter, Groq, Gemini, Anthropic."""


class Listed(msgspec.Struct):
    """Models of one provider as last listed."""

    address: str
    asked: float
    """Time of the answer in seconds since 1970."""
    models: list[frames.ModelFacts]
    """Facts by the names on the wire."""


@dataclass(frozen=True, slots=True)
class Listing:
    """List of a provider, with the reason where the provider could not be asked now."""

    listed: Listed | None
    problem: str = ""


class ModelLists:
    """Lists of all providers. Belongs to one event loop, and lives as long as the host."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._client = HttpClient(environment)
        self._failures: dict[str, tuple[float, str]] = {}

    async def of(
        self, providers: Sequence[frames.Provider], cache: Path | None, ask: frames.Asking
    ) -> dict[str, Listing]:
        """Return the list of each provider by name, asked as far as `ask` says."""
        found = await asyncio.gather(*(self._one(provider, cache, ask) for provider in providers))
        return {provider.name: listing for provider, listing in zip(providers, found, strict=True)}

    async def _one(self, provider: frames.Provider, cache: Path | None, ask: frames.Asking) -> Listing:
        file = None if cache is None else cache / f"{provider.name}.msgpack"
        try:
            ask_for_all = frames.Ask(0, f"{provider.name}/list", [], provider=_changed(provider))
            way = route(on_wire(ask_for_all), self._environment)
        except NotDirect:
            return Listing(None, "Placet cannot ask this kind of provider for its models")
        address = f"{way.endpoint.base} {provider.kind}"
        kept = _read(file, address)
        is_fresh = kept is not None and time.time() - kept.asked < FRESH_SECONDS
        if ask == "never" or (ask == "stale" and is_fresh):
            return Listing(kept)
        failed_at, problem = self._failures.get(address, (float("-inf"), ""))
        if ask == "stale" and time.monotonic() - failed_at < _WAITED_SECONDS:
            return Listing(kept, problem)
        try:
            listed = Listed(address, time.time(), await self._asked(way))
        except _NoList as reason:
            self._failures[address] = (time.monotonic(), str(reason))
            return Listing(kept, str(reason))
        self._failures.pop(address, None)
        if file is not None:
            await asyncio.to_thread(_write, file, listed)
        return Listing(listed)

    async def _asked(self, way: Route) -> list[frames.ModelFacts]:
        """Return the models which the provider lists. Raises _NoList."""
        if way.endpoint.needs_key or way.asked.broken_reference:
            raise _NoList(way.asked.broken_reference or "there is no key")
        request = _request(way)
        try:
            async with asyncio.timeout(_SECONDS):
                response = await self._client.send(request, connect_seconds=None)
                try:
                    body = b""
                    async for chunk in response.chunks():
                        body += chunk
                        if len(body) > _MOST_BYTES:
                            raise _NoList(f"its list is larger than {_MOST_BYTES >> 20} MB")
                finally:
                    await response.close()
        except TimeoutError:
            raise _NoList(f"it did not answer within {_SECONDS:g} seconds") from None
        except HttpFailure as error:
            raise _NoList(redact(f"it cannot be reached: {error}")) from None
        match response.status:
            case 200:
                return _models(body)
            case 401 | 403:
                raise _NoList(f"it rejected the key ({response.status})")
            case status:
                raise _NoList(f"it has no list of models (status {status})")


class _NoList(Exception):
    """Raised when a provider gives no list; the text is the reason."""


def _changed(provider: frames.Provider) -> frames.Provider | None:
    """Return the provider, or None for a known provider which the settings do not change."""
    return None if provider == frames.Provider(provider.kind, provider.kind) else provider


def _request(way: Route) -> HttpRequest:
    endpoint = way.endpoint
    headers = {name.lower(): value for name, value in endpoint.headers.items()}
    base = endpoint.base.removesuffix("/chat/completions")
    match endpoint.provider:
        case "anthropic":
            headers["anthropic-version"] = "2023-06-01"
            login = {} if endpoint.key is None else {"x-api-key": endpoint.key}
            url = f"{base}/v1/models?limit=1000"
        case "gemini":
            login = {} if endpoint.key is None else {"x-goog-api-key": endpoint.key}
            url = f"{base if base.count('/') > 2 else base + '/v1beta'}/models?pageSize=1000"
        case "deepseek":
            login = {} if endpoint.key is None else {"authorization": f"Bearer {endpoint.key}"}
            url = f"{base.removesuffix('/beta')}/models"
        case _:
            login = {} if endpoint.key is None else {"authorization": f"Bearer {endpoint.key}"}
            url = f"{base}/models"
    return HttpRequest("GET", url, {**headers, **login})


def _models(body: bytes) -> list[frames.ModelFacts]:
    """Return the models of a list. Raises _NoList."""
    try:
        content: Any = msgspec.json.decode(body)
    except msgspec.MsgspecError:
        raise _NoList("its list of models is not JSON") from None
    entries: Any = content
    if isinstance(content, dict):
        entries = content.get("data", content.get("models"))  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(entries, list):
        raise _NoList("its list of models has an unknown form")
    rows: list[Any] = entries[:_MOST_MODELS]
    models = {facts.name: facts for row in rows if isinstance(row, dict) and (facts := _facts(row)) is not None}
    return list(models.values())


def _facts(row: dict[str, Any]) -> frames.ModelFacts | None:
    name = row.get("id", row.get("name"))
    if not isinstance(name, str):
        return None
    name = name.removeprefix("models/")
    if not name or len(name) > _LONGEST_NAME or not name.isprintable() or " " in name:
        return None
    methods = row.get("supportedGenerationMethods")
    if isinstance(methods, list) and "generateContent" not in methods:
        return None
    prices, top, meta = _object(row, "pricing"), _object(row, "top_provider"), _object(row, "meta")
    modalities = _object(row, "architecture").get("input_modalities")
    takes = row.get("supported_parameters")
    size = _whole(next((row[name] for name in _SIZES if row.get(name)), None) or _served(meta))
    return frames.ModelFacts(
        name,
        size,
        _whole(top.get("max_completion_tokens") or row.get("outputTokenLimit") or row.get("max_tokens")),
        "image" in modalities if isinstance(modalities, list) else None,
        "tools" in takes if isinstance(takes, list) else None,
        _price(prices.get("prompt")),
        _price(prices.get("completion")),
        "file" in modalities if isinstance(modalities, list) else None,
        context_source="told by the provider" if size else "",
    )


def _served(meta: Mapping[str, Any]) -> Any:
    """Return the size that llama-server serves, before the size with which the model was trained."""
    return meta.get("n_ctx") or meta.get("n_ctx_train")


def _object(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and 0 < value < 1 << 40 else None


def _price(value: object) -> float | None:
    """Return the price of a million tokens from the price of one; OpenRouter writes -1 for a price that varies."""
    try:
        price = float(value) if isinstance(value, str | int | float) else -1.0
    except ValueError:
        return None
    return round(price * _PER, 6) if 0 <= price < 1 else None


def is_chat(provider: str, model: str) -> bool:
    """Return whether a listed model may be a chat model: the table knows some models to be of another kind."""
    row = model_table.row(f"{provider}/{model}")
    return row.get("mode") in (None, "chat", "responses")


def _read(file: Path | None, address: str) -> Listed | None:
    """Return the kept list of the address; a file which cannot be read counts as no list. Blocks for a short while."""
    if file is None:
        return None
    try:
        if file.stat().st_size > _MOST_BYTES:
            return None
        listed = msgspec.msgpack.decode(file.read_bytes(), type=Listed)
    except (OSError, msgspec.MsgspecError):
        return None
    return listed if listed.address == address else None


def _write(file: Path, listed: Listed) -> None:
    """Keep the list; a cache that cannot be written only costs time. Blocks."""
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(msgspec.msgpack.encode(listed))
        part.replace(file)
    except OSError:
        part.unlink(missing_ok=True)
