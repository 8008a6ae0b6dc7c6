"""What is no plain text: images, documents, notebooks, binaries, other encodings, huge files."""

import base64
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from placet.core.errors import DocumentError, EditError
from placet.project.files.paging import LONGEST_LINE_BYTES
from placet.tools.edit import TOOL as EDIT
from placet.tools.read import TOOL
from placet.tools.reading import attachments
from placet.tools.write import TOOL as WRITE
from tools_support.workbench import Workbench, open_workbench

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + bytes(40)
IMAGES = {
    "image/png": PNG,
    "image/jpeg": b"\xff\xd8\xff\xe0\0\x10JFIF" + bytes(20),
    "image/gif": b"GIF89a\1\0\1\0" + bytes(20),
    "image/webp": b"RIFF\x24\0\0\0WEBPVP8 " + bytes(20),
    "application/pdf": b"%PDF-1.7\n1 0 obj\n",
}
SPARSE_BYTES = 4 * 1024**3 + 10


def sparse(path: Path, beginning: bytes) -> Path:
    """A file of more than 4 GB that takes no room: its beginning, then a hole."""
    with path.open("wb") as file:
        file.write(beginning)
        file.truncate(SPARSE_BYTES)
    return path


@corpus("mime", IMAGES, bench=open_workbench)
async def test_what_a_model_can_look_at_is_attached_whatever_its_name(bench: Workbench, mime: str) -> None:
    bench.write("picture.txt", IMAGES[mime])
    result = await bench.run(TOOL, filePath="picture.txt")
    (part,) = result.attachments
    assert part.mime == mime
    assert part.name == "picture.txt"
    head, _, data = part.uri.partition(",")
    assert head == f"data:{mime};base64"
    assert base64.b64decode(data) == IMAGES[mime]
    assert "attached" in result.output


async def test_an_image_that_is_too_large_is_refused_with_what_to_do(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attachments, "MOST_IMAGE_BYTES", 10)
    bench.write("a.png", PNG)
    with pytest.raises(DocumentError, match="Make a smaller copy"):
        await bench.run(TOOL, filePath="a.png")


async def test_an_image_is_not_edited(bench: Workbench) -> None:
    path = bench.write("a.png", PNG)
    await bench.run(TOOL, filePath="a.png")
    for tool, arguments in ((EDIT, {"oldString": "PNG", "newString": "GIF"}), (WRITE, {"content": "x"})):
        with pytest.raises(DocumentError, match="binary"):
            await bench.run(tool, filePath="a.png", **arguments)
    assert path.read_bytes() == PNG


