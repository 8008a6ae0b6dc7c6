"""Numbers of things in words."""

from placet.text.counted import counted, first_lines


def test_one_thing_is_named_in_the_singular_and_any_other_number_in_the_plural() -> None:
    assert [counted(number, "byte") for number in (0, 1, 2)] == ["0 bytes", "1 byte", "2 bytes"]


def test_of_too_many_lines_a_note_counts_the_rest_and_never_a_single_line() -> None:
    for number in range(20):
        lines = [f"line {index}" for index in range(number)]
        shown = first_lines(lines, 5, way=", see below")
        if number <= 5:
            assert shown == lines
        else:
            assert shown == [*lines[:4], f"… and {number - 4} more lines, see below"]
