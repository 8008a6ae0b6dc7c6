"""A couple of thousand random lines with paths, run by real bash on random trees of symlinks."""

import sys
from pathlib import Path

import pytest

from corpus_support import examples
from shell_support.path_fuzz import run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash is not there")


def test_no_line_that_is_allowed_touches_a_place_outside(tmp_path: Path) -> None:
    report = run(examples(1_200), 15, tmp_path)
    assert report.let_through == []
    assert report.allowed > 300
    assert report.left > 120
