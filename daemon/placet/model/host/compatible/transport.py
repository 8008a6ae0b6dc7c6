# pyright: basic
# litellm is not typed strictly.
"""Transport under litellm's requests: keeps the body of a 200 event stream for our own readers.

litellm resolves the provider, builds, signs and sends the request, and maps the errors. litellm gets an empty stream in
place of a stream on a wire which our readers know. Any other response passes through for litellm's own reader.
"""

import contextlib
import ssl
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from dataclasses import dataclass

import httpx
import litellm
from litellm.constants import openai_compatible_providers
from litellm.llms.custom_httpx.http_handler import (
    AsyncHTTPHandler,
    get_async_httpx_client,
    get_ssl_configuration,
)

from placet.model.host.compatible.attribution import name_placet
from placet.model.host.compatible.bounded_responses import bounded, offer_encodings, refuse_redirect_away
from placet.model.host.readers.anthropic_messages import AnthropicReader
from placet.model.host.readers.openai_chat import OpenAiChatReader
from placet.model.host.readers.openai_responses import OpenAiResponsesReader
from placet.model.host.readers.stream import StreamReader

_SDK_SECONDS = 6 * 3600.0
_EVENT_STREAM = {"content-type": "text/event-stream"}


@dataclass(slots=True)
class Sending:
    """Running call of litellm, as the transport sees the call."""

    capture: bool = True
    """True if the transport keeps a stream which our readers can read."""
    rehearsal: bool = False
    """True if the transport answers the request, and the request never leaves the process."""
    connect_seconds: float | None = None
    seen: bool = False
    """True after a request came through this transport."""
    headers: httpx.Headers | None = None
    """Headers of the last response; the headers tell rates and waiting times, which litellm does not keep."""
    response: httpx.Response | None = None
    """Kept response."""
    reader: StreamReader | None = None
    """Reader for the kept response."""
    failure: Exception | None = None


_sending: ContextVar[Sending | None] = ContextVar("sending", default=None)


@contextlib.contextmanager
def watched(sending: Sending) -> Iterator[Sending]:
    """Assign the requests made in this context to `sending`."""
    token = _sending.set(sending)
    try:
        yield sending
    finally:
        _sending.reset(token)


class KeepingTransport(httpx.AsyncBaseTransport):
    """Transport for all calls, which share its connections. Belongs to one event loop."""

    def __init__(self) -> None:
        self._inner: httpx.AsyncBaseTransport | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        sending = _sending.get() or Sending(capture=False)
        sending.seen = True
        if sending.rehearsal:
            return _empty_stream(request)
        if sending.failure is not None:
            # litellm would send the request again, which may have reached the provider already; the daemon decides
            # about retries.
            raise sending.failure
        if sending.connect_seconds is not None:
            # The daemon watches for silence; litellm's own time limit would end a long answer.
            request.extensions["timeout"] = {"connect": sending.connect_seconds, "pool": None}
        try:
            name_placet(request.headers)
            offer_encodings(request)
            packed = await self._connected().handle_async_request(request)
            refuse_redirect_away(request, packed)
            response = bounded(request, packed)
        except Exception as error:
            sending.failure = error
            raise
        sending.headers = response.headers
        reader = _reader_for(request, response) if sending.capture else None
        if reader is None:
            return response
        sending.response, sending.reader = response, reader
        return _empty_stream(request)

    async def aclose(self) -> None:
        """Do nothing: litellm closes a client after one failed request, while other calls still use the connections."""

    def _connected(self) -> httpx.AsyncBaseTransport:
        if self._inner is None:
            self._inner = _make_inner()
        return self._inner


def _make_inner() -> httpx.AsyncBaseTransport:
    """Return litellm's own transport: aiohttp with its C parser, proxies of the environment, litellm's TLS settings."""
    verify = get_ssl_configuration()
    context = verify if isinstance(verify, ssl.SSLContext) else None
    return AsyncHTTPHandler.create_aiohttp_transport(
        ssl_context=context, ssl_verify=verify if isinstance(verify, bool) else None
    )


def _reader_for(request: httpx.Request, response: httpx.Response) -> StreamReader | None:
    """Return the reader for the stream, or None if the response is no stream or the wire is unknown."""
    if response.status_code != 200 or "event-stream" not in response.headers.get("content-type", ""):
        return None
    path = request.url.path
    if path.endswith("/chat/completions"):
        return OpenAiChatReader()
    if path.endswith("/messages") and "anthropic-version" in request.headers:
        return AnthropicReader()
    if path.endswith("/responses"):
        return OpenAiResponsesReader()
    return None


class KeptBody:
    """Body of a kept response: placet.model.host.reading.Body."""

    def __init__(self, response: httpx.Response) -> None:
        self._chunks = response.aiter_bytes()

    def chunks(self) -> AsyncIterator[bytes]:
        return self._chunks

    async def drain(self) -> None:
        with contextlib.suppress(httpx.HTTPError):
            async for _ in self._chunks:
                pass


class _NothingMore(httpx.AsyncByteStream):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b"data: [DONE]\n\n"


def _empty_stream(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, headers=_EVENT_STREAM, stream=_NothingMore(), request=request)


TRANSPORT = KeepingTransport()
CLIENT = AsyncHTTPHandler(transport=TRANSPORT)
# For providers that litellm asks through the OpenAI SDK; such a call fails with CLIENT as argument.
litellm.aclient_session = httpx.AsyncClient(transport=TRANSPORT, timeout=_SDK_SECONDS, trust_env=False)

_TAKE_CLIENT = {"openai", "anthropic", "mistral", "openrouter", "databricks", "snowflake", "minimax", "huggingface"}
_TAKE_CLIENT |= {"custom_openai", "openai_like", "ovhcloud", "lemonade", "heroku"}
_ASKED_OTHERWISE = {"azure", "azure_text", "azure_ai"}
"""Providers which litellm asks by OpenAI's SDK, or by several ways at litellm's choice."""


_ASKED_OVER_RESPONSES = {"openai", "chatgpt", "github_copilot"}


def lend_client(provider: str) -> None:
    """Make litellm use our transport for OpenAI's Responses wire, where litellm forgets the given client.

    litellm keeps its own client for an hour and then makes another client, so lend_client runs before every call.
    """
    if provider in _ASKED_OVER_RESPONSES:
        get_async_httpx_client(llm_provider=provider, params={"ssl_verify": None}).client = CLIENT.client


def takes_client(provider: str) -> bool:
    """Return whether a call to this provider may get CLIENT; every provider may which litellm counts as
    OpenAI-compatible.
    """
    if not AsyncHTTPHandler.should_use_aiohttp_transport():
        return False  # The user wants HTTP/2, or httpx: litellm's own transport knows how.
    return provider not in _ASKED_OTHERWISE and (provider in _TAKE_CLIENT or provider in openai_compatible_providers)
