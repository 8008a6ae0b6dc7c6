"""Marks for providers which cache a prompt only at marks: at most three marks, of the four allowed.

The marks stand at the end of the system prompt and at the ends of the last two messages on such a provider's wire,
where results and the user's text are one message: https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching.
"""

from collections.abc import Sequence
from itertools import groupby, islice
from typing import Any, Protocol, TypeVar


class HasRole(Protocol):
    @property
    def role(self) -> str: ...


T = TypeVar("T", bound=HasRole)

_MARK = {"type": "ephemeral"}
_LAST = 2
_FOR_CLAUDE = {"bedrock", "vertex_ai", "openrouter"}
_OWN_CACHE_KEY = {"openai", "azure"}
"""Providers which take a cache key. OpenAI caches without marks; the key brings the requests of one session to the
machine with the cache."""
_CALLS_CANNOT_BE_MARKED = {"openrouter"}


def wants_marks(provider: str, model: str) -> bool:
    """Return whether the provider has explicit marks, and litellm puts the marks in the right places."""
    return provider == "anthropic" or (provider in _FOR_CLAUDE and "claude" in model.lower())


def takes_key(provider: str, api_base: str | None) -> bool:
    """Return whether the provider takes a `prompt_cache_key`; a server of the user's own may refuse an unknown key."""
    return provider in _OWN_CACHE_KEY and not (api_base and provider == "openai")


def marked(conversation: Sequence[T]) -> frozenset[T]:
    """Return the messages which get a mark."""
    marked_messages = [message for message in conversation[:1] if message.role == "system"]
    backwards = (message for message in reversed(conversation) if message.role != "system")
    for _, side in islice(groupby(backwards, lambda message: message.role == "assistant"), _LAST):
        marked_messages.append(next(side))
    return frozenset(marked_messages)


def mark(message: dict[str, Any], provider: str) -> None:
    """Mark the end of the message, if the message has an end to mark."""
    content, calls = message.get("content"), message.get("tool_calls")
    if calls and provider not in _CALLS_CANNOT_BE_MARKED:
        calls[-1]["cache_control"] = _MARK
    elif message["role"] == "tool":
        message["cache_control"] = _MARK
    elif isinstance(content, str):
        message["content"] = [{"type": "text", "text": content, "cache_control": _MARK}]
    elif content:
        content[-1]["cache_control"] = _MARK
