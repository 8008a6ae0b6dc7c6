"""Parameters of an ask by the names of OpenAI's chat-completions API, the same for both ways to a model. Pure."""

from typing import Any

from placet.model import frames
from placet.model.host import cache_marks
from placet.model.quirks import quirks_of

# How an answer is carried, and with what the provider is asked: no plugin may set these parameters.
_OURS = {
    *("model", "messages", "tools", "stream", "stream_options", "client", "api_key", "api_base", "base_url"),
    *("max_retries", "timeout", "extra_headers", "mock_response", "callbacks", "logger_fn"),
}


def parameters(ask: frames.Ask, provider: str) -> dict[str, Any]:
    """Return the parameters: tools, temperature, top_p, max_tokens, prompt_cache_key, num_ctx and further options."""
    quirks = quirks_of(ask.model)
    takes_key = ask.cache == "auto" and cache_marks.takes_key(provider, ask.api_base)
    named = {
        "tools": ask.tools or None,
        "temperature": quirks.temperature if ask.temperature is None else ask.temperature,
        "top_p": quirks.top_p,
        "max_tokens": ask.max_output_tokens,
        "prompt_cache_key": ask.cache_key if takes_key else None,
        "num_ctx": ask.context_size if provider in frames.OLLAMA else None,
    }
    given = {name: value for name, value in named.items() if value is not None}
    return given | {name: value for name, value in ask.options.items() if name not in _OURS}
