from hypothesis import given
from hypothesis import strategies as st

from placet.core.framing import Malformed
from placet.core.stdio.lines import LineDecoder

LINES = st.lists(st.binary(min_size=1).map(lambda line: line.replace(b"\n", b"\x0b").strip() or b"x"))


@given(LINES, st.data())
def test_lines_come_out_whole_however_the_bytes_are_cut_up(lines, data):
    stream = b"".join(line + b"\n" for line in lines)
    decoder, decoded, place = LineDecoder(), [], 0
    while place < len(stream):
        size = data.draw(st.integers(1, len(stream) - place))
        decoded += decoder.feed(stream[place : place + size])
        place += size
    assert decoded == lines


def test_blank_lines_and_a_carriage_return_at_the_end_are_left_out():
    assert list(LineDecoder().feed(b"\n \r\na\r\n\tb \n")) == [b"a", b"b"]


def test_a_line_without_an_end_is_no_line():
    decoder = LineDecoder()
    assert list(decoder.feed(b"abc")) == []
    assert list(decoder.feed(b"\n")) == [b"abc"]


def test_a_line_over_the_limit_is_malformed_and_the_next_line_is_read():
    decoder = LineDecoder(limit_bytes=4)
    decoded = [line for piece in (b"abc", b"de", b"f\nwxyz\n") for line in decoder.feed(piece)]
    assert decoded == [Malformed("The line has 6 bytes, more than 4."), b"wxyz"]
