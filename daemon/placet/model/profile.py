"""Profile of a model where the user leaves the choice to Placet: by place, size, context and speed. Pure."""

import re

from placet.core.network_addresses import is_private
from placet.model.hosted import OWN_SERVERS
from placet.settings.profile import ProfileInUse

SMALL_BELOW = 14.0
"""Billions of parameters below which a model works in the profile `small`."""
SMALLEST_BELOW = 3.0
"""Billions of parameters below which a model works in the profile `smallest`: a model of 1.5 billion that was tried
with tools read the same file ten times.
"""
LEAST_CONTEXT = 16_000
"""Tokens of context that the profile `full` needs: the first request alone has about 7,000."""
LEAST_SPEED = 100.0
"""Tokens of a prompt a second below which the first request of the profile `full` takes more than a minute."""

_SIZE = re.compile(r"(?<![a-z0-9.])(?:(\d+)x)?e?(\d+(?:\.\d+)?)([bm])(?![a-z0-9])", re.IGNORECASE)


def automatic_profile(
    name: str, context_size: int | None, *, is_own_server: bool, tokens_per_second: float | None = None
) -> ProfileInUse:
    """Return the profile for the model with this name.

    `context_size`: tokens, or None if unknown. `tokens_per_second`: measured speed of reading a prompt, or None. The
    speed does not make a model work in `smallest`: such a model may be slow and good.
    """
    if not is_own_server:
        return ProfileInUse("full", "the model is not on a server of your own")
    size = billions(name)
    if size is not None and size < SMALLEST_BELOW:
        return ProfileInUse("smallest", f"its name says {_shown(size)} parameters")
    if size is not None and size < SMALL_BELOW:
        return ProfileInUse("small", f"its name says {_shown(size)} parameters")
    if context_size is not None and context_size < LEAST_CONTEXT:
        return ProfileInUse("small", f"its context has {context_size:,} tokens")
    if tokens_per_second is not None and tokens_per_second < LEAST_SPEED:
        return ProfileInUse("small", f"it reads {tokens_per_second:.0f} tokens a second")
    return ProfileInUse("full", "nothing says that the model is small")


def billions(name: str) -> float | None:
    """Return the billions of parameters in a model's name, such as 1.5 for `qwen2.5-coder:1.5b`; None without a size.

    The first size counts: in `30b-a3b` the second size is of the active parameters.
    """
    match = _SIZE.search(name)
    if match is None:
        return None
    experts, number, unit = match.groups()
    return int(experts or 1) * float(number) / (1000 if unit in "mM" else 1)


def is_own_server(kind: str, host: str | None) -> bool:
    """Return whether a model is on a server of the user's own.

    `kind`: litellm's name of the provider. `host`: host of the address in the settings, or None for the usual address.
    """
    if kind in OWN_SERVERS:
        return True
    if host is None:
        return False
    if "." not in host and ":" not in host:
        return True  # `localhost`, or a machine of the local network.
    try:
        return is_private(host)
    except ValueError:
        return False  # A name of the internet.


def _shown(size: float) -> str:
    return f"{size:g} billion" if size >= 1 else f"{size * 1000:g} million"
