"""Names of models which the host serves."""

BUILT_IN_PREFIX = "builtin/"
SCRIPTED = "scripted/"


def is_hosted(name: str) -> bool:
    """Return whether the model host serves the model, rather than the daemon itself."""
    return not name.startswith((BUILT_IN_PREFIX, SCRIPTED))
