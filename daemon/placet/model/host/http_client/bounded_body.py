"""Unpacking and bounding of a response's body, so that no provider can fill the memory of the model host. Pure."""

import zlib
from collections.abc import Iterator, Mapping

from placet.core.inflating import unpacker
from placet.model.host.http_client.failures import UnfitResponse

ERROR_BYTES = 1_000_000
"""Limit of the body of an error; the rest is left out, as the beginning tells the mistake."""
STREAM_BYTES = 256_000_000
"""Limit of an event stream; the longest answers of today's models have a tenth."""
BODY_BYTES = 64_000_000
"""Limit of any other body."""


class BoundedBody:
    """Counts and unpacks the body of one response."""

    def __init__(self, status: int, headers: Mapping[str, str]) -> None:
        """Read the limit from the status and the headers. Raises UnfitResponse for a packing not offered."""
        encoding = headers.get("content-encoding", "")
        unpack = unpacker(encoding)
        if unpack is None:
            raise UnfitResponse(f"the server packed its answer with {encoding}, which was not offered to it")
        self._unpack = unpack
        self._is_error = status >= 400
        is_stream = "event-stream" in headers.get("content-type", "")
        self._left = ERROR_BYTES if self._is_error else STREAM_BYTES if is_stream else BODY_BYTES

    @property
    def is_full(self) -> bool:
        """Return whether the body of an error has reached its limit: the rest need not be read."""
        return self._left < 0

    def unpack(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the content of a chunk in pieces. Raises UnfitResponse."""
        try:
            for piece in self._unpack(chunk):
                self._left -= len(piece)
                if self._left >= 0:
                    yield piece
                elif self._is_error:
                    return
                else:
                    raise UnfitResponse("its answer is larger than any that can be read")
        except zlib.error as error:
            raise UnfitResponse(f"its answer is damaged: it cannot be unpacked ({error})") from error
