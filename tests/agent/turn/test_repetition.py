import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.agent.turn.repetition import LEAST_CHARACTERS, LEAST_TIMES, LONGEST_UNIT, RepetitionWatch, repeated_at_end
from placet.core.errors import TurnStopped

WORDS = st.text(st.characters(categories=["L", "N", "Zs", "Po"]), min_size=1, max_size=LONGEST_UNIT).filter(
    lambda text: any(map(str.isalnum, text))
)


def fed(text: str, size: int) -> RepetitionWatch:
    watch = RepetitionWatch()
    for start in range(0, len(text), size):
        watch.take(text[start : start + size])
    return watch


@given(unit=WORDS, before=st.text(max_size=50), size=st.integers(1, 900))
def test_a_unit_over_and_over_is_stopped_however_it_is_cut(unit, before, size):
    times = max(LEAST_TIMES, LEAST_CHARACTERS // len(unit)) + 1 + 2000 // len(unit)
    with pytest.raises(TurnStopped) as stop:
        fed(before + unit * times, size)
    assert stop.value.code == "repetition"


@given(unit=WORDS, size=st.integers(1, 900))
def test_99_times_are_not_too_often(unit, size):
    # A unit that repeats a shorter one is that one more often.
    shortest = next(
        unit[:length] for length in range(1, len(unit) + 1) if unit[:length] * (len(unit) // length) == unit
    )
    text = shortest * (LEAST_TIMES - 1)
    fed(text, size)
    assert repeated_at_end(text) == ""


@corpus("unit", ["-", "=", " ", "\n", "|---|---|\n", "· ", "*" * 79 + "\n"])
def test_rulers_and_blanks_repeat_as_they_like(unit):
    fed(unit * 20_000, 100)


def test_a_list_of_numbers_and_a_table_of_equal_rows_within_reason_are_let_be():
    fed(", ".join(map(str, range(20_000))), 50)
    fed("| 0 | 0 | 0 | 0 | 0 |\n" * 90, 50)
    fed("100 identical chunks. " * 100, 22)


@given(text=st.text("ab", min_size=LONGEST_UNIT, max_size=6000))
def test_what_is_found_does_repeat(text):
    if unit := repeated_at_end(text):
        run = max(LEAST_CHARACTERS, LEAST_TIMES * len(unit))
        assert text.endswith((unit * run)[-run:])