async def test_svg_and_text_that_begins_like_an_image_are_text(bench: Workbench) -> None:
    bench.write("a.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>\n')
    bench.write("gif.md", "GIF89a is how such a file begins.\n")
    for name in ("a.svg", "gif.md"):
        result = await bench.run(TOOL, filePath=name)
        assert "<content>\n1: " in result.output
        assert result.attachments == ()


async def test_a_binary_is_refused_with_what_it_is(bench: Workbench) -> None:
    archive = bench.root / "a.dat"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("x", "y")
    bench.write("b.txt", b"SQLite format 3\0" + bytes(100))
    bench.write("c.txt", "Hello there".encode("utf-16-le"))
    bench.write("d.txt", bytes(range(1, 9)) * 20 + b"\xff")
    for name, kind in (("a.dat", "ZIP archive"), ("b.txt", "SQLite database"), ("c.txt", "UTF-16"), ("d.txt", "")):
        with pytest.raises(DocumentError, match=f"is binary: .*{kind}"):
            await bench.run(TOOL, filePath=name)


@corpus("encoding", ["utf-16-le", "utf-16-be", "utf-8"], bench=open_workbench)
async def test_a_byte_order_mark_and_utf_16_are_said_and_can_be_edited(bench: Workbench, encoding: str) -> None:
    path = bench.write("a.txt", "\ufeffol\u00e9\ntwo\n".encode(encoding))
    result = await bench.run(TOOL, filePath="a.txt")
    assert "1: ol\u00e9\n2: two\n" in result.output
    assert f"(The file is {encoding.upper()} with a byte order mark, and stays so" in result.output
    await bench.run(EDIT, filePath="a.txt", oldString="two", newString="three")
    assert path.read_bytes() == "\ufeffol\u00e9\nthree\n".encode(encoding)


@corpus(
    ("data", "shown", "label"),
    [
        (b"ol\xe9\ntwo\n", "1: ol\u00e9\n2: two\n", "Latin-1, which is a guess"),
        (b"\x93ol\xe9\x94\n", "1: \u201col\u00e9\u201d\n", "Windows-1252, which is a guess"),
        (b"ol\xc3\xa9 \xff\n", "1: ol\u00e9 \\xff\n", "UTF-8, with each byte that does not belong there"),
        (b"text " * 2000 + b"\0\nb\n", "2: b\n", "UTF-8"),
    ],
    bench=open_workbench,
)
async def test_another_encoding_is_shown_with_a_label_and_refused_for_editing(
    bench: Workbench, data: bytes, shown: str, label: str
) -> None:
    path = bench.write("a.txt", data)
    result = await bench.run(TOOL, filePath="a.txt")
    assert shown in result.output
    assert f"(Shown as {label}" in result.output
    assert "can be read, but not edited" in result.output
    assert "cannot be read" not in result.output
    with pytest.raises(DocumentError):
        await bench.run(EDIT, filePath="a.txt", oldString="ol", newString="x")
    with pytest.raises(DocumentError):
        await bench.run(WRITE, filePath="a.txt", content="x")
    assert path.read_bytes() == data


async def test_an_edit_of_another_encoding_says_what_to_do(bench: Workbench) -> None:
    bench.write("a.txt", b"ol\xe9\n")
    await bench.run(TOOL, filePath="a.txt")
    with pytest.raises(DocumentError, match="convert it to UTF-8"):
        await bench.run(EDIT, filePath="a.txt", oldString="ol", newString="x")


async def test_a_file_of_four_gigabytes_is_read_in_pieces_and_not_edited(bench: Workbench) -> None:
    lines = "".join(f"line {number}\n" for number in range(1, 5001)).encode()
    sparse(bench.root / "a.log", lines)
    page = await bench.run(TOOL, filePath="a.log", offset=4000, limit=2)
    assert "4000: line 4000\n4001: line 4001\n\n(Lines 4000-4001. Use offset=4002 to read on.)" in page.output
    assert f"{SPARSE_BYTES} bytes" in page.output
    assert "not edited" in page.output
    assert page.metadata["truncated"] is True
    with pytest.raises(DocumentError, match="change it by a command"):
        await bench.run(EDIT, filePath="a.log", oldString="line 1", newString="x")


async def test_an_endless_line_is_cut_and_not_followed(bench: Workbench) -> None:
    sparse(bench.root / "a.json", b"[" + b"1," * 5000)
    result = await bench.run(TOOL, filePath="a.json")
    assert f"The last line goes on for more than {LONGEST_LINE_BYTES >> 20} MiB" in result.output
    assert "(line cut at 2000 characters)" in result.output
    assert len(result.output) < 4000


async def test_a_start_past_the_end_of_another_encoding_says_how_long_the_file_is(bench: Workbench) -> None:
    bench.write("a.txt", b"\xe9\n\xe9\r\xe9")
    with pytest.raises(Exception, match="has 3 lines"):
        await bench.run(TOOL, filePath="a.txt", offset=4)
    assert "3: \u00e9\n\n(End of file, 3 lines.)" in (await bench.run(TOOL, filePath="a.txt", offset=2)).output


def notebook(*cells: dict[str, Any]) -> str:
    metadata = {"kernelspec": {"language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1)


async def test_a_notebook_is_shown_as_cells_with_outputs_bounded(bench: Workbench) -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": [f"row {number}\n" for number in range(100)]},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mfirst\x1b[0m", "last"]},
        {"output_type": "display_data", "data": {"image/png": "iVBOR", "text/plain": "<Figure>"}},
    ]
    code = {"cell_type": "code", "id": "c1", "execution_count": 7, "source": ["a = 1\n", "a"], "outputs": outputs}
    bench.write("a.ipynb", notebook({"cell_type": "markdown", "source": "# Title"}, code))
    output = (await bench.run(TOOL, filePath="a.ipynb")).output
    assert '<cell number="1" type="markdown">\n# Title\n</cell>' in output
    assert '<cell number="2" type="code" id="c1" execution="7">\na = 1\na\n</cell>' in output
    assert "row 19\n... (100 lines, 689 characters in all) ...\n</output>" in output
    assert "row 20" not in output
    assert '<output type="error">\nfirst\nlast\n</output>' in output
    assert "<Figure>\n</output>\n(Not shown: image/png, 5 characters)" in output
    assert "with offset=1" in output


async def test_an_output_of_one_long_line_is_bounded_too(bench: Workbench) -> None:
    output = {"output_type": "execute_result", "data": {"text/plain": "x" * 100_000}}
    bench.write("a.ipynb", notebook({"cell_type": "code", "source": "", "outputs": [output]}))
    text = (await bench.run(TOOL, filePath="a.ipynb")).output
    assert "... (1 lines, 100000 characters in all) ..." in text
    assert len(text) < 3000


async def test_a_notebook_can_be_read_as_the_json_it_is_and_edited(bench: Workbench) -> None:
    path = bench.write("a.ipynb", notebook({"cell_type": "code", "source": ["a = 1\n"], "outputs": []}))
    assert '"a = 1\\n"' in (await bench.run(TOOL, filePath="a.ipynb", offset=1)).output
    await bench.run(EDIT, filePath="a.ipynb", oldString='"a = 1\\n"', newString='"a = 2\\n"')
    assert json.loads(path.read_text())["cells"][0]["source"] == ["a = 2\n"]


async def test_a_file_called_a_notebook_that_is_none_is_text(bench: Workbench) -> None:
    bench.write("a.ipynb", "[1, 2]\n")
    assert "<content>\n1: [1, 2]\n" in (await bench.run(TOOL, filePath="a.ipynb")).output


async def test_unsaved_text_is_read_as_it_is_on_screen_and_said(bench: Workbench) -> None:
    path = bench.write("a.txt", "saved\n")
    bench.documents.type(path, "on screen\n")
    output = (await bench.run(TOOL, filePath="a.txt")).output
    assert "1: on screen\n" in output
    assert "(This is the unsaved text in the user's editor" in output


async def test_the_very_large_file_was_never_read_for_the_ledger(bench: Workbench) -> None:
    path = sparse(bench.root / "a.log", b"one\n" * 2000)
    await bench.run(TOOL, filePath="a.log", limit=1)
    assert bench.ledger.find(path) is None
    with pytest.raises((DocumentError, EditError)):
        await bench.run(WRITE, filePath="a.log", content="x")
    assert path.stat().st_size == SPARSE_BYTES
