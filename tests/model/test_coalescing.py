"""Pieces gathered into frames."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from placet.model.frames import Arguments, Call, Finish, Piece, Text, Thought
from placet.model.host.batching import Coalescer


async def test_the_first_piece_leaves_at_once():
    sent: list[list[Piece]] = []
    coalescer = Coalescer(sent.append, interval_seconds=60)

    coalescer.add([Text("one"), Text("!")])
    coalescer.add([Text(" two")])

    assert sent == [[Text("one!")]]


async def test_what_follows_leaves_together_by_itself():
    sent: asyncio.Queue[list[Piece]] = asyncio.Queue()
    coalescer = Coalescer(sent.put_nowait, interval_seconds=0.01)
    for text in ("one", " two", " three"):
        coalescer.add([Text(text)])

    assert await sent.get() == [Text("one")]
    assert await sent.get() == [Text(" two three")]


async def test_an_interval_that_has_passed_needs_no_timer():
    sent: list[list[Piece]] = []
    coalescer = Coalescer(sent.append, interval_seconds=0)
    for text in "abc":
        coalescer.add([Text(text)])

    assert sent == [[Text("a")], [Text("b")], [Text("c")]]


async def test_only_pieces_of_one_kind_and_call_are_joined():
    sent: list[list[Piece]] = []
    coalescer = Coalescer(sent.append, interval_seconds=60)
    pieces = [
        Text("first"),
        Thought("a"),
        Thought("b"),
        Thought("", "seal"),
        Thought("c"),
        Call("1", "read"),
        Arguments("1", "{"),
        Arguments("1", "}"),
        Arguments("2", "{}"),
        Finish("stop"),
    ]
    for piece in pieces:
        coalescer.add([piece])
    coalescer.flush()

    assert sent[1] == [
        Thought("ab"),
        Thought("", "seal"),
        Thought("c"),
        Call("1", "read"),
        Arguments("1", "{}"),
        Arguments("2", "{}"),
        Finish("stop"),
    ]


async def test_signs_of_life_are_passed_on_now_and_then_and_hold_nothing_up():
    sent: list[list[Piece]] = []
    coalescer = Coalescer(sent.append, interval_seconds=60, alive_seconds=0)
    coalescer.add([])
    coalescer.add([Text("one")])
    rarely = Coalescer(sent.append, alive_seconds=60)
    rarely.add([])

    assert sent == [[], [Text("one")]]


PIECES = st.one_of(
    st.builds(Text, st.text(max_size=3)),
    st.builds(Thought, st.text(max_size=3), st.none() | st.just("seal"), st.none()),
    st.builds(Arguments, st.sampled_from("ab"), st.text(max_size=3)),
)


def unrolled(pieces: list[Piece]) -> list[tuple[str, str]]:
    """One entry a character, so that joined and single pieces compare equal."""
    return [
        (f"{type(piece).__name__} {getattr(piece, 'call_id', '')} {getattr(piece, 'signature', '')}", character)
        for piece in pieces
        for character in piece.text + ("|" if getattr(piece, "signature", None) else "")  # pyright: ignore
    ]


@given(st.lists(PIECES, max_size=20), st.sets(st.integers(0, 19)))
def test_nothing_is_lost_or_reordered(pieces: list[Piece], flushes: set[int]):
    async def run() -> list[Piece]:
        sent: list[list[Piece]] = []
        coalescer = Coalescer(sent.append, interval_seconds=60)
        for number, piece in enumerate(pieces):
            coalescer.add([piece])
            if number in flushes:
                coalescer.flush()
        coalescer.flush()
        return [piece for batch in sent for piece in batch]

    assert unrolled(asyncio.run(run())) == unrolled(pieces)
