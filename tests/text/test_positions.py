from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.text.positions import PositionEncoding, character_at, column_at, units

ENCODINGS: list[PositionEncoding] = ["utf-8", "utf-16", "utf-32"]
WIDTHS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda character: len(character.encode("utf-8", "surrogatepass")),
    "utf-16": lambda character: 2 if character > "\uffff" else 1,
    "utf-32": lambda character: 1,
}
LINE = st.text(alphabet="aé\u0301€\u2028\x0c😀𝒳", max_size=12)


def naive_column(line: str, character: int, encoding: str) -> int:
    taken = 0
    for column, code_point in enumerate(line):
        taken += WIDTHS[encoding](code_point)
        if taken > character:
            return column
    return len(line)


@given(LINE, st.integers(-3, 60), st.sampled_from(ENCODINGS))
def test_a_column_is_found_by_walking_the_code_points(line: str, character: int, encoding: PositionEncoding) -> None:
    assert column_at(line, character, encoding) == (naive_column(line, character, encoding) if character > 0 else 0)


@given(LINE, st.integers(0, 12), st.sampled_from(ENCODINGS))
def test_column_to_character_and_back_is_the_same_column(line: str, column: int, encoding: PositionEncoding) -> None:
    assert column_at(line, character_at(line, column, encoding), encoding) == min(column, len(line))


@corpus(("encoding", "length"), [("utf-8", 10), ("utf-16", 5), ("utf-32", 4)])
def test_units_count_what_the_encoding_counts(encoding: PositionEncoding, length: int) -> None:
    assert units("aé€😀", encoding) == length


@corpus(("encoding", "character", "column"), [("utf-16", 2, 1), ("utf-16", 3, 2), ("utf-8", 4, 1), ("utf-8", 5, 2)])
def test_a_position_inside_a_code_point_rounds_down(encoding: PositionEncoding, character: int, column: int) -> None:
    assert column_at("a😀b", character, encoding) == column


def test_a_lone_surrogate_is_one_utf16_unit() -> None:
    assert units("a\ud800b", "utf-16") == 3
    assert column_at("a\ud800😀b", 4, "utf-16") == 3
