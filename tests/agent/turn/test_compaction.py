"""Summing up, at the loop: when, what of, what is kept, and that it never goes round in circles."""

import asyncio

import pytest

from compaction_support import DONE, OVERFLOW, SUMMARY, Bench, assert_valid, look, texts_of, used
from corpus_support import corpus
from placet.agent.context.history import model_history
from placet.agent.turn.compaction import compact
from placet.agent.turn.fallback import FallbackChain
from placet.agent.turn.loop import run_turn
from placet.agent.turn.turn import Turn
from placet.core.errors import ModelError, TurnStopped
from placet.core.events import UserMessageAdded
from placet.core.messages import AssistantMessage, FilePart, TextPart, Tokens, UserMessage
from placet.core.transcript import Transcript, replay
from placet.core.values import replace
from placet.model.scripted import Error, Finish, ScriptedModel, Text, Usage, Wait
from placet.model.scripted import Turn as Answer
from placet.model.token_estimate import messages_tokens
from time_support import limited

# ---------------------------------------------------------------- when


async def test_a_step_that_fills_the_context_is_followed_by_a_summary_and_the_turn_goes_on():
    bench = Bench(*[look(9000) for _ in range(3)], look(9000, tokens=7900), SUMMARY, DONE)

    assert await bench.run() == "end_turn"
    [compaction] = bench.compactions
    assert compaction.part.auto
    assert compaction.part.summary == "## Goal\nThe sum of it all."
    assert compaction.part.tokens_after < 8000
    assert compaction.part.tokens_after < compaction.part.tokens_before
    assert "The sum of it all." in bench.asked(-1)
    assert "Please go on." in bench.asked(-1)
    assert bench.model.requests[4].tools == ()
    assert bench.model.requests[4].system == ("Sum up.",)


async def test_a_context_with_room_left_is_let_be():
    bench = Bench(look(tokens=7900), DONE)

    assert await bench.run() == "end_turn"
    assert bench.compactions == []


async def test_what_came_after_the_last_figure_counts():
    """The figure is of the request; its calls' results come on top."""
    bench = Bench(look(9000), look(9000), look(9000, tokens=6000), SUMMARY, DONE)

    await bench.run()
    assert len(bench.compactions) == 1


async def test_a_new_prompt_is_measured_before_it_is_sent():
    bench = Bench(look(9000), look(9000), Answer([Text("Done."), used(8100)]), SUMMARY, DONE)

    await bench.run()
    await bench.run("Another thing.")

    assert len(bench.compactions) == 1
    assert texts_of(bench.model.requests[-1].messages)[-1] == "Another thing."


async def test_nothing_is_summed_up_by_itself_where_the_setting_says_so():
    bench = Bench(look(9000), look(9000, tokens=9000), OVERFLOW, auto=False)

    with pytest.raises(ModelError, match="too long"):
        await bench.run()
    assert bench.compactions == []


async def test_a_model_of_its_own_that_fails_takes_the_turn_away_from_nobody():
    own = ScriptedModel([Answer([Error("overloaded", "Busy.")])], name="own")
    other = ScriptedModel([SUMMARY], name="other")
    bench = Bench(look(9000), look(9000, tokens=9000), DONE, model=own)
    turn = replace(await bench.turn(), fallback_chain=FallbackChain([other]), max_retry_wait_seconds=0)

    assert await run_turn(turn) == "end_turn"
    assert len(bench.compactions) == 1
    assert [len(one.requests) for one in (bench.model, own, other)] == [3, 1, 1]


async def test_the_turns_own_model_that_cannot_sum_up_is_stood_in_for_to_the_turns_end():
    other = ScriptedModel([SUMMARY, DONE], name="other")
    bench = Bench(look(9000), look(9000, tokens=9000), Answer([Error("overloaded", "Busy.")]))
    turn = replace(await bench.turn(), fallback_chain=FallbackChain([other]), max_retry_wait_seconds=0)

    assert await run_turn(turn) == "end_turn"
    assert [len(one.requests) for one in (bench.model, other)] == [3, 2]


async def test_an_overflow_is_summed_up_once_and_asked_again():
    bench = Bench(look(30_000), look(30_000), OVERFLOW, SUMMARY, DONE, context_size=None)

    assert await bench.run() == "end_turn"
    assert len(bench.compactions) == 1
    assert len(bench.model.requests) == 5
    assert "Please go on." in bench.asked(-1)


async def test_an_overflow_right_after_the_summary_ends_the_turn():
    bench = Bench(look(30_000), look(30_000), OVERFLOW, SUMMARY, OVERFLOW, context_size=None)

    with pytest.raises(ModelError) as failure:
        await bench.run()
    assert failure.value.code == "context_overflow"
    assert len(bench.model.requests) == 5


