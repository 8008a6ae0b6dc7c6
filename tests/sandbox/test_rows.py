"""The rows of rows.py prove something: an attempt succeeds where no sandbox is, and the work can be done."""

import shutil
import sys

import pytest

from corpus_support import rows
from sandbox.rows import ESCAPES, QUICK_WORKS, SLOW_WORKS, WORKS, Work
from sandbox.runners import ONE_USER, USERS, has_escaped, lacks, run_outside
from sandbox.scene import scene

pytestmark = pytest.mark.skipif(sys.platform != "linux" or not shutil.which("git"), reason="needs Linux and git")


@pytest.mark.parametrize("as_plain_user", ONE_USER)
def test_each_attempt_succeeds_without_a_sandbox(as_plain_user: bool) -> None:
    with scene(as_plain_user=as_plain_user) as made, rows() as failures:
        for row in ESCAPES:
            if row.succeeds_outside and not lacks(row, made):
                with failures.row(f"{row.id}: {row.attempt}"):
                    made.lay_anew()
                    outcome = run_outside(made, row.line, made.directory(row.directory))
                    assert has_escaped(row, made, outcome), outcome


@pytest.mark.parametrize("as_plain_user", ONE_USER)
@pytest.mark.parametrize(
    "works", [QUICK_WORKS, pytest.param(SLOW_WORKS, marks=pytest.mark.long)], ids=["quick", "slow"]
)
def test_work_is_done_without_a_sandbox(works: tuple[Work, ...], as_plain_user: bool) -> None:
    with scene(as_plain_user=as_plain_user) as made, rows() as failures:
        for row in works:
            if not lacks(row, made):
                with failures.row(f"{row.id}: {row.name}"):
                    made.lay_anew()
                    outcome = run_outside(made, row.line, made.directory(row.directory))
                    assert (outcome.code, row.says in outcome.output) == (row.code, True), outcome


@pytest.mark.parametrize("as_plain_user", USERS)
def test_what_the_rows_need_is_there(as_plain_user: bool) -> None:
    with scene(as_plain_user=as_plain_user) as made:
        left_out = [f"{row.id} ({lacking})" for row in (*ESCAPES, *WORKS) if (lacking := lacks(row, made))]
    if left_out:
        pytest.skip(f"left out of the rows: {', '.join(left_out)}")


def test_each_row_has_an_id_of_its_own() -> None:
    ids = [row.id for row in (*ESCAPES, *WORKS)]
    assert len(ids) == len(set(ids))
