"""Choice between the two ways to a model: the direct way, and litellm for all that the direct way does not know."""

import asyncio
import gc
import sys
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from placet.core.errors import ModelError
from placet.model import frames
from placet.model.host import model_table
from placet.model.host.catalog.efforts import with_effort
from placet.model.host.conversations import Conversation
from placet.model.host.direct.answer import DirectAnswer
from placet.model.host.direct.own_providers import on_wire
from placet.model.host.direct.routes import route
from placet.model.host.engine.orders import KEY_VARIABLE
from placet.model.host.errors import Asked, NotDirect
from placet.model.host.http_client.client import HttpClient
from placet.model.host.sealed_thinking import with_sealed_thinking

if TYPE_CHECKING:
    from placet.model.host.compatible.answer import CompatibleAnswer


class ProviderAnswer(Protocol):
    """Answer of an asked provider, by either way."""

    @property
    def transport(self) -> frames.Transport:
        """Return the transport of the answer; certain once `begin` has returned."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Return the headers of the provider's last response, as far as the way to the provider saw a response."""
        ...

    @property
    def asked(self) -> Asked:
        """Return the asked model and provider, for the words of a fault."""
        ...

    async def begin(self) -> None:
        """Send the request; return when the provider begins to answer. Raises any exception for a failed call."""
        ...

    def read(self) -> AsyncGenerator[list[frames.Piece], None]:
        """Yield the pieces in batches, Finish last; a batch without pieces means only: the provider is alive.

        Raises any exception for a failed call.
        """
        ...

    async def close(self) -> None:
        """Close the connection of an unfinished answer."""
        ...


class Answers:
    """Opens the answers of all calls. Belongs to one event loop, and lives as long as the host."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._client = HttpClient(environment)
        # llama.cpp ends a connection after a stream, and the next request could meet the end. No proxy gets the secret.
        self._engine_client = HttpClient({"NO_PROXY": "*"}, keeps_connections=False)
        self._only_compatible: set[tuple[str, str | None]] = set()
        """Models and addresses whose answers the direct way could not read."""
        self._loading: asyncio.Task[None] | None = None
        """Import of litellm, once begun; all calls wait for the same import."""

    async def warm(self) -> None:
        """Load what nearly all calls need, while the daemon still gets ready."""
        loading = asyncio.create_task(self._client.warm())
        await asyncio.sleep(0)
        model_table.load()
        await loading

    def open(self, ask: frames.Ask, conversation: Conversation, *, is_engines: bool = False) -> ProviderAnswer:
        """Return the answer to the ask; `begin` sends the request. `is_engines`: Placet's own engine is asked."""
        if ask.fill is not None:
            from placet.model.host.fill.answer import FillAnswer  # Few users complete at the cursor.

            if is_engines:
                return FillAnswer(ask, self._engine_client, self._engine_environment())
            return FillAnswer(ask, self._client, self._environment)
        return RoutedAnswer(self._complete(ask, conversation), conversation, self, ask.model, is_engines=is_engines)

    def _complete(self, ask: frames.Ask, conversation: Conversation) -> frames.Ask:
        """Return the ask as both ways need the ask."""
        return with_sealed_thinking(with_effort(on_wire(ask), conversation), self._environment)

    def of_engine(self, ask: frames.Ask, conversation: Conversation) -> DirectAnswer:
        """Return the answer of Placet's own engine, which no variable of the user changes. Raises NotDirect."""
        return DirectAnswer(ask, conversation, self._engine_client, route(ask, self._engine_environment()))

    def _engine_environment(self) -> dict[str, str]:
        return {KEY_VARIABLE: self._environment[KEY_VARIABLE]}

    def direct(self, ask: frames.Ask, conversation: Conversation) -> DirectAnswer:
        """Return the answer by the direct way. Raises NotDirect."""
        if ask.transport == "compatible":
            raise NotDirect("the setting `modelOptions.transport` is `compatible`")
        if (ask.model, ask.api_base) in self._only_compatible:
            raise NotDirect("the direct way could not read an earlier answer")
        return DirectAnswer(ask, conversation, self._client, route(ask, self._environment))

    def give_up_direct(self, ask: frames.Ask) -> None:
        """Ask this model at this address through litellm from now on."""
        self._only_compatible.add((ask.model, ask.api_base))

    async def prepare(self, order: frames.Prepare) -> frames.Transport | None:
        """Load what a call to the model needs; return the transport of later calls as far as known."""
        ask = on_wire(frames.Ask(0, order.model, [], provider=order.provider))
        try:
            route(ask, self._environment)
        except NotDirect:
            try:
                await self.load_compatible()
            except ImportError:  # The call itself will report the error.
                return None
            from placet.model.host.compatible.answer import prepare

            return await prepare(ask.model)
        return "fast"

    async def compatible(self, ask: frames.Ask, conversation: Conversation) -> "CompatibleAnswer":
        """Return the answer through litellm. Raises the exceptions of litellm's import."""
        await self.load_compatible()
        from placet.model.host.compatible.answer import CompatibleAnswer

        return CompatibleAnswer(ask, conversation)

    async def load_compatible(self) -> None:
        """Import litellm in a thread, because the import takes seconds, and the loop has other calls to serve."""
        if self._loading is None:
            self._loading = asyncio.create_task(asyncio.to_thread(_import_compatible), name="litellm")
        await asyncio.shield(self._loading)


