"""Worktrees are listed with their state, and removed without losing anything unasked."""

import os
import shutil
from pathlib import Path

import pytest

from placet.core.errors import RequestError
from placet.worktrees.branch import commit_changes
from placet.worktrees.create import create_worktree, note_brought
from placet.worktrees.difference import MOST_BYTES, Content, difference
from placet.worktrees.listing import find_worktree, list_worktrees, orphans
from placet.worktrees.records import Worktree
from placet.worktrees.remove import remove_worktree
from worktree_support import Repository
from worktree_support.fixtures import repository as repository


@pytest.fixture
async def worktree(repository: Repository) -> Worktree:
    repository.put("untracked.txt", "taken along\n")
    return (await create_worktree(repository.home, repository.top, "one", takes_changes=True)).worktree


async def state_of(repository: Repository) -> list[tuple[str, str, int]]:
    listed = await list_worktrees(repository.home, repository.top)
    return [(entry.worktree.name, entry.state, entry.changed_files) for entry in listed]


async def test_a_list_says_what_has_changed_since_the_base(repository: Repository, worktree: Worktree) -> None:
    await create_worktree(repository.home, repository.top, "two")
    assert await state_of(repository) == [("one", "unchanged", 0), ("two", "unchanged", 0)]
    repository.put("a.txt", "changed\n", worktree.path)
    repository.put("new.txt", "new\n", worktree.path)
    repository.put("x.log", "ignored\n", worktree.path)
    assert await state_of(repository) == [("one", "changed", 2), ("two", "unchanged", 0)]
    await note_brought(worktree, (await difference(worktree)).tree)
    assert (await state_of(repository))[0] == ("one", "brought back", 2)
    repository.put("a.txt", "changed again\n", worktree.path)
    assert (await state_of(repository))[0] == ("one", "changed", 2)


async def test_a_worktree_is_found_by_its_name_its_path_and_from_inside(
    repository: Repository, worktree: Worktree
) -> None:
    assert await find_worktree(repository.home, repository.top, "ONE") == worktree
    assert await find_worktree(repository.home, repository.top, str(worktree.path)) == worktree
    assert await find_worktree(repository.home, worktree.path, "one") == worktree
    with pytest.raises(RequestError, match="no worktree 'three'"):
        await find_worktree(repository.home, repository.top, "three")


async def test_a_worktree_without_changes_is_removed_with_its_branch(
    repository: Repository, worktree: Worktree
) -> None:
    repository.put("x.log", "ignored\n", worktree.path)
    removed = await remove_worktree(worktree)
    assert removed.kept_branch == ""
    assert not worktree.path.exists()
    assert not worktree.path.parent.exists()
    assert repository.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert len(repository.git("worktree", "list").splitlines()) == 1


async def test_a_worktree_with_changes_is_removed_only_by_force(repository: Repository, worktree: Worktree) -> None:
    repository.put("new.txt", "new\n", worktree.path)
    with pytest.raises(RequestError, match="has changes that were not brought back"):
        await remove_worktree(worktree)
    assert (worktree.path / "new.txt").exists()
    await remove_worktree(worktree, force=True)
    assert not worktree.path.exists()


async def test_a_branch_with_commits_of_its_own_outlives_the_worktree(
    repository: Repository, worktree: Worktree
) -> None:
    repository.put("new.txt", "new\n", worktree.path)
    commit = repository.commit("Work", worktree.path)
    removed = await remove_worktree(worktree, force=True)
    assert removed.kept_branch == "placet/one"
    assert repository.git("rev-parse", "placet/one") == commit
    with pytest.raises(RequestError, match="already"):
        await create_worktree(repository.home, repository.top, "one")


async def test_a_merged_branch_goes_with_the_worktree(repository: Repository) -> None:
    worktree = (await create_worktree(repository.home, repository.top, "one")).worktree
    repository.put("new.txt", "new\n", worktree.path)
    repository.commit("Work", worktree.path)
    repository.git("merge", "--quiet", "--ff-only", "placet/one")
    assert (await remove_worktree(worktree, force=True)).kept_branch == ""


