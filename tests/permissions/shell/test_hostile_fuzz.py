"""Some thousand hostile lines are run in real bash: none that is allowed runs what no rule allows."""

import sys
from pathlib import Path

import pytest

from corpus_support import examples
from shell_support.fuzz import fuzz

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash is not there")


def test_no_hostile_line_that_is_allowed_runs_what_no_rule_allows(tmp_path: Path) -> None:
    outcome = fuzz(tmp_path, lines=examples(1_500), seed=1, asked=0.05)
    assert outcome.bypasses == []
    assert outcome.allowed > 60, "a reader that doubts everything would find nothing"
    assert outcome.forbidden > 8, "lines that are not hostile would find nothing"
