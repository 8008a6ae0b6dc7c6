"""EDITS.md rule 7: what is saved before a command, and what is told after it."""

from changes_support.desk import Desk
from placet.changes.commands.command_sync import MovedOn

NOTHING = MovedOn((), ())


async def test_a_file_that_changed_since_it_was_read_is_told_once(desk: Desk) -> None:
    for name in ("a.txt", "b.txt", "gone.txt"):
        await desk.changes.read(desk.write(name, "old\n"))
    desk.write("a.txt", "new\n")
    desk.path("gone.txt").unlink()
    assert await desk.changes.moved_on() == MovedOn((desk.path("a.txt"),), (desk.path("gone.txt"),))
    assert await desk.changes.moved_on() == NOTHING
    desk.write("a.txt", "newer\n")
    assert await desk.changes.moved_on() == MovedOn((desk.path("a.txt"),), ())


async def test_a_file_that_is_read_again_is_known(desk: Desk) -> None:
    path = desk.write("a.txt", "old\n")
    await desk.changes.read(path)
    desk.write("a.txt", "new\n")
    await desk.changes.read(path)
    assert await desk.changes.moved_on() == NOTHING


async def test_our_own_edit_is_no_surprise(desk: Desk) -> None:
    desk.write("a.txt", "old\n")
    await desk.edit("a.txt", "new\n")
    assert await desk.changes.moved_on() == NOTHING


async def test_what_only_we_left_unsaved_is_saved(desk: Desk) -> None:
    path = desk.write("a.txt", "old\n")
    desk.editor.open_buffer(path)
    desk.editor.saves = False
    await desk.edit("a.txt", "new\n")
    assert path.read_text() == "old\n"
    assert await desk.changes.save_own() == []
    assert path.read_text() == "new\n"


async def test_the_users_typing_is_never_saved(desk: Desk) -> None:
    path = desk.write("a.txt", "old\nlast\n")
    desk.editor.open_buffer(path)
    desk.editor.type(path, "old\ntyped\n")
    await desk.edit("a.txt", "new\ntyped\n")
    assert await desk.changes.save_own() == [path]
    assert path.read_text() == "old\nlast\n"


async def test_typing_over_our_unsaved_edit_makes_it_the_users(desk: Desk) -> None:
    path = desk.write("a.txt", "old\n")
    desk.editor.open_buffer(path)
    desk.editor.saves = False
    await desk.edit("a.txt", "new\n")
    desk.editor.type(path, "new and typed\n")
    assert await desk.changes.save_own() == [path]
