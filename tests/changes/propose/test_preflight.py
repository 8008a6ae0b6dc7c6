"""EDITS.md rule 19: refused early, with what to do, and nobody asked."""

from pathlib import Path

import pytest

from changes_support.approver import REJECT
from changes_support.desk import Desk, create, plan
from placet.core.errors import DocumentError, EditConflict, EditError, PermissionDenied, Rejected, ToolError
from placet.text.plan import EditPlan, PlannedFile


async def refused(desk: Desk, *files: PlannedFile, error: type[ToolError] = ToolError) -> str:
    with pytest.raises(error) as caught:
        await desk.changes.propose(EditPlan("Change", files))
    assert desk.approver.requests == []
    assert await desk.states() == []
    return str(caught.value)


async def test_a_read_only_file_is_refused(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    path.chmod(0o444)
    text = await refused(desk, PlannedFile("modify", path, "a\n", "b\n"), error=DocumentError)
    assert "read-only" in text
    assert "writable" in text


async def test_a_directory_is_refused(desk: Desk) -> None:
    desk.path("directory").mkdir()
    for kind in ("create", "modify", "delete"):
        file = PlannedFile(kind, desk.path("directory"), "", "")
        assert "directory" in await refused(desk, file, error=DocumentError)


async def test_creating_over_an_existing_file_is_refused_also_over_one_that_cannot_be_decoded(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    assert "exists already" in await refused(desk, create(path, "x"), error=EditError)
    path.write_bytes(b"\x00\xff")
    assert "exists already" in await refused(desk, create(path, "x"), error=EditError)


async def test_creating_over_a_document_that_is_only_in_the_editor_is_refused(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    desk.editor.open_buffer(path)
    path.unlink()
    assert "exists already" in await refused(desk, create(path, "x"), error=EditError)


async def test_creating_under_a_file_is_refused(desk: Desk) -> None:
    path = desk.write("a", "a\n")
    assert "not a directory" in await refused(desk, create(path / "b", "x"), error=DocumentError)


@pytest.mark.parametrize("kind", ["modify", "delete", "rename"])
async def test_what_is_missing_can_neither_be_changed_nor_deleted_nor_renamed(desk: Desk, kind) -> None:
    file = PlannedFile(kind, desk.path("none.py"), "a\n", None, desk.path("b.py") if kind == "rename" else None)
    assert "no longer there" in await refused(desk, file, error=EditConflict)


async def test_a_rename_onto_an_existing_file_is_refused(desk: Desk) -> None:
    one, two = desk.write("a.py", "a\n"), desk.write("b.py", "b\n")
    assert "exists already" in await refused(desk, PlannedFile("rename", one, "a\n", None, two), error=EditError)


async def test_a_binary_is_refused(desk: Desk) -> None:
    path = desk.path("a.bin")
    path.write_bytes(b"\x00\x01")
    await refused(desk, PlannedFile("modify", path, "", "b\n"), error=DocumentError)


async def test_deleting_a_symlink_is_refused_and_names_its_target(desk: Desk) -> None:
    target = desk.write("a.py", "a\n")
    link = desk.path("link.py")
    link.symlink_to(target)
    assert str(target) in await refused(desk, PlannedFile("delete", link, "a\n", None), error=DocumentError)


async def test_one_file_named_twice_is_refused_also_by_a_symlink(desk: Desk) -> None:
    target = desk.write("a.py", "a\n")
    link = desk.path("link.py")
    link.symlink_to(target)
    files = [PlannedFile("modify", path, "a\n", "b\n") for path in (target, link)]
    assert "twice" in await refused(desk, *files, error=EditError)


async def test_an_empty_plan_is_refused(desk: Desk) -> None:
    await refused(desk, error=EditError)


async def test_outside_the_roots_needs_the_permission_external_directory(desk: Desk, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere" / "a.py"
    desk.approver.answers = [REJECT]
    with pytest.raises(Rejected):
        await desk.changes.propose(plan(create(outside, "x\n")))
    assert [request.permission for request in desk.approver.requests] == ["external_directory"]
    assert desk.approver.requests[0].patterns == (f"{outside.parent.as_posix()}/*",)
    assert not outside.exists()
    await desk.changes.propose(plan(create(outside, "x\n")))
    assert [request.permission for request in desk.approver.requests[1:]] == ["external_directory", "edit"]
    assert outside.read_text() == "x\n"


async def test_a_symlink_out_of_the_project_is_outside(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    desk = Desk(root, permission={"external_directory": "deny"})
    (tmp_path / "secret.py").write_text("s\n")
    desk.path("link.py").symlink_to(tmp_path / "secret.py")
    with pytest.raises(PermissionDenied, match="external_directory"):
        await desk.edit("link.py", "x\n")
    await desk.database.close()


async def test_a_rename_out_of_the_project_is_outside(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    desk = Desk(root, permission={"external_directory": "deny"})
    path = desk.write("a.py", "a\n")
    with pytest.raises(PermissionDenied, match="external_directory"):
        await desk.changes.propose(plan(PlannedFile("rename", path, "a\n", None, tmp_path / "b.py")))
    await desk.database.close()


async def test_a_rule_on_a_file_holds_for_a_symlink_to_it(tmp_path: Path) -> None:
    desk = Desk(tmp_path, permission={"edit": {"*": "allow", "secret/*": "deny"}})
    target = desk.write("secret/a.py", "a\n")
    desk.path("innocent.py").symlink_to(target)
    with pytest.raises(PermissionDenied):
        await desk.edit("innocent.py", "x\n")
    await desk.database.close()


async def test_an_edit_through_a_symlink_changes_the_target_and_keeps_the_link(desk: Desk) -> None:
    target, link = desk.write("a.py", "a\n"), desk.path("link.py")
    link.symlink_to(target)
    await desk.edit("link.py", "b\n")
    assert link.is_symlink()
    assert target.read_text() == "b\n"


async def test_the_mode_of_a_file_is_kept(desk: Desk) -> None:
    path = desk.write("run.sh", "a\n")
    path.chmod(0o755)
    await desk.edit("run.sh", "b\n")
    assert path.stat().st_mode & 0o777 == 0o755
