"""Bombs that a repository, a model, a command or a page sends to the real daemon: it answers, and can be cancelled."""

import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest
from aiohttp import web

from corpus_support import corpus
from lsp_link.process import ServerProcess
from process_support import children_running, queued_seconds
from time_support import quickest

LONGEST_SECONDS = 0.2
"""For an answer to `agent/status`, on a machine that answers an idle one in less than a hundredth of that."""
MOST_MEMORY = 700_000_000
ALLOWED = dict.fromkeys(("bash", "edit", "webfetch", "private_address"), "allow")
"""By the user; looking is allowed by default, and what the project denies comes after that."""

Turns = list[list[dict[str, Any]]]
Lay = Callable[[Path], Turns]
"""Puts the bomb into the project, and returns what the model does."""


class Daemon(ServerProcess):
    """`placet --stdio` of a user who allows what is asked otherwise."""

    def __init__(self, directory: Path) -> None:
        super().__init__("ours", directory)
        self._environment |= {f"XDG_{name}_HOME": str(directory / name.lower()) for name in ("CONFIG", "DATA", "CACHE")}
        self._command = [sys.executable, "-P", "-m", "placet", "--stdio"]

    async def open(self, project: Path, turns: Turns) -> str:
        """A session in the project, whose model plays the turns."""
        script = project.parent / "script.json"
        script.write_text(json.dumps({"turns": [{"events": turn} for turn in turns]}))
        settings = {"model": f"scripted/{script}", "permission": ALLOWED, "agent": {"title": {"disable": True}}}
        options = {"agent": {"protocol": 1}, "settings": settings}
        await self.handshake(rootUri=project.as_uri(), initializationOptions=options)
        return (await self.call("agent/session/new", {"title": "t"}))["result"]["id"]

    def prompt(self, session_id: str) -> int:
        return self.begin("agent/prompt", {"sessionId": session_id, "parts": [{"type": "text", "text": "Go."}]})

    def is_answered(self, request: int) -> bool:
        return any("method" not in message and message.get("id") == request for message in self.messages)

    async def status_seconds(self) -> float:
        """Return how long an answer took, without the time in which the machine had no processor for the two ends."""
        ends = os.getpid(), self.process.pid
        queued, began = queued_seconds(*ends), time.monotonic()
        assert "result" in await self.call("agent/status")
        seconds = time.monotonic() - began
        return max(0.0, seconds - (queued_seconds(*ends) - queued))


def call(tool: str, **arguments: Any) -> list[dict[str, Any]]:
    return [{"call": tool, "arguments": arguments}]


DONE = [{"text": "Done."}]


def settings_file(text: str) -> Lay:
    def lay(project: Path) -> Turns:
        (project / "placet.json").write_text(text)
        return [call("read", filePath="a" * 60), call("grep", pattern="x"), DONE]

    return lay


def pipes(project: Path) -> Turns:
    for name in ("placet.json", ".placet/tools/x.py", ".placet/commands/x.md", ".git/HEAD"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(project / name)
    return [call("read", filePath="a.txt"), DONE]


def overwritten_line(project: Path) -> Turns:
    (project / "big.txt").write_text("50%\r100%\n" + "x" * 119_000)
    return [call("bash", command="cat big.txt; sleep 0.3"), DONE]


def quotation(content: str, old: str) -> Lay:
    def lay(project: Path) -> Turns:
        (project / "a.txt").write_text(content)
        return [call("read", filePath="a.txt"), call("edit", filePath="a.txt", oldString=old, newString="b"), DONE]

    return lay


def deep_arguments(project: Path) -> Turns:
    deep = [{"call": "read", "arguments": '{"filePath":' + "[" * 100_000 + "]" * 100_000 + "}"}]
    shallower = [{"call": "todowrite", "arguments": '{"todos":' + "[" * 300 + "]" * 300 + "}"}]
    return [deep, shallower, DONE]


BOMBS: dict[str, Lay] = {
    "a pattern of many wildcards": settings_file(json.dumps({"permission": {"read": {"*?" * 12 + "X": "deny"}}})),
    "brackets": settings_file("[" * 200_000),
    "comments without an end": settings_file("/* " * 60_000),
    "very many rules": settings_file(json.dumps({"permission": {"bash": {f"x{n}": "deny" for n in range(9_000)}}})),
    "pipes": pipes,
    "a line that is overwritten": overwritten_line,
    "a quotation of one letter": quotation("a" * 2_000_000, "a" * 100_000 + "b"),
    "a quotation of equal lines": quotation("a\n" * 200_000, "a\n" * 3_000 + "b"),
    "arguments that are nested deeply": deep_arguments,
}


@pytest.mark.skipif(os.name == "nt", reason="no pipes in the file system")
@corpus("name", BOMBS)
async def test_the_daemon_answers_while_a_bomb_goes_off_and_the_turn_comes_to_its_end(
    tmp_path: Path, name: str
) -> None:
    floors: list[float] = []

    async def attempt() -> float:
        directory = tmp_path / str(len(floors))
        (project := directory / "project").mkdir(parents=True)
        (project / "a.txt").write_text("hello\n")
        turns = BOMBS[name](project)
        async with Daemon(directory) as daemon:
            session_id = await daemon.open(project, turns)
            floors.append(min([await daemon.status_seconds() for _ in range(5)]))
            request = daemon.prompt(session_id)
            worst = 0.0
            while not daemon.is_answered(request):
                worst = max(worst, await daemon.status_seconds())
            assert (await daemon.answer(request))["result"]["stopReason"] == "end_turn"
            assert psutil.Process(daemon.process.pid).memory_info().rss < MOST_MEMORY
        return worst

    await assert_quick(attempt, floors)


async def assert_quick(attempt: Callable[[], Awaitable[float]], floors: Sequence[float]) -> None:
    least = await quickest(attempt, LONGEST_SECONDS)
    assert least < max(LONGEST_SECONDS, 100 * min(floors))


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
            await daemon.status_seconds()
            converting = children_running("placet.tools.web.render_process", daemon.process.pid)
        daemon.notify("agent/cancel", {"sessionId": session_id})
        assert (await daemon.answer(request))["result"]["stopReason"] == "cancelled"
        gone, alive = psutil.wait_procs(converting, timeout=30)
        assert (len(gone), alive) == (1, [])
    await runner.cleanup()


async def _endless(_: web.Request) -> web.Response:
    return web.Response(text="<pre>x" * 60_000, content_type="text/html")
