"""Prices of answers by litellm's table. Pure."""

from placet.model import frames


def cost(model: str, usage: frames.Usage) -> float:
    """Return the cost in US dollars; 0 when the price is unknown."""
    raise NotImplementedError
