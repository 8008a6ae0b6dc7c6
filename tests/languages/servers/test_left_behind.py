"""However the daemon ends, the language servers it started end with it, and what they started."""

import asyncio
import json
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from corpus_support import corpus
from fake_editor.client import daemon
from fake_editor.profiles import NEOVIM
from language_server_support import SLOW
from process_support import is_gone
from time_support import wait_seconds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes that left their group are found by /proc")


def is_server(process: psutil.Process) -> bool:
    try:
        return "slow_server.py" in " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return False


async def killed(placet: Any) -> None:
    await placet.kill()


async def left_alone(placet: Any) -> None:
    """The editor crashes: its end of the pipe closes."""
    assert placet.process.stdin is not None
    placet.process.stdin.close()
    await placet.process.wait()


async def ended_well(_placet: Any) -> None:
    """As `daemon` does it."""


@corpus("is_contained", [False, True])
@corpus("end", [killed, left_alone, ended_well])
async def test_no_server_outlives_the_daemon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: Callable[[Any], Awaitable[None]], is_contained: bool
) -> None:
    if is_contained and not shutil.which("bwrap"):
        pytest.skip("needs bubblewrap")
    monkeypatch.setenv("SLOW_SERVER", "stubborn")
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.slow").write_text("fine\n", "utf-8")
    script = tmp_path / "script.json"
    hover = {"operation": "hover", "filePath": "a.slow", "line": 1, "character": 1}
    turns = [{"events": [{"call": "lsp", "arguments": hover}]}, {"events": [{"text": "Done."}]}]
    script.write_text(json.dumps({"turns": turns}), "utf-8")
    settings: dict[str, Any] = {
        "model": f"scripted/{script}",
        "languages": {
            "own": True,
            "sandbox": is_contained,
            "servers": {"slow": {"command": SLOW, "suffixes": [".slow"]}},
        },
    }
    async with daemon(NEOVIM, root, tmp_path, **settings) as placet:
        result = await placet.prompt(await placet.new_session(), "go")
        assert result["stopReason"] == "end_turn"
        children = psutil.Process(placet.process.pid).children()
        started = [
            process.pid
            for child in children
            if is_server(child)
            for process in (child, *child.children(recursive=True))
        ]
        assert len(started) == (4 if is_contained else 2), "bubblewrap and its first process are started too"
        await end(placet)
    async with asyncio.timeout(wait_seconds()):
        while not all(map(is_gone, started)):  # noqa: ASYNC110 (other processes)
            await asyncio.sleep(0.02)
