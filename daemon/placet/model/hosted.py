"""Names of models which the host serves."""

OWN_SERVERS = frozenset({"ollama", "ollama_chat", "lm_studio", "hosted_vllm", "llamafile", "xinference", "oobabooga"})
"""Kinds of providers that are commonly a server of the user's own, which needs no key."""

BUILT_IN_PREFIX = "builtin/"
SCRIPTED = "scripted/"


def is_hosted(name: str) -> bool:
    """Return whether the model host serves the model, rather than the daemon itself."""
    return not name.startswith((BUILT_IN_PREFIX, SCRIPTED))
