"""The rows of rows.py prove something: an attempt succeeds where no sandbox is, and the work can be done."""

import os
import shutil
import sys

import pytest

from sandbox.rows import ESCAPES, WORKS, Escape, Work
from sandbox.runners import has_escaped, run_outside, skip_without
from sandbox.scene import scene

pytestmark = pytest.mark.skipif(sys.platform != "linux" or not shutil.which("git"), reason="needs Linux and git")
USERS = (pytest.param(False, id="as us"),) + (
    (pytest.param(True, id="as a plain user"),) if os.name != "nt" and os.geteuid() == 0 else ()
)


@pytest.mark.parametrize("as_plain_user", USERS)
@pytest.mark.parametrize("row", [row for row in ESCAPES if row.succeeds_outside], ids=lambda row: row.id)
def test_an_attempt_succeeds_without_a_sandbox(row: Escape, as_plain_user: bool) -> None:
    with scene(as_plain_user=as_plain_user) as made:
        skip_without(row, made)
        outcome = run_outside(made, row.line, made.directory(row.directory))
        assert has_escaped(row, made, outcome), outcome


@pytest.mark.parametrize("as_plain_user", USERS)
@pytest.mark.parametrize("row", WORKS, ids=lambda row: row.id)
def test_work_is_done_without_a_sandbox(row: Work, as_plain_user: bool) -> None:
    with scene(as_plain_user=as_plain_user) as made:
        skip_without(row, made)
        outcome = run_outside(made, row.line, made.directory(row.directory))
        assert outcome.code == row.code, outcome
        assert row.says in outcome.output


def test_each_row_has_an_id_of_its_own() -> None:
    ids = [row.id for row in (*ESCAPES, *WORKS)]
    assert len(ids) == len(set(ids))
