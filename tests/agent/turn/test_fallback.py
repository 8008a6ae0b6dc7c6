"""When a model cannot answer, the next of `fallbackModels` does, and the user sees it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from corpus_support import corpus
from placet.agent.agents.builtin import builtin_agents
from placet.agent.turn.fallback import FallbackChain
from placet.agent.turn.loop import run_turn
from placet.agent.turn.turn import Turn
from placet.core.errors import ModelError, ModelErrorCode
from placet.core.events import AgentMessageChanged, Notice, Retry, Update, UserMessageAdded
from placet.core.messages import AssistantMessage, TextPart, UserMessage
from placet.core.transcript import Transcript
from placet.model.base import Finished, ModelEvent, ModelRequest, TextDelta

ANSWER = (TextDelta("Here."), Finished("stop"))


class Played:
    context_size = None

    def __init__(self, name: str, *answers: tuple[ModelEvent | ModelError, ...]) -> None:
        self.id = name
        self._answers = iter(answers)
        self.asked = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.asked += 1
        for event in next(self._answers):
            if isinstance(event, ModelError):
                raise event
            yield event


def turn_of(first: Played, *others: Played, retries: float = 0.0) -> tuple[Turn, list[Update]]:
    transcript, events = Transcript(), list[Update]()

    def emit(update: Update) -> None:
        transcript.apply(update)
        events.append(update)

    user = UserMessage(parts=(TextPart(text="hi"),))
    emit(UserMessageAdded(message=user))
    nothing: Any = None
    turn = Turn(
        user=user,
        session_id="ses_1",
        agent=builtin_agents()[0],
        model=first,
        system=(),
        tools={},
        transcript=transcript,
        emit=emit,
        new_context=nothing,
        max_retry_wait_seconds=retries,
        fallback_chain=FallbackChain(others),
    )
    return turn, events


def fault(code: ModelErrorCode = "overloaded", **more: Any) -> ModelError:
    return ModelError(code, f"It is {code}.", **more)


async def test_another_model_answers_and_the_user_is_told() -> None:
    first, second = Played("a/one", (fault(),)), Played("b/two", ANSWER)
    turn, events = turn_of(first, second)

    assert await run_turn(turn) == "end_turn"

    (notice,) = (event for event in events if isinstance(event, Notice))
    assert notice.code == "fallback_model"
    assert notice.message.startswith("b/two answers instead of a/one. It is overloaded.")
    message = turn.transcript.messages[-1]
    assert isinstance(message, AssistantMessage)
    assert (message.model, message.error) == ("b/two", None)
    assert [event.message.model for event in events if isinstance(event, AgentMessageChanged)] == [
        "a/one",
        "b/two",
        "b/two",
    ]


async def test_the_model_is_first_asked_again() -> None:
    first, second = Played("a/one", *((fault(retry_after=0.0),) for _ in range(4))), Played("b/two", ANSWER)
    turn, events = turn_of(first, second, retries=1.0)

    await run_turn(turn)

    assert (first.asked, second.asked) == (4, 1)
    assert len([event for event in events if isinstance(event, Retry)]) == 3


async def test_who_has_taken_over_answers_to_the_end_of_the_turn() -> None:
    call: tuple[ModelEvent, ...] = (TextDelta("cut"), Finished("stop"))
    first, second = Played("a/one", (fault(),), ANSWER), Played("b/two", call, ANSWER)
    turn, _ = turn_of(first, second)
    await run_turn(turn)
    await run_turn(turn)

    assert (first.asked, second.asked) == (1, 2)


async def test_each_is_tried_in_order_and_the_last_fault_ends_the_turn() -> None:
    models = [Played(name, (fault(),)) for name in ("a/one", "b/two", "a/one", "c/three")]
    turn, events = turn_of(*models)

    with pytest.raises(ModelError):
        await run_turn(turn)

    assert [model.asked for model in models] == [1, 1, 0, 1], "none is tried twice"
    assert len([event for event in events if isinstance(event, Notice)]) == 2


@corpus("code", ["authentication", "bad_request", "not_found", "no_model", "host_died"])
async def test_what_the_user_has_to_mend_is_not_covered_up(code: ModelErrorCode) -> None:
    first, second = Played("a/one", (fault(code),), (fault(code),)), Played("b/two", ANSWER)
    turn, events = turn_of(first, second)

    with pytest.raises(ModelError):
        await run_turn(turn)

    assert second.asked == 0
    assert not any(isinstance(event, Notice) for event in events)


async def test_nobody_goes_on_with_what_another_began() -> None:
    first = Played("a/one", (TextDelta("Half"), fault("interrupted", before_first_delta=False)))
    second = Played("b/two", ANSWER)
    turn, _ = turn_of(first, second)

    with pytest.raises(ModelError):
        await run_turn(turn)

    assert second.asked == 0
