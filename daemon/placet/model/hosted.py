"""Which names are of models that the host serves."""

BUILT_IN_PREFIX = "builtin/"
SCRIPTED = "scripted/"


def is_hosted(name: str) -> bool:
    """Whether the model host serves the model, rather than the daemon itself."""
    return not name.startswith((BUILT_IN_PREFIX, SCRIPTED))
