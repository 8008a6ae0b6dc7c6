"""A daemon that is killed while the user goes back leaves talk, files and set together: all as before, or as after."""

import os
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from change_set_support import DONE, GO, call, edit, read
from fork_support import start_module
from placet.core.hunks import Decision
from placet.core.messages import UserMessage
from placet.sessions.session import Session
from services_support import TempServices

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs fork and SIGKILL")
STEP = 5
"""After one of so many kills the user goes the other way too."""
NAMES = [f"{letter}.txt" for letter in "abcdefgh"]
COMMAND = "echo made > made.txt; rm b.txt; echo more >> a.txt; printf '\\377\\000' > raw.bin; mv c.txt sub/moved.txt"
SUBAGENT = [read("d.txt"), edit("d.txt", 5, "five\n"), call("bash", command="echo made > sub/made.txt"), DONE]
TURNS: list[list[dict[str, Any]]] = [
    *(step for name in NAMES for step in (read(name), edit(name, 1, "one\n"), edit(name, 7, "seven\n"))),
    DONE,
    call("bash", command=COMMAND),
    *(edit(name, 3, "three\n") for name in NAMES[3:]),
    DONE,
    call("task", description="work", prompt="Do it.", subagent_type="general"),
    *SUBAGENT,
    DONE,
    *(edit(name, 5, "staged\n") for name in NAMES[4:7]),
    call("write", filePath="staged.txt", content="staged\n"),
    DONE,
]
"""A turn that edits all files, a turn with a command, a turn with a subagent, a turn that stages."""


class Scene:
    """Session with four turns, before and after the user went back to the second prompt."""

    def __init__(self, directory: Path) -> None:
        self.home = directory / "home"
        self.home.mkdir()
        self.services = TempServices(self.home)
        self.script = self.services.script(*TURNS)
        self.session_id, self.prompt = "", ""
        self.ends: dict[bool, tuple[Any, ...]] = {}
        """State of files, messages and set, by whether the user is back."""

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[Session]:
        async with self.services.open(self.script, review="apply") as sessions:
            yield await (sessions.load(self.session_id) if self.session_id else sessions.create(title="t"))

    async def state(self, session: Session) -> tuple[Any, ...]:
        paths = [path for path in self.services.project.rglob("*") if path.is_file()]
        files = {str(path.relative_to(self.services.project)): path.read_bytes() for path in paths}
        views = await session.change_set.views()
        shown = {(view.file.state, view.name, view.file.kind): view.version for view in views}
        return files, [message.id for message in session.messages], shown

    async def prepare(self, *, is_back: bool) -> None:
        (self.services.project / "sub").mkdir()
        (self.services.project / "sub" / "kept.txt").write_text("kept\n")
        for name in NAMES:
            (self.services.project / name).write_text("".join(f"{name} {number}\n" for number in range(9)))
        async with self.session() as session:
            self.session_id = session.info.id
            for number in range(4):
                if number == 3:
                    await session.choices.set_review("stage")
                    await self._review(session)
                assert (await session.prompt(GO)).stop_reason == "end_turn"
            self.prompt = [message.id for message in session.messages if isinstance(message, UserMessage)][1]
            self.ends[False] = await self.state(session)
            went = await session.going_back.go(self.prompt)
            assert {file.status for file in went.files} == {"restored"}
            self.ends[True] = await self.state(session)
            assert all(one != other for one, other in zip(*self.ends.values(), strict=True))
            if not is_back:
                await session.going_back.redo()
                assert await self.state(session) == self.ends[False]

    async def _review(self, session: Session) -> None:
        """Keep a hunk of the first turn, and undo a hunk of the second."""
        views = {view.name: view for view in await session.change_set.views()}
        for name, outcome, hunk in (("g.txt", "accept", 1), ("h.txt", "reject", 2)):
            view = views[name]
            decision = Decision(view.file.place, view.version, outcome, frozenset({hunk}))  # type: ignore[arg-type]
            (decided,) = await session.change_set.decide([decision])
            assert decided.status in ("kept", "undone")

    async def kill(self, act: str, points: int) -> None:
        """Run the act from the prepared state, and kill the daemon at each of so many points."""
        arguments = (str(self.home), self.script, self.session_id, act, str(points))
        runs = await start_module("services_support.killed_going_back", *arguments)
        said = await runs.communicate()
        assert runs.returncode == 0, said

    def take_up(self, name: str) -> None:
        """Put the files of a killed run in place."""
        shutil.rmtree(self.home)
        self.home.with_name(name).rename(self.home)


@pytest.mark.parametrize("points", [10, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.parametrize("is_back", [False, True], ids=["back", "forward"])
async def test_a_kill_at_points_all_over_leaves_talk_files_and_set_together(
    tmp_path: Path, is_back: bool, points: int
) -> None:
    scene = Scene(tmp_path)
    await scene.prepare(is_back=is_back)
    await scene.kill("redo" if is_back else f"go:{scene.prompt}", points)
    seen: list[bool] = []
    for number, name in enumerate((*(f"{number:03}" for number in range(points)), "whole")):
        scene.take_up(name)
        async with scene.session() as session:
            now_back = session.info.back_to is not None
            assert await scene.state(session) == scene.ends[now_back], name
            if number % STEP == 0:
                await (session.going_back.redo() if now_back else session.going_back.go(scene.prompt))
                assert await scene.state(session) == scene.ends[not now_back], name
        seen.append(now_back)
    assert seen == sorted(seen, reverse=is_back)
    assert set(seen) == {False, True}
