from hypothesis import given
from hypothesis import strategies as st

from placet.text.foreign_encoding import show_lines, without_cut_character


@given(st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\n", b"")), max_size=5))
def test_as_many_lines_are_shown_as_there_are_and_without_nul(lines: list[bytes]) -> None:
    shown, label = show_lines(lines)
    assert len(shown) == len(lines)
    assert label
    assert not any("\0" in line or "\ufffd" in line for line in shown)


@given(st.text(st.characters(codec="utf-8"), min_size=1), st.integers(0, 40))
def test_a_line_cut_anywhere_still_shows_its_whole_characters(text: str, cut_at: int) -> None:
    data = text.encode()
    shown = without_cut_character(data[:cut_at], cut_at).decode()
    assert text.startswith(shown)
    assert len(data[:cut_at]) - len(shown.encode()) < 5


def test_a_line_that_was_not_cut_keeps_its_last_byte() -> None:
    assert without_cut_character(b"ol\xe9", 4) == b"ol\xe9"


def test_how_bytes_were_read_is_said() -> None:
    assert show_lines([b"plain"]) == (["plain"], "UTF-8")
    assert show_lines([b"ol\xe9"]) == (["ol\u00e9"], "Latin-1, which is a guess")
    assert show_lines([b"\x80 5"]) == (["\u20ac 5"], "Windows-1252, which is a guess")
    assert show_lines([b"\x81"])[0] == ["\\x81"]
    assert show_lines([b"\xc3\xa9\xe9"])[0] == ["\u00e9\\xe9"]
