"""Daemon's side of the model host: litellm in one child process, asked over pipes. Never imports litellm."""

import asyncio
import itertools
import os
import re
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, nullcontext, suppress
from pathlib import Path
from typing import assert_never, cast

import msgspec

from placet.auth.subscriptions.names import is_covered
from placet.auth.token_refresh import Renew, TokenRefresh
from placet.core.effort import Effort, suited
from placet.core.errors import ModelError, ModelErrorCode
from placet.core.messages import Tokens
from placet.core.spans import span
from placet.core.values import replace
from placet.model import base, frames
from placet.model.client.call_reader import CallReader, has_called, quotes_of
from placet.model.client.conversations import Conversations
from placet.model.client.host_child import EarlyHost, HostSpec, start_host
from placet.model.client.host_process import HostProcess
from placet.model.client.idle_timer import IdleTimer
from placet.model.client.messages import chat_tools
from placet.model.client.prompt_speed import PromptSpeed
from placet.model.client.prompted import instructions
from placet.model.client.providers import engine_of, options_of, prepare_order, wire_name
from placet.model.client.refused_tools import name_refused_tool
from placet.model.client.remarks import effort_remark, prompted_remark, written_remark
from placet.model.client.request_size import RequestSize
from placet.model.client.restarts import Restarts
from placet.model.client.timeouts import Timeouts
from placet.model.hosted import OWN_SERVERS
from placet.settings import ModelSettings, Settings

_START_SECONDS = 60.0
_LIST_SECONDS = 15.0
_FACTS_SECONDS = 2.0
"""Seconds which a call waits for the facts of its model."""
_HAS_NO_TOOLS = re.compile(
    r"does not support (tool|function)|(tools?|functions?|tool.?use|function.?calling) (is|are) not supported"
    r"|no endpoints found that support tool use|--enable-auto-tool-choice",
    re.IGNORECASE,
)
"""Messages of Ollama, vLLM and OpenRouter for a model without tools."""


_NO_ENGINE = frames.EngineOptions()
_USUAL_LIST = frames.ListModels(0)
_REFERENCES = re.compile(r"\{env:([^{}]+)\}")


