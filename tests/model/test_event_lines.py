"""Server-sent events, however the bytes are cut up."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.model.host.readers.lines import EventLines


def payloads(*chunks: bytes) -> list[bytes]:
    lines = EventLines()
    return [data for chunk in chunks for data in lines.feed(chunk)] + lines.finish()


@corpus("end", [b"\n", b"\r\n", b"\r"])
def test_any_line_end_ends_a_line(end: bytes):
    stream = end.join([b"event: x", b"data: one", b"", b"data:two", b"", b""])

    assert payloads(stream) == [b"one", b"two"]


def test_lines_of_one_event_are_joined():
    assert payloads(b'data: {"a":\ndata: 1}\n\n') == [b'{"a":\n1}']


def test_comments_keep_alives_and_other_fields_give_nothing():
    assert payloads(b": OPENROUTER PROCESSING\n\n\n\nid: 7\nretry: 10\nevent: ping\n\n:\n\n") == []


def test_only_one_space_after_the_colon_is_not_data():
    assert payloads(b"data:  two\n\ndata:none\n\n") == [b" two", b"none"]


def test_a_byte_order_mark_is_skipped_even_in_halves():
    assert payloads(b"\xef\xbb", b"\xbfdata: one\n\n") == [b"one"]


def test_the_last_event_needs_no_blank_line():
    assert payloads(b"data: one\n\ndata: [DONE]") == [b"one", b"[DONE]"]
    assert payloads(b"data: one\n") == [b"one"]


def test_bare_json_is_taken_for_an_event():
    assert payloads(b'{"error": "no"}\n') == [b'{"error": "no"}']


LINES = st.lists(
    st.tuples(st.sampled_from(["data: ", "data:", ": ", "event: ", ""]), st.text("aä世🙂 :", max_size=5)), max_size=12
)


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.sets(st.integers(0, 200)))
def test_any_cut_gives_the_same(lines: list[tuple[str, str]], end: str, cuts: set[int]):
    stream = "".join(f"{field}{text}{end}" for field, text in lines).encode()
    places = [0, *sorted(cut for cut in cuts if cut < len(stream)), len(stream)]
    chunks = [stream[start:stop] for start, stop in itertools.pairwise(places)]

    assert payloads(*chunks) == payloads(stream)
