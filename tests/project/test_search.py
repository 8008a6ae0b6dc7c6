import asyncio
import os
import sys
from pathlib import Path

import psutil
import pytest

from corpus_support import corpus
from placet.core.errors import ToolError
from placet.project.search import ripgrep, search, search_lines
from process_support import has_ended


async def matching_lines(arguments: list[str], directory: Path) -> list[str]:
    lines: list[str] = []

    async def take(batch: list[bytes]) -> None:
        lines.extend(line.decode() for line in batch)

    await search_lines(arguments, directory, take)
    return sorted(lines)


def is_rg(process: psutil.Process) -> bool:
    try:
        return process.name() == "rg"
    except psutil.NoSuchProcess:
        return False


async def test_lines_come_whole_and_all(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"needle {number} {'x' * 100}\n" for number in range(20_000)))
    lines = await matching_lines(["--no-filename", "needle", "."], tmp_path)
    assert len(lines) == 20_000
    assert len(set(lines)) == 20_000
    assert {len(line.split()) for line in lines} == {3}


async def test_nothing_found_is_no_error(tmp_path: Path) -> None:
    assert await matching_lines(["needle", "."], tmp_path) == []
    assert await matching_lines(["--files"], tmp_path) == []


async def test_what_rg_refuses_is_told_in_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="unclosed group"):
        await matching_lines(["(", "."], tmp_path)


async def test_what_could_not_be_read_is_known(tmp_path: Path) -> None:
    async def take(batch: list[bytes]) -> None:
        return

    (tmp_path / "a.txt").write_text("needle\n")
    assert await search_lines(["needle", "a.txt", "missing"], tmp_path, take)
    assert not await search_lines(["needle", "a.txt"], tmp_path, take)


async def test_cancelling_ends_an_rg_that_would_wait_for_ever(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("needle\n" * 500_000)
    os.mkfifo(tmp_path / "pipe")
    began = asyncio.Event()

    async def take(batch: list[bytes]) -> None:
        began.set()

    search = asyncio.create_task(search_lines(["--threads=1", "needle", "a.txt", "pipe"], tmp_path, take))
    await began.wait()
    [child] = [child.pid for child in psutil.Process().children() if is_rg(child)]
    search.cancel()
    with pytest.raises(asyncio.CancelledError):
        await search
    assert has_ended(child)


def test_the_rg_beside_this_python_is_used() -> None:
    assert ripgrep().parent == Path(sys.executable).parent


async def test_a_text_is_searched_as_if_it_were_a_file(tmp_path: Path) -> None:
    output: list[bytes] = []

    async def take(text: bytes) -> None:
        output.append(text)

    text = b"needle\nhay\n" * 200_000
    await search(["--line-number", "--no-filename", "needle", "-"], tmp_path, take, text=text)
    assert b"".join(output).count(b"needle") == 200_000
    assert all(piece.endswith(b"\n") for piece in output)
    with pytest.raises(ToolError, match="unclosed group"):
        await search(["(", "-"], tmp_path, take, text=text)


@pytest.mark.skipif(os.name == "nt", reason="no pipes in the file system")
@corpus("name", [".gitignore", "below/.ignore", "../.rgignore"])
async def test_a_pipe_that_ripgrep_would_wait_for_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("placet.project.search.STALL_SECONDS", 0.2)
    directory = tmp_path / "project"
    (directory / "below").mkdir(parents=True)
    (directory / ".git").mkdir()
    os.mkfifo(directory / name)
    with pytest.raises(ToolError, match="is no regular file, and ripgrep would wait"):
        await matching_lines(["--no-require-git", "needle", "."], directory)
    assert not any(is_rg(child) for child in psutil.Process().children())