class ModelHost:
    """Starts the host, starts a new host when a call comes after the host has ended, and gives out models.

    `environment` is the host's environment with the secrets (default: the daemon's own); `keys` is the file of the key
    store, and `local_models` the directory of the files of local models; `log` is a file for litellm's output (default:
    the daemon's stderr). After `idle_seconds` without a call the host ends; with 0 the host never ends. `renew` renews
    a key which has run out. `early` is a host spawned before, taken over if its start values are the same. Belongs to
    one event loop.
    """

    def __init__(
        self,
        *,
        environment: Mapping[str, str] | None = None,
        keys: Path | None = None,
        local_models: Path | None = None,
        log: Path | None = None,
        idle_seconds: float = 0.0,
        renew: Renew | None = None,
        early: EarlyHost | None = None,
    ) -> None:
        self._spec = HostSpec.of(os.environ if environment is None else environment, keys, log, local_models)
        self._early = early
        self._idle = IdleTimer(idle_seconds, self._let_go)
        self._restarts = Restarts()
        self._life: HostProcess | None = None
        self._spawning = asyncio.Lock()
        self._letting_go: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count(1)
        self._facts: dict[str, frames.ModelFacts | None] = {}
        """Facts of every model given out, by name; None while the facts are unknown."""
        self._prepares: dict[str, frames.Prepare] = {}
        """Order to prepare for the calls of every model given out, by the model's name."""
        self._learnt: dict[str, asyncio.Event] = {}
        """Events for the calls which wait for the facts of a model."""
        self._transports: dict[str, frames.Transport] = {}
        self._speeds: dict[str, PromptSpeed] = {}
        self._conversations = Conversations()
        self._token_refresh = TokenRefresh(keys, self._spec.secrets.keys() | self._spec.environment.keys(), renew)

    def rest_after(self, idle_seconds: float) -> None:
        """End the host after so many seconds without a call, counted from the next call on; 0: never."""
        self._idle.limit(idle_seconds)

    async def start(self) -> None:
        """Spawn the host and return; the host gets ready by itself. A failure shows at the first call."""
        try:
            with self._idle.in_use():
                await self._living()
        except ModelError:
            return

    async def warm(self) -> None:
        """Start the host ahead of the first call, if the host serves any model: the user may be about to ask."""
        if self._facts:
            await self.start()

    async def ready(self) -> float:
        """Wait until the host can serve calls; return the seconds of its start. Raises ModelError("host_died")."""
        with self._idle.in_use():
            return (await self._ready_life())[1].seconds

    async def close(self) -> None:
        """End the host; calls in progress fail."""
        self._idle.stop()
        await self._token_refresh.close()
        if self._life is not None:
            await self._life.close()
        await asyncio.gather(*self._letting_go)

    @property
    def process_id(self) -> int | None:
        """Return the process id of the host, or None if no host runs."""
        return self._life.process_id if self._life is not None and not self._life.ended else None

    def model(self, name: str, settings: Settings) -> "HostedModel":
        """Return the model which litellm knows as `name` (`provider/name`); the host prepares for its calls."""
        if self._prepares.get(name) != (prepare := prepare_order(name, settings)):
            self._facts[name], self._prepares[name] = None, prepare
            if self._life is not None:
                self._life.send(prepare)
        return HostedModel(self, name, options_of(name, settings), prepare.provider, engine_of(settings))

    def facts(self, name: str) -> frames.ModelFacts | None:
        """Return the facts from the host about a model given out, or None if the host has not sent the facts yet."""
        return self._facts.get(name)

    async def facts_soon(self, name: str) -> frames.ModelFacts | None:
        """Return the same as `facts`, after a short wait for the host. Raises ModelError("host_died")."""
        if self._facts.get(name) is None:
            with self._idle.in_use():
                await self._ready_life()
                learnt = self._learnt.setdefault(name, asyncio.Event())
                with suppress(TimeoutError):
                    async with asyncio.timeout(_FACTS_SECONDS):
                        await learnt.wait()
        return self._facts.get(name)

    async def models(
        self, *, query: str = "", limit: int = 100, named: Sequence[str] = (), more: frames.ListModels = _USUAL_LIST
    ) -> frames.Models:
        """Return the models to choose from, as frames.ListModels says; `more` holds the rest. Raises ModelError."""
        with self._idle.in_use():
            life, _ = await self._ready_life()
            number = next(self._numbers)
            asked = msgspec.structs.replace(more, number=number, query=query, limit=limit, named=list(named))
            answers = life.begin(asked)
            try:
                answer = await Timeouts(_LIST_SECONDS, _LIST_SECONDS).next(answers)
            finally:
                life.forget(asked.number, cancel=False)
        match answer:
            case frames.Models():
                return answer
            case ModelError():
                raise answer
            case _:
                raise AssertionError(f"not an answer to a listing: {answer}")

    def transport(self, name: str) -> frames.Transport | None:
        """Return the transport of this model's answers, or None if the host has not told the transport yet."""
        return self._transports.get(name)

    def prompt_speed(self, name: str) -> float | None:
        """Return the measured tokens of a prompt that the model's server reads in a second, or None."""
        return None if (speed := self._speeds.get(name)) is None else speed.tokens_per_second

    def note_prompt(self, name: str, tokens: int, seconds: float) -> None:
        """Note that the answer to a prompt with so many uncached tokens began after so many seconds."""
        self._speeds.setdefault(name, PromptSpeed()).note(tokens, seconds)

    async def ask(
        self, ask: frames.Ask, request: base.ModelRequest | None, timeouts: Timeouts, *, prompted: bool = False
    ) -> AsyncGenerator[list[frames.Piece], None]:
        """Yield the answer in batches; `ask` gets its number and the messages of the request here.

        An ask with a hole has no request. `prompted`: calls stand in the messages as text.

        Raises ModelError; closing early cancels in the host.
        """
        with self._idle.in_use(), span("model_host.request"):
            await self._token_refresh.refresh(ask.model, variables=_named_variables(ask.provider))
            life, _ = await self._ready_life()
            number = next(self._numbers)
            ask = msgspec.structs.replace(ask, number=number)
            if request is not None:
                ask = self._conversations.tell(request, ask, life, prompted=prompted)
            answers = life.begin(ask)
            ended = False
            try:
                while True:
                    answer = await timeouts.next(answers)
                    ended = not isinstance(answer, frames.Batch)
                    match answer:
                        case frames.Batch():
                            self._restarts.worked()
                            yield answer.pieces
                            life.send(frames.Taken(number))
                        case frames.Ended():
                            return
                        case frames.Failed():
                            self._restarts.worked()
                            raise _model_error(answer)
                        case ModelError():
                            raise answer
                        case frames.Models():
                            raise AssertionError("a listing for a call")
                        case _:
                            assert_never(answer)
            finally:
                life.forget(number, cancel=not ended)

    async def _ready_life(self) -> tuple[HostProcess, frames.Ready]:
        life = await self._living()
        try:
            with nullcontext() if life.ready.done() else span("model_host.start"):
                async with asyncio.timeout(_START_SECONDS):
                    return life, await asyncio.shield(life.ready)
        except TimeoutError:
            message = f"The model host did not start within {_START_SECONDS:g} seconds."
            raise ModelError("host_died", message, hint="Try again when the machine is less busy.") from None

    async def _living(self) -> HostProcess:
        async with self._spawning:
            if self._life is None or self._life.ended:
                if wait_seconds := self._restarts.wait_seconds:
                    raise _keeps_dying(self._restarts.deaths, wait_seconds)
                self._life = await self._spawn()
        return self._life

    async def _spawn(self) -> HostProcess:
        try:
            child = None if self._early is None else self._early.take(self._spec)
            child = child or await start_host(self._spec)
        except OSError as error:
            message = f"The model host cannot be started: {error}."
            raise ModelError("host_died", message, hint="Check the Python installation that Placet uses.") from error
        life = HostProcess(child, self._learn, self._restarts.died)
        for prepare in self._prepares.values():
            life.send(prepare)
        return life

    def _learn(self, report: frames.Prepared | frames.Carried) -> None:
        match report:
            case frames.Prepared(facts):
                self._facts[facts.name] = facts
                if (learnt := self._learnt.pop(facts.name, None)) is not None:
                    learnt.set()
            case frames.Carried(name, transport):
                self._transports[name] = transport
            case _:
                assert_never(report)

    def _let_go(self) -> None:
        """End an idle host; a call which needs a host meanwhile gets a new host."""
        if self._life is not None:
            task = asyncio.create_task(self._life.close(), name="idle model host")
            self._letting_go.add(task)
            task.add_done_callback(self._letting_go.discard)
            self._life = None


