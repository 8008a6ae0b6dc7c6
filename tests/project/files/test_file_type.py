import os
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.project.files.file_type import HEAD_BYTES, describe, is_binary, read_head, recognise


@corpus("text", [b"", b"plain", b"\x1b[31mred\x1b[0m\n", b"BM in text", b"MZ", b"ID3 tags", b"OggS", b"\xe9t\xe9"])
def test_text_is_not_taken_for_anything_else(text: bytes) -> None:
    assert recognise(text) is None
    assert not is_binary(text)


@corpus(
    ("head", "kind"),
    [
        (b"BM\x36\0\0\0", "a BMP image"),
        (b"MZ\x90\0\3\0", "a Windows program or library"),
        (b"\x7fELF\2\1\1\0", "an ELF program or library"),
        (b"x" * 257 + b"ustar\0", "a tar archive"),
        (b"\0H\0e\0l\0l\0o", "probably UTF-16 text without a byte order mark"),
        (b"\0\1\2\3\4\5\6\7", "of a kind that its first bytes do not tell"),
    ],
)
def test_a_binary_is_told_by_its_first_bytes(head: bytes, kind: str) -> None:
    assert is_binary(head)
    assert describe(head) == kind


def test_only_the_head_of_regular_files_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 10_000)
    assert len(read_head(path)) == HEAD_BYTES
    assert read_head(tmp_path) == read_head(tmp_path / "none") == b""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert read_head(tmp_path / "pipe") == b""
