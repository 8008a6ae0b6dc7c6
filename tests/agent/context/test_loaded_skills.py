"""The texts of skills outlive a summary of the conversation."""

from collections.abc import Sequence
from pathlib import Path

from compaction_support import SUMMARY, Bench, texts_of
from placet.agent.context.history import model_history
from placet.agent.context.loaded_skills import latest_of_each, skills_in, skills_to_keep
from placet.agent.turn.compaction import compact
from placet.core.events import AgentMessageChanged, ToolCall
from placet.core.ids import new_id, now
from placet.core.messages import AssistantMessage, TextPart, ToolCompleted, ToolPart
from placet.project.skills import Skill, given_text

RELEASE = Skill("release", "Cuts a release.", "Tag it first.", Path("/skills/release/SKILL.md"))


def call(bench: Bench, parent: str, tool: str, name: str, text: str) -> None:
    message = AssistantMessage(parent_id=parent, completed=now(), model="scripted")
    bench.emit(AgentMessageChanged(message=message))
    state = ToolCompleted(input={"name": name}, title="", output=text, metadata={"name": name}, start=1, end=2)
    bench.emit(ToolCall(message_id=message.id, part=ToolPart(call_id=new_id("call"), tool=tool, state=state)))


async def sum_up(bench: Bench, parent: str) -> None:
    """Sum up after a result that fills the context."""
    call(bench, parent, "look", "large", "x" * 8000)
    await compact(await bench.turn("Go on."), "full")


async def summed_up(*skills: tuple[str, str], kept_tokens: int = 500, parts: Sequence[TextPart] = ()) -> list[str]:
    """Return the texts for the model after the skills were loaded, much was said, and all was summed up."""
    bench = Bench(SUMMARY, kept_tokens=kept_tokens)
    turn = await bench.turn("Begin.", *parts)
    for name, text in skills:
        call(bench, turn.user.id, "skill", name, text)
    await sum_up(bench, turn.user.id)
    return texts_of(model_history(bench.transcript.messages))


async def test_a_loaded_skill_is_there_word_for_word_after_the_summary() -> None:
    [summary, *_] = await summed_up(("release", "Tag it first."), ("audit", "Look twice."))

    assert "The sum of it all." in summary
    assert "The skill `release`, which you go on to follow, word for word:\n\nTag it first." in summary
    assert summary.index("Tag it first.") < summary.index("Look twice.")


async def test_of_a_skill_loaded_twice_the_later_text_is_kept() -> None:
    [summary, *_] = await summed_up(("release", "Old."), ("audit", "Look."), ("release", "New."))

    assert "Old." not in summary
    assert summary.index("Look.") < summary.index("New.")


async def test_a_skill_that_the_user_called_is_kept_with_what_the_user_said_to_it() -> None:
    given = TextPart(text=f"{given_text(RELEASE)}\n\nversion 2", synthetic=True)
    [summary, *_] = await summed_up(parts=[given])

    assert given.text in summary


async def test_words_of_the_user_that_look_like_a_skill_are_none() -> None:
    [summary, *_] = await summed_up(parts=[TextPart(text=given_text(RELEASE))])

    assert "Tag it first." not in summary


async def test_skills_take_no_more_room_than_the_kept_end_and_the_last_loaded_come_first() -> None:
    [summary, *_] = await summed_up(
        *(("first", "1" * 400), ("large", "2" * 4000), ("second", "3" * 300), ("third", "4" * 300)), kept_tokens=150
    )

    assert [digit for digit in "1234" if digit * 300 in summary] == ["3", "4"]


async def test_a_skill_loaded_again_counts_as_loaded_last() -> None:
    [summary, *_] = await summed_up(
        *(("first", "1" * 300), ("second", "2" * 300), ("third", "3" * 300), ("first", "4" * 300)), kept_tokens=150
    )

    assert [digit for digit in "1234" if digit * 300 in summary] == ["3", "4"]


async def test_a_second_summary_keeps_the_skills_of_the_first() -> None:
    bench = Bench(SUMMARY, SUMMARY, kept_tokens=500)
    turn = await bench.turn("Begin.")
    call(bench, turn.user.id, "skill", "release", "Tag it first.")
    for _ in range(2):
        await sum_up(bench, turn.user.id)

    assert len(bench.compactions) == 2
    assert "Tag it first." in texts_of(model_history(bench.transcript.messages))[0]


async def test_skills_that_leave_no_room_for_the_turn_are_given_up() -> None:
    bench = Bench(SUMMARY, kept_tokens=8000)
    turn = await bench.turn("Begin.")
    call(bench, turn.user.id, "skill", "large", "s" * 28_000)
    await sum_up(bench, turn.user.id)

    [compaction] = bench.compactions
    assert compaction.part.skills == ()
    assert compaction.part.tokens_after < 8000


def test_a_failed_call_and_other_tools_are_no_skills() -> None:
    state = ToolCompleted(input={}, title="", output="x", metadata={"name": "release"}, start=1, end=2)
    other = ToolPart(call_id="c", tool="read", state=state)
    nameless = ToolPart(call_id="d", tool="skill", state=ToolCompleted(input={}, title="", output="x", start=1, end=2))

    assert skills_in([AssistantMessage(parent_id="m", parts=(other, nameless))]) == []
    assert latest_of_each([]) == []
    assert skills_to_keep([], 100) == ()
