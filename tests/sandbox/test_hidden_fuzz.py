"""Random hostile lines find no way to a hidden file; the same lines find the file where nothing is hidden."""

import shutil
import sys
from pathlib import Path

import pytest

from sandbox_support.hidden_fuzz import run

pytestmark = pytest.mark.skipif(sys.platform != "linux" or not shutil.which("bwrap"), reason="needs bubblewrap")


async def test_no_hostile_line_tells_a_hidden_file(tmp_path: Path) -> None:
    report = await run(200, 34, tmp_path)
    assert (report.lines, report.leaks) == (200, [])


async def test_the_hostile_lines_tell_the_file_where_nothing_is_hidden(tmp_path: Path) -> None:
    report = await run(50, 34, tmp_path, is_hidden=False)
    assert len(report.leaks) > report.lines / 4


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
async def test_no_hostile_line_of_thousands_tells_a_hidden_file(tmp_path: Path, seed: int) -> None:
    assert (await run(1_500, seed, tmp_path)).leaks == []
