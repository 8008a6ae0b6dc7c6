# pyright: basic
# litellm is not typed strictly; what it gives is turned into our own pieces here.
"""Calls to litellm: the only module which asks a model through litellm."""

import contextlib
import os
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

import litellm

from placet.auth.subscriptions.names import SUBSCRIPTIONS
from placet.model import frames
from placet.model.host import model_table
from placet.model.host.catalog import model_facts, prices
from placet.model.host.catalog.local_servers import address_of
from placet.model.host.compatible.chunks import read_chunks
from placet.model.host.compatible.subscriptions import use_stored_tokens
from placet.model.host.compatible.transport import CLIENT, KeptBody, Sending, lend_client, takes_client, watched
from placet.model.host.conversations import Conversation
from placet.model.host.direct import own_providers
from placet.model.host.direct.routes import is_for_responses
from placet.model.host.errors import Asked, MissingKey
from placet.model.host.parameters import parameters
from placet.model.host.prompt import ProviderPrompt
from placet.model.host.reading import read_stream
from placet.model.host.sealed_thinking import without_items

# The daemon watches for silence (settings.model_options.idle_timeout_seconds) and cancels; litellm need not.
_REQUEST_TIMEOUT_SECONDS = 6 * 3600.0

_KEPT_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")

# Providers whose calls go through one HTTP client and nothing else: a dry call to them cannot reach the network.
_DRY_CALLABLE = {"openai", "anthropic", "hosted_vllm", "deepseek", "groq", "mistral", "openrouter", "xai"}
_DRY_CALLABLE |= {"together_ai", "fireworks_ai", "moonshot", "zai", "cerebras", "lm_studio", "litellm_proxy"}

litellm.suppress_debug_info = True
litellm.disable_streaming_logging = True
litellm.disable_token_counter = True
# Otherwise groq/llama-3* fetch a tokenizer from Hugging Face inside the call, which blocks for many seconds offline.
litellm.disable_hf_tokenizer_download = True
use_stored_tokens()
# An option a model does not know (temperature, stream_options) is left out rather than refused.
litellm.drop_params = True


class CompatibleAnswer:
    """Answer through litellm: placet.model.host.answers.ProviderAnswer."""

    def __init__(self, ask: frames.Ask, conversation: Conversation) -> None:
        self._ask = ask
        self._conversation = conversation
        self._sending = Sending(capture=_may_be_fast(ask), connect_seconds=ask.connect_timeout_seconds)
        self._stream: Any = None

    @property
    def transport(self) -> frames.Transport:
        return "compatible" if self._sending.reader is None else "fast"

    @property
    def asked(self) -> Asked:
        """Return the asked model and provider, for the words of a fault."""
        return asked(self._ask)

    @property
    def headers(self) -> Mapping[str, str]:
        return self._sending.headers or {}

    async def begin(self) -> None:
        """Send the request; return when the provider begins to answer. Raises MissingKey, and the exceptions of
        litellm.
        """
        ask = self._ask
        fault = asked(ask)
        is_needed = ask.provider is not None and own_providers.login(ask.provider, os.environ).is_needed
        is_missing = _are_keys(fault.missing_variables) and not ask.api_base
        if fault.broken_reference or is_missing or (is_needed and fault.missing_variables):
            # Some providers are otherwise asked over the network without a key.
            raise MissingKey
        arguments = _arguments(ask)
        provider = _provider_and_key(ask.model)[0]
        if "client" in arguments:
            lend_client(provider)
        prompt = ProviderPrompt(self._conversation, ask, provider, model_facts.of(ask), model_table.row(ask.model))
        with watched(self._sending):
            messages = prompt.chat()
            if not is_for_responses(ask, os.environ):
                messages = without_items(messages)
            self._stream = await litellm.acompletion(**arguments, messages=messages)

    async def read(self) -> AsyncGenerator[list[frames.Piece], None]:
        """Yield the pieces in batches, Finish last; a batch without pieces means only: the provider is alive.

        Raises litellm's exceptions, StreamFault, NoJson, and BrokenOff for a stream which ends too early.
        """
        reader, response = self._sending.reader, self._sending.response
        price = prices.of(self._ask)
        if reader is None or response is None:
            batches = read_chunks(self._stream, price)
        else:
            batches = read_stream(reader, KeptBody(response), price)
        async with aclosing(batches):
            async for batch in batches:
                yield batch

    async def close(self) -> None:
        """Close the connection; errors of closing are ignored, as nobody can use such an error."""
        for stream in (self._sending.response, self._stream):
            if stream is not None:
                with contextlib.suppress(Exception):
                    await stream.aclose()


