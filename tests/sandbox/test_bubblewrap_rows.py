"""Every row of rows.py in bubblewrap, as root and as a plain user."""

import os
import shutil
import sys
from collections.abc import Generator

import pytest

from sandbox.bubblewrap_runner import BubblewrapRunner
from sandbox.rows import ESCAPES, WORKS, Escape, Work
from sandbox.runners import judge_escape, judge_work
from sandbox.scene import Scene, scene

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("bwrap") or not shutil.which("git"), reason="needs bubblewrap and git"
)
IS_ROOT = os.name != "nt" and os.geteuid() == 0
USERS = (pytest.param(False, id="as us"), *([pytest.param(True, id="as a plain user")] if IS_ROOT else []))


Shared = tuple[Scene, BubblewrapRunner]


@pytest.fixture(scope="module", params=USERS)
def shared(request: pytest.FixtureRequest) -> Generator[Shared]:
    """A scene for all attempts of a user, as no attempt may leave a trace."""
    with scene(as_plain_user=request.param) as made:
        yield made, BubblewrapRunner(made)


@pytest.mark.parametrize("row", ESCAPES, ids=lambda row: row.id)
async def test_an_attempt_does_not_leave_the_sandbox(row: Escape, shared: Shared) -> None:
    made, runner = shared
    await judge_escape(row, runner, made)


@pytest.mark.parametrize("as_plain_user", USERS)
@pytest.mark.parametrize("row", WORKS, ids=lambda row: row.id)
async def test_work_is_done_in_the_sandbox(row: Work, as_plain_user: bool) -> None:
    with scene(as_plain_user=as_plain_user) as made:
        await judge_work(row, BubblewrapRunner(made), made)
