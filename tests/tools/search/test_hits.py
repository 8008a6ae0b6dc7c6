import io
import itertools
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from placet.tools.search.hits import LIMIT, Hits

OUTPUT = (
    b"./a.txt\x001:1:one\n2:1:\n17:2:\x00 odd\n\n./b:c.txt\x003:1:three: four\r\n\n"
    b'./bin: binary file matches (found "\\0" byte around offset 6)\n\n./late.txt\x009:1:x\n'
    b'binary file matches (found "\\0" byte around offset 70000)\n\n./hidden.txt\x001:1:secret\n\n'
    b"./open.txt\x001:1:disk\n"
)


def searched(*pieces: bytes) -> Hits:
    hits = Hits("root", lambda name: name != "hidden.txt", frozenset({"open.txt"}))
    for piece in pieces:
        hits.feed(piece)
    return hits


def rows(hits: Hits) -> dict[str, list[tuple[int, str]]]:
    return {Path(file.path).name: file.lines() for file in hits.newest()}


def test_rows_belong_to_the_file_named_before_them() -> None:
    hits = searched(OUTPUT)
    assert rows(hits) == {
        "a.txt": [(1, "one"), (2, ""), (17, "\0 odd")],
        "b:c.txt": [(3, "three: four")],
        "late.txt": [(9, "x")],
    }
    assert hits.count == 5


@given(st.lists(st.integers(0, OUTPUT.count(b"\n"))))
def test_it_does_not_matter_where_the_stream_is_cut_between_lines(cuts: list[int]) -> None:
    lines = io.BytesIO(OUTPUT).readlines()
    ends = [0, *sorted(cuts), len(lines)]
    hits = searched(*(b"".join(lines[start:end]) for start, end in itertools.pairwise(ends)))
    assert rows(hits) == rows(searched(OUTPUT))
    assert hits.count == 5


def test_no_more_is_kept_than_is_shown(tmp_path: Path) -> None:
    hits = Hits(str(tmp_path), lambda name: True)
    for number in range(300):
        hits.feed(b"./%d.txt\x00" % number + b"1:1:x\n" * 30 + b"\n")
    assert hits.count == 9000
    assert hits.row_count == sum(len(file.rows) for file in hits.files) < LIMIT + 60
    assert sum(len(file.rows) for file in hits.newest()) == LIMIT


def test_what_was_searched_elsewhere_may_be_hidden_too() -> None:
    hits = searched()
    hits.add("hidden.txt", 1, b"1:1:secret\n", "secret")
    hits.add("seen.txt", 1, b"2:1:x\n", "\nx")
    hits.add("empty.txt", 1, b"", "")
    hits.feed(b"5:1:belongs to nobody\n")
    assert rows(hits) == {"seen.txt": [(2, "x")]}
    assert hits.count == 1