class HostedModel:
    """Model which the host serves: placet.model.base.Model."""

    def __init__(
        self,
        host: ModelHost,
        name: str,
        options: ModelSettings,
        provider: frames.Provider | None = None,
        engine: frames.EngineOptions = _NO_ENGINE,
    ) -> None:
        self._host = host
        self._engine = engine
        self._name = name
        self._provider = provider
        self._options = options
        kind = wire_name(name, provider).partition("/")[0]
        has_address = options.api_base is not None or (provider is not None and provider.api_base is not None)
        self._own_size = RequestSize(name, kind) if has_address or kind in OWN_SERVERS else None
        """Size of the requests to a server of the user's own."""
        self._has_no_tools = False
        """True after the model's server refused tools."""
        self._has_told = False
        """True after the user was told that the model writes its calls as text."""
        self._told_efforts: set[Effort] = set()
        """Efforts of which the user was told that the model does not have the effort."""

    @property
    def id(self) -> str:
        return self._name

    @property
    def context_size(self) -> int | None:
        """Return the size from the host's facts, or None if the host has not sent the facts or lacks the size."""
        facts = self._host.facts(self._name)
        return facts.context_size if facts is not None else None

    async def stream(self, request: base.ModelRequest) -> AsyncGenerator[base.ModelEvent, None]:
        if request.effort is not None and (remark := await self._remark_on(request.effort)) is not None:
            yield remark
        if not request.tools or not await self._is_prompted():
            try:
                async with aclosing(self._stream_read(request)) as events:
                    async for event in events:
                        yield event
                return
            except ModelError as error:
                if not self._refuses_tools(request, error):
                    raise
        if not self._has_told:
            self._has_told = True
            yield prompted_remark(self._name)
        async with aclosing(self._stream_read(request, prompted=True)) as events:
            async for event in events:
                yield event

    async def _remark_on(self, effort: Effort) -> base.Remark | None:
        """Return the notice that the model does not have the effort, once for each effort."""
        if effort in self._told_efforts or (facts := await self._host.facts_soon(self._name)) is None:
            return None
        chosen = suited(effort, facts.efforts, takes_budget=facts.takes_budget)
        if chosen == effort or facts.efforts is None:
            return None
        self._told_efforts.add(effort)
        return effort_remark(self._name, effort, chosen, facts)

    async def _is_prompted(self) -> bool:
        if self._options.tools != "auto":
            return self._options.tools == "prompted"
        if self._has_no_tools:
            return True
        facts = await self._host.facts_soon(self._name)
        return facts is not None and facts.tools is False

    def _refuses_tools(self, request: base.ModelRequest, error: ModelError) -> bool:
        """Return whether the request failed only because of its tools, so that a request without tools may follow."""
        refuses = error.code in {"bad_request", "not_found"} and _HAS_NO_TOOLS.search(error.message) is not None
        may = bool(request.tools) and self._options.tools == "auto" and error.before_first_delta
        self._has_no_tools = self._has_no_tools or (refuses and may)
        return refuses and may

    async def _stream_read(
        self, request: base.ModelRequest, *, prompted: bool = False
    ) -> AsyncGenerator[base.ModelEvent, None]:
        """Read the calls that stand in the text; `prompted`: describe the tools in the system prompt."""
        reader = CallReader(request.tools, quotes_of(request.messages), has_called(request.messages))
        asked = request
        if prompted:
            asked = replace(request, system=(*request.system, instructions(request.tools)), tools=())
        async with aclosing(self._stream(asked, prompted=prompted)) as events:
            async for event in events:
                match event:
                    case base.TextDelta(text) if request.tools:
                        parsed_events = reader.take(text)
                    case base.Finished(reason) if request.tools:
                        parsed_events = list(reader.finish(reason))
                        if reader.calls and not prompted and not self._has_told:
                            self._has_told = True
                            yield written_remark(self._name)
                    case base.CallStarted():
                        reader.has_called = True
                        parsed_events = (event,)
                    case _:
                        parsed_events = (event,)
                for parsed_event in parsed_events:
                    yield parsed_event

    async def _stream(
        self, request: base.ModelRequest, *, prompted: bool = False
    ) -> AsyncGenerator[base.ModelEvent, None]:
        begun = False
        answered = False
        own_size, estimate = self._own_size, 0
        asked_at, began_after = time.monotonic(), 0.0
        try:
            if own_size is not None:
                estimate = own_size.fitting(request, await self._host.facts_soon(self._name))
            pieces = self._host.ask(self._ask(request), request, Timeouts.of(self._options), prompted=prompted)
            async with aclosing(pieces) as batches:
                async for batch in batches:
                    if batch and not began_after:
                        began_after = time.monotonic() - asked_at
                    for piece in batch:
                        event = _event(piece)
                        match event:
                            case base.Finished(reason) if not answered:
                                raise _empty_answer(reason)
                            case base.TextDelta() | base.CallStarted():
                                begun = answered = True
                            case base.ThoughtDelta():
                                begun = True
                            case base.UsageReport(tokens):
                                event = replace(event, is_covered=is_covered(self._name))
                                self._host.note_prompt(self._name, tokens.input + tokens.cache_write, began_after)
                                if own_size is not None and (remark := own_size.remark_on(request, estimate, tokens)):
                                    yield remark
                            case _:
                                pass
                        yield event
        except ModelError as error:
            error.before_first_delta = not begun
            name_refused_tool(error, request.tools)
            raise

    def _ask(self, request: base.ModelRequest) -> frames.Ask:
        options = self._options
        return frames.Ask(
            0,
            self._name,
            [],
            chat_tools(request.tools, model=wire_name(self._name, self._provider)),
            options.api_base,
            options.temperature if request.temperature is None else request.temperature,
            options.max_output_tokens if request.max_output_tokens is None else request.max_output_tokens,
            options.transport,
            options.connect_timeout_seconds,
            cache=options.cache,
            cache_key=request.session_id,
            options=request.options,
            headers=request.headers,
            effort=request.effort,
            provider=self._provider,
            context_size=self.context_size,
            engine=self._engine,
        )


