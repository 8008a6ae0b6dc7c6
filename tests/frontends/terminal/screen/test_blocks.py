from hypothesis import given
from hypothesis import strategies as st

from placet.frontends.terminal.screen.blocks import BlockSplitter


def blocks(text: str, *cuts: int) -> list[str]:
    splitter = BlockSplitter()
    found: list[str] = []
    at = 0
    for cut in [*sorted(cuts), len(text)]:
        found += splitter.feed(text[at:cut])
        at = max(at, cut)
    return [*found, *splitter.end()]


def test_paragraphs_headings_and_code_are_blocks_of_their_own() -> None:
    text = "# Head\nOne\ntwo.\n\nThree:\n```py\na = 1\n\nb = 2\n```\nFour"
    assert blocks(text) == ["# Head", "One\ntwo.", "Three:", "```py\na = 1\n\nb = 2\n```", "Four"]


def test_a_block_is_there_as_soon_as_it_is_whole() -> None:
    splitter = BlockSplitter()
    assert splitter.feed("One ") == []
    assert splitter.feed("more.\n\nTw") == ["One more."]
    assert splitter.feed("o\n") == []
    assert splitter.end() == ["Two"]


def test_entries_of_a_list_stay_together_with_their_paragraphs_and_code() -> None:
    text = "1. one\n\n   more\n\n2. two\n   ```\n   x\n\n   y\n   ```\n\nBehind."
    assert blocks(text) == ["1. one\n\n   more\n\n2. two\n   ```\n   x\n\n   y\n   ```", "Behind."]


def test_a_fence_is_closed_only_by_its_own_kind() -> None:
    text = "````\n```\n~~~\n````\nBehind."
    assert blocks(text) == ["````\n```\n~~~\n````", "Behind."]


MARKDOWN = st.lists(
    st.sampled_from(["", "word", "# h", "- item", "1. item", "  deep", "```", "````", "~~~", "| a |", "> q", "    x"]),
    max_size=14,
).map("\n".join)


@given(MARKDOWN, st.lists(st.integers(min_value=0, max_value=80), max_size=4))
def test_no_line_is_lost_wherever_the_text_is_cut(text: str, cuts: list[int]) -> None:
    cuts = [min(cut, len(text)) for cut in cuts]
    lines = [line for line in text.split("\n") if line.strip()]
    assert [line for block in blocks(text, *cuts) for line in block.split("\n") if line.strip()] == lines
    assert blocks(text, *cuts) == blocks(text)
