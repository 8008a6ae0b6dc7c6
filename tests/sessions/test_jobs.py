"""Background jobs belong to their session, and end with it."""

import os
from pathlib import Path

import psutil
import pytest

from house_support import House
from placet.messages import TextPart

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the lines are for bash")

LINE = "sleep 60 & echo $! > pid; wait"


def is_gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


async def test_a_job_outlives_its_turn_and_ends_with_the_session(tmp_path: Path) -> None:
    house = House(tmp_path)
    call = [{"call": "bash", "arguments": {"command": LINE, "background": True}}]
    async with house.open(house.script(call, [{"text": "Started."}])) as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text="start it")])
        pid = int((house.project / "pid").read_text())
        assert not is_gone(pid)
        await session.close()
        assert is_gone(pid)


async def test_no_job_is_left_when_all_is_closed(tmp_path: Path) -> None:
    house = House(tmp_path)
    call = [{"call": "bash", "arguments": {"command": LINE, "background": True}}]
    async with house.open(house.script(call, [{"text": "Started."}])) as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text="start it")])
        pid = int((house.project / "pid").read_text())
        assert not is_gone(pid)
    assert is_gone(pid)
