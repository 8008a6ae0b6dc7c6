"""A daemon that is killed while the user goes back leaves talk and files together: both as before, or both as after."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from placet.core.messages import TextPart, UserMessage
from placet.sessions.session import Session
from services_support import TempServices

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
NAMES = ("a.txt", "b.txt", "c.txt")
TURNS: list[list[dict[str, Any]]] = [
    *([{"call": "read", "arguments": {"filePath": name}}] for name in NAMES),
    *([{"call": "edit", "arguments": {"filePath": name, "oldString": "one", "newString": "two"}}] for name in NAMES),
    [{"text": "First."}],
    [{"call": "bash", "arguments": {"command": "echo made > made.txt; rm b.txt; echo three >> a.txt"}}],
    [{"call": "edit", "arguments": {"filePath": "c.txt", "oldString": "two", "newString": "four"}}],
    [{"text": "Second."}],
]


class Scene:
    """Session with two turns, before and after the user went back to the second prompt."""

    def __init__(self, directory: Path) -> None:
        self.services = TempServices(directory / "home")
        self.master = directory / "master"
        self.script = self.services.script(*TURNS)
        self.session_id, self.prompt = "", ""
        self.ends: dict[bool, tuple[Any, ...]] = {}
        """State of files and messages, by whether the user is back."""

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[Session]:
        async with self.services.open(self.script, permission="allow") as sessions:
            yield await (sessions.load(self.session_id) if self.session_id else sessions.create(title="t"))

    def state(self, session: Session) -> tuple[Any, ...]:
        files = {path.name: path.read_bytes() for path in self.services.project.iterdir()}
        return files, [message.id for message in session.messages]

    async def prepare(self, *, is_back: bool) -> None:
        for name in NAMES:
            (self.services.project / name).write_text("one\n")
        async with self.session() as session:
            self.session_id = session.info.id
            for _ in range(2):
                await session.prompt([TextPart(text="Go on.")])
            _, self.prompt = [message.id for message in session.messages if isinstance(message, UserMessage)]
            self.ends[False] = self.state(session)
            await session.going_back.go(self.prompt)
            self.ends[True] = self.state(session)
            if not is_back:
                await session.going_back.redo()
        shutil.copytree(self.services.directory, self.master)

    async def run(self, act: str, point: int) -> int:
        """Run the act from the prepared state, and kill the daemon at the point; return the exit code."""
        shutil.rmtree(self.services.directory)
        shutil.copytree(self.master, self.services.directory)
        tests, sources = Path(__file__).parents[1], Path(__file__).parents[2] / "daemon"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (tests, sources)))}
        arguments = (str(self.services.directory), self.script, self.session_id, act, str(point))
        victim = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "services_support.killed_going_back", *arguments, env=environment
        )
        return await victim.wait()


@pytest.mark.parametrize("is_back", [False, True], ids=["back", "forward"])
async def test_a_kill_at_any_point_leaves_talk_and_files_together(tmp_path: Path, is_back: bool) -> None:
    (tmp_path / "home").mkdir()
    scene = Scene(tmp_path)
    await scene.prepare(is_back=is_back)
    act = "redo" if is_back else f"go:{scene.prompt}"
    seen: set[bool] = set()
    point = 0
    while (code := await scene.run(act, point)) != 0:
        assert code == -signal.SIGKILL
        async with scene.session() as session:
            now_back = session.info.back_to is not None
            assert scene.state(session) == scene.ends[now_back], point
            if now_back:
                await session.going_back.redo()
            else:
                await session.going_back.go(scene.prompt)
            assert scene.state(session) == scene.ends[not now_back], point
        seen.add(now_back)
        point += 1
    assert seen == {False, True}
    assert point > 5
