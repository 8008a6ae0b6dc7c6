"""Interface of a wire: the request for an ask, and the reader of the answer. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from placet.model.host.prompt import ProviderPrompt
from placet.model.host.readers.stream import StreamReader


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Address and login of a provider for one request."""

    provider: str
    """Name of the provider in litellm, for example `openai`."""
    model: str
    """Name of the model on the wire, without the provider."""
    base: str
    """Address below which the paths of the wire stand, without a slash at the end."""
    key: str | None = field(default=None, repr=False)
    """Key of the provider; None if the provider takes requests without a key."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Headers which the provider gets beside the headers of the wire."""
    needs_key: bool = False
    """True if the key is missing, and the provider would refuse the request without the key."""
    is_own: bool = False
    """True for a provider of the user's settings."""


@dataclass(frozen=True, slots=True)
class WireRequest:
    """POST request to a provider."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    """Headers by lower-case name, without `host`, `content-length`, `accept-encoding` and `connection`."""
    body: bytes = field(repr=False)


def path_below(base: str, path: str) -> str:
    """Return the address of the path below the base; a base which ends with the path is complete already."""
    address, mark, query = base.partition("?")
    address = address.rstrip("/")
    return (address if address.endswith(path) else address + path) + mark + query


class Wire(Protocol):
    """Form of the requests and streams of a family of providers."""

    def request(self, parameters: Mapping[str, Any], prompt: ProviderPrompt, endpoint: Endpoint) -> WireRequest:
        """Return the streaming request with these parameters (placet.model.host.parameters).

        Raises NotDirect for a parameter or a message which the wire does not know.
        """
        ...

    def reader(self) -> StreamReader:
        """Return a new reader for the stream of one answer."""
        ...