async def test_a_prompt_that_is_too_long_by_itself_ends_the_turn_with_the_models_own_words():
    bench = Bench(OVERFLOW, context_size=None)

    with pytest.raises(ModelError, match="The conversation is too long") as failure:
        await bench.run("word " * 50_000)
    assert failure.value.code == "context_overflow"
    assert len(bench.model.requests) == 1


async def test_a_summary_that_frees_nothing_changes_nothing_and_ends_the_turn():
    long = Answer([Text("word " * 20_000), used(1)])
    bench = Bench(look(9000), look(9000, tokens=9000), long, DONE)

    with pytest.raises(TurnStopped, match="free too little"):
        await bench.run()
    assert bench.compactions == []
    assert model_history(bench.transcript.messages)[0] == bench.transcript.messages[0]
    assert len(bench.model.requests) == 3


async def test_a_context_that_is_full_again_at_once_is_not_summed_up_again():
    bench = Bench(look(9000), look(9000, tokens=9000), SUMMARY, look(tokens=9000), DONE)

    with pytest.raises(TurnStopped, match="did not free enough space"):
        await bench.run()
    assert len(bench.compactions) == 1


async def test_a_long_turn_is_summed_up_again_and_again():
    steps: list[Answer] = []
    for _ in range(5):
        steps += [look(9000), look(9000), look(9000, tokens=8000), SUMMARY]
    bench = Bench(*steps, DONE)

    assert await bench.run() == "end_turn"
    assert len(bench.compactions) == 5
    assert all(messages_tokens(request.messages) < 10_000 for request in bench.model.requests)


# ---------------------------------------------------------------- what


async def test_the_newest_messages_are_kept_word_for_word():
    bench = Bench(look(4001), look(4002), look(4003), look(4004, tokens=8000), SUMMARY, DONE)

    await bench.run()
    outputs = [len(text) for text in texts_of(bench.model.requests[-1].messages) if text.startswith("xxx")]
    assert outputs == [4004]
    assert [len(text) for text in texts_of(bench.heard[0]) if text.startswith("xxx")] == [4004]


async def test_the_last_two_turns_are_kept_and_no_older_one():
    bench = Bench(DONE, DONE, DONE, SUMMARY)
    for prompt in ("One?", "Two?", "Three?"):
        await bench.run(prompt)
    bench.transcript.apply(UserMessageAdded(message=UserMessage(parts=(TextPart(text="x" * 5000),))))
    # Something long and old, so that it is worth it.
    turn = await bench.turn("Four?")
    old = Transcript([UserMessage(parts=(TextPart(text="old " * 5000),)), *bench.transcript.messages])
    await compact(_over(turn, old), "asked")

    said = texts_of(model_history(old.messages))
    assert said[1:] == ["x" * 5000, "Four?"]


def _over(turn: Turn, transcript: Transcript) -> Turn:
    return replace(turn, transcript=transcript, emit=transcript.apply)


async def test_the_prompt_is_repeated_when_it_is_not_kept_and_what_was_attached_only_in_short():
    image = FilePart(uri=f"data:image/png;base64,{'A' * 40_000}", mime="image/png", name="a.png")
    attached = TextPart(text="y" * 12_000, synthetic=True)
    bench = Bench(look(9000), look(9000, tokens=8000), SUMMARY, DONE)

    await bench.run("Use tabs.", image, attached)
    first = bench.model.requests[-1].messages[0]
    assert isinstance(first, UserMessage)
    texts = texts_of([first])
    assert "Use tabs." in texts
    assert "[Attached: a.png]" in texts
    assert all(len(text) < 3000 for text in texts)
    assert not any(isinstance(part, FilePart) for part in first.parts)


async def test_what_the_user_says_in_the_middle_is_never_lost():
    bench = Bench(look(9000), look(9000), look(9000, tokens=8000), Answer([Wait("go"), Text("Sum.")]), DONE)
    running = asyncio.create_task(bench.run())
    async with limited(lambda: "the first words of the model"):
        await bench.said.wait()
    bench.emit(UserMessageAdded(message=UserMessage(parts=(TextPart(text="Use tabs."),), steers="msg_1")))
    bench.model.release("go")

    assert await running == "end_turn"
    assert texts_of(bench.model.requests[-1].messages)[-1] == "Use tabs."


async def test_what_the_user_has_just_said_is_kept_at_any_size():
    bench = Bench(look(9000), look(9000), DONE, SUMMARY, kept_tokens=500)
    await bench.run()
    turn = await bench.turn("Go.")
    steering = UserMessage(parts=(TextPart(text="tabs " * 1000),), steers=turn.user.id)
    bench.emit(UserMessageAdded(message=steering))

    await compact(turn, "full")
    assert model_history(bench.transcript.messages)[-1] == steering


