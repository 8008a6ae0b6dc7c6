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
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec

from placet.model.frames import ModelFacts
from placet.model.host.catalog import efforts
from placet.model.host.http_client.client import HttpClient, HttpRequest
from placet.model.host.http_client.failures import HttpFailure

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


class LocalModels:
    """Models on offer at the local servers, looked up on demand and kept for a few seconds."""

    def __init__(self, environment: Mapping[str, str], servers: Sequence[LocalServer] = KNOWN) -> None:
        self._environment = environment
        self._servers = servers
        self._client = HttpClient({"NO_PROXY": "*"})
        self._looking = asyncio.Lock()
        self._models: tuple[ModelFacts, ...] = ()
        self._looked_at = float("-inf")

    async def offered(self) -> tuple[ModelFacts, ...]:
        """Return the models of all running servers. Takes as long as the slowest server may."""
        async with self._looking:
            if time.monotonic() - self._looked_at > _FRESH_SECONDS:
                self._models = await self._look()
                self._looked_at = time.monotonic()
        return self._models

    async def facts(self, name: str) -> ModelFacts | None:
        """Return the facts from the model's server, or None if the model is not local or no server offers the model."""
        if name.partition("/")[0] not in {server.provider for server in self._servers}:
            return None
        return next((model for model in await self.offered() if model.name == name), None)

    async def _look(self) -> tuple[ModelFacts, ...]:
        lists = await asyncio.gather(*(self._ask(server) for server in self._servers))
        return tuple(model for models in lists for model in models)

    async def _ask(self, server: LocalServer) -> list[ModelFacts]:
        address = (self._environment.get(server.variable) or server.address).rstrip("/")
        if not is_loopback(address):
            return []
        try:
            async with asyncio.timeout(_SECONDS):
                base = address.removesuffix("/v1")
                listed = await self._fetch(HttpRequest("GET", f"{base}/v1/models"), _Listing)
                models = [_facts(server, address, entry) for entry in listed.data[:_MOST_MODELS] if entry.id]
                if server.provider == "ollama_chat":
                    models = await asyncio.gather(*(self._with_abilities(base, model) for model in models))
                return models
        except (HttpFailure, TimeoutError, _OtherServer, msgspec.MsgspecError):
            return []  # No server, or a server of another kind.

    async def _with_abilities(self, base: str, model: ModelFacts) -> ModelFacts:
        """Return the model with Ollama's facts: Ollama knows of each model whether the model can call tools and see."""
        body = json.dumps({"model": model.name.partition("/")[2]}).encode()
        try:
            shown = await self._fetch(HttpRequest("POST", f"{base}/api/show", _JSON, body), _Shown)
        except (HttpFailure, _OtherServer, msgspec.MsgspecError):
            return model
        if shown.capabilities is None:
            return model
        tools, vision = "tools" in shown.capabilities, "vision" in shown.capabilities
        return msgspec.structs.replace(model, tools=tools, vision=vision)

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


class _Meta(msgspec.Struct):
    n_ctx_train: int | None = None


class _Model(msgspec.Struct):
    id: str
    max_model_len: int | None = None
    """Size of the input in vLLM's answer."""
    meta: _Meta | None = None
    """Details in llama-server's answer."""


class _Listing(msgspec.Struct):
    data: list[_Model]
    object: str = "list"


class _Shown(msgspec.Struct):
    """Answer of Ollama's `/api/show`: https://github.com/ollama/ollama/blob/main/docs/api.md."""

    capabilities: list[str] | None = None


def _facts(server: LocalServer, address: str, model: _Model) -> ModelFacts:
    size = model.max_model_len or (model.meta.n_ctx_train if model.meta else None)
    name = f"{server.provider}/{model.id}"
    return ModelFacts(name, size, server=f"{server.title} at {address}", efforts=efforts.levels(name, {}))
