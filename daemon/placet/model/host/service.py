"""Service for the daemon's orders: every call is a task, and the task's answer leaves in coalesced frames."""

import asyncio
import os
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import assert_never

from placet.core.errors import ModelError
from placet.model import frames
from placet.model.host import errors
from placet.model.host.answer_bounds import AnswerBounds, Flow
from placet.model.host.answers import Answers, ProviderAnswer
from placet.model.host.batching import Coalescer
from placet.model.host.catalog.all_facts import all_facts
from placet.model.host.catalog.local_servers import LocalModels, address_of
from placet.model.host.channel import Channel, EndGate
from placet.model.host.conversations import Conversation, Conversations
from placet.model.host.engine.serving import LocalEngine
from placet.model.host.model_lists import ModelLists
from placet.model.host.redaction import redact
from placet.model.host.stored_keys import StoredKeys
from placet.model.host.subscriptions import Subscriptions
from placet.model.hosted import is_inside
from placet.settings.provider_kinds import LOCAL


@dataclass(frozen=True, slots=True)
class _Parts:
    """Parts of the service that all answers share; they live as long as the host."""

    channel: Channel
    subscriptions: Subscriptions
    answers: Answers
    engine: LocalEngine
    local: LocalModels
    answered: set[str] = field(default_factory=set[str])
    """Models with a first answer, which has told the transport more surely than a rehearsal can."""


@dataclass(frozen=True, slots=True)
class _Call:
    task: asyncio.Task[None]
    flow: Flow


async def serve(channel: Channel, keys: StoredKeys, gate: EndGate, local_models: Path | None = None) -> None:
    """Serve until the process ends with its input (channel.py). `local_models`: the directory of local models."""
    orders: asyncio.Queue[frames.Order] = asyncio.Queue()
    channel.listen(asyncio.get_running_loop(), orders.put_nowait)
    calls: dict[int, _Call] = {}
    conversations = Conversations()
    engine = LocalEngine(local_models, os.environ)
    local = LocalModels(os.environ, inside=engine)
    parts = _Parts(channel, Subscriptions(keys, gate), Answers(os.environ), engine, local)
    lists = ModelLists(os.environ)
    async with asyncio.TaskGroup() as group:
        # A keyring takes 100 ms to load, and a call waits for the keys.
        group.create_task(keys.refresh())
        group.create_task(parts.answers.warm())
        while True:
            order = await orders.get()
            match order:
                case frames.Ask():
                    flow = Flow()
                    task = group.create_task(_answer(parts, order, conversations.go_on(order), flow))
                    calls[order.number] = _Call(task, flow)
                    task.add_done_callback(lambda _, number=order.number: calls.pop(number))
                case frames.Taken():
                    if call := calls.get(order.number):
                        call.flow.taken()
                case frames.Cancel():
                    if call := calls.get(order.number):
                        call.task.cancel()
                case frames.Forget():
                    conversations.forget(order.conversation)
                case frames.Prepare():
                    group.create_task(_prepare(parts, order))
                case frames.ListModels():
                    group.create_task(_list_models(channel, keys, local, lists, order))
                case _:
                    assert_never(order)


async def _prepare(parts: _Parts, order: frames.Prepare) -> None:
    """Send the facts of the model, and the transport unless the model has answered already."""
    model = order.model
    parts.channel.send(frames.Prepared(await all_facts(parts.local, os.environ, order)))
    is_own = is_inside(model, order.provider and order.provider.kind)
    transport: frames.Transport | None = "fast" if is_own else await parts.answers.prepare(order)
    if transport and model not in parts.answered:
        parts.channel.send(frames.Carried(model, transport))


async def _list_models(
    channel: Channel, keys: StoredKeys, local: LocalModels, lists: ModelLists, asked: frames.ListModels
) -> None:
    from placet.model.host.offers import offers  # A turn needs no list.

    await keys.refresh()
    is_local = asked.only is None or asked.only == LOCAL or address_of(asked.only, os.environ) is not None
    channel.send(await offers(asked, await local.offered() if is_local else (), lists))


async def _answer(parts: _Parts, ask: frames.Ask, conversation: Conversation, flow: Flow) -> None:
    channel = parts.channel

    def send(pieces: list[frames.Piece]) -> None:
        flow.sent(pieces)
        channel.send(frames.Batch(ask.number, pieces))

    coalescer = Coalescer(send)
    answer: ProviderAnswer | None = None
    streaming = False
    is_turn = ask.fill is None
    is_first = is_turn and ask.model not in parts.answered
    try:
        async with parts.engine.serving(ask, send) as served:
            answer = parts.answers.open(served, conversation, is_engines=served is not ask)
            try:
                await parts.subscriptions.prepare(ask.model)
                await _begin(parts.subscriptions, ask, answer)
                streaming = True
                if is_turn:
                    parts.answered.add(ask.model)
                    channel.send(frames.Carried(ask.model, answer.transport))
                await _pass_on(answer, coalescer, flow)
            finally:
                await answer.close()
    except Exception as error:  # noqa: BLE001 - the edge: every failure in a call is the failure of this call
        coalescer.flush()
        channel.send(_failed(ask, error, answer, streaming=streaming))
    else:
        coalescer.flush()
        if is_first:
            # A server loads the model for the first answer, and then tells the size with which the model is loaded.
            channel.send(frames.Prepared(await all_facts(parts.local, os.environ, ask)))
        channel.send(frames.Ended(ask.number))
    finally:
        coalescer.close()


async def _pass_on(answer: ProviderAnswer, coalescer: Coalescer, flow: Flow) -> None:
    """Pass the pieces of the answer on. Raises any exception for a failed call."""
    bounds = AnswerBounds()
    async with aclosing(answer.read()) as batches:
        async for batch in batches:
            bounds.take(batch)
            coalescer.add(batch)
            # A reader does not yield while it has bytes: let cancels and other calls have their turn.
            await asyncio.sleep(0)
            await flow.room()


async def _begin(subscriptions: Subscriptions, ask: frames.Ask, answer: ProviderAnswer) -> None:
    """Begin the answer; a rejected token of a subscription is renewed once. Raises any exception for a failed call."""
    try:
        await answer.begin()
    except Exception as error:
        if not await subscriptions.has_renewed(ask.model, error):
            raise
        await answer.close()
        await answer.begin()


def _failed(ask: frames.Ask, error: Exception, answer: ProviderAnswer | None, *, streaming: bool) -> frames.Failed:
    if isinstance(error, ModelError):
        return frames.Failed(ask.number, error.code, redact(error.message), redact(error.hint), None, error.retry_after)
    asked = errors.Asked(ask.model, ask.model.partition("/")[0], ask.api_base) if answer is None else answer.asked
    headers = {} if answer is None else answer.headers
    fault = errors.describe(error, asked, streaming=streaming, headers=headers)
    # A second redaction, so that no kind of failure escapes: api_base and other fields may hold a login too.
    message, hint = redact(fault.message), redact(fault.hint)
    return frames.Failed(ask.number, fault.code, message, hint, fault.status, fault.retry_after)
