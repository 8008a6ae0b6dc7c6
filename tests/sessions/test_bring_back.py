"""Changes of worktrees come back through the review, merged with what has changed meanwhile."""

import os
from pathlib import Path

import pytest

from change_set_support import decide, told, whole
from placet.changes.review.staged_file import conflict_text
from placet.core.messages import TextPart
from placet.sessions.bring_back import bring_back
from placet.text.merge import has_marks
from placet.worktrees.create import create_worktree
from placet.worktrees.difference import MOST_BYTES
from placet.worktrees.listing import find_worktree, list_worktrees
from placet.worktrees.records import Worktree
from services_support import TempServices
from worktree_support import Repository
from worktree_support.fixtures import repository as repository

POSIX = pytest.mark.skipif(os.name == "nt", reason="permissions and links as on POSIX")
LINES = [f"line {number}\n" for number in range(1, 21)]


@pytest.fixture
def services(tmp_path: Path, repository: Repository) -> TempServices:
    repository.put("shared.txt", "".join(LINES))
    repository.commit("Shared")
    services = TempServices(tmp_path)
    assert services.project == repository.top
    return services


def edited(worktree: Worktree, number: int, text: str) -> None:
    """Replace a line of the shared file in the worktree."""
    lines = (worktree.path / "shared.txt").read_text().splitlines(keepends=True)
    lines[number - 1] = text
    (worktree.path / "shared.txt").write_text("".join(lines))


async def made(services: TempServices, repository: Repository, name: str, *, takes_changes: bool = False) -> Worktree:
    created = await create_worktree(services.locations.worktrees, repository.top, name, takes_changes=takes_changes)
    return created.worktree


async def test_three_worktrees_change_one_file_and_all_come_back_one_with_a_conflict_that_is_settled(
    services: TempServices, repository: Repository
) -> None:
    first, second, third = [await made(services, repository, name) for name in ("first", "second", "third")]
    edited(first, 2, "FIRST\n")
    edited(second, 10, "SECOND\n")
    edited(third, 10, "THIRD\n")
    edited(third, 18, "THIRD TOO\n")
    async with services.open() as sessions:
        brought = [await bring_back(sessions, worktree) for worktree in (first, second, third)]
        assert [outcome.conflicts for outcome in brought] == [(), (), ()]  # Nothing is written yet.
        assert (repository.top / "shared.txt").read_text() == "".join(LINES)
        for outcome in brought[:2]:
            assert outcome.session is not None
            (view,) = await outcome.session.change_set.views()
            assert await decide(outcome.session, whole(view, "accept")) == ["written"]
        session = brought[2].session
        assert session is not None
        (view,) = await session.change_set.views()
        assert len(view.hunks_in_conflict) == 1
        assert await decide(session, whole(view, "accept")) == ["written"]  # The hunk that fits.
        (view,) = await session.change_set.views()
        assert view.reason_against == "The same lines have been changed since the change was staged."
        assert await decide(session, whole(view, "accept")) == ["conflict"]
        text = conflict_text(view)
        assert has_marks(text)
        assert "<<<<<<< the file now\nSECOND\n||||||| before both changes\nline 10\n=======\nTHIRD\n>>>>>>> " in text
        assert "FIRST\n" in text
        assert "THIRD TOO\n" in text
        assert await decide(session, whole(view, "accept", edited=text)) == ["conflict"]  # Markers are left.
        start, end = text.index("<<<<<<<"), text.index("line 11")
        settled = f"{text[:start]}SECOND AND THIRD\n{text[end:]}"
        assert await decide(session, whole(view, "accept", edited=settled)) == ["written"]
        assert await session.change_set.views() == []
    wanted = LINES.copy()
    wanted[1], wanted[9], wanted[17] = "FIRST\n", "SECOND AND THIRD\n", "THIRD TOO\n"
    assert (repository.top / "shared.txt").read_text() == "".join(wanted)


