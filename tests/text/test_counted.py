"""Numbers of things in words."""

from placet.text.counted import counted


def test_one_thing_is_named_in_the_singular_and_any_other_number_in_the_plural() -> None:
    assert [counted(number, "byte") for number in (0, 1, 2)] == ["0 bytes", "1 byte", "2 bytes"]
