"""EDITS.md rule 15: a folder on the way to a file is turned into a link that leads elsewhere, at any moment."""

import sys
from pathlib import Path

import pytest

from changes_support.desk import Desk, create, plan
from placet.core.errors import DocumentError, EditError
from placet.text.plan import PlannedFile

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")

KINDS = ("modify", "create", "delete", "rename away", "rename to")


class Swap:
    """A folder of the project, and one outside with the same files, that a link can lead to in its place."""

    def __init__(self, desk: Desk, outside: Path) -> None:
        self.folder, self.outside = desk.root / "folder", outside
        self.is_done = False
        desk.write("folder/sub/a.txt", "old\n")
        (outside / "sub").mkdir(parents=True)
        (outside / "sub/a.txt").write_text("old\n")

    def do(self) -> None:
        if not self.is_done:
            self.is_done = True
            self.folder.rename(self.folder.with_name("moved"))
            self.folder.symlink_to(self.outside)

    @property
    def files_outside(self) -> dict[str, str]:
        return {path.relative_to(self.outside).as_posix(): path.read_text() for path in self.outside.rglob("*.txt")}


@pytest.fixture
def swap(desk: Desk, tmp_path: Path) -> Swap:
    desk.write("top.txt", "old\n")
    return Swap(desk, tmp_path / "outside")


async def planned(desk: Desk, kind: str) -> PlannedFile:
    path, top = desk.path("folder/sub/a.txt"), desk.path("top.txt")
    match kind:
        case "create":
            return create(desk.path("folder/sub/new/b.txt"), "made\n")
        case "rename to":
            await desk.changes.read(top)
            return PlannedFile("rename", top, "old\n", "new\n", desk.path("folder/sub/b.txt"))
        case "rename away":
            await desk.changes.read(path)
            return PlannedFile("rename", path, "old\n", None, desk.path("b.txt"))
        case "delete":
            await desk.changes.read(path)
            return PlannedFile("delete", path, "old\n", None)
        case _:
            return await desk.plan("folder/sub/a.txt", "new\n")


@pytest.mark.parametrize("kind", KINDS)
async def test_what_was_asked_of_a_file_inside_is_not_done_to_one_outside(desk: Desk, swap: Swap, kind: str) -> None:
    file = await planned(desk, kind)
    desk.approver.meanwhile = swap.do
    with pytest.raises(DocumentError, match=r"leads to .*outside"):
        await desk.changes.propose(plan(file))
    assert swap.is_done
    assert swap.files_outside == {"sub/a.txt": "old\n"}


@pytest.mark.parametrize("kind", KINDS)
async def test_nor_when_the_link_comes_between_the_last_look_and_the_write(desk: Desk, swap: Swap, kind: str) -> None:
    file = await planned(desk, kind)
    desk.approver.meanwhile = lambda: setattr(desk.editor, "user", once_planned)

    def once_planned() -> None:
        # The first moment after the answer at which the change is in the journal is within `apply`.
        if desk.editor.turns:
            swap.do()

    with pytest.raises(EditError):
        await desk.changes.propose(plan(file))
    assert swap.is_done
    assert swap.files_outside == {"sub/a.txt": "old\n"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("moment", ["before", "while it is applied"])
async def test_an_undo_takes_nothing_back_outside(desk: Desk, swap: Swap, kind: str, moment: str) -> None:
    await desk.changes.propose(plan(await planned(desk, kind)))
    for path in swap.outside.rglob("*.txt"):
        path.unlink()
    for path in swap.folder.rglob("*.txt"):  # The same as inside, so that only the way there tells the two apart.
        copy = swap.outside / path.relative_to(swap.folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text())
    before = swap.files_outside
    if moment == "before":
        swap.do()
        assert set((await desk.undo()).values()) == {"conflict"}
    else:
        desk.editor.turns.clear()
        desk.editor.user = lambda: swap.do() if desk.editor.turns else None
        with pytest.raises(EditError):
            await desk.undo()
        assert swap.is_done
    assert swap.files_outside == before


async def test_a_link_that_led_where_it_leads_is_followed(desk: Desk, tmp_path: Path) -> None:
    target = desk.write("real/a.txt", "old\n")
    (desk.root / "link").symlink_to(desk.root / "real")
    await desk.edit("link/a.txt", "new\n")
    assert target.read_text() == "new\n"
    assert await desk.undo() == {"link/a.txt": "restored"}
    assert target.read_text() == "old\n"