def _arguments(ask: frames.Ask) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "model": ask.model,
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_retries": 0,
        "timeout": _REQUEST_TIMEOUT_SECONDS,
    }
    options = {
        "api_base": _address(ask),
        "client": CLIENT if _takes_client(ask) else None,
        "extra_headers": ask.headers or None,
    }
    arguments |= {name: value for name, value in options.items() if value is not None}
    arguments |= parameters(ask, _provider_and_key(ask.model)[0])
    if ask.provider is not None:
        arguments |= _own_login(ask, ask.provider)
    elif ask.api_base and asked(ask).missing_variables:
        # A server of the user's own may want no key, but litellm wants a key for the server.
        arguments["api_key"] = "none"
    return arguments


def _own_login(ask: frames.Ask, provider: frames.Provider) -> dict[str, Any]:
    """Return the login of a provider of the settings; without `api_key` litellm takes the key of the known provider."""
    login = own_providers.login(provider, os.environ)
    headers = {**ask.headers, **login.headers}
    is_other = provider.name != ask.model.partition("/")[0] and (ask.api_base or login.variables)
    key = login.key or ("none" if is_other or provider.is_keyless else None)
    given = {"extra_headers": headers or None, "api_key": key}
    return {name: value for name, value in given.items() if value is not None}


def _address(ask: frames.Ask) -> str | None:
    """Return the address of the server, or None for the provider's own address."""
    return ask.api_base or address_of(ask.model.partition("/")[0], os.environ)


def _may_be_fast(ask: frames.Ask) -> bool:
    """Return whether our readers may read the answer: only litellm's reader restores changed tool names."""
    names_stay = all(_KEPT_TOOL_NAME.fullmatch(tool["function"]["name"]) for tool in ask.tools)
    return ask.transport != "compatible" and names_stay


def _takes_client(ask: frames.Ask) -> bool:
    return _may_be_fast(ask) and takes_client(_provider_and_key(ask.model)[0])


def asked(ask: frames.Ask) -> Asked:
    """Return the asked model and provider, for the words of a fault."""
    if ask.provider is not None:
        return own_providers.asked(ask, ask.provider, own_providers.login(ask.provider, os.environ))
    provider, key = _provider_and_key(ask.model)
    missing = () if key or not provider else _missing_variables(ask.model, provider)
    conventional = f"{provider.upper()}_API_KEY"
    return Asked(ask.model, provider, _address(ask), missing, conventional if conventional in os.environ else None)


def _missing_variables(model: str, provider: str) -> tuple[str, ...]:
    if provider in SUBSCRIPTIONS:
        return (f"{provider.upper()}_API_KEY",)
    return tuple(litellm.validate_environment(model)["missing_keys"])


def _provider_and_key(model: str) -> tuple[str, str | None]:
    """Return the provider and the key in litellm's view; the key only for some providers, no provider as an empty
    string.
    """
    try:
        _, provider, key, _ = litellm.get_llm_provider(model)
    except litellm.exceptions.BadRequestError:
        return "", None
    return provider, key


def _are_keys(variables: tuple[str, ...]) -> bool:
    """Return whether only a key is missing; clouds with other variables also find a login elsewhere."""
    return bool(variables) and all(variable.endswith("_API_KEY") for variable in variables)


async def prepare(model: str) -> frames.Transport | None:
    """Run a call which never leaves the process: without such a call the first one loads modules for 1 to 2 seconds.

    Return the transport of later calls to this model, as far as such a call can tell.
    """
    callable_dry = _provider_and_key(model)[0] in _DRY_CALLABLE
    ask = frames.Ask(0, model if callable_dry else "openai/dry", [{"role": "user", "content": "dry"}], [_DRY_TOOL])
    dry = {"client": CLIENT, "api_key": "none", "api_base": "http://127.0.0.1:9", "messages": ask.messages}
    arguments = _arguments(ask) | dry
    with watched(Sending(rehearsal=True)) as sending:
        try:
            stream: Any = await litellm.acompletion(**arguments)
            async with aclosing(stream):
                async for _ in stream:
                    pass
        except Exception:  # noqa: BLE001, S110 - a rehearsal: the call itself will report the error
            pass
    return "fast" if callable_dry and sending.seen and _takes_client(ask) else None


_DRY_TOOL = {"type": "function", "function": {"name": "dry", "parameters": {"type": "object", "properties": {}}}}
