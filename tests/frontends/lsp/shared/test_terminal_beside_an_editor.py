"""Decisions at a terminal about files that an idle editor, which another process serves, holds with unsaved text."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fake_editor.client import DaemonEditor, daemon
from fake_editor.profiles import HELIX, NEOVIM, EditorProfile
from fork_support.completed import run_forked
from listen_support import Home, home
from time_support import limited

BASE = "one\ntwo\nthree\nold\nfive\n"
READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}
WRITTEN = BASE.replace("old", "new")


class Desk:
    """An editor whose session has changed a file, and a terminal on the same store."""

    def __init__(self, place: Home, editor: DaemonEditor) -> None:
        self.place, self.editor, self.file = place, editor, place.project / "a.txt"
        self.buffer = editor.editor.open(self.file)
        self.session_id = ""

    def notes(self) -> list[str]:
        """Return the files that the editors hold with unsaved text, as the other processes are told."""
        notes = (self.place.directory / "data" / "placet" / "unsaved").glob("*.json")
        return [name for note in notes for name in json.loads(note.read_text())["files"]]

    async def type(self, text: str) -> None:
        self.editor.editor.type(self.file, text)
        async with limited(lambda: "the note of the unsaved text"):
            while not self.notes():  # noqa: ASYNC110 - a file tells nobody.
                await asyncio.sleep(0.01)

    async def save(self) -> None:
        self.editor.editor.save(self.file)
        async with limited(lambda: "the end of the note"):
            while self.notes():  # noqa: ASYNC110 - a file tells nobody.
                await asyncio.sleep(0.01)

    async def placet(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        where = ("--cwd", str(self.place.project))
        return await asyncio.to_thread(run_forked, *arguments, *where, environment=self.place.environment)


@asynccontextmanager
async def desk(directory: Path, review: str, profile: EditorProfile, *, shared: bool) -> AsyncIterator[Desk]:
    async with home(directory, [READ], [EDIT], [{"text": "Done."}], shared=shared) as place:
        (place.project / "a.txt").write_text(BASE)
        place.set(review=review, permission={"edit": "ask"})
        async with daemon(profile, place.project, directory, environment=place.environment) as editor:
            desk = Desk(place, editor)
            editor.editor.on_permission = _once
            desk.session_id = await editor.new_session()
            assert (await editor.prompt(desk.session_id, "go"))["stopReason"] == "end_turn"
            yield desk


async def _once(params: object) -> dict[str, str]:
    return {"outcome": "once"}


LONG = pytest.mark.long


@pytest.mark.parametrize("shared", [False, pytest.param(True, marks=LONG)], ids=["own daemon", "shared daemon"])
async def test_an_acceptance_leaves_a_file_with_unsaved_text_alone_and_says_who_holds_the_file(
    tmp_path: Path, shared: bool
) -> None:
    async with desk(tmp_path, "stage", NEOVIM, shared=shared) as at:
        await at.type("typed ")
        refused = await at.placet("review", "--accept")
        assert refused.returncode == 1
        assert "has unsaved changes in an editor of another Placet (process " in refused.stdout
        assert "Save the file there, and try again." in refused.stdout
        assert (at.file.read_text(), at.buffer.text) == (BASE, f"typed {BASE}")
        await at.save()
        accepted = await at.placet("review", "--accept")
        assert accepted.returncode == 0, accepted
        assert at.file.read_text() == f"typed {WRITTEN}"


@pytest.mark.parametrize(
    ("review", "profile"),
    [("ask", NEOVIM), pytest.param("apply", NEOVIM, marks=LONG), pytest.param("stage", HELIX, marks=LONG)],
)
async def test_an_undo_leaves_a_file_with_unsaved_text_alone_and_says_who_holds_the_file(
    tmp_path: Path, review: str, profile: EditorProfile
) -> None:
    async with desk(tmp_path, review, profile, shared=False) as at:
        if review == "stage":
            assert (await at.placet("review", "--accept")).returncode == 0
            at.editor.editor.look_at_disk()
        assert at.file.read_text() == WRITTEN
        await at.type("typed ")
        refused = await at.placet("undo")
        assert refused.returncode == 1
        assert "conflict" in refused.stdout
        assert "has unsaved changes in an editor of another Placet (process " in refused.stdout
        assert (at.file.read_text(), at.buffer.text) == (WRITTEN, f"typed {WRITTEN}")
        await at.save()
        undone = await at.placet("undo")
        assert undone.returncode == 0, undone
        assert at.file.read_text() == f"typed {BASE}"


async def test_a_note_of_an_editor_that_was_killed_holds_no_file(tmp_path: Path) -> None:
    async with desk(tmp_path, "stage", NEOVIM, shared=False) as at:
        await at.type("typed ")
        at.editor.process.kill()
        await at.editor.process.wait()
        assert (await at.placet("review", "--accept")).returncode == 0
        assert at.file.read_text() == WRITTEN
        assert at.notes() == []


@pytest.mark.parametrize("review", [pytest.param("ask", marks=LONG), "stage", pytest.param("apply", marks=LONG)])
async def test_the_editor_that_holds_the_unsaved_text_carries_its_own_decisions_out(
    tmp_path: Path, review: str
) -> None:
    async with desk(tmp_path, review, NEOVIM, shared=False) as at:
        before, after = (BASE, WRITTEN) if review == "stage" else (WRITTEN, BASE)
        await at.type("typed ")
        session = {"sessionId": at.session_id}
        if review == "stage":
            (file,) = (await at.editor.request("agent/review/list", session))["files"]
            decision = {"uri": file["uri"], "version": file["version"], "outcome": "accept"}
            decided = await at.editor.request("agent/review/decide", {**session, "decisions": [decision]})
            assert [file["status"] for file in decided["files"]] == ["written"]
        else:
            undone = await at.editor.request("agent/undo", session)
            assert [file["status"] for file in undone["files"]] == ["restored"]
        assert (at.file.read_text(), at.buffer.text) == (before, f"typed {after}")
