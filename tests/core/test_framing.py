from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.core.framing import HEADER_LIMIT_BYTES, FrameDecoder, Malformed, frame


def decode(*chunks: bytes) -> list[bytes | Malformed]:
    decoder = FrameDecoder()
    return [item for chunk in chunks for item in decoder.feed(chunk)]


@given(st.lists(st.binary(max_size=40), max_size=5), st.data())
def test_messages_come_out_as_they_went_in_however_they_are_cut(bodies: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(map(frame, bodies))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))

    chunks = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]

    assert decode(*chunks) == bodies


@corpus(
    "header",
    [
        b"content-length: 2\r\n",
        b"CONTENT-LENGTH:2\r\n",
        b"Content-Length: 2 \r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf8\r\nContent-Length: 2\r\n",
        b"Content-Length: 2\n",
    ],
)
def test_headers_are_read_as_http_headers_are(header: bytes) -> None:
    assert decode(header + b"\r\n{}") == [b"{}"]


def test_a_header_without_a_length_is_reported_and_the_next_message_read() -> None:
    items = decode(b"Content-Lenght: 2\r\n\r\n{}" + frame(b"[]"))

    assert [type(item) for item in items] == [Malformed, bytes]
    assert items[-1] == b"[]"


def test_a_body_longer_than_announced_costs_one_message() -> None:
    """A client that counts characters instead of bytes."""
    body = '{"text": "ä"}'.encode()
    items = decode(b"Content-Length: %d\r\n\r\n%b" % (len(body) - 1, body) + frame(b"[]"))

    assert items == [body[:-1], b"[]"]


def test_a_charset_that_is_not_served_is_reported_and_its_body_skipped() -> None:
    body = "{}".encode("utf-16")
    items = decode(b"Content-Type: x; charset=utf-16\r\n" + frame(body) + frame(b"[]"))

    assert items == [Malformed("the charset utf-16 is not served, only utf-8"), b"[]"]


def test_an_impossible_length_is_not_waited_for() -> None:
    items = decode(b"Content-Length: 99999999999999\r\n\r\n" + frame(b"[]"))

    assert [type(item) for item in items] == [Malformed, bytes]


def test_a_line_without_end_is_not_kept() -> None:
    decoder = FrameDecoder()
    for _ in range(10):
        assert list(decoder.feed(b"x" * HEADER_LIMIT_BYTES)) == []

    assert len(decoder._buffer) <= HEADER_LIMIT_BYTES
    assert list(decoder.feed(frame(b"[]"))) == [b"[]"]
