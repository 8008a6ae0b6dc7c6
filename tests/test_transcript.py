from hypothesis import given
from hypothesis import strategies as st

from placet.events import (
    AgentMessageChanged,
    AgentMessageChunk,
    AgentThoughtChunk,
    ToolCall,
    ToolCallUpdate,
    TurnEnded,
    UserMessageAdded,
)
from placet.messages import (
    AssistantMessage,
    ReasoningPart,
    TextPart,
    ToolCompleted,
    ToolFailed,
    ToolPart,
    ToolPending,
    ToolRunning,
    UserMessage,
)
from placet.transcript import Transcript, closing_updates, replay


def a_turn() -> tuple[Transcript, UserMessage, AssistantMessage]:
    transcript = Transcript()
    user = UserMessage(parts=(TextPart(text="hello"),))
    answer = AssistantMessage(parent_id=user.id)
    transcript.apply(UserMessageAdded(message=user))
    transcript.apply(AgentMessageChanged(message=answer))
    return transcript, user, answer


@given(st.lists(st.text(max_size=5), max_size=20))
def test_chunks_make_the_text_however_it_was_cut(pieces):
    transcript, _, answer = a_turn()
    offset = 0
    for piece in ["", *pieces]:
        transcript.apply(AgentMessageChunk(message_id=answer.id, part_id="prt_1", offset=offset, text=piece))
        offset += len(piece)
        assert transcript.part(answer.id, "prt_1").text == ("".join(pieces))[:offset]

    assert transcript.message(answer.id).parts == (TextPart(id="prt_1", text="".join(pieces)),)


def test_a_chunk_that_comes_again_does_no_harm():
    transcript, _, answer = a_turn()
    for offset, text in ((0, "one "), (4, "two "), (4, "two "), (0, "one two "), (8, "three")):
        transcript.apply(AgentMessageChunk(message_id=answer.id, part_id="prt_1", offset=offset, text=text))

    assert transcript.part(answer.id, "prt_1").text == "one two three"


def test_a_seal_on_thinking_is_kept_with_it():
    transcript, _, answer = a_turn()
    transcript.apply(AgentThoughtChunk(message_id=answer.id, part_id="prt_1", offset=0, text="hm"))
    transcript.apply(AgentThoughtChunk(message_id=answer.id, part_id="prt_1", offset=2, text="", signature="seal"))

    assert transcript.part(answer.id, "prt_1") == ReasoningPart(id="prt_1", text="hm", signature="seal")


def test_a_replay_makes_the_same_transcript():
    transcript, user, answer = a_turn()
    transcript.apply(AgentThoughtChunk(message_id=answer.id, part_id="prt_0", offset=0, text="hm", signature="s"))
    transcript.apply(AgentMessageChunk(message_id=answer.id, part_id="prt_1", offset=0, text="I look."))
    done = ToolCompleted(input={"a": 1}, title="t", output="o", start=1, end=2)
    for state in (ToolPending(), ToolRunning(input={"a": 1}, start=1), done):
        part = ToolPart(id="prt_2", call_id="call_1", tool="read", state=state)
        event = ToolCall if state.status == "pending" else ToolCallUpdate
        transcript.apply(event(message_id=answer.id, part=part))
    transcript.apply(TurnEnded(turn_id=user.id, stop_reason="end_turn"))

    again = Transcript()
    for update, _ in replay(transcript.messages):
        again.apply(update)

    assert again.messages == transcript.messages


def test_the_end_of_a_turn_is_replayed_after_its_answers():
    transcript, user, _ = a_turn()
    transcript.apply(TurnEnded(turn_id=user.id, stop_reason="end_turn"))

    kinds = [update.kind for update, _ in replay(transcript.messages)]

    assert kinds == ["user_message", "turn_started", "agent_message", "turn_ended"]


def test_closing_gives_every_open_call_its_one_result_and_touches_no_other():
    transcript, _, answer = a_turn()
    states = {
        "prt_1": ToolPending(raw='{"filePa'),
        "prt_2": ToolRunning(input={"b": 2}, metadata={"output": "so far"}, start=5),
        "prt_3": ToolCompleted(input={}, title="t", output="o", start=1, end=2),
        "prt_4": ToolFailed(input={}, error="no", start=1, end=2),
    }
    for part_id, state in states.items():
        part = ToolPart(id=part_id, call_id=part_id, tool="read", state=state)
        transcript.apply(ToolCall(message_id=answer.id, part=part))

    for update in closing_updates(transcript.messages, "stopped"):
        transcript.apply(update)

    parts = {part.id: part.state for part in transcript.message(answer.id).parts}
    assert parts["prt_1"].status == parts["prt_2"].status == "error"
    assert parts["prt_2"].metadata == {"output": "so far", "interrupted": True}
    assert (parts["prt_3"], parts["prt_4"]) == (states["prt_3"], states["prt_4"])
    assert transcript.message(answer.id).completed is not None
    assert list(closing_updates(transcript.messages, "again")) == []


def test_a_message_that_has_not_changed_is_the_same_object():
    opened = UserMessage(parts=(TextPart(text="hi"),))
    transcript = Transcript([opened, AssistantMessage(parent_id=opened.id), UserMessage()])
    before = transcript.messages

    transcript.apply(TurnEnded(turn_id=opened.id, stop_reason="end_turn"))
    first, *others = transcript.messages

    assert isinstance(first, UserMessage)
    assert first.stop_reason == "end_turn"
    assert all(now is then for now, then in zip(others, before[1:], strict=True))