async def test_created_deleted_renamed_and_executable_files_come_back(
    services: TempServices, repository: Repository
) -> None:
    repository.put("gone.txt", "gone\n")
    repository.commit("More")
    worktree = await made(services, repository, "one")
    (worktree.path / "gone.txt").unlink()
    (worktree.path / "shared.txt").rename(worktree.path / "renamed.txt")
    repository.put("sub/new.sh", "#!/bin/sh\n", worktree.path).chmod(0o755)
    repository.put("shared.txt", "".join(["MINE\n", *LINES[1:]]))
    async with services.open() as sessions:
        session = (await bring_back(sessions, worktree)).session
        assert session is not None
        views = await session.change_set.views()
        assert await decide(session, *(whole(view, "accept") for view in views)) == ["written"] * 3
    assert not (repository.top / "gone.txt").exists()
    assert not (repository.top / "shared.txt").exists()
    assert (repository.top / "renamed.txt").read_text() == "".join(["MINE\n", *LINES[1:]])
    assert (repository.top / "sub/new.sh").read_text() == "#!/bin/sh\n"
    if os.name != "nt":
        assert (repository.top / "sub/new.sh").stat().st_mode & 0o111


@POSIX
async def test_binary_files_links_and_permissions_come_back_whole_and_are_undone(
    services: TempServices, repository: Repository
) -> None:
    top = repository.top
    for name in ("old.bin", "gone.bin", "moved.bin", "run.bin"):
        (top / name).write_bytes(b"\0" + name.encode() * 9)
    (top / "link").symlink_to("a.txt")
    (top / "away").symlink_to("a.txt")
    repository.commit("More")
    before = {name: (top / name).read_bytes() for name in ("old.bin", "gone.bin", "moved.bin", "run.bin")}
    worktree = await made(services, repository, "one")
    path = worktree.path
    (path / "old.bin").write_bytes(b"\0new")
    (path / "gone.bin").unlink()
    (path / "moved.bin").rename(path / "there.bin")
    (path / "run.bin").chmod(0o755)
    (path / "new.bin").write_bytes(b"\0\1\2")
    (path / "new.bin").chmod(0o755)
    (path / "link").unlink()
    (path / "link").symlink_to("shared.txt")
    (path / "away").unlink()
    (path / "a.txt").chmod(0o755)
    edited(worktree, 2, "TWO\n")
    (path / "shared.txt").chmod(0o755)
    async with services.open() as sessions:
        outcome = await bring_back(sessions, worktree)
        assert (outcome.left_out, outcome.conflicts, outcome.session is not None) == ((), (), True)
        assert outcome.session is not None
        shown = {view.name: (view.file.kind, view.permissions, view.description) for view in outcome.views}
        digests = {name: told.rpartition("sha256 ")[2] for name, (_, _, told) in shown.items()}
        assert shown == {
            "a.txt": ("modify", "executable", ""),
            "shared.txt": ("modify", "executable", ""),
            "away": ("delete", "", "symbolic link to a.txt"),
            "gone.bin": ("delete", "", f"binary file, 73 bytes, sha256 {digests['gone.bin']}"),
            "link": ("modify", "", "symbolic link to shared.txt"),
            "moved.bin": ("delete", "", f"binary file, 82 bytes, sha256 {digests['moved.bin']}"),
            "new.bin": ("create", "executable", f"binary file, 3 bytes, sha256 {digests['new.bin']}"),
            "old.bin": ("modify", "", f"binary file, 4 bytes, sha256 {digests['old.bin']}"),
            "run.bin": ("modify", "executable", f"binary file, 64 bytes, sha256 {digests['run.bin']}"),
            "there.bin": ("create", "", f"binary file, 82 bytes, sha256 {digests['there.bin']}"),
        }
        assert repository.git("status", "--porcelain") == ""
        views = await outcome.session.change_set.views()
        rejected = [view for view in views if view.name == "away"]
        accepted = [view for view in views if view.name != "away"]
        decisions = (*(whole(view, "accept") for view in accepted), *(whole(view, "reject") for view in rejected))
        assert await decide(outcome.session, *decisions) == ["written"] * 9 + ["rejected"]
        assert await outcome.session.change_set.views() == []
        assert (top / "old.bin").read_bytes() == b"\0new"
        assert (top / "there.bin").read_bytes() == before["moved.bin"]
        assert [(top / name).exists() for name in ("gone.bin", "moved.bin", "away")] == [False, False, True]
        assert (top / "link").readlink() == Path("shared.txt")
        assert (top / "shared.txt").read_text() == "".join(["line 1\n", "TWO\n", *LINES[2:]])
        names = ("a.txt", "shared.txt", "new.bin", "run.bin", "old.bin")
        assert [os.access(top / name, os.X_OK) for name in names] == [True, True, True, True, False]
        assert (await bring_back(sessions, worktree)).views[0].name == "away"

        await outcome.session.undo()

        assert repository.git("status", "--porcelain") == ""
        assert {name: (top / name).read_bytes() for name in before} == before


