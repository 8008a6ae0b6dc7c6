"""The daemon's side of the model host: litellm in one child process, asked over its pipes. Never imports litellm."""

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from placet.errors import ModelError
from placet.messages import Tokens
from placet.model import base, frames
from placet.model.chat_messages import chat_messages, chat_tools
from placet.model.host_life import Answer, HostLife
from placet.settings import ModelSettings, Settings

_START_SECONDS = 60.0


class ModelHost:
    """Starts the host, starts it again at the next call when it has died, and gives out its models.

    `environment` is the host's, with the providers' keys in it (default: the daemon's own); `log` is a file for what
    litellm prints (default: the daemon's stderr). Belongs to one event loop.
    """

    def __init__(self, *, environment: Mapping[str, str] | None = None, log: Path | None = None) -> None:
        self._environment = dict(os.environ if environment is None else environment)
        self._log = log
        self._life: HostLife | None = None
        self._spawning = asyncio.Lock()
        self._numbers = itertools.count(1)
        self._context_sizes: dict[str, int | None] = {}
        """Every model given out, and what is known of it."""

    async def start(self) -> None:
        """Spawn the host and return; it gets ready by itself. A failure shows at the first call."""
        try:
            await self._living()
        except ModelError:
            return

    async def ready(self) -> float:
        """Wait until calls can be served; the seconds the host took. Raises ModelError("host_died")."""
        return (await self._ready_life())[1].seconds

    async def close(self) -> None:
        """End the host; calls in progress fail."""
        if self._life is not None:
            await self._life.close()

    @property
    def process_id(self) -> int | None:
        """Of the host, None while there is none."""
        return self._life.process_id if self._life is not None and not self._life.ended else None

    def model(self, name: str, settings: Settings) -> "HostedModel":
        """The model litellm knows by this name (`provider/name`); the host loads what its calls will need."""
        if name not in self._context_sizes:
            self._context_sizes[name] = None
            if self._life is not None:
                self._life.send(frames.Prepare(name))
        return HostedModel(self, name, settings.model_options)

    def context_size(self, name: str) -> int | None:
        return self._context_sizes.get(name)

    async def ask(self, ask: frames.Ask, *, idle_timeout_seconds: float) -> AsyncIterator[list[frames.Piece]]:
        """The answer in batches; `ask` gets its number here. Raises ModelError; closing early cancels in the host."""
        life, _ = await self._ready_life()
        number = next(self._numbers)
        answers = life.begin(frames.Ask(number, *_without_number(ask)))
        ended = False
        try:
            while True:
                match await _next(answers, idle_timeout_seconds):
                    case frames.Batch(pieces=pieces):
                        yield pieces
                    case frames.Ended():
                        ended = True
                        return
                    case frames.Failed() as failed:
                        ended = True
                        raise _model_error(failed)
                    case ModelError() as error:
                        ended = True
                        raise error
                    case answer:
                        assert_never(answer)
        finally:
            life.forget(number, cancel=not ended)

    async def _ready_life(self) -> tuple[HostLife, frames.Ready]:
        life = await self._living()
        try:
            async with asyncio.timeout(_START_SECONDS):
                return life, await asyncio.shield(life.ready)
        except TimeoutError:
            message = f"The model host did not get ready in {_START_SECONDS:g} seconds."
            raise ModelError("host_died", message, hint="Try again when the machine is less busy.") from None

    async def _living(self) -> HostLife:
        async with self._spawning:
            if self._life is None or self._life.ended:
                self._life = await self._spawn()
        return self._life

    async def _spawn(self) -> HostLife:
        try:
            life = await HostLife.spawn(self._environment, self._log, self._learn)
        except OSError as error:
            message = f"The model host cannot be started: {error}."
            raise ModelError("host_died", message, hint="Check the Python that Placet is installed in.") from error
        for name in self._context_sizes:
            life.send(frames.Prepare(name))
        return life

    def _learn(self, prepared: frames.Prepared) -> None:
        self._context_sizes[prepared.model] = prepared.context_size
