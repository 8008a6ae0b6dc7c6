"""Edits that an editor has not answered: nothing certain is said of them until their text is seen."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from changes_support.desk import Desk, create, plan
from fake_editor.memory import MemoryPeer
from fake_editor.profiles import HELIX, PLAIN, STOCK_NEOVIM, UNVERSIONED, VSCODE, EditorProfile
from placet.changes.propose import unsure as unsure_module
from placet.core.errors import EditError, RequestError
from placet.core.events import ChangeApplied, ChangeReverted
from placet.frontends.lsp.ports import sent_edits
from placet.frontends.lsp.ports.documents import LspDocuments
from placet.settings import Settings
from placet.text.plan import EditPlan

OLD, NEW = "one\ntwo\n\n\nthree\n", "one\nTWO\n\n\nthree\n"

editors = pytest.mark.parametrize(
    "profile", [VSCODE, HELIX, PLAIN, STOCK_NEOVIM, UNVERSIONED], ids=lambda profile: profile.name
)


class Scene:
    """An editor with one open file, and the pipeline over it."""

    def __init__(self, profile: EditorProfile, root: Path) -> None:
        self.peer = MemoryPeer(profile, root)
        self.documents = LspDocuments(self.peer, self.peer.buffers, Settings())
        self.desk = Desk(root, editor=self.documents)  # type: ignore[arg-type]
        self.file = self.desk.write("a.txt", OLD)
        self.peer.editor.open(self.file)
        self.go_on = asyncio.Event()

    @property
    def text(self) -> str:
        return self.peer.editor.buffers[self.file].text

    @contextmanager
    def standing_still(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """The editor gets to no edit until `go_on` is set; meanwhile little patience is had with it."""
        self.peer.editor.before["workspace/applyEdit"] = lambda params: self.go_on.wait()
        with monkeypatch.context() as patch:
            patch.setattr(sent_edits, "APPLY_SECONDS", 0.02)
            patch.setattr(sent_edits, "LANDING_SECONDS", 0.02)
            yield

    async def propose(self, monkeypatch: pytest.MonkeyPatch) -> str:
        """Change the file while the editor stands still; what the model is told."""
        with self.standing_still(monkeypatch), pytest.raises(EditError) as caught:
            await self.desk.edit("a.txt", NEW)
        return str(caught.value)

    async def settled(self) -> None:
        self.go_on.set()
        await self.desk.pipeline.unsure.rest([self.file])

    def kinds(self) -> list[type]:
        return [type(event) for event in self.desk.events if isinstance(event, ChangeApplied | ChangeReverted)]


@editors
async def test_an_edit_that_is_applied_late_is_journaled_shown_told_and_can_be_undone(
    profile: EditorProfile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(profile, tmp_path)
    desk = scene.desk
    told = await scene.propose(monkeypatch)
    assert told.startswith("It is not known whether the change was applied.")
    assert "as it was before" not in told
    assert await desk.states() == ["unsure"]
    assert scene.kinds() == []

    await scene.settled()
    assert scene.text == NEW
    assert await desk.states() == ["applied"]
    assert scene.kinds() == [ChangeApplied]
    [news] = desk.pipeline.unsure.news("ses_1")
    assert f"The change of {scene.file}, of which it was not known, has been applied" in news
    assert desk.pipeline.unsure.news("ses_1") == []
    with pytest.raises(EditError, match="has not been read"):
        await desk.changes.base(scene.file)

    assert await desk.undo() == {"a.txt": "restored"}
    assert scene.text == OLD


async def test_an_edit_that_is_refused_late_was_not_applied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(VSCODE, tmp_path)
    await scene.propose(monkeypatch)
    scene.peer.editor.type(scene.file, "typed ")
    await scene.settled()
    assert await scene.desk.states() == ["failed"]
    assert scene.kinds() == []
    assert scene.text == "typed " + OLD
    [news] = scene.desk.pipeline.unsure.news("ses_1")
    assert "was not applied" in news


async def test_a_change_of_which_it_is_not_known_is_not_undone_past(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(PLAIN, tmp_path)
    scene.desk.write("b.txt", OLD)
    await scene.desk.edit("b.txt", NEW)
    await scene.propose(monkeypatch)
    with pytest.raises(RequestError, match="not known yet"):
        await scene.desk.undo()
    assert scene.desk.path("b.txt").read_text() == NEW
    await scene.settled()
    assert await scene.desk.undo() == {"a.txt": "restored", "b.txt": "restored"}


async def test_a_further_edit_of_the_file_waits_for_the_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(PLAIN, tmp_path)
    await scene.propose(monkeypatch)
    planned = await scene.desk.plan("a.txt", OLD.replace("three", "THREE"))
    further = asyncio.create_task(scene.desk.changes.propose(plan(planned)))
    await scene.settled()
    await further
    assert scene.text == NEW.replace("three", "THREE")
    assert await scene.desk.states() == ["applied", "applied"]


async def test_a_further_edit_of_the_file_is_refused_where_the_editor_stands_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(PLAIN, tmp_path)
    scene.desk.write("b.txt", OLD)
    await scene.propose(monkeypatch)
    monkeypatch.setattr(unsure_module, "WAIT_SECONDS", 0.01)
    with pytest.raises(EditError, match="may still apply it"):
        await scene.desk.edit("a.txt", OLD.replace("three", "THREE"))
    assert (await scene.desk.edit("b.txt", NEW)).applied


@editors
async def test_an_edit_that_is_never_answered_is_given_up_and_the_file_is_open_again(
    profile: EditorProfile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sent_edits, "GIVE_UP_SECONDS", 0.02)
    scene = Scene(profile, tmp_path)
    await scene.propose(monkeypatch)
    await scene.desk.pipeline.unsure.rest([scene.file])  # The editor has still not come to the edit.
    assert await scene.desk.states() == ["failed"]
    [news] = scene.desk.pipeline.unsure.news("ses_1")
    assert "was not applied" in news

    scene.peer.editor.before.clear()
    assert (await scene.desk.edit("a.txt", NEW)).applied
    assert scene.text == NEW


async def test_of_several_files_those_alone_are_unsure_that_the_editor_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(PLAIN, tmp_path)
    scene.desk.write("b.txt", OLD)
    made = scene.desk.path("made.txt")
    files = [create(made, "made\n"), await scene.desk.plan("b.txt", NEW), await scene.desk.plan("a.txt", NEW)]
    with scene.standing_still(monkeypatch), pytest.raises(EditError) as caught:
        await scene.desk.changes.propose(plan(*files))
    assert "b.txt: was changed, and has been put back." in str(caught.value)
    assert f"{scene.file}: NOT KNOWN whether it was changed" in str(caught.value)
    assert (made.exists(), scene.desk.path("b.txt").read_text()) == (False, OLD)
    await scene.settled()
    assert await scene.desk.states() == ["applied"]
    assert await scene.desk.undo() == {"a.txt": "restored"}
    assert scene.text == OLD


async def test_an_undo_that_is_applied_late_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(VSCODE, tmp_path)
    await scene.desk.edit("a.txt", NEW)
    with scene.standing_still(monkeypatch), pytest.raises(EditError, match="It is not known whether"):
        await scene.desk.undo()
    assert await scene.desk.states() == ["applied", "unsure"]
    await scene.settled()
    assert scene.text == OLD
    assert await scene.desk.states() == ["reverted", "applied"]
    assert scene.kinds() == [ChangeApplied, ChangeReverted]
    assert await scene.desk.redo() == {"a.txt": "restored"}
    assert scene.text == NEW


@pytest.mark.parametrize(
    ("text", "states"), [(NEW, ["applied"]), (OLD, ["unsure"]), ("one\nother\nthree\n", ["failed"])]
)
async def test_after_a_restart_the_next_look_at_the_file_settles_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, states: list[str]
) -> None:
    before = Scene(PLAIN, tmp_path)
    await before.propose(monkeypatch)
    before.peer.gone.set()
    await before.desk.pipeline.unsure.close()

    after = Desk(tmp_path, database=before.desk.database)
    assert await after.journal.recover(after.editor) == []
    before.file.write_text(text)
    changes = await after.journal.unsettled("ses_1")
    await after.pipeline.unsure.look(changes, after.party.tell_applied)
    assert await after.states() == states
    if states == ["applied"]:
        assert await after.undo() == {"a.txt": "restored"}
        assert before.file.read_text() == OLD


async def test_what_is_formatted_when_it_is_saved_late_is_what_an_undo_starts_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(VSCODE, tmp_path)
    scene.peer.editor.on_save = lambda text: text.replace("TWO", "TWO  # formatted")
    await scene.propose(monkeypatch)
    await scene.settled()
    assert scene.text == NEW.replace("TWO", "TWO  # formatted")
    assert await scene.desk.undo() == {"a.txt": "restored"}
    assert scene.text.startswith(OLD[:4])


async def test_a_plan_without_the_file_is_not_held_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(PLAIN, tmp_path)
    await scene.propose(monkeypatch)
    made = scene.desk.path("new.txt")
    assert (await scene.desk.changes.propose(EditPlan("New", (create(made, "new\n"),)))).applied
