"""The text around the cursor: whole lines within the budget, cut at places that stay while the user types."""

from hypothesis import given
from hypothesis import strategies as st

from placet.completion.cursor_context import LINE_STEP, Budget, cursor_context
from placet.text.buffer import Buffer
from placet.text.lines import to_lf
from placet.text.positions import Position, PositionEncoding

LINES = "".join(f"line {number}\n" for number in range(1_000))
SMALL = Budget(prefix_characters=400, suffix_characters=200, prefix_lines=40, suffix_lines=20)


def test_a_small_document_goes_into_the_context_whole():
    context = cursor_context(Buffer("a\nbc\nd\n"), Position(1, 1), "utf-16")
    assert (context.prefix, context.suffix) == ("a\nb", "c\nd\n")
    assert (context.line_before, context.line_after) == ("b", "c")


def test_the_ends_of_lines_become_lf():
    context = cursor_context(Buffer("a\r\nb\rc\r\n"), Position(1, 1), "utf-16")
    assert (context.prefix, context.suffix) == ("a\nb", "\nc\n")


def test_a_position_counts_in_the_units_of_the_encoding():
    buffer = Buffer("x = '😀é'\n")
    columns: list[tuple[PositionEncoding, int]] = [("utf-16", 7), ("utf-8", 9), ("utf-32", 6)]
    for encoding, character in columns:
        assert cursor_context(buffer, Position(0, character), encoding).line_before == "x = '😀"
    assert cursor_context(buffer, Position(0, 6), "utf-16").line_before == "x = '", "inside the surrogate pair"


def test_a_position_outside_of_the_document_is_clamped():
    buffer = Buffer("a\nb")
    assert cursor_context(buffer, Position(9, 9), "utf-16").prefix == "a\nb"
    assert cursor_context(buffer, Position(0, 9), "utf-16").prefix == "a"
    assert cursor_context(buffer, Position(-1, 0), "utf-16").prefix == ""


def test_the_cut_above_stays_while_the_user_types_on_sixteen_lines():
    buffer = Buffer(LINES)
    first_lines = [cursor_context(buffer, Position(line, 3), "utf-16", SMALL).first_line for line in range(500, 600)]
    assert len(set(first_lines)) <= 100 / LINE_STEP + 2
    assert all(line % LINE_STEP == 0 for line in first_lines)


def test_a_long_line_is_cut_at_a_place_that_stays():
    buffer = Buffer("x" * 10_000)
    prefixes = {len(cursor_context(buffer, Position(0, 9_000), "utf-16", SMALL).prefix)}
    assert prefixes <= set(range(1, 401))
    starts = {
        column - len(cursor_context(buffer, Position(0, column), "utf-16", SMALL).prefix)
        for column in range(9_000, 9_100)
    }
    assert len(starts) <= 2
    assert cursor_context(buffer, Position(0, 0), "utf-16", SMALL).has_long_line


def test_nothing_stands_before_a_line_whose_beginning_is_cut_off():
    context = cursor_context(Buffer("ab\nabcdef\nb"), Position(1, 5), "utf-16", Budget(4, 0, 5, 5))
    assert (context.prefix, context.suffix) == ("", "")


@given(
    st.text(alphabet="ab\n\r😀 ", max_size=200),
    st.integers(0, 60),
    st.integers(0, 20),
    st.integers(0, 60),
    st.integers(0, 40),
)
def test_the_context_is_the_text_next_to_the_position_and_never_more_than_the_budget(
    text: str, line: int, character: int, before: int, after: int
):
    buffer = Buffer(text)
    budget = Budget(before, after, 5, 3)
    context = cursor_context(buffer, Position(line, character), "utf-16", budget)
    offset = buffer.offset_at(Position(line, character), "utf-16")
    assert to_lf(text[:offset]).endswith(context.prefix)
    assert to_lf(text[offset:]).startswith(context.suffix)
    assert len(context.prefix) <= before
    assert len(context.suffix) <= after
