import re
from collections.abc import Callable
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import corpus, examples
from placet.text.buffer import Buffer
from placet.text.positions import Position, PositionEncoding
from work_support import steps
from work_support.hostile import DOCUMENTS

WIDTHS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda character: len(character.encode("utf-8", "surrogatepass")),
    "utf-16": lambda character: 2 if character > "\uffff" else 1,
    "utf-32": lambda character: 1,
}
TEXT = st.text(alphabet="ab\r\n\x0c\x85\u2028é\u0301😀", max_size=30)
POSITION = st.builds(Position, st.integers(-1, 12), st.integers(-1, 14))
ENCODING = st.sampled_from(["utf-8", "utf-16", "utf-32"])


def naive_offset(text: str, position: Position, encoding: str) -> int:
    """Walk the text: skip line ends, then code points while they fit; clamped at line and text end."""
    if position.line < 0:
        return 0
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]
    if position.line >= len(starts):
        return len(text)
    offset, left = starts[position.line], position.character
    while offset < len(text) and text[offset] not in "\r\n" and left >= WIDTHS[encoding](text[offset]):
        left -= WIDTHS[encoding](text[offset])
        offset += 1
    return offset


@settings(max_examples=examples(400))
@given(TEXT, st.lists(st.tuples(POSITION, POSITION, TEXT), max_size=6), ENCODING)
def test_edits_give_what_they_give_on_a_plain_string(
    text: str, edits: list[tuple[Position, Position, str]], encoding: PositionEncoding
) -> None:
    buffer = Buffer(text)
    for start, end, inserted in edits:
        first = naive_offset(text, start, encoding)
        last = max(naive_offset(text, end, encoding), first)
        text = text[:first] + inserted + text[last:]
        buffer.replace(start, end, inserted, encoding)
        assert buffer.line_count == len(re.split(r"\r\n|\n|\r", text))
        assert [buffer.line(number) for number in range(buffer.line_count)] == re.split(r"\r\n|\n|\r", text)

    assert buffer.text == text


@given(TEXT, POSITION, ENCODING)
def test_the_offset_of_a_position_is_found_by_walking(
    text: str, position: Position, encoding: PositionEncoding
) -> None:
    assert Buffer(text).offset_at(position, encoding) == naive_offset(text, position, encoding)


@given(TEXT, st.integers(-2, 34), ENCODING)
def test_offset_to_position_and_back_is_the_same_offset(text: str, offset: int, encoding: PositionEncoding) -> None:
    clamped = min(max(offset, 0), len(text))
    if text[clamped - 1 : clamped + 1] == "\r\n":
        clamped -= 1
    buffer = Buffer(text)

    assert buffer.offset_at(buffer.position_at(offset, encoding), encoding) == clamped


@corpus(
    ("before", "start", "end", "inserted", "after", "line_count"),
    [
        ("a\rb", Position(1, 0), Position(1, 0), "\n", "a\r\nb", 2),
        ("a\rb\nc", Position(1, 0), Position(1, 1), "", "a\r\nc", 2),
        ("a\nb", Position(0, 1), Position(0, 1), "\r", "a\r\nb", 2),
        ("a\r\nb", Position(0, 1), Position(0, 99), "x", "ax\r\nb", 2),
        ("a\r\nb", Position(0, 1), Position(1, 0), "\r", "a\rb", 2),
        ("", Position(9, 9), Position(9, 9), "x\n", "x\n", 2),
        ("a😀b", Position(0, 2), Position(0, 3), "", "ab", 1),
        ("a\u2028b\n", Position(0, 99), Position(99, 0), "", "a\u2028b", 1),
    ],
)
def test_line_ends_split_and_merge_across_edits(
    before: str, start: Position, end: Position, inserted: str, after: str, line_count: int
) -> None:
    buffer = Buffer(before)

    buffer.replace(start, end, inserted, "utf-16")

    assert (buffer.text, buffer.line_count) == (after, line_count)


@corpus("piece", DOCUMENTS)
def test_a_keystroke_takes_the_same_few_steps_in_a_document_of_any_length(piece: str) -> None:
    def work(count: int) -> int:
        buffer = Buffer(piece * count)
        middle = Position(buffer.line_count // 2, 5)
        press = partial(buffer.replace, middle, middle, "x", "utf-16")
        press()
        return steps(press)

    assert work(31_000) <= work(3_100) < 200