class RoutedAnswer:
    """Answer by the direct way, or through litellm where the direct way does not know the ask or the response."""

    def __init__(
        self, ask: frames.Ask, conversation: Conversation, answers: Answers, name: str, *, is_engines: bool = False
    ) -> None:
        """Create the answer; `name` is the name of the model for the user."""
        self._ask = ask
        self._is_engines = is_engines
        self._name = name
        self._conversation = conversation
        self._answers = answers
        self._answer: ProviderAnswer | None = None

    @property
    def transport(self) -> frames.Transport:
        return self._answer.transport if self._answer is not None else "compatible"

    @property
    def headers(self) -> Mapping[str, str]:
        return self._answer.headers if self._answer is not None else {}

    @property
    def asked(self) -> Asked:
        if self._answer is None:
            return Asked(self._name, self._name.partition("/")[0], self._ask.api_base)
        return replace(self._answer.asked, model=self._name)

    async def begin(self) -> None:
        if (reason := await self._begin_direct()) is None:
            return
        if self._is_engines:
            raise ModelError(
                "bad_request", f"The engine for local models cannot answer: {reason}.", hint="Check `modelOptions`."
            )
        # stderr is the log of the host, and redacts keys (redaction.py).
        words = f"placet model host: {self._name} is asked through litellm: {reason}"
        print(words, file=sys.stderr, flush=True)  # noqa: T201
        if self._answer is not None:
            await self._answer.close()
            self._answers.give_up_direct(self._ask)
        self._answer = await self._answers.compatible(self._ask, self._conversation)
        await self._answer.begin()

    async def _begin_direct(self) -> NotDirect | None:
        """Begin the answer by the direct way; return the reason if only litellm can answer."""
        try:
            opened = self._answers.of_engine if self._is_engines else self._answers.direct
            self._answer = opened(self._ask, self._conversation)
            await self._answer.begin()
        except NotDirect as reason:
            return reason
        return None

    def read(self) -> AsyncGenerator[list[frames.Piece], None]:
        assert self._answer is not None, "begin comes first"
        return self._answer.read()

    async def close(self) -> None:
        if self._answer is not None:
            await self._answer.close()


def _import_compatible() -> None:
    # The import makes a million objects: a collection in between only costs time and stalls. Short turns of the
    # threads keep the stalls of the loop short.
    turn_seconds = sys.getswitchinterval()
    sys.setswitchinterval(0.0005)
    gc.disable()
    try:
        import_module("placet.model.host.compatible.answer")
    finally:
        gc.enable()
        gc.freeze()
        sys.setswitchinterval(turn_seconds)
