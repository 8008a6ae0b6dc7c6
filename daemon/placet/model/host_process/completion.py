# pyright: basic
# litellm is not typed strictly; what it gives is turned into our own pieces here.
"""The one place that calls litellm: asks a model, prices an answer, and knows a model's facts."""

import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import httpx
import litellm
from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

from placet.model import frames
from placet.model.host_process.chunks import ChunkReader, usage_of
from placet.model.host_process.faults import Asked, BrokenOff, MissingKey

# The daemon watches for silence (settings.model_options.idle_timeout_seconds) and cancels; litellm need not.
_REQUEST_TIMEOUT_SECONDS = 6 * 3600.0

# Providers whose calls go through one HTTP client and nothing else: a dry call to them cannot reach the network.
_DRY_CALLABLE = {"openai", "anthropic", "hosted_vllm", "deepseek", "groq", "mistral", "openrouter", "xai"}
_DRY_CALLABLE |= {"together_ai", "fireworks_ai", "moonshot", "zai", "cerebras", "lm_studio", "litellm_proxy"}

# Merely naming a model of theirs to litellm begins a login over the network.
_LOGIN_PROVIDERS = {"github_copilot", "chatgpt"}

litellm.suppress_debug_info = True
litellm.disable_streaming_logging = True
litellm.disable_token_counter = True
# Otherwise groq/llama-3* fetch a tokenizer from Hugging Face inside the call, and block it for many seconds offline.
litellm.disable_hf_tokenizer_download = True
# An option a model does not know (temperature, stream_options) is left out rather than refused.
litellm.drop_params = True


async def begin(ask: frames.Ask) -> Any:
    """Send the request; litellm's stream when the provider began to answer. Raises MissingKey, and as litellm does."""
    if not ask.api_base and _are_keys(asked(ask).missing_variables):
        # Some providers are otherwise asked over the network without a key.
        raise MissingKey
    return await litellm.acompletion(**_arguments(ask))


async def read(ask: frames.Ask, stream: Any) -> AsyncGenerator[frames.Piece, None]:
    """The answer's pieces, Finish last. Raises what litellm raises, BrokenOff for a stream that ends too early."""
    reader = ChunkReader()
    async with aclosing(stream):
        async for chunk in stream:
            for piece in reader.read(chunk):
                yield piece
        # litellm makes up a `stop` for a stream that just ends; these two tell what the provider sent.
        reason = stream.received_finish_reason or stream.intermittent_finish_reason
    if reason is None:
        raise BrokenOff("the stream ended before the answer was complete")
    if reader.usage is not None:
        yield usage_of(reader.usage, _cost(ask.model, reader.usage))
    for piece in reader.finish(reason):
        yield piece


def _arguments(ask: frames.Ask) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "model": ask.model,
        "messages": ask.messages,
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_retries": 0,
        "timeout": _REQUEST_TIMEOUT_SECONDS,
    }
    options = {
        "tools": ask.tools or None,
        "api_base": ask.api_base,
        "temperature": ask.temperature,
        "max_tokens": ask.max_output_tokens,
    }
    arguments |= {name: value for name, value in options.items() if value is not None}
    if ask.api_base and asked(ask).missing_variables:
        # A server of the user's own may want no key, but litellm wants one for it.
        arguments["api_key"] = "none"
    return arguments


def asked(ask: frames.Ask) -> Asked:
    """Who is asked, for the words of a fault."""
    provider, key = _provider_and_key(ask.model)
    knows_key = key or not provider or provider in _LOGIN_PROVIDERS
    missing = () if knows_key else tuple(litellm.validate_environment(ask.model)["missing_keys"])
    conventional = f"{provider.upper()}_API_KEY"
    return Asked(ask.model, provider, ask.api_base, missing, conventional if conventional in os.environ else None)


def _provider_and_key(model: str) -> tuple[str, str | None]:
    """Both as litellm finds them; the key only for some providers. The provider is empty when there is none."""
    named = model.partition("/")[0]
    if named in _LOGIN_PROVIDERS:
        return named, None
    try:
        _, provider, key, _ = litellm.get_llm_provider(model)
    except litellm.exceptions.BadRequestError:
        return "", None
    return provider, key


def _are_keys(variables: tuple[str, ...]) -> bool:
    """Whether a key is all that is missing; clouds with other variables also find their login elsewhere."""
    return bool(variables) and all(variable.endswith("_API_KEY") for variable in variables)


def context_size(model: str) -> int | None:
    """Tokens the model can take in, from litellm's own table; None for a model it does not list."""
    if _provider_and_key(model)[0] in _LOGIN_PROVIDERS:
        return None
    try:
        return litellm.get_model_info(model).get("max_input_tokens")
    except Exception:  # noqa: BLE001 - litellm raises bare Exceptions for models it does not know
        return None


def _cost(model: str, usage: Any) -> float:
    try:
        return sum(litellm.cost_per_token(model=model, usage_object=usage))
    except Exception:  # noqa: BLE001 - litellm raises bare Exceptions for models it has no price for
        return 0.0


async def prepare(model: str) -> None:
    """Run a call that never leaves the process: the first one otherwise loads modules for 1 to 2 seconds."""
    dry_model = model if _provider_and_key(model)[0] in _DRY_CALLABLE else "openai/dry"
    arguments = _arguments(frames.Ask(0, dry_model, [{"role": "user", "content": "dry"}], [_DRY_TOOL]))
    client = AsyncHTTPHandler(transport=httpx.MockTransport(_dry_answer))
    try:
        stream: Any = await litellm.acompletion(
            **arguments, client=client, api_key="none", api_base="http://127.0.0.1:9"
        )
        async with aclosing(stream):
            async for _ in stream:
                pass
    except Exception:  # noqa: BLE001, S110 - it is only a rehearsal: the call itself will tell
        pass
    finally:
        await client.close()


_DRY_TOOL = {"type": "function", "function": {"name": "dry", "parameters": {"type": "object", "properties": {}}}}


def _dry_answer(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=b"data: [DONE]\n\n")
