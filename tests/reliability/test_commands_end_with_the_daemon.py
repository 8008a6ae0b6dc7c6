"""A daemon that is killed takes the commands of its tools with it."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import psutil
import pytest

from acp_support import AcpClient
from fake_editor.client import daemon
from fake_editor.profiles import NEOVIM
from process_support import has_ended, is_gone, written_pid
from run_support import Place

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes that left their group are found by /proc")

ESCAPED = "import os, time; os.setsid(); print(os.getpid(), file=open('escaped', 'w')); time.sleep(1000)"
FOREGROUND = f'echo $$ > foreground; "{sys.executable}" -c "{ESCAPED}" & sleep 1000'


def bash(command: str, **more: object) -> dict[str, object]:
    return {"call": "bash", "arguments": {"command": command, "description": "wait", **more}}


class Killable(Protocol):
    process: asyncio.subprocess.Process

    async def kill(self) -> None: ...


Door = Callable[[Path, dict[str, Any]], AbstractAsyncContextManager[Killable]]


@asynccontextmanager
async def behind_lsp(directory: Path, settings: dict[str, Any]) -> AsyncIterator[Killable]:
    root = directory / "project"
    root.mkdir()
    async with daemon(NEOVIM, root, directory, **settings) as placet:
        placet.begin_prompt(await placet.new_session(), "go")
        yield placet


@asynccontextmanager
async def behind_acp(directory: Path, settings: dict[str, Any]) -> AsyncIterator[Killable]:
    place = Place(directory)
    del place.environment["PLACET_MODEL"]
    file = directory / "CONFIG" / "placet" / "placet.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(settings))
    async with AcpClient(place) as client:
        client.begin_prompt(await client.opened(), "go")
        yield client


@pytest.mark.parametrize("door", [behind_lsp, behind_acp])
@pytest.mark.parametrize("sandbox", ["off", "auto"])
async def test_commands_in_front_in_the_background_and_in_a_session_of_their_own_end_with_a_killed_daemon(
    tmp_path: Path, sandbox: str, door: Door
) -> None:
    script, root = tmp_path / "commands.json", tmp_path / "project"
    background = bash("echo $$ > background; sleep 1000", background=True)
    script.write_text(json.dumps({"turns": [{"events": [background]}, {"events": [bash(FOREGROUND)]}]}))
    settings: dict[str, Any] = {"model": f"scripted/{script}", "permission": "allow", "sandbox": {"mode": sandbox}}
    async with door(tmp_path, settings) as placet:
        pids = [await written_pid(root / name) for name in ("background", "foreground", "escaped")]
        # In the sandbox a command sees a process id of its own namespace.
        is_contained = sandbox != "off"
        family = psutil.Process(placet.process.pid).children(recursive=is_contained)
        if is_contained:
            assert {Path(f"/proc/{child.pid}/ns/pid").readlink() for child in family} > {
                Path("/proc/self/ns/pid").readlink()
            }
            pids = []
        assert not any(map(is_gone, pids))
        started = [*pids, *(child.pid for child in family if child.pid not in pids)]

        await placet.kill()
        assert [pid for pid in started if not has_ended(pid)] == []
