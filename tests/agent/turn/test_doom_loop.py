import json

from hypothesis import given
from hypothesis import strategies as st

from placet.agent.turn.doom_loop import (
    LONGEST_CYCLE,
    MOST_WITHOUT_NEWS,
    ROUNDS,
    Loop,
    LoopCall,
    LoopWatch,
    watch_since_the_user,
)
from placet.core.messages import AssistantMessage, TextPart, ToolCompleted, ToolFailed, ToolPart, UserMessage


def read(name: str) -> LoopCall:
    return LoopCall.of("read", json.dumps({"filePath": name}))


def gave(output: str) -> ToolCompleted:
    return ToolCompleted(input={}, title="", output=output, start=1, end=1)


def failed(error: str) -> ToolFailed:
    return ToolFailed(input={}, error=error, start=1, end=1)


def play(watch: LoopWatch, *calls: str) -> list[Loop | None]:
    """Read the files, each of which has always the same text."""
    seen: list[Loop | None] = []
    for name in calls:
        seen.append(watch.calls(read(name)))
        watch.results(read(name), gave(f"text of {name}"))
    return seen


def test_the_third_same_call_in_a_row_is_a_loop():
    assert play(LoopWatch(), *"abaa") == [None] * 4
    assert play(LoopWatch(), *"aaa") == [None, None, Loop((read("a"),), is_cycle=True)]


def test_the_order_of_arguments_does_not_make_another_call():
    assert LoopCall.of("grep", '{"a": 1, "b": 2}') == LoopCall.of("grep", '{"b": 2,"a": 1}')
    assert LoopCall.of("grep", '{"a": 1') != LoopCall.of("grep", '{"a": 2')
    assert LoopCall.of("grep", "") == LoopCall.of("grep", "{}")


def test_a_loop_says_what_it_is():
    watch = LoopWatch()
    assert str(play(watch, *"aaa")[-1]) == "the same call of `read` 3 times in a row"
    assert str(play(LoopWatch(), *"ababab")[-1]) == "the same 2 calls (`read`) 3 times over"


def test_an_edit_between_the_same_tests_is_no_loop():
    watch = LoopWatch()
    for number in range(20):
        for call in (LoopCall.of("edit", json.dumps({"n": number})), LoopCall.of("bash", '{"command": "pytest"}')):
            assert watch.calls(call) is None
            watch.results(call, gave("Done."))


def test_ten_calls_whose_results_are_known_are_a_loop_though_in_no_order():
    watch = LoopWatch()
    assert set(play(watch, *"abcdefg", *"aceg", *"bdf", *"gca")) == {None}

    loop = watch.calls(read("f"))
    assert loop is not None
    assert str(loop) == "10 calls in a row that bring nothing new (`read`)"


def test_something_new_among_them_starts_the_count_again():
    assert set(play(LoopWatch(), *"abcdefg", *"aceg", *"bdf", "new", *"gcae", *"bfdb")) == {None}


def test_failing_in_the_same_way_is_nothing_new_whatever_is_tried():
    watch = LoopWatch()
    struck = 0
    for number in range(MOST_WITHOUT_NEWS + 2):
        call = LoopCall.of("edit", json.dumps({"oldString": number}))
        struck += watch.calls(call) is not None
        watch.results(call, failed("There is no such text."))

    assert struck == 1


def test_a_loop_that_was_approved_is_not_seen_again_and_another_is():
    watch = LoopWatch()
    loop = play(watch, *"aaa")[-1]
    assert loop is not None
    watch.approve(loop)

    assert set(play(watch, *"a" * 40)) == {None}
    assert play(watch, *"bbb")[-1] == Loop((read("b"),), is_cycle=True)


def test_calls_of_an_approved_loop_are_not_counted_as_bringing_nothing_new():
    watch = LoopWatch()
    loop = play(watch, *"baaa")[-1]
    assert loop is not None
    watch.approve(loop)

    assert set(play(watch, *"a" * 20, "b")) == {None}


def test_approved_silence_is_not_seen_again_until_there_was_news():
    watch = LoopWatch()
    files = "abcdefghijk"
    order = files + "acegikbdfhj" + "adgjbehkcfi"
    loop = next(loop for loop in play(watch, *order) if loop is not None)
    watch.approve(loop)
    assert set(play(watch, *"aeibfjcgkdh")) == {None}

    assert [loop.is_cycle for loop in play(watch, "new", *"afkejdicgbh", "e") if loop] == [False, False]


@given(st.lists(st.text(max_size=8), unique=True, max_size=60), st.booleans())
def test_calls_that_are_ever_new_are_never_a_loop(names, with_same_output):
    watch = LoopWatch()
    for name in names:
        assert watch.calls(read(name)) is None
        watch.results(read(name), gave("No matches." if with_same_output else name))


@given(
    st.lists(st.sampled_from("abcdef"), max_size=30),
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=LONGEST_CYCLE),
    st.booleans(),
)
def test_whatever_went_before_a_short_cycle_is_seen_within_three_rounds(before, cycle, with_new_results):
    watch = LoopWatch()
    for name in before:
        watch.calls(read(name))
    seen: list[Loop | None] = []
    for number, name in enumerate(cycle * ROUNDS):
        seen.append(watch.calls(read(name)))
        watch.results(read(name), gave(str(number) if with_new_results else name))

    assert any(seen)


@given(st.lists(st.sampled_from("abcdefgh"), min_size=8 * (1 + MOST_WITHOUT_NEWS) + 1, max_size=120))
def test_where_there_is_only_so_much_to_learn_a_loop_is_always_seen(names):
    assert any(play(LoopWatch(), *names))


def a_turn(name: str, times: int, *, synthetic: bool = False) -> tuple[UserMessage, AssistantMessage]:
    user = UserMessage(parts=(TextPart(text="go", synthetic=synthetic),))
    state = gave(f"text of {name}").model_copy(update={"input": {"filePath": name}})
    parts = tuple(ToolPart(call_id=f"c{number}", tool="read", state=state) for number in range(times))
    return user, AssistantMessage(parent_id=user.id, parts=parts)


def test_a_watch_knows_the_turns_since_the_user_said_something():
    opened_by_itself = UserMessage(parts=(TextPart(text="A task is done.", synthetic=True),))
    history = (*a_turn("a", 1), *a_turn("a", 1, synthetic=True), opened_by_itself)

    assert watch_since_the_user(history).calls(read("a")) == Loop((read("a"),), is_cycle=True)
    assert watch_since_the_user((*history, *a_turn("b", 1))).calls(read("a")) is None