def _named_variables(provider: frames.Provider | None) -> tuple[str, ...]:
    """Return the variables which the settings name for the key of the provider."""
    return () if provider is None or provider.key is None else tuple(_REFERENCES.findall(provider.key))


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
        case frames.Notice(code, message, hint):
            return base.Remark(code, message, hint)
        case _:
            assert_never(piece)


def _keeps_dying(deaths: int, wait_seconds: float) -> ModelError:
    message = f"The model host ended {deaths} times in a row. Placet starts no new host for {wait_seconds:.0f} seconds."
    hint = "See the log `model-host.log` for the reason, then send the prompt again."
    return ModelError("host_died", message, hint=hint, retry_after=wait_seconds)


def _model_error(failed: frames.Failed) -> ModelError:
    code = cast("ModelErrorCode", failed.code)
    return ModelError(code, failed.message, hint=failed.hint, status=failed.status, retry_after=failed.retry_after)


def _empty_answer(reason: str) -> ModelError:
    """Return the error for an answer without text and calls, which is worth a second try (BerriAI/litellm#21744)."""
    message = f"The model's answer was empty (finish reason: {reason})."
    hint = "Raise `modelOptions.maxOutputTokens`." if reason == "length" else "Send the prompt again."
    return ModelError("empty_answer", message, hint=hint)
