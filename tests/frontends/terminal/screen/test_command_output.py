from hypothesis import given
from hypothesis import strategies as st

from placet.frontends.terminal.screen.command_output import MOST_LINES, CommandOutput, grown


def test_each_whole_line_is_shown_once_and_the_last_line_at_the_end() -> None:
    output = CommandOutput()
    assert output.grow("one\ntw") == ["one"]
    assert output.grow("one\ntwo\nthree") == ["two"]
    assert output.end("one\ntwo\nthree") == ["three"]


def test_a_command_that_says_nothing_more_ends_with_its_open_line() -> None:
    output = CommandOutput()
    assert output.grow("open") == []
    assert output.end() == ["open"]


def test_of_a_long_output_the_first_and_the_last_lines_are_shown() -> None:
    output = CommandOutput()
    text = "".join(f"{number}\n" for number in range(MOST_LINES + 20))
    assert len(output.grow(text)) == MOST_LINES
    assert output.end(text) == ["… 15 more lines", *(str(number) for number in range(MOST_LINES + 15, MOST_LINES + 20))]
    exact = CommandOutput()
    assert exact.end("x\n" * (MOST_LINES + 6)) == ["x"] * (MOST_LINES + 6), "nothing is left out for one line of dots"


def test_lost_text_is_marked() -> None:
    assert grown("a" * 300, "b" * 300) == "\n…\n" + "b" * 300


@given(st.lists(st.text("ab\n", max_size=400), max_size=5), st.integers(min_value=250, max_value=500))
def test_the_tails_of_a_growing_text_give_the_text(steps: list[str], width: int) -> None:
    whole = tail = shown = ""
    for step in steps:
        whole += step
        new = whole[-width:]
        more = grown(tail, new)
        assert whole.endswith(more.removeprefix("\n…\n"))
        shown += more
        if len(whole) <= width:
            assert shown == whole
        tail = new


@given(st.integers(min_value=0, max_value=3000), st.integers(min_value=0, max_value=3000))
def test_a_tail_that_has_moved_on_gives_what_is_new(first: int, more: int) -> None:
    whole = "".join(f"{number}\n" for number in range(10_000))
    before = whole[:first]
    after = whole[: first + more]
    new = grown(before[-4000:], after[-4000:])
    assert new == whole[first : first + more]
