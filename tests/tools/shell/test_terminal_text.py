from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.tools.shell.terminal_text import plain


@corpus(
    ("raw", "expected"),
    [
        ("plain\n\ttext é\n", "plain\n\ttext é\n"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b[38;2;1;2;3mx\x1b[K", "x"),
        ("\x1b]0;title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "xlink"),
        ("\x1b(Bx\x1b7\x1b8", "x"),
        ("1%\r50%\r100%\ndone\r\n", "100%\ndone\n"),
        ("50%\r100%\r\r", "100%"),
        ("\r\n\r\r\na\rb\r\nc\r", "\n\nb\nc"),
        ("bell\x07 back\x08", "bell back"),
        ("cut \x1b[3", "cut 3"),
    ],
)
def test_a_terminals_marks_are_taken_out(raw: str, expected: str) -> None:
    assert plain(raw) == expected


@given(st.text())
def test_no_escape_is_left(raw: str) -> None:
    assert "\x1b" not in plain(raw)
    assert "\r" not in plain(raw)
