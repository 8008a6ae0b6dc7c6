"""Failures of an HTTP request, for the table of placet.model.host.errors. No text holds a key or a proxy's login."""


class HttpFailure(Exception):
    """Base of all failures; the text tells the cause in words for the user."""


class Unreachable(HttpFailure):
    """Raised when the host could not make a connection to the server."""


class RedirectedAway(HttpFailure):
    """Raised when the provider redirects the request to another host, which may not get the conversation."""


class NotTrusted(HttpFailure):
    """Raised when the certificate of the server is not valid."""


class StoppedByProxy(HttpFailure):
    """Raised when the proxy does not answer, or does not allow the connection."""


class ConnectionLost(HttpFailure):
    """Raised when the connection ended before the response did."""


class UnfitRequest(HttpFailure):
    """Raised when the request cannot be written as HTTP."""


class UnfitResponse(HttpFailure):
    """Raised when the response is no HTTP, larger than any answer, damaged, or packed in a way not offered."""
