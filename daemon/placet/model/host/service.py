"""Service for the daemon's orders: every call is a task, and the task's answer leaves in coalesced frames."""

import asyncio
import os
from contextlib import aclosing
from dataclasses import dataclass
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
from placet.model.host.conversations import Conversations
from placet.model.host.model_lists import ModelLists
from placet.model.host.redaction import redact
from placet.model.host.stored_keys import StoredKeys
from placet.model.host.subscriptions import Subscriptions


async def serve(channel: Channel, keys: StoredKeys, gate: EndGate) -> None:
    """Serve until the process ends with its input (channel.py)."""
    orders: asyncio.Queue[frames.Order] = asyncio.Queue()
    channel.listen(asyncio.get_running_loop(), orders.put_nowait)
    calls: dict[int, _Call] = {}
    conversations = Conversations()
    answers = Answers(os.environ)
    local = LocalModels(os.environ)
    lists = ModelLists(os.environ)
    subscriptions = Subscriptions(keys, gate)
    answered: set[str] = set()
    async with asyncio.TaskGroup() as group:
        # A keyring takes 100 ms to load, and a call waits for the keys.
        group.create_task(keys.refresh())
        group.create_task(answers.warm())
        while True:
            order = await orders.get()
            match order:
                case frames.Ask():
                    flow = Flow()
                    answer = answers.open(order, conversations.go_on(order))
                    task = group.create_task(_answer(channel, subscriptions, local, order, answer, flow, answered))
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
                    group.create_task(_prepare(channel, answers, local, order, answered))
                case frames.ListModels():
                    group.create_task(_list_models(channel, keys, local, lists, order))
                case _:
                    assert_never(order)


async def _prepare(
    channel: Channel, answers: Answers, local: LocalModels, order: frames.Prepare, answered: set[str]
) -> None:
    """Send the facts of the model, and the transport unless the model is in `answered`.

    `answered`: the models with a first answer, which has told the transport more surely than a rehearsal can.
    """
    model = order.model
    channel.send(frames.Prepared(await all_facts(local, os.environ, order)))
    transport = await answers.prepare(order)
    if transport and model not in answered:
        channel.send(frames.Carried(model, transport))


async def _list_models(
    channel: Channel, keys: StoredKeys, local: LocalModels, lists: ModelLists, asked: frames.ListModels
) -> None:
    from placet.model.host.offers import offers  # A turn needs no list.

    await keys.refresh()
    is_local = asked.only is None or address_of(asked.only, os.environ) is not None
    channel.send(await offers(asked, await local.offered() if is_local else (), lists))


async def _answer(
    channel: Channel,
    subscriptions: Subscriptions,
    local: LocalModels,
    ask: frames.Ask,
    answer: ProviderAnswer,
    flow: Flow,
    answered: set[str],
) -> None:
    def send(pieces: list[frames.Piece]) -> None:
        flow.sent(pieces)
        channel.send(frames.Batch(ask.number, pieces))

    coalescer, bounds = Coalescer(send), AnswerBounds()
    streaming = False
    is_turn = ask.fill is None
    is_first = is_turn and ask.model not in answered
    try:
        await subscriptions.prepare(ask.model)
        await _begin(subscriptions, ask, answer)
        streaming = True
        if is_turn:
            answered.add(ask.model)
            channel.send(frames.Carried(ask.model, answer.transport))
        async with aclosing(answer.read()) as batches:
            async for batch in batches:
                bounds.take(batch)
                coalescer.add(batch)
                # A reader does not yield while it has bytes: let cancels and other calls have their turn.
                await asyncio.sleep(0)
                await flow.room()
    except Exception as error:  # noqa: BLE001 - the edge: every failure in a call is the failure of this call
        coalescer.flush()
        channel.send(_failed(ask, error, answer, streaming=streaming))
    else:
        coalescer.flush()
        if is_first:
            # A server loads the model for the first answer, and then tells the size with which the model is loaded.
            channel.send(frames.Prepared(await all_facts(local, os.environ, ask)))
        channel.send(frames.Ended(ask.number))
    finally:
        coalescer.close()
        await answer.close()


async def _begin(subscriptions: Subscriptions, ask: frames.Ask, answer: ProviderAnswer) -> None:
    """Begin the answer; a rejected token of a subscription is renewed once. Raises any exception for a failed call."""
    try:
        await answer.begin()
    except Exception as error:
        if not await subscriptions.has_renewed(ask.model, error):
            raise
        await answer.close()
        await answer.begin()


@dataclass(frozen=True, slots=True)
class _Call:
    task: asyncio.Task[None]
    flow: Flow


def _failed(ask: frames.Ask, error: Exception, answer: ProviderAnswer, *, streaming: bool) -> frames.Failed:
    if isinstance(error, ModelError):
        return frames.Failed(ask.number, error.code, redact(error.message), redact(error.hint), None, None)
    fault = errors.describe(error, answer.asked, streaming=streaming, headers=answer.headers)
    # A second redaction, so that no kind of failure escapes: api_base and other fields may hold a login too.
    message, hint = redact(fault.message), redact(fault.hint)
    return frames.Failed(ask.number, fault.code, message, hint, fault.status, fault.retry_after)
