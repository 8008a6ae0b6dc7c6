"""Marks for providers that cache a prompt only where they are told to: at most three, of the four that are allowed.

The end of the system prompt and the ends of the last two messages, as they stand on such a provider's wire, where
results and what the user says are one message: https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching.
"""

from collections.abc import Sequence
from itertools import groupby, islice
from typing import Any, TypeVar

from placet.model.host_process.rounds import HasRole

T = TypeVar("T", bound=HasRole)

_MARK = {"type": "ephemeral"}
_LAST = 2
_FOR_CLAUDE = {"bedrock", "vertex_ai", "openrouter"}
_OWN_CACHE_KEY = {"openai", "azure"}
"""OpenAI caches by itself; the key brings requests of one session to the machine that has the cache."""
_CALLS_CANNOT_BE_MARKED = {"openrouter"}


def wants_marks(provider: str, model: str) -> bool:
    """Whether the provider has explicit marks, and litellm puts them where they belong."""
    return provider == "anthropic" or (provider in _FOR_CLAUDE and "claude" in model.lower())


def takes_key(provider: str, api_base: str | None) -> bool:
    """Whether a `prompt_cache_key` is understood; a server of the user's own may refuse what it does not know."""
    return provider in _OWN_CACHE_KEY and not (api_base and provider == "openai")


def marked(conversation: Sequence[T]) -> frozenset[T]:
    """Which messages get a mark."""
    found = [message for message in conversation[:1] if message.role == "system"]
    backwards = (message for message in reversed(conversation) if message.role != "system")
    for _, side in islice(groupby(backwards, lambda message: message.role == "assistant"), _LAST):
        found.append(next(side))
    return frozenset(found)


def mark(message: dict[str, Any], provider: str) -> None:
    """Mark the end of the message, if there is anything to mark."""
    content, calls = message.get("content"), message.get("tool_calls")
    if calls and provider not in _CALLS_CANNOT_BE_MARKED:
        calls[-1]["cache_control"] = _MARK
    elif message["role"] == "tool":
        message["cache_control"] = _MARK
    elif isinstance(content, str):
        message["content"] = [{"type": "text", "text": content, "cache_control": _MARK}]
    elif content:
        content[-1]["cache_control"] = _MARK
