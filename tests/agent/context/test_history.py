"""What the model is given of any conversation, however often it was summed up."""

import asyncio
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from compaction_support import SUMMARY, Bench, assert_valid
from placet.agent.context.history import model_history
from placet.agent.turn.compaction import compact
from placet.core.errors import RequestError, TurnStopped
from placet.core.events import AgentMessageChanged, ToolCall, Update, UserMessageAdded
from placet.core.ids import new_id, now
from placet.core.messages import AssistantMessage, TextPart, ToolCompleted, ToolPart, UserMessage
from placet.model.token_estimate import messages_tokens

texts = st.integers(0, 12_000).map(lambda size: "t" * size)
steps = st.lists(st.integers(0, 20_000), max_size=3)
"""The sizes of the results of a step's calls."""
conversations = st.lists(
    st.one_of(
        st.tuples(st.just("prompt"), texts),
        st.tuples(st.just("steer"), texts),
        st.tuples(st.just("step"), steps),
        st.tuples(st.just("skill"), st.tuples(st.sampled_from("abc"), st.integers(0, 20_000))),
        st.tuples(st.just("compact"), st.sampled_from(["full", "overflow", "asked"])),
    ),
    max_size=25,
)


def _step(parent: str, sizes: Sequence[int]) -> list[Update]:
    message = AssistantMessage(parent_id=parent, completed=now(), model="scripted")
    updates: list[Update] = [AgentMessageChanged(message=message)]
    for size in sizes:
        done = ToolCompleted(input={"characters": size}, title="", output="r" * size, start=1, end=2)
        part = ToolPart(call_id=new_id("call"), tool="look", state=done)
        updates.append(ToolCall(message_id=message.id, part=part))
    return updates


def _skill(parent: str, name: str, size: int) -> list[Update]:
    message = AssistantMessage(parent_id=parent, completed=now(), model="scripted")
    done = ToolCompleted(input={}, title="", output="s" * size, metadata={"name": name}, start=1, end=2)
    part = ToolPart(call_id=new_id("call"), tool="skill", state=done)
    return [AgentMessageChanged(message=message), ToolCall(message_id=message.id, part=part)]


@given(conversations, st.sampled_from([0, 500, 4000]))
@settings(max_examples=150, deadline=None)
def test_any_conversation_stays_valid_and_never_grows(conversation, kept):
    async def play() -> None:
        compactions = sum(kind == "compact" for kind, _ in conversation)
        bench = Bench(*[SUMMARY] * compactions, context_size=None, kept_tokens=kept or None)
        turn = await bench.turn("Begin.")
        for kind, what in conversation:
            before = model_history(bench.transcript.messages)
            match kind:
                case "prompt":
                    turn = await bench.turn(what)
                case "steer":
                    steering = UserMessage(parts=(TextPart(text=what),), steers=turn.user.id)
                    bench.emit(UserMessageAdded(message=steering))
                case "step":
                    for update in _step(turn.user.id, what):
                        bench.emit(update)
                case "skill":
                    for update in _skill(turn.user.id, *what):
                        bench.emit(update)
                case _:
                    try:
                        await compact(turn, what)
                    except (TurnStopped, RequestError):
                        assert model_history(bench.transcript.messages) == before
                    else:
                        after = model_history(bench.transcript.messages)
                        assert messages_tokens(after) < messages_tokens(before)
                        assert what == "asked" or isinstance(after[-1], UserMessage)
            history = model_history(bench.transcript.messages)
            assert_valid(history)
            assert len({message.id for message in history}) == len(history)

    asyncio.run(play())
