"""A worktree of Placet has the grants of its project, and no other directory has the grants of another's project."""

import os
import shutil
from pathlib import Path

import pytest

from placet.permissions.grants import Grants
from placet.permissions.grants_file import GrantsFile
from placet.project.paths import real
from placet.worktrees.counterpart import counterpart
from placet.worktrees.create import create_worktree
from placet.worktrees.records import Worktree
from worktree_support import Repository
from worktree_support.fixtures import repository as repository

POSIX = pytest.mark.skipif(os.name == "nt", reason="links as on POSIX")


@pytest.fixture
async def worktree(repository: Repository) -> Worktree:
    repository.put("sub/b.txt", "b\n")
    repository.commit("Sub")
    return (await create_worktree(repository.home, repository.top, "one")).worktree


def grants(repository: Repository, folder: Path) -> Grants:
    return Grants(GrantsFile(repository.home.parent / "grants.json"), [folder], repository.home)


def patterns(repository: Repository, folder: Path) -> list[str]:
    own = grants(repository, folder)
    own.refresh()
    return [grant.pattern for grant in own.holding("any")]


async def granted(repository: Repository, folder: Path, pattern: str = "make test") -> None:
    await grants(repository, folder).add("bash", [pattern], scope="project", session_id="one")


def other_repository(tmp_path: Path) -> Repository:
    directory = tmp_path / "elsewhere"
    directory.mkdir()
    return Repository(directory)


async def test_a_grant_for_the_project_holds_in_its_worktree_and_the_reverse(
    repository: Repository, worktree: Worktree
) -> None:
    await granted(repository, repository.top)
    await granted(repository, worktree.path, "make all")
    for folder in (repository.top, worktree.path):
        assert sorted(patterns(repository, folder)) == ["make all", "make test"]
    assert patterns(repository, worktree.path / "sub") == []
    await granted(repository, repository.top / "sub", "in sub")
    assert patterns(repository, worktree.path / "sub") == ["in sub"]


async def test_a_grant_is_revoked_from_the_worktree(repository: Repository, worktree: Worktree) -> None:
    await granted(repository, repository.top)
    own = grants(repository, worktree.path)
    own.refresh()
    (grant,) = own.holding("any")
    assert await own.revoke(grant.id)
    assert patterns(repository, repository.top) == []


async def test_folders_opened_later_have_the_grants_of_their_project(
    repository: Repository, worktree: Worktree
) -> None:
    await granted(repository, repository.top)
    own = grants(repository, repository.home.parent)
    own.open_in([worktree.path])
    own.refresh()
    assert [grant.pattern for grant in own.holding("any")] == ["make test"]


async def test_a_worktree_that_placet_has_not_made_has_no_grants_of_the_project(
    repository: Repository, tmp_path: Path
) -> None:
    await granted(repository, repository.top)
    repository.git("worktree", "add", "--quiet", str(tmp_path / "own"))
    assert patterns(repository, tmp_path / "own") == []


async def test_a_git_file_that_names_another_repository_has_none_of_its_grants(
    repository: Repository, worktree: Worktree, tmp_path: Path
) -> None:
    await granted(repository, repository.top)
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    shutil.copy2(worktree.path / ".git", hostile / ".git")
    assert patterns(repository, hostile) == []
    inside = repository.home / worktree.path.parent.name / "hostile"
    shutil.copytree(hostile, inside)
    assert patterns(repository, inside) == []
    shutil.copy2(worktree.record, inside.with_suffix(".json"))  # A copied record speaks of another directory.
    assert patterns(repository, inside) == []


async def test_a_worktree_that_has_become_another_repositorys_has_no_grants_of_either(
    repository: Repository, worktree: Worktree, tmp_path: Path
) -> None:
    other = other_repository(tmp_path)
    other.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    for project in (repository, other):
        await granted(repository, project.top, project.top.parent.name)
    assert len(patterns(repository, worktree.path)) == 1
    shutil.copy2(tmp_path / "linked" / ".git", worktree.path / ".git")
    assert patterns(repository, worktree.path) == []


@POSIX
async def test_a_link_in_a_worktree_leads_to_no_other_folder_of_the_project(
    repository: Repository, worktree: Worktree, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (worktree.path / "link").symlink_to(outside)
    (worktree.path / "away").mkdir()
    (repository.top / "away").symlink_to(outside)
    assert counterpart(repository.home, worktree.path / "away") == real(worktree.path / "away")
    assert counterpart(repository.home, worktree.path / "link") == real(outside)
    assert counterpart(repository.home, worktree.path / "sub") == real(repository.top / "sub")
