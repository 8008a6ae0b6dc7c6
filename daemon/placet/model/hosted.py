"""Names of models which the host serves."""

from placet.settings.provider_kinds import LOCAL

OWN_SERVERS = frozenset(
    {LOCAL, "ollama", "ollama_chat", "lm_studio", "hosted_vllm", "llamafile", "xinference", "oobabooga"}
)
"""Kinds of providers that are commonly a server of the user's own, which needs no key."""

BUILT_IN_PREFIX = "builtin/"
SCRIPTED = "scripted/"


def is_inside(model: str, kind: str | None) -> bool:
    """Return whether Placet's own engine serves the model; `kind`: the kind of its provider in the settings, if any.

    A provider of the user's that is called `local` and has an address is a server of the user's.
    """
    return model.startswith(f"{LOCAL}/") and kind in (None, LOCAL)


def is_hosted(name: str) -> bool:
    """Return whether the model host serves the model, rather than the daemon itself."""
    return not name.startswith((BUILT_IN_PREFIX, SCRIPTED))
