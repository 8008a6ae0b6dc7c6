from hypothesis import given
from hypothesis import strategies as st

from model_support.chat import chat_messages
from placet.agent.context.pruning import LEAST_GAIN_TOKENS, PROTECTED_TOKENS, prune
from placet.core.events import ToolResultCleared
from placet.core.messages import (
    AssistantMessage,
    CompactionPart,
    Message,
    TextPart,
    ToolCompleted,
    ToolFailed,
    ToolPart,
    UserMessage,
)
from placet.core.transcript import Transcript, replay
from placet.model.client.messages import CLEARED
from placet.model.token_estimate import result_tokens


def result(tokens: int, tool: str = "read") -> ToolPart:
    state = ToolCompleted(input={}, title="", output="x" * (tokens * 4), start=1, end=2)
    return ToolPart(call_id="call", tool=tool, state=state)


def turn(*parts: ToolPart) -> list[Message]:
    user = UserMessage(parts=(TextPart(text="Please."),))
    return [user, *(AssistantMessage(parent_id=user.id, completed=1, parts=(part,)) for part in parts)]


LAST_TWO = [*turn(result(100_000)), *turn(result(100_000))]


def cleared(messages: list[Message]) -> list[str]:
    return [event.part_id for event in prune(messages, 1)]


def test_the_oldest_results_go_and_the_newest_forty_thousand_tokens_stay():
    parts = [result(10_000) for _ in range(8)]
    messages = [*turn(*parts), *LAST_TWO]

    assert cleared(messages) == [part.id for part in parts[:5]]


def test_the_last_two_turns_are_not_touched():
    assert cleared(LAST_TWO) == []
    assert cleared([*turn(result(30_000)), *LAST_TWO]) == []


def test_little_is_not_worth_it():
    assert cleared([*turn(result(19_900), result(39_900)), *LAST_TWO]) == []
    assert len(cleared([*turn(result(20_100), result(39_900)), *LAST_TWO])) == 1


def test_skills_stay_and_so_do_failures():
    failure = ToolPart(call_id="c", tool="read", state=ToolFailed(input={}, error="x" * 400_000, start=1, end=2))
    messages = [*turn(result(30_000, "skill"), failure, result(30_000), result(39_900)), *LAST_TWO]

    assert cleared(messages) == [messages[3].parts[0].id]


def test_nothing_before_a_summary_or_a_result_that_is_cleared_already_is_looked_at():
    old = turn(result(50_000), result(50_000))
    summary = AssistantMessage(parent_id="msg", summary=True, parts=(CompactionPart(summary="Sum."),))
    assert cleared([*old, summary, *turn(result(39_900)), *LAST_TWO]) == []

    gone = result(1)
    gone = gone.model_copy(update={"state": gone.state.model_copy(update={"compacted": 5})})
    assert cleared([*old, *turn(gone, result(39_900)), *LAST_TWO]) == []


def test_the_model_has_a_note_in_place_of_the_result_and_the_screen_has_all_of_it():
    messages = [*turn(result(30_000), result(39_900)), *LAST_TWO]
    transcript = Transcript(messages)
    for event in prune(messages, 7):
        transcript.apply(event)

    first = transcript.messages[1].parts[0]
    assert isinstance(first, ToolPart)
    assert isinstance(first.state, ToolCompleted)
    assert (len(first.state.output), first.state.compacted) == (120_000, 7)
    results = [it["content"] for it in chat_messages((), transcript.messages, model="m") if it["role"] == "tool"]
    assert results[0] == CLEARED
    assert len(results[1]) == 159_600

    again = Transcript()
    for update, _ in replay(transcript.messages):
        again.apply(update)
    assert again.messages == transcript.messages
    assert prune(list(transcript.messages), 9) == []


@given(st.lists(st.lists(st.integers(0, 30_000), max_size=6), max_size=6))
def test_whatever_there_is_enough_goes_and_enough_stays(sizes):
    messages = [message for turns in sizes for message in turn(*map(result, turns))]
    events: list[ToolResultCleared] = prune(messages, 1)
    gone = {event.part_id for event in events}
    parts = [part for message in messages for part in message.parts if isinstance(part, ToolPart)]

    if gone:
        assert sum(result_tokens(part) for part in parts if part.id in gone) > LEAST_GAIN_TOKENS
        newest = parts[max(at for at, part in enumerate(parts) if part.id in gone) :]
        assert sum(map(result_tokens, newest)) > PROTECTED_TOKENS
