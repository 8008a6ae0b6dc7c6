from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from placet.core.events import (
    AgentMessageChanged,
    AgentMessageChunk,
    AgentThoughtChunk,
    ChangeApplied,
    ChangedFile,
    ChangeReverted,
    RefusedFile,
    SessionBack,
    ToolCall,
    ToolCallUpdate,
    TurnEnded,
    UserMessageAdded,
)
from placet.core.hunks import Hunk, hunk_data
from placet.core.messages import (
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
from placet.core.transcript import Transcript, closing_updates, replay


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


@given(st.lists(st.one_of(st.just("prompt"), st.just("redo"), st.integers(0, 6)), max_size=20))
def test_back_and_forward_leave_the_messages_of_the_turns_that_are_left(steps: list[str | int]):
    transcript, shown, hidden = Transcript(), [], []
    for step in steps:
        if step == "prompt":
            user = UserMessage(parts=(TextPart(text="go"),))
            answer = AssistantMessage(parent_id=user.id, parts=(TextPart(text="gone"),))
            hidden.clear()
            new = [user, answer]
        elif step == "redo" and hidden:
            new = hidden.pop()
            transcript.apply(SessionBack(message_id=hidden[-1][0].id if hidden else None))
        elif isinstance(step, int) and step * 2 < len(shown):
            hidden.append(shown[step * 2 :])
            del shown[step * 2 :]
            transcript.apply(SessionBack(message_id=hidden[-1][0].id))
            new = []
        else:
            continue
        shown += new
        for update, _ in replay(new):
            transcript.apply(update)
        assert list(transcript.messages) == shown


def test_late_news_of_a_hidden_message_leave_no_trace():
    transcript, user, answer = a_turn()
    transcript.apply(SessionBack(message_id=user.id))
    call = ToolPart(call_id="call_1", tool="bash", state=ToolRunning(input={}, start=1))
    assert transcript.apply(ToolCallUpdate(message_id=answer.id, part=call)) is None
    applied = ChangeApplied(message_id=answer.id, change_id="chg_1", files=())
    assert transcript.apply(applied) is None
    assert transcript.messages == ()


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


FILES = st.lists(
    st.builds(
        ChangedFile,
        uri=st.sampled_from(["file:///a", "file:///b", "file:///c"]),
        kind=st.sampled_from(["create", "modify", "delete"]),
        additions=st.integers(0, 9),
        deletions=st.integers(0, 9),
        diff=st.sampled_from(["", "--- a\n+++ b\n"]),
        edited=st.sampled_from([None, True]),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda file: file.uri,
).map(tuple)
REFUSED = st.sampled_from(
    [
        None,
        (RefusedFile(uri="file:///d", kind="create", whole=True, hunks=()),),
        (
            RefusedFile(
                uri="file:///a",
                kind="modify",
                whole=False,
                hunks=(Hunk(id=2, old_start=1, old_lines=("a\n",), new_start=1, new_lines=()),),
            ),
        ),
    ]
)


def shown(applied: ChangeApplied) -> dict[str, Any]:
    """What the call writes down of it, as changes/report.py does."""
    files = {file.uri: {**file.dump(), "status": "applied"} for file in applied.files}
    for file in files.values():
        if file.pop("edited", None):
            file["edited"] = "a diff"
    for file in applied.refused or ():
        entry = files.setdefault(file.uri, {"uri": file.uri, "kind": file.kind, "status": "refused"})
        entry["refusedHunks"] = [hunk_data(hunk) for hunk in file.hunks]
    return {"changeId": applied.change_id, "files": list(files.values())}


@given(FILES, REFUSED, st.booleans(), st.booleans())
def test_a_change_is_told_again_as_it_was_told(files, refused, is_reverted, is_written_down):
    kinds = {file.uri: file.kind for file in files} | {"file:///d": "create"}
    refused = (
        tuple(file.model_copy(update={"kind": kinds[file.uri]}) for file in refused or () if file.uri in kinds) or None
    )
    transcript, user, answer = a_turn()
    applied = ChangeApplied(message_id=answer.id, change_id="chg_2", call_id="call_1", files=files, refused=refused)
    metadata = shown(applied) if is_written_down else {}
    state = ToolCompleted(input={}, title="t", output="o", metadata=metadata, start=1, end=2)
    call = ToolPart(id="prt_1", call_id="call_1", tool="edit", state=state)
    live = [ToolCall(message_id=answer.id, part=call), applied]
    live += [ChangeReverted(message_id=answer.id, change_id="chg_2")] if is_reverted else []
    for update in [*live, TurnEnded(turn_id=user.id, stop_reason="end_turn")]:
        transcript.apply(update)

    replayed = [update for update, _ in replay(transcript.messages)]
    again = Transcript()
    for update in replayed:
        again.apply(update)

    assert again.messages == transcript.messages
    if is_written_down:
        of_change = [update for update in replayed if isinstance(update, ToolCall | ChangeApplied | ChangeReverted)]
        assert sorted(applied.files, key=lambda file: file.uri) == sorted(of_change[1].files, key=lambda file: file.uri)
        assert (of_change[1].refused, of_change[2:]) == (refused, live[2:])


def test_a_call_that_wrote_down_nonsense_harms_no_replay():
    transcript, _, answer = a_turn()
    metadata = {"files": [1, {"status": "applied", "uri": 3}, {"refusedHunks": "x", "uri": "file:///a"}]}
    state = ToolCompleted(input={}, title="t", output="o", metadata=metadata, start=1, end=2)
    transcript.apply(
        ToolCall(message_id=answer.id, part=ToolPart(id="prt_1", call_id="call_1", tool="edit", state=state))
    )
    file = ChangedFile(uri="file:///a", kind="create", additions=3)
    transcript.apply(ChangeApplied(message_id=answer.id, change_id="chg_2", call_id="call_1", files=(file,)))

    (applied,) = (update for update, _ in replay(transcript.messages) if isinstance(update, ChangeApplied))

    assert (applied.files[0].uri, applied.files[0].additions, applied.refused) == ("file:///a", 3, None)


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
    assert all(after is earlier for after, earlier in zip(others, before[1:], strict=True))
