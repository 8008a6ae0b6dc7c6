"""Heads of requests as bytes. Pure."""

import re
from collections.abc import Mapping

from placet.model.host.http_client.failures import UnfitRequest

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e]*")


def head(line: str, headers: Mapping[str, str]) -> bytes:
    """Return the head with this request line. Raises UnfitRequest for a header which HTTP cannot hold."""
    for name, value in headers.items():
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            # The value may be a key, which no text shows.
            raise UnfitRequest(f"the header `{name}` holds a character which no header can hold")
    return "\r\n".join([line, *(f"{name}: {value}" for name, value in headers.items()), "\r\n"]).encode()