@POSIX
async def test_a_binary_file_that_the_user_has_changed_is_a_conflict_and_is_not_overwritten(
    services: TempServices, repository: Repository
) -> None:
    (repository.top / "old.bin").write_bytes(b"\0old")
    repository.commit("More")
    worktree = await made(services, repository, "one")
    (worktree.path / "old.bin").write_bytes(b"\0theirs")
    (worktree.path / "new.bin").write_bytes(b"\0theirs")
    async with services.open() as sessions:
        session = (await bring_back(sessions, worktree)).session
        assert session is not None
        views = await session.change_set.views()
        for name in ("old.bin", "new.bin"):
            (repository.top / name).write_bytes(b"\0mine")
        assert await decide(session, *(whole(view, "accept") for view in views)) == ["moved", "moved"]
        views = {view.name: view for view in await session.change_set.views()}
        assert views["old.bin"].conflict == "The file has been changed meanwhile."
        assert views["new.bin"].conflict == "A file of this name has been made meanwhile."
        assert await decide(session, *(whole(view, "accept") for view in views.values())) == ["conflict", "conflict"]
        assert await decide(session, whole(views["old.bin"], "accept", edited="text\n")) == ["conflict"]
        assert await decide(session, *(whole(view, "reject") for view in views.values())) == ["rejected", "rejected"]
        assert await session.change_set.views() == []
    assert [(repository.top / name).read_bytes() for name in ("old.bin", "new.bin")] == [b"\0mine"] * 2


@POSIX
async def test_a_staged_binary_file_survives_a_restart(services: TempServices, repository: Repository) -> None:
    worktree = await made(services, repository, "one")
    (worktree.path / "new.bin").write_bytes(bytes(range(256)))
    async with services.open() as sessions:
        session = (await bring_back(sessions, worktree)).session
        assert session is not None
    async with services.open() as sessions:
        session = await sessions.load(session.info.id)
        (view,) = await session.change_set.views()
        assert await decide(session, whole(view, "accept")) == ["written"]
    assert (repository.top / "new.bin").read_bytes() == bytes(range(256))


