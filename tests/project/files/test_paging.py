import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.core.errors import DocumentError
from placet.project.files import paging
from placet.project.files.paging import Piece, read_piece

CHUNKS = st.sampled_from([1, 2, 3, 7, 1000])
CONTENTS = st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"a", b"bc", b"\xff"]), max_size=30).map(b"".join)


def read(path: Path, first: int = 1, limit: int = 10_000, line_bytes: int = 100, most_bytes: int = 10_000) -> Piece:
    return read_piece(
        path, first=first, limit=limit, line_bytes=line_bytes, most_bytes=most_bytes, is_stopped=lambda: False
    )


def lines_of(data: bytes) -> list[bytes]:
    text = io.TextIOWrapper(io.BytesIO(data), "latin-1", newline=None).read()
    lines = text.encode("latin-1").split(b"\n")
    return lines if lines[-1] else lines[:-1]


@given(CONTENTS, CHUNKS, st.integers(1, 12), st.integers(1, 12))
def test_a_piece_is_the_lines_asked_for_wherever_chunks_end(data: bytes, chunk: int, first: int, limit: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paging, "CHUNK_BYTES", chunk)
        path = Path("in memory")
        patch.setattr(paging, "open", lambda *_, **__: io.BytesIO(data), raising=False)
        piece = read(path, first, limit)
    lines = lines_of(data)
    assert list(piece.lines) == lines[first - 1 : first - 1 + limit]
    assert piece.skipped == min(first - 1, len(lines))
    assert piece.is_last == (first - 1 + limit >= len(lines))


def test_a_long_line_is_cut_and_the_next_one_follows(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 1_000_000 + b"\nnext\n")
    assert read(path).lines == (b"x" * 100, b"next")


def test_a_piece_ends_when_it_is_full(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"0123456789\n" * 1000)
    piece = read(path, most_bytes=100)
    assert piece.lines == (b"0123456789",) * 10
    assert not piece.is_last


def test_a_line_without_an_end_in_sight_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "LONGEST_LINE_BYTES", 1_000_000)
    path = tmp_path / "a.txt"
    path.write_bytes(b"first\n" + b"x" * 10_000_000 + b"\nunseen\n")
    piece = read(path)
    assert piece.lines == (b"first", b"x" * 100)
    assert piece.endless
    assert not piece.is_last


def test_reading_is_stopped_from_outside(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"line\n" * 1_000_000)
    looked: list[int] = []

    def is_stopped() -> bool:
        looked.append(1)
        return len(looked) > 2

    read_piece(path, first=900_000, limit=1, line_bytes=10, most_bytes=10, is_stopped=is_stopped)
    assert len(looked) == 3


def test_a_file_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="cannot be read"):
        read(tmp_path / "none")
