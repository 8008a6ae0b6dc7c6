"""Errors of the process for tools and plugins."""

from placet.core.errors import PlacetError


class Ended(PlacetError):
    """Error when the process ended, or was killed, before the answer."""


class Failed(PlacetError):
    """Error of the extension's code; the text says how and where."""
