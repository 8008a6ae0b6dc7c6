import asyncio
import threading
from collections import Counter
from pathlib import Path

import pytest

from placet.core.errors import DocumentError, DocumentMissing
from placet.core.ports import Document
from placet.project.files.disk import DiskDocuments, read_document
from placet.project.files.gathered_reads import MOST_TOGETHER, GatheredReads


class Reader:
    """Reads files, and knows which thread has read which file."""

    def __init__(self) -> None:
        self.threads = Counter[str]()
        self.read: list[Path] = []

    def __call__(self, path: Path) -> Document:
        self.threads[threading.current_thread().name] += 1
        self.read.append(path)
        return read_document(path)


async def test_reads_of_one_step_share_their_way_to_the_pool(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.txt" for number in range(MOST_TOGETHER)]
    for path in paths:
        path.write_text(path.name)
    reader = Reader()
    reads = GatheredReads(reader)
    documents = await asyncio.gather(*map(reads.read, paths), reads.read(paths[0]))
    assert [document.text for document in documents] == [path.name for path in [*paths, paths[0]]]
    assert len(reader.threads) == 1
    assert sorted(reader.read) == sorted(paths)


async def test_more_files_than_a_thread_reads_together_are_all_read(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.txt" for number in range(2 * MOST_TOGETHER + 1)]
    for path in paths:
        path.write_text(path.name)
    reader = Reader()
    documents = await asyncio.gather(*map(GatheredReads(reader).read, paths))
    assert [document.text for document in documents] == [path.name for path in paths]
    assert sorted(reader.read) == sorted(paths)


async def test_each_read_has_its_own_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "binary").write_bytes(b"a\0b")
    names = ("a.txt", "missing", "binary")
    documents = DiskDocuments()
    outcomes = await asyncio.gather(*(documents.read(tmp_path / name) for name in names), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes][:2] == [Document, DocumentMissing]
    assert isinstance(outcomes[2], DocumentError)
    assert "binary" in str(outcomes[2])


async def test_a_later_read_looks_at_the_disk_again(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    documents = DiskDocuments()
    first = await documents.read(path)
    path.write_text("after")
    assert (first.text, (await documents.read(path)).text) == ("before", "after")


async def test_a_cancelled_read_leaves_the_other_reads(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("text")
    documents = DiskDocuments()
    cancelled, other = (asyncio.create_task(documents.read(path)) for _ in range(2))
    await asyncio.sleep(0)
    cancelled.cancel()
    assert (await other).text == "text"
    with pytest.raises(asyncio.CancelledError):
        await cancelled
