"""Background jobs belong to their session, and end with it."""

import os
from pathlib import Path

import pytest

from placet.core.messages import TextPart
from process_support import has_ended, is_gone, written_pid
from services_support import TempServices

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the lines are for bash")

LINE = "sleep 60 & echo $! > pid; wait"


async def test_a_job_outlives_its_turn_and_ends_with_the_session(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    call = [{"call": "bash", "arguments": {"command": LINE, "background": True}}]
    async with services.open(services.script(call, [{"text": "Started."}])) as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text="start it")])
        pid = await written_pid(services.project / "pid")
        assert not is_gone(pid)
        await session.close()
        assert has_ended(pid)


async def test_no_job_is_left_when_all_is_closed(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    call = [{"call": "bash", "arguments": {"command": LINE, "background": True}}]
    async with services.open(services.script(call, [{"text": "Started."}])) as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text="start it")])
        pid = await written_pid(services.project / "pid")
        assert not is_gone(pid)
    assert has_ended(pid)
