"""Bombs that a repository, a model, a command or a page sends to the real daemon: it answers, and can be cancelled.

`make bench bombs` has the times of the answers.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest
from aiohttp import web

from corpus_support import corpus
from hostile_support.bombs import DONE, OF_SETTINGS, OF_TURNS, Daemon, Lay, call
from process_support import children_running
from time_support import wait_seconds

MOST_MEMORY = 700_000_000


async def survived(directory: Path, bombs: Sequence[Lay]) -> None:
    """Have the bombs go off in one daemon, which answers questions meanwhile and brings each turn to its end."""
    (project := directory / "project").mkdir(parents=True)
    (project / "a.txt").write_text("hello\n")
    laid = [lay(project) for lay in bombs]
    async with Daemon(directory) as daemon:
        session_id = await daemon.open(project, [turn for turns in laid for turn in turns])
        for _ in bombs:
            request = daemon.prompt(session_id)
            while not daemon.is_answered(request):
                await daemon.look()
            assert (await daemon.answer(request))["result"]["stopReason"] == "end_turn"
        assert psutil.Process(daemon.process.pid).memory_info().rss < MOST_MEMORY


@pytest.mark.skipif(os.name == "nt", reason="no pipes in the file system")
@corpus("name", OF_SETTINGS)
async def test_a_turn_comes_to_its_end_though_the_settings_of_the_project_are_a_bomb(tmp_path: Path, name: str) -> None:
    await survived(tmp_path, [OF_SETTINGS[name]])


async def test_a_turn_comes_to_its_end_though_a_command_a_file_or_a_call_is_a_bomb(tmp_path: Path) -> None:
    await survived(tmp_path, list(OF_TURNS.values()))


async def test_a_turn_is_cancelled_while_a_page_that_never_ends_is_converted(tmp_path: Path) -> None:
    (project := tmp_path / "project").mkdir()
    page = web.Application()
    page.router.add_get("/", _endless)
    runner = web.AppRunner(page, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}/"
    async with Daemon(tmp_path) as daemon:
        session_id = await daemon.open(project, [call("webfetch", url=address), DONE])
        request = daemon.prompt(session_id)
        converting: list[psutil.Process] = []
        while not converting:
            await daemon.look()
            converting = children_running("placet.tools.web.render_process", daemon.process.pid)
        daemon.notify("agent/cancel", {"sessionId": session_id})
        assert (await daemon.answer(request))["result"]["stopReason"] == "cancelled"
        gone, alive = psutil.wait_procs(converting, timeout=wait_seconds())
        assert (len(gone), alive) == (1, [])
    await runner.cleanup()


async def _endless(_: web.Request) -> web.Response:
    return web.Response(text="<pre>x" * 60_000, content_type="text/html")
