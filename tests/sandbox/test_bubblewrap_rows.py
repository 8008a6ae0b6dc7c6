"""Every row of rows.py in bubblewrap, as root and as a plain user."""

import shutil
import sys

import pytest

from sandbox.bubblewrap_runner import BubblewrapRunner
from sandbox.rows import ESCAPES, QUICK_WORKS, SLOW_WORKS
from sandbox.runners import ONE_USER, USERS, judge_escapes, judge_works
from sandbox.scene import scene

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("bwrap") or not shutil.which("git"), reason="needs bubblewrap and git"
)


@pytest.mark.parametrize("as_plain_user", USERS)
async def test_no_attempt_leaves_the_sandbox(as_plain_user: bool) -> None:
    with scene(as_plain_user=as_plain_user) as made:
        await judge_escapes(ESCAPES, BubblewrapRunner(made), made)


@pytest.mark.parametrize("as_plain_user", USERS)
async def test_work_is_done_in_the_sandbox(as_plain_user: bool) -> None:
    with scene(as_plain_user=as_plain_user) as made:
        await judge_works(QUICK_WORKS, BubblewrapRunner(made), made)


@pytest.mark.parametrize("as_plain_user", ONE_USER)
async def test_slow_work_is_done_in_the_sandbox(as_plain_user: bool) -> None:
    with scene(as_plain_user=as_plain_user) as made:
        await judge_works(SLOW_WORKS, BubblewrapRunner(made), made)
