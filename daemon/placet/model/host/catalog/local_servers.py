"""Model servers which listen on this machine: their addresses, and the models on offer.

The host asks loopback addresses only, without a proxy, and waits a short time. The host reads an answer only in the
shape of OpenAI's list of models: https://platform.openai.com/docs/api-reference/models/list.
"""

import asyncio
import ipaddress
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from urllib.parse import quote, urlsplit

import msgspec
from msgspec.structs import replace

from placet.model.frames import OLLAMA, ModelFacts
from placet.model.host.catalog import efforts
from placet.model.host.catalog import served_sizes as sizes
from placet.model.host.http_client.client import HttpClient, HttpRequest
from placet.model.host.http_client.failures import HttpFailure
from placet.settings.provider_kinds import LOCAL

_SECONDS = 0.5
"""Seconds within which a server must answer, including all of its models."""
_FRESH_SECONDS = 5.0
_MOST_BYTES = 1 << 22
_MOST_MODELS = 200
_JSON = {"content-type": "application/json"}


_Shape = TypeVar("_Shape")


class _OtherServer(Exception):
    """Raised when a server answers otherwise than a model server."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """Kind of server, with litellm's name for the kind and the usual address."""

    provider: str
    title: str
    variable: str
    """Environment variable in which litellm looks for the server's address."""
    address: str
    """Address in litellm's form; OpenAI's wire is at `/v1` of the address."""


KNOWN = (
    LocalServer("ollama_chat", "Ollama", "OLLAMA_API_BASE", "http://127.0.0.1:11434"),
    LocalServer("hosted_vllm", "vLLM", "HOSTED_VLLM_API_BASE", "http://127.0.0.1:8000/v1"),
    LocalServer("lm_studio", "LM Studio", "LM_STUDIO_API_BASE", "http://127.0.0.1:1234/v1"),
    LocalServer("llamafile", "llama-server", "LLAMAFILE_API_BASE", "http://127.0.0.1:8080/v1"),
)


def address_of(provider: str, environment: Mapping[str, str]) -> str | None:
    """Return the address of a server of this kind, from the environment or else the usual address.

    Return None for a provider which is no local server.
    """
    for server in KNOWN:
        if server.provider == provider:
            return environment.get(server.variable) or server.address
    return None


class _Meta(msgspec.Struct):
    n_ctx: int | None = None
    """Size that the server serves."""
    n_ctx_train: int | None = None
    """Size with which the model was trained."""


class _Model(msgspec.Struct):
    id: str
    max_model_len: int | None = None
    """Size of the input in vLLM's answer."""
    meta: _Meta | None = None
    """Details in llama-server's answer."""


class _Listing(msgspec.Struct):
    data: list[_Model]
    object: str = "list"


class Inside(Protocol):
    """Models that Placet itself runs on this machine (model/host/engine/serving.py)."""

    async def offered(self) -> list[ModelFacts]: ...

    def facts(self, name: str) -> ModelFacts | None:
        """Return the facts of the model `local/NAME`, or None for an unknown model."""
        ...


