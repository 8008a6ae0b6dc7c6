"""Route of an ask by the direct way: the wire, and the endpoint of the provider. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from placet.model import frames
from placet.model.host.direct.wire import Endpoint, NotDirect, Wire
from placet.model.host.errors import Asked


@dataclass(frozen=True, slots=True)
class Route:
    """Way of one ask to its provider."""

    wire: Wire
    endpoint: Endpoint
    asked: Asked
    """Asked model and provider, for the words of a fault."""


def route(ask: frames.Ask, environment: Mapping[str, str]) -> Route:
    """Return the route of the ask. Raises NotDirect for a provider without a direct wire."""
    raise NotDirect("the provider has no direct wire")