async def test_a_worktree_whose_directory_is_gone_is_an_orphan_and_can_be_removed(
    repository: Repository, worktree: Worktree
) -> None:
    shutil.rmtree(worktree.path)
    assert [(orphan.path, orphan.reason) for orphan in orphans(repository.home)] == [
        (worktree.path, "the directory is gone")
    ]
    assert await state_of(repository) == [("one", "directory gone", 0)]
    await remove_worktree(worktree)
    assert orphans(repository.home) == []
    assert len(repository.git("worktree", "list").splitlines()) == 1


async def test_a_worktree_whose_repository_is_gone_is_an_orphan_and_removed_only_by_force(
    repository: Repository, worktree: Worktree, tmp_path: Path
) -> None:
    shutil.rmtree(repository.top)
    assert [orphan.reason for orphan in orphans(repository.home)] == [f"its repository {repository.top} is gone"]
    found = await find_worktree(repository.home, tmp_path, str(worktree.path))
    with pytest.raises(RequestError, match="is gone"):
        await remove_worktree(found)
    await remove_worktree(found, force=True)
    assert not worktree.path.exists()


async def test_a_directory_without_a_record_is_an_orphan(repository: Repository, worktree: Worktree) -> None:
    worktree.record.write_text("{")
    assert [(orphan.path, orphan.reason) for orphan in orphans(repository.home)] == [
        (worktree.path, "its record is gone")
    ]


async def test_the_difference_holds_committed_and_uncommitted_changes_but_nothing_taken_along(
    repository: Repository,
) -> None:
    repository.put("long.txt", "".join(f"line {number}\n" for number in range(30)))
    repository.put("gone.txt", "gone\n")
    repository.commit("More")
    repository.put("untracked.txt", "taken along\n")
    worktree = (await create_worktree(repository.home, repository.top, takes_changes=True)).worktree
    repository.put("a.txt", "one\n2\nthree\n", worktree.path)
    repository.commit("Work", worktree.path)
    (worktree.path / "gone.txt").unlink()
    (worktree.path / "long.txt").rename(worktree.path / "renamed.txt")
    repository.put("new.txt", "né\n", worktree.path)
    (worktree.path / "image.bin").write_bytes(b"\0\1")
    changes = await difference(worktree)
    assert [(text.kind, text.name, text.new_name) for text in changes.texts] == [
        ("modify", "a.txt", ""),
        ("delete", "gone.txt", ""),
        ("create", "new.txt", ""),
        ("rename", "long.txt", "renamed.txt"),
    ]
    modified, created = changes.texts[0], changes.texts[2]
    assert (modified.base and modified.base.text, modified.present and modified.present.text) == (
        "one\ntwo\nthree\n",
        "one\n2\nthree\n",
    )
    assert created.present is not None
    assert created.present.text == "né\n"
    assert [content.name for content in changes.contents] == ["image.bin"]


@pytest.mark.skipif(os.name == "nt", reason="permissions and links as on POSIX")
async def test_links_permissions_and_files_that_are_no_text_are_in_the_difference(
    repository: Repository, worktree: Worktree
) -> None:
    (worktree.path / "link").symlink_to("a.txt")
    (worktree.path / "a.txt").chmod(0o755)
    repository.put("run.sh", "#!/bin/sh\n", worktree.path).chmod(0o755)
    (worktree.path / "image.bin").write_bytes(b"\0\1")
    (worktree.path / "large.bin").write_bytes(bytes(MOST_BYTES + 1))
    changes = await difference(worktree)
    assert [(text.kind, text.name, text.is_executable) for text in changes.texts] == [
        ("modify", "a.txt", True),
        ("create", "run.sh", True),
    ]
    assert [(content.kind, content.name, content.present) for content in changes.contents] == [
        ("create", "image.bin", Content(b"\0\1")),
        ("create", "link", Content(b"a.txt", is_link=True)),
    ]
    assert changes.left_out == ("large.bin is larger than 10 MB",)


async def test_uncommitted_changes_are_committed_on_the_branch(repository: Repository, worktree: Worktree) -> None:
    repository.put("new.txt", "new\n", worktree.path)
    assert await commit_changes(worktree, "Work of one") == ("placet/one", True)
    assert repository.git("status", "--porcelain", top=worktree.path) == ""
    assert repository.git("log", "-1", "--format=%s by %an", "placet/one") == "Work of one by Ada"
    assert repository.git("show", "placet/one:new.txt") == "new"
    assert await commit_changes(worktree, "Again") == ("placet/one", False)
