"""The daemon's side of the model host: litellm in one child process, asked over its pipes. Never imports litellm."""

import asyncio
import itertools
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import assert_never, cast

import msgspec

from placet.errors import ModelError, ModelErrorCode
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

    async def ask(self, ask: frames.Ask, *, idle_timeout_seconds: float) -> AsyncGenerator[list[frames.Piece], None]:
        """The answer in batches; `ask` gets its number here. Raises ModelError; closing early cancels in the host."""
        life, _ = await self._ready_life()
        number = next(self._numbers)
        answers = life.begin(msgspec.structs.replace(ask, number=number))
        ended = False
        try:
            while True:
                answer = await _next(answers, idle_timeout_seconds)
                match answer:
                    case frames.Batch():
                        yield answer.pieces
                    case frames.Ended():
                        ended = True
                        return
                    case frames.Failed():
                        ended = True
                        raise _model_error(answer)
                    case ModelError():
                        ended = True
                        raise answer
                    case _:
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


class HostedModel:
    """A model served by the host: placet.model.base.Model."""

    def __init__(self, host: ModelHost, name: str, options: ModelSettings) -> None:
        self._host = host
        self._name = name
        self._options = options

    @property
    def id(self) -> str:
        return self._name

    @property
    def context_size(self) -> int | None:
        """From litellm's table, without network; None until the host has told, or when the table lacks the model."""
        return self._host.context_size(self._name)

    async def stream(self, request: base.ModelRequest) -> AsyncGenerator[base.ModelEvent, None]:
        begun = False
        answered = False
        pieces = self._host.ask(self._ask(request), idle_timeout_seconds=self._options.idle_timeout_seconds)
        try:
            async with aclosing(pieces) as batches:
                async for batch in batches:
                    for piece in batch:
                        event = _event(piece)
                        match event:
                            case base.Finished(reason) if not answered:
                                raise _empty_answer(reason)
                            case base.TextDelta() | base.CallStarted():
                                begun = answered = True
                            case base.ThoughtDelta():
                                begun = True
                            case _:
                                pass
                        yield event
        except ModelError as error:
            error.before_first_delta = not begun
            raise

    def _ask(self, request: base.ModelRequest) -> frames.Ask:
        options = self._options
        return frames.Ask(
            0,
            self._name,
            chat_messages(request.system, request.messages, model=self._name),
            chat_tools(request.tools),
            options.api_base,
            options.temperature if request.temperature is None else request.temperature,
            options.max_output_tokens if request.max_output_tokens is None else request.max_output_tokens,
        )


async def _next(answers: "asyncio.Queue[Answer]", idle_timeout_seconds: float) -> Answer:
    try:
        async with asyncio.timeout(idle_timeout_seconds):
            return await answers.get()
    except TimeoutError:
        message = f"The model was silent for {idle_timeout_seconds:g} seconds."
        hint = "Send the prompt again; or raise `modelOptions.idleTimeoutSeconds` for a model that is that slow."
        raise ModelError("timeout", message, hint=hint) from None


def _event(piece: frames.Piece) -> base.ModelEvent:
    match piece:
        case frames.Text(text):
            return base.TextDelta(text)
        case frames.Thought(text, signature, redacted):
            return base.ThoughtDelta(text, signature, redacted)
        case frames.Call(call_id, name):
            return base.CallStarted(call_id, name)
        case frames.Arguments(call_id, text):
            return base.CallDelta(call_id, text)
        case frames.Usage(input_, output, reasoning, cache_read, cache_write, cost):
            tokens = Tokens(
                input=input_, output=output, reasoning=reasoning, cache_read=cache_read, cache_write=cache_write
            )
            return base.UsageReport(tokens, cost)
        case frames.Finish(reason):
            return base.Finished(reason)
        case _:
            assert_never(piece)


def _model_error(failed: frames.Failed) -> ModelError:
    code = cast("ModelErrorCode", failed.code)
    return ModelError(code, failed.message, hint=failed.hint, status=failed.status, retry_after=failed.retry_after)


def _empty_answer(reason: str) -> ModelError:
    """An answer with neither text nor calls is a fault worth a second try (BerriAI/litellm#21744)."""
    message = f"The model answered nothing (finish reason: {reason})."
    hint = "Raise `modelOptions.maxOutputTokens`." if reason == "length" else "Send the prompt again."
    return ModelError("empty_answer", message, hint=hint)
