import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.core.errors import DocumentError
from placet.text.encoding import Undecodable, decode, encode

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"))
KINDS = [(name, True) for name in ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")] + [("utf-8", False)]


@given(TEXT, st.sampled_from(KINDS))
def test_a_text_survives_writing_and_reading(text: str, kind: tuple[str, bool]) -> None:
    assert decode(encode(text, *kind)) == (text, *kind)


@given(st.sampled_from([b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF32_BE]), st.binary())
def test_bytes_that_decode_come_back_the_same(mark: bytes, data: bytes) -> None:
    try:
        decoded = decode(mark + data)
    except Undecodable:
        return

    assert encode(*decoded) == mark + data


def test_the_bom_is_not_part_of_the_text() -> None:
    assert decode(codecs.BOM_UTF8 + b"a\r\n") == ("a\r\n", "utf-8", True)


@corpus(
    ("data", "message"),
    [
        (b"ok\n\xff", "byte 3 of 4 \\(0xff\\), line 2"),
        (b"caf\xe9\n", "byte 3 of 5 \\(0xe9\\)"),
        (b"a\0b", "binary: byte 1 of 3 is NUL"),
        ("a".encode("utf-16-le"), "binary"),
        (codecs.BOM_UTF16_LE + b"a\0\0\0", "binary"),
        (codecs.BOM_UTF16_LE + b"a\0b", "UTF-16-LE"),
        (codecs.BOM_UTF16_LE + b"\x00\xd8a\0", "UTF-16-LE"),
        (b"\xed\xa0\x80", "not UTF-8"),
    ],
)
def test_what_is_no_text_is_refused_and_said_where(data: bytes, message: str) -> None:
    with pytest.raises(Undecodable, match=message):
        decode(data)


def test_a_lone_surrogate_is_not_written() -> None:
    with pytest.raises(DocumentError, match=r"line 2 holds U\+D800"):
        encode("a\n\ud800", "utf-8", bom=False)
