"""A directory that an undo makes anew has the permission bits of the directory that was there."""

import os
import stat
from pathlib import Path

import pytest

from changes_support.desk import Desk, create, plan
from placet.changes.journal.directory_modes import finish_directories, make_directories
from placet.text.plan import PlannedFile

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no permission bits")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_a_redo_makes_the_directory_of_a_created_file_as_the_user_had_set_it(desk: Desk) -> None:
    path = desk.path("deep/inner/a.py")
    await desk.changes.propose(plan(create(path, "a\n")))
    path.parent.chmod(0o700)
    path.parent.parent.chmod(0o2750)
    await desk.undo()
    assert not desk.path("deep").exists()
    await desk.redo()
    assert (mode(path.parent), mode(path.parent.parent)) == (0o700, 0o2750)


async def test_the_directory_of_a_deleted_file_comes_back_with_its_mode_though_the_user_has_removed_it(
    desk: Desk,
) -> None:
    path = desk.write("private/a.py", "a\n")
    path.parent.chmod(0o500)
    await desk.changes.propose(plan(PlannedFile("delete", path, "a\n", None)))
    path.parent.rmdir()
    assert await desk.undo() == {"private/a.py": "restored"}
    assert mode(path.parent) == 0o500


async def test_an_undo_leaves_the_mode_of_a_directory_that_is_there(desk: Desk) -> None:
    path = desk.write("package/a.py", "a\n")
    path.parent.chmod(0o700)
    await desk.changes.propose(plan(PlannedFile("delete", path, "a\n", None)))
    path.parent.chmod(0o755)
    await desk.undo()
    assert mode(path.parent) == 0o755


def test_directories_that_stay_empty_are_removed_again(tmp_path: Path) -> None:
    modes = {tmp_path / "a": 0o700, tmp_path / "a/b": 0o550}
    made = make_directories(modes, [tmp_path / "a/b/c"])
    assert [(path, mode(path)) for path in made] == [(tmp_path / "a", 0o700), (tmp_path / "a/b", 0o750)]
    finish_directories(modes, made)
    assert list(tmp_path.iterdir()) == []


def test_no_directory_is_made_behind_a_link_that_has_come_meanwhile(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    modes = {tmp_path / "a": 0o700, tmp_path / "a/b": 0o700}
    for target in ("nowhere", "elsewhere"):
        (tmp_path / "a").unlink(missing_ok=True)
        (tmp_path / "a").symlink_to(target)
        finish_directories(modes, make_directories(modes, [tmp_path / "a/b/c"]))
        assert {path.name for path in tmp_path.rglob("*")} == {"a", "elsewhere"}
