"""Which call a fragment belongs to, with the habits of many providers."""

from hypothesis import given
from hypothesis import strategies as st

from placet.model import frames
from placet.model.host.calls import CallTracker

Fragment = tuple[int, str | None, str | None, str | None]


def put_together(*fragments: Fragment) -> list[tuple[str, str, str]]:
    """(id, name, arguments) of each call."""
    tracker = CallTracker()
    pieces = [piece for fragment in fragments for piece in tracker.feed(*fragment)] + tracker.finish()
    names: dict[str, str] = {}
    texts: dict[str, str] = {}
    for piece in pieces:
        match piece:
            case frames.Call(call_id, name):
                assert call_id not in names
                names[call_id], texts[call_id] = name, ""
            case frames.Arguments(call_id, text):
                texts[call_id] += text
            case _:
                raise AssertionError(piece)
    return [(call_id, name, texts[call_id]) for call_id, name in names.items()]


def test_an_id_repeated_with_each_fragment_is_one_call():
    assert put_together((0, "a", "read", "{"), (0, "a", "read", "}")) == [("a", "read", "{}")]


def test_an_empty_id_goes_on_with_the_call_of_its_index():
    assert put_together((0, "a", "read", "{"), (0, "", None, "}")) == [("a", "read", "{}")]


def test_a_new_id_at_the_same_index_is_a_new_call():
    assert put_together((0, "a", "read", "1"), (0, "b", "read", "2"), (0, None, None, "3")) == [
        ("a", "read", "1"),
        ("b", "read", "23"),
    ]


def test_a_known_id_at_another_index_is_the_same_call():
    assert put_together((0, "a", "read", "1"), (1, "a", None, "2"), (1, None, None, "3")) == [("a", "read", "123")]


def test_calls_without_ids_at_one_index_are_told_apart_by_complete_arguments():
    calls = put_together((0, None, "read", '{"a":1}'), (0, None, "write", '{"b":2}'))

    assert [(name, arguments) for _, name, arguments in calls] == [("read", '{"a":1}'), ("write", '{"b":2}')]


def test_a_name_repeated_without_an_id_goes_on_with_the_call():
    ((_, name, arguments),) = put_together((0, None, "read", '{"a"'), (0, None, "read", ":1}"))

    assert (name, arguments) == ("read", '{"a":1}')


def test_arguments_before_the_name_are_kept():
    assert put_together((0, "a", None, "{"), (0, None, "read", "}")) == [("a", "read", "{}")]


def test_a_call_that_never_gets_a_name_is_announced_at_the_end():
    assert put_together((0, "a", None, "{}")) == [("a", "", "{}")]


@given(st.lists(st.tuples(st.integers(0, 3), st.text(max_size=4)), max_size=30))
def test_no_fragment_is_lost_or_moved(pieces: list[tuple[int, str]]):
    starts = [(index, f"id{index}", "read", None) for index in range(4)]

    calls = put_together(*starts, *((index, None, None, text) for index, text in pieces))

    assert calls == [
        (f"id{index}", "read", "".join(text for other, text in pieces if other == index)) for index in range(4)
    ]
