"""Files in the encoding that .editorconfig names: read, edited and written in it, byte by byte."""

import pytest

from corpus_support import corpus
from placet.core.errors import DocumentError
from placet.tools import edit, multiedit, read, write
from tools_support.workbench import Workbench, open_workbench


def project(bench: Workbench, charset: str) -> None:
    bench.write(".editorconfig", f"root = true\n[*.txt]\ncharset = {charset}\n")


@corpus(
    ("charset", "data"),
    [
        ("latin1", b"\xe4\n"),
        ("utf-8", b"\xc3\xa4\n"),
        ("utf-8-bom", b"\xef\xbb\xbf\xc3\xa4\n"),
        ("utf-16be", b"\xfe\xff\x00\xe4\x00\n"),
        ("utf-16le", b"\xff\xfe\xe4\x00\n\x00"),
        ("klingon", b"\xc3\xa4\n"),
    ],
    bench=open_workbench,
)
async def test_a_new_file_has_the_encoding_of_the_project_and_can_be_edited(
    bench: Workbench, charset: str, data: bytes
) -> None:
    project(bench, charset)
    await bench.run(write.TOOL, filePath="n.txt", content="ä\n")
    assert (bench.root / "n.txt").read_bytes() == data
    await bench.run(edit.TOOL, filePath="n.txt", oldString="ä", newString="ü")
    await bench.run(multiedit.TOOL, filePath="n.txt", edits=[{"oldString": "ü", "newString": "ä"}])
    assert (bench.root / "n.txt").read_bytes() == data


async def test_an_old_latin_1_file_is_read_and_edited_where_the_project_says_so(bench: Workbench) -> None:
    (bench.root / "old.txt").write_bytes(b"\xe4\r\n\xf6\r\n")
    with pytest.raises(DocumentError, match="charset = latin1"):
        await bench.run(write.TOOL, filePath="old.txt", content="x")
    project(bench, "latin1")
    result = await bench.run(read.TOOL, filePath="old.txt")
    assert "1: ä\n2: ö\n" in result.output
    assert "The file is LATIN-1, and stays so when it is edited" in result.output
    await bench.run(edit.TOOL, filePath="old.txt", oldString="ö", newString="é")
    assert (bench.root / "old.txt").read_bytes() == b"\xe4\r\n\xe9\r\n"


async def test_a_utf_8_file_stays_utf_8_in_a_latin_1_project(bench: Workbench) -> None:
    project(bench, "latin1")
    path = bench.write("a.txt", "ä\n")
    await bench.run(read.TOOL, filePath="a.txt")
    await bench.run(edit.TOOL, filePath="a.txt", oldString="ä", newString="ä €")
    assert path.read_bytes() == "ä €\n".encode()


@corpus("text", ["€\n", "Ã¤\n"], bench=open_workbench)
async def test_a_text_that_the_encoding_cannot_give_back_is_refused_before_the_question(
    bench: Workbench, text: str
) -> None:
    project(bench, "latin1")
    with pytest.raises(DocumentError, match=r"cannot be written as latin-1|would be read as UTF-8"):
        await bench.run(write.TOOL, filePath="n.txt", content=text)
    assert not (bench.root / "n.txt").exists()
    assert bench.user.asked == []


async def test_a_binary_file_is_no_latin_1_file(bench: Workbench) -> None:
    project(bench, "latin1")
    (bench.root / "b.txt").write_bytes(b"\xe4\0\x01")
    with pytest.raises(DocumentError, match="binary"):
        await bench.run(read.TOOL, filePath="b.txt")