class LocalModels:
    """Models on offer at the local servers, looked up on demand and kept for a few seconds."""

    def __init__(
        self, environment: Mapping[str, str], servers: Sequence[LocalServer] = KNOWN, inside: Inside | None = None
    ) -> None:
        """Create the list; `inside`: the models that Placet itself runs."""
        self._environment = environment
        self._inside = inside
        self._servers = servers
        self._client = HttpClient({"NO_PROXY": "*"})
        self._looking = asyncio.Lock()
        self._models: tuple[ModelFacts, ...] = ()
        self._looked_at = float("-inf")

    async def offered(self) -> tuple[ModelFacts, ...]:
        """Return Placet's own models, and the models of all running servers. The slowest server sets the time."""
        async with self._looking:
            if time.monotonic() - self._looked_at > _FRESH_SECONDS:
                self._models = await self._look()
                self._looked_at = time.monotonic()
        return (*(await self._inside.offered() if self._inside else ()), *self._models)

    async def facts(self, kind: str, name: str, address: str | None, *, is_asked: bool = False) -> ModelFacts | None:
        """Return the facts that the model's server tells now, or None if no server on this machine serves the model.

        `kind` and `name`: litellm's name of the provider and the model's name on the wire. `address`: the server's
        address in the settings; None: the usual address of the kind. `is_asked`: the model has answered Placet.
        """
        if kind == LOCAL and address is None:
            return self._inside.facts(f"{LOCAL}/{name}") if self._inside else None
        usual = next((server for server in self._servers if server.provider == kind), None)
        server = usual or (LocalServer(kind, "the server", "", "") if address else None)
        if server is None:
            return None
        return next(iter(await self._ask(server, address or self._address(server), only=name, is_asked=is_asked)), None)

    async def _look(self) -> tuple[ModelFacts, ...]:
        lists = await asyncio.gather(*(self._ask(server, self._address(server)) for server in self._servers))
        return tuple(model for models in lists for model in models)

    def _address(self, server: LocalServer) -> str:
        return self._environment.get(server.variable) or server.address

    async def _ask(
        self, server: LocalServer, address: str, only: str | None = None, *, is_asked: bool = False
    ) -> list[ModelFacts]:
        """Return the facts of the server's models, or of one of the models (`only`)."""
        address = address.rstrip("/")
        if not is_loopback(address):
            return []
        try:
            async with asyncio.timeout(_SECONDS):
                base = address.removesuffix("/v1")
                listed = await self._fetch(HttpRequest("GET", f"{base}/v1/models"), _Listing)
                models = [model for model in listed.data[:_MOST_MODELS] if model.id and only in (None, model.id)]
                if server.provider in OLLAMA:
                    loaded = await self._perhaps(HttpRequest("GET", f"{base}/api/ps"), sizes.LoadedModels)
                    asking = (self._facts_of_ollama(base, model, loaded, is_asked=is_asked) for model in models)
                else:
                    asking = (self._facts(server, base, model) for model in models)
                found = await asyncio.gather(*asking)
        except (HttpFailure, TimeoutError, _OtherServer, msgspec.MsgspecError):
            return []  # No server, or a server of another kind.
        return [
            replace(_named(server, model.id), server=f"{server.title} at {address}", **facts)
            for model, facts in zip(models, found, strict=True)
        ]

    async def _facts(self, server: LocalServer, base: str, model: _Model) -> dict[str, Any]:
        """Return the size of the model as the server tells it: vLLM and llama-server in the list, LM Studio beside."""
        if model.max_model_len:
            return _size(model.max_model_len, f"served by {server.title}")
        if model.meta is not None:
            properties = None
            if model.meta.n_ctx is None:
                properties = await self._perhaps(HttpRequest("GET", f"{base}/props"), sizes.Properties)
            served = model.meta.n_ctx or (properties and properties.default_generation_settings.n_ctx)
            if served:
                return _size(served, f"served by {server.title}")
            return _size(model.meta.n_ctx_train, "of the model")
        of_lm_studio = HttpRequest("GET", f"{base}/api/v0/models/{quote(model.id)}")
        if (own := await self._perhaps(of_lm_studio, sizes.LmStudioModel)) and own.loaded_context_length:
            return _size(own.loaded_context_length, f"loaded in {server.title}")
        return {}

    async def _facts_of_ollama(
        self, base: str, model: _Model, loaded: sizes.LoadedModels | None, *, is_asked: bool
    ) -> dict[str, Any]:
        """Return Ollama's facts: Ollama knows of each model its size, and whether it can call tools and see."""
        asked = HttpRequest("POST", f"{base}/api/show", _JSON, json.dumps({"model": model.id}).encode())
        if (shown := await self._perhaps(asked, sizes.ShownModel)) is None:
            return {}
        loaded_size = loaded.size_of(model.id) if loaded else 0
        size = sizes.of_ollama(shown, loaded_size, sizes.memory_bytes(), is_asked=is_asked)
        abilities = shown.capabilities
        known = {} if abilities is None else {"tools": "tools" in abilities, "vision": "vision" in abilities}
        return {**known, **_size(size.tokens, size.source)}

    async def _perhaps(self, request: HttpRequest, shape: type[_Shape]) -> _Shape | None:
        """Return the answer, or None from a server that does not know the question."""
        try:
            return await self._fetch(request, shape)
        except (HttpFailure, _OtherServer, msgspec.MsgspecError):
            return None

    async def _fetch(self, request: HttpRequest, shape: type[_Shape]) -> _Shape:
        """Return the answer; redirects are not followed. Raises HttpFailure, _OtherServer and MsgspecError."""
        response = await self._client.send(request, connect_seconds=None)
        try:
            if response.status != 200:
                raise _OtherServer
            body = b""
            async for chunk in response.chunks():
                body += chunk
                if len(body) > _MOST_BYTES:
                    raise _OtherServer
        finally:
            await response.close()
        return msgspec.json.decode(body, type=shape)


def is_loopback(address: str) -> bool:
    """Return whether the address is a loopback address of this machine."""
    try:
        host = urlsplit(address).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _named(server: LocalServer, model: str) -> ModelFacts:
    name = f"{server.provider}/{model}"
    return ModelFacts(name, efforts=efforts.levels(name, {}))


def _size(tokens: int | None, source: str) -> dict[str, Any]:
    return {"context_size": tokens, "context_source": source if tokens else ""}
