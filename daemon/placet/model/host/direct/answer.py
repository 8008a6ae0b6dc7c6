"""Answer by the direct way: the request by the wire's form, the stream by the wire's reader."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from placet.core.values import replace
from placet.model import frames
from placet.model.host import model_table
from placet.model.host.catalog import model_facts, prices
from placet.model.host.conversations import Conversation
from placet.model.host.direct.routes import Route
from placet.model.host.direct.subscription_headers import subscription_headers
from placet.model.host.direct.wire import WireRequest
from placet.model.host.errors import Asked, HTTPStatusError, MissingKey, NotDirect
from placet.model.host.http_client.client import HttpClient
from placet.model.host.http_client.connection import HttpResponse
from placet.model.host.parameters import parameters
from placet.model.host.prompt import ProviderPrompt
from placet.model.host.reading import read_stream


class DirectAnswer:
    """Answer of a provider on a common wire: placet.model.host.answers.ProviderAnswer."""

    transport: frames.Transport = "fast"

    def __init__(self, ask: frames.Ask, conversation: Conversation, client: HttpClient, route: Route) -> None:
        """Build the request. Raises NotDirect."""
        self._ask = ask
        self._client = client
        self._route = route
        self._request = request_of(route, ask, conversation)
        self._reader = route.wire.reader()
        self._response: HttpResponse | None = None

    @property
    def asked(self) -> Asked:
        return self._route.asked

    @property
    def headers(self) -> Mapping[str, str]:
        return self._response.headers if self._response is not None else {}

    async def begin(self) -> None:
        """Send the request.

        Raises MissingKey, HTTPStatusError, the errors of the client, and NotDirect for a response of another kind.
        """
        if self._route.endpoint.needs_key or self._route.asked.broken_reference:
            raise MissingKey
        request = self._request
        response = self._response = await self._client.post(
            request.url, headers=request.headers, body=request.body, connect_seconds=self._ask.connect_timeout_seconds
        )
        if response.status >= 300:
            raise HTTPStatusError(response.status, (await response.read()).decode("utf-8", "replace"))
        media_type = response.headers.get("content-type", "")
        if (expected := self._reader.media_type) not in media_type:
            raise NotDirect(f"the provider answered with {media_type or 'no media type'} and not with {expected}")

    async def read(self) -> AsyncGenerator[list[frames.Piece], None]:
        assert self._response is not None, "begin comes first"
        price = prices.of(self._ask)
        async with aclosing(read_stream(self._reader, self._response, price)) as batches:
            async for batch in batches:
                yield batch

    async def close(self) -> None:
        if self._response is not None:
            await self._response.close()


def request_of(route: Route, ask: frames.Ask, conversation: Conversation) -> WireRequest:
    """Return the request for the ask. Raises NotDirect."""
    provider = route.endpoint.provider
    prompt = ProviderPrompt(conversation, ask, provider, model_facts.of(ask), model_table.row(ask.model))
    endpoint = route.endpoint
    if more := subscription_headers(provider, ask, prompt, route.environment):
        endpoint = replace(endpoint, headers={**more, **endpoint.headers})
    return route.wire.request(parameters(ask, provider), prompt, endpoint)