@POSIX
async def test_no_binary_file_is_written_through_a_link_out_of_the_project(
    services: TempServices, repository: Repository, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    worktree = await made(services, repository, "one")
    for name in ("early", "late"):
        (worktree.path / name).mkdir()
        (worktree.path / name / "new.bin").write_bytes(b"\0")
    (repository.top / "early").symlink_to(outside)
    async with services.open() as sessions:
        outcome = await bring_back(sessions, worktree)
        assert outcome.left_out == ("early/new.bin lies outside of the opened folder",)
        assert outcome.session is not None
        (view,) = outcome.views
        (repository.top / "late").symlink_to(outside)
        assert await decide(outcome.session, whole(view, "accept")) == ["moved"]
    async with services.open() as sessions:
        session = await sessions.load(outcome.session.info.id)
        (view,) = await session.change_set.views()
        assert await decide(session, whole(view, "accept")) == ["failed"]
    assert list(outside.iterdir()) == []


async def test_two_files_that_have_changed_their_names_come_back(
    services: TempServices, repository: Repository
) -> None:
    repository.put("b.txt", "".join(f"b {number}\n" for number in range(9)))
    repository.put("c.txt", "".join(f"c {number}\n" for number in range(9)))
    repository.commit("Two")
    worktree = await made(services, repository, "one")
    (worktree.path / "b.txt").rename(worktree.path / "d.txt")
    (worktree.path / "c.txt").rename(worktree.path / "b.txt")
    async with services.open() as sessions:
        session = (await bring_back(sessions, worktree)).session
        assert session is not None
        views = await session.change_set.views()
        assert {*await decide(session, *(whole(view, "accept") for view in views))} == {"written"}
    assert (repository.top / "b.txt").read_text().startswith("c 0\n")
    assert (repository.top / "d.txt").read_text().startswith("b 0\n")
    assert not (repository.top / "c.txt").exists()


async def test_changes_taken_along_are_no_changes_of_the_worktree(
    services: TempServices, repository: Repository
) -> None:
    repository.put("shared.txt", "".join(["MINE\n", *LINES[1:]]))
    repository.put("untracked.txt", "untracked\n")
    worktree = await made(services, repository, "one", takes_changes=True)
    edited(worktree, 20, "END\n")
    async with services.open() as sessions:
        outcome = await bring_back(sessions, worktree)
        assert (len(outcome.views), outcome.conflicts, outcome.left_out) == (1, (), ())
        assert outcome.session is not None
        (view,) = await outcome.session.change_set.views()
        assert view.proposed is not None
        assert [hunk.new_lines for hunk in view.proposed.hunks] == [("END\n",)]


async def test_after_an_accepted_review_only_later_changes_come_back(
    services: TempServices, repository: Repository
) -> None:
    worktree = await made(services, repository, "one")
    edited(worktree, 10, "A\n")
    repository.put("new.txt", "new\n", worktree.path)
    async with services.open() as sessions:
        session = (await bring_back(sessions, worktree)).session
        assert session is not None
        views = await session.change_set.views()
        await decide(session, *(whole(view, "accept") for view in views))
        assert (await bring_back(sessions, worktree)).session is None
        edited(worktree, 10, "A\nB\n")
        repository.put("new.txt", "newer\n", worktree.path)
        again = await bring_back(sessions, await find_worktree(services.locations.worktrees, repository.top, "one"))
        assert (len(again.views), again.conflicts) == (2, ())
        assert again.session is not None
        views = await again.session.change_set.views()
        await decide(again.session, *(whole(view, "accept") for view in views))
    assert (repository.top / "new.txt").read_text() == "newer\n"
    assert "A\nB\n" in (repository.top / "shared.txt").read_text()


async def test_a_worktree_without_changes_leaves_no_session(services: TempServices, repository: Repository) -> None:
    worktree = await made(services, repository, "one")
    (worktree.path / "large.bin").write_bytes(bytes(MOST_BYTES + 1))
    async with services.open() as sessions:
        outcome = await bring_back(sessions, worktree)
        assert (outcome.session, outcome.left_out) == (None, ("large.bin is larger than 10 MB",))
        assert (await sessions.list())[0] == []


@pytest.mark.skipif(os.name == "nt", reason="links as on POSIX")
async def test_no_change_comes_back_through_a_link_out_of_the_project(
    services: TempServices, repository: Repository, tmp_path: Path
) -> None:
    worktree = await made(services, repository, "one")
    repository.put("dir/new.txt", "new\n", worktree.path)
    (tmp_path / "outside").mkdir()
    (repository.top / "dir").symlink_to(tmp_path / "outside")
    async with services.open() as sessions:
        outcome = await bring_back(sessions, worktree)
        assert outcome.left_out == ("dir/new.txt lies outside of the opened folder",)


async def test_brought_changes_are_undone_like_a_turn_and_the_model_is_told_of_decisions(
    services: TempServices, repository: Repository
) -> None:
    worktree = await made(services, repository, "one")
    edited(worktree, 3, "THREE\n")
    async with services.open(services.script([{"text": "Fine."}])) as sessions:
        session = (await bring_back(sessions, worktree)).session
        assert session is not None
        (view,) = await session.change_set.views()
        await decide(session, whole(view, "accept"))
        assert [file.status for file in await session.undo()] == ["restored"]
        assert (repository.top / "shared.txt").read_text() == "".join(LINES)
        await session.redo()
        assert "THREE\n" in (repository.top / "shared.txt").read_text()
        result = await session.prompt([TextPart(text="Go on.")])
        assert result.stop_reason == "end_turn"
        assert "Bring back the changes of the worktree one" in str(session.messages[0])
        assert told(session)


async def test_a_list_says_that_a_worktree_is_brought_back(services: TempServices, repository: Repository) -> None:
    worktree = await made(services, repository, "one")
    edited(worktree, 3, "THREE\n")
    async with services.open() as sessions:
        await bring_back(sessions, worktree)
    (listed,) = await list_worktrees(services.locations.worktrees, repository.top)
    assert (listed.state, listed.has_work) == ("brought back", False)
