"""Answer to an ask that fills a hole: asked by the direct way alone, with the keys and addresses of a turn."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace

from placet.core.errors import ModelError
from placet.model import frames
from placet.model.host.conversations import Conversation
from placet.model.host.direct.answer import DirectAnswer
from placet.model.host.direct.own_providers import on_wire
from placet.model.host.direct.routes import route
from placet.model.host.errors import Asked, HTTPStatusError, NotDirect
from placet.model.host.fill.wires import FillWire
from placet.model.host.http_client.client import HttpClient

_KNOWS_NO_SUFFIX = "insert"
"""Word of Ollama's error for a model whose template has no place for a suffix."""


class FillAnswer:
    """Answer of a provider to one hole: placet.model.host.answers.ProviderAnswer."""

    transport: frames.Transport = "fast"

    def __init__(self, ask: frames.Ask, client: HttpClient, environment: Mapping[str, str]) -> None:
        assert ask.fill is not None, "the ask is for a hole"
        self._name = ask.model
        self._ask = on_wire(ask)
        self._fill = ask.fill
        self._client = client
        self._environment = environment
        self._answer: DirectAnswer | None = None

    @property
    def headers(self) -> Mapping[str, str]:
        return self._answer.headers if self._answer is not None else {}

    @property
    def asked(self) -> Asked:
        if self._answer is None:
            return Asked(self._name, self._name.partition("/")[0], self._ask.api_base)
        return replace(self._answer.asked, model=self._name)

    async def begin(self) -> None:
        """Send the request. Raises ModelError for a server without the interface, and the exceptions of a turn."""
        try:
            await self._begin(is_raw=False)
        except HTTPStatusError as error:
            if not (self._fill.interface == "ollama" and self._fill.prompt and _KNOWS_NO_SUFFIX in str(error)):
                raise
            await self.close()
            await self._begin(is_raw=True)

    async def _begin(self, *, is_raw: bool) -> None:
        try:
            way = replace(route(self._ask, self._environment), wire=FillWire(self._fill, is_raw=is_raw))
            self._answer = DirectAnswer(self._ask, Conversation(), self._client, way)
            await self._answer.begin()
        except NotDirect as error:
            message = f"{self._name} cannot be asked to complete text: {error}."
            raise ModelError("bad_request", message, hint="Check `completion.model`.") from error

    def read(self) -> AsyncGenerator[list[frames.Piece], None]:
        assert self._answer is not None, "begin comes first"
        return self._answer.read()

    async def close(self) -> None:
        if self._answer is not None:
            await self._answer.close()