async def test_the_summarising_request_has_results_cut_and_media_left_out():
    image = FilePart(uri=f"data:image/png;base64,{'A' * 9000}", mime="image/png", name="a.png")
    bench = Bench(look(9000), look(9000), look(9000, tokens=8000), SUMMARY, DONE)

    await bench.run("Look.", image)
    asked = bench.asked(3)
    assert "a.png" in asked
    assert "AAAA" not in asked
    assert "characters left out" in asked
    assert asked.count("xxx") <= 3 * 700


async def test_an_earlier_summary_is_brought_up_to_date():
    bench = Bench(
        *(look(9000), look(9000), look(9000, tokens=8000), SUMMARY),
        *(look(9001), look(9000), look(9000, tokens=8000), Answer([Text("Newer.")])),
        DONE,
    )

    await bench.run()
    again = bench.asked(7)
    assert "<earlier-summary>\n## Goal\nThe sum of it all." in again
    assert "up to date" in again
    assert again.count("(Called look") < 5
    assert "The sum of it all." not in bench.asked(-1)


async def test_a_summarising_request_that_is_too_long_is_halved_and_then_given_up():
    bench = Bench(*[look(30_000)] * 4, OVERFLOW, OVERFLOW, SUMMARY, DONE, context_size=None)
    assert await bench.run() == "end_turn"
    assert len(bench.asked(5)) < 0.7 * len(bench.asked(5 - 1)) or len(bench.asked(6)) < 0.7 * len(bench.asked(5))

    bench = Bench(*[look(30_000)] * 4, *[OVERFLOW] * 4, DONE, context_size=None)
    with pytest.raises(TurnStopped, match="Even a part"):
        await bench.run()
    assert len(bench.model.requests) == 8


@corpus("end", ["length", "content_filter"])
async def test_a_summary_that_was_cut_off_never_takes_the_place_of_the_conversation(end: str):
    cut = Answer([Text("half of a summ"), Finish(end)])
    bench = Bench(look(9000), look(9000, tokens=9000), cut, DONE)
    with pytest.raises(ModelError, match="cut off before its end, so the conversation stays as it is"):
        await bench.run()
    assert bench.compactions == []
    assert "half of a summ" not in str(model_history(bench.transcript.messages))

    bench = Bench(look(9000), look(9000, tokens=9000), cut)
    other = ScriptedModel([SUMMARY, DONE], name="other")
    turn = replace(await bench.turn(), fallback_chain=FallbackChain([other]))
    assert await run_turn(turn) == "end_turn"
    assert [compaction.part.summary for compaction in bench.compactions] == ["## Goal\nThe sum of it all."]


async def test_a_summarising_request_that_fails_is_made_again():
    busy = Answer([Error("overloaded", "Busy.", retry_after=0)])
    bench = Bench(look(9000), look(9000, tokens=9000), busy, SUMMARY, DONE)

    assert await bench.run() == "end_turn"
    assert [update.kind for update in bench.emitted].count("retry") == 1


async def test_what_summing_up_costs_is_counted():
    summary = Answer([Text("Sum."), Usage(Tokens(input=700, output=50), cost=0.25)])
    bench = Bench(look(9000), look(9000, tokens=9000), summary, DONE)

    await bench.run()
    [message] = [it for it in bench.transcript.messages if isinstance(it, AssistantMessage) and it.summary]
    assert (message.tokens.input, message.cost, message.parent_id) == (700, 0.25, bench.transcript.messages[0].id)
    assert message.completed is not None


@corpus("moments", range(0, 40, 3))
async def test_wherever_it_is_cancelled_the_history_is_as_it_was_or_as_it_will_be(moments):
    bench = Bench(look(9000), look(9000), look(9000, tokens=8000), Answer([Text("Sum.", pieces=4)]), DONE)
    running = asyncio.create_task(bench.run())
    async with limited(lambda: "the first words of the model"):
        await bench.said.wait()
    for _ in range(moments):
        await asyncio.sleep(0)
    running.cancel()
    await asyncio.wait([running])

    assert all(it.completed is not None for it in bench.transcript.messages if isinstance(it, AssistantMessage))
    history = model_history(bench.transcript.messages)
    if bench.compactions:
        assert "Sum." in texts_of(history)[0]
    else:
        assert texts_of(history)[0] == "Please go on."
    assert_valid(history)


async def test_a_replay_makes_the_same_history():
    bench = Bench(look(9000), look(9000, tokens=9000), SUMMARY, DONE)
    await bench.run()

    again = Transcript()
    for update, _ in replay(bench.transcript.messages):
        again.apply(update)
    assert model_history(again.messages) == model_history(bench.transcript.messages)
