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
from urllib.parse import urlsplit

import aiohttp
import msgspec

from placet.model.frames import ModelFacts

_SECONDS = 0.5
"""Seconds within which a server must answer, including all of its models."""
_FRESH_SECONDS = 5.0
_MOST_BYTES = 1 << 22
_MOST_MODELS = 200


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
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_SECONDS), trust_env=False) as session:
            lists = await asyncio.gather(*(self._ask(session, server) for server in self._servers))
        return tuple(model for models in lists for model in models)

    async def _ask(self, session: aiohttp.ClientSession, server: LocalServer) -> list[ModelFacts]:
        address = (self._environment.get(server.variable) or server.address).rstrip("/")
        if not is_loopback(address):
            return []
        try:
            async with asyncio.timeout(_SECONDS):
                base = address.removesuffix("/v1")
                listed = await _get(session, f"{base}/v1/models", _Listing)
                models = [_facts(server, address, entry) for entry in listed.data[:_MOST_MODELS] if entry.id]
                if server.provider == "ollama_chat":
                    models = await asyncio.gather(*(_with_abilities(session, base, model) for model in models))
                return models
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError, msgspec.MsgspecError):
            return []  # No server, or a server of another kind.


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


async def _get(session: aiohttp.ClientSession, url: str, shape: type[_Listing]) -> _Listing:
    async with session.get(url, allow_redirects=False) as response:
        response.raise_for_status()
        return msgspec.json.decode(await response.content.read(_MOST_BYTES), type=shape)


def _facts(server: LocalServer, address: str, model: _Model) -> ModelFacts:
    size = model.max_model_len or (model.meta.n_ctx_train if model.meta else None)
    return ModelFacts(f"{server.provider}/{model.id}", size, server=f"{server.title} at {address}")


async def _with_abilities(session: aiohttp.ClientSession, base: str, model: ModelFacts) -> ModelFacts:
    """Return the model with Ollama's facts: Ollama knows of each model whether the model can call tools and see."""
    body = json.dumps({"model": model.name.partition("/")[2]})
    try:
        async with session.post(f"{base}/api/show", data=body, allow_redirects=False) as response:
            response.raise_for_status()
            shown = msgspec.json.decode(await response.content.read(_MOST_BYTES), type=_Shown)
    except (aiohttp.ClientError, OSError, msgspec.MsgspecError):
        return model
    if shown.capabilities is None:
        return model
    return msgspec.structs.replace(model, tools="tools" in shown.capabilities, vision="vision" in shown.capabilities)
