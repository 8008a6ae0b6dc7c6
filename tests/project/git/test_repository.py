import os
import subprocess
from pathlib import Path

import pytest

from placet.project.git.repository import Repository, repository_of


def git(directory: Path, *arguments: str) -> None:
    author = ("-c", "user.name=A", "-c", "user.email=a@b.c")
    subprocess.run(["git", *author, *arguments], cwd=directory, check=True, capture_output=True)


def test_a_repository_is_found_from_within_and_names_its_branch(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "feature/long")
    (tmp_path / "a/b").mkdir(parents=True)
    assert repository_of(tmp_path / "a/b") == Repository(tmp_path, "feature/long")


def test_a_commit_that_is_checked_out_is_no_branch(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "one")
    git(tmp_path, "checkout", "-q", "--detach")
    assert repository_of(tmp_path) == Repository(tmp_path, "")


def test_a_worktree_has_a_branch_of_its_own(tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q", "-b", "main")
    git(main, "commit", "-q", "--allow-empty", "-m", "one")
    git(main, "worktree", "add", "-q", "-b", "side", "../side")
    assert repository_of(tmp_path / "side") == Repository(tmp_path / "side", "side")


def test_outside_of_a_repository_there_is_none(tmp_path: Path) -> None:
    assert repository_of(tmp_path) is None


def test_what_only_looks_like_a_repository_is_no_error(tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(b"\xff gitdir nowhere\0"[:14])
    assert repository_of(tmp_path) == Repository(tmp_path, "")


@pytest.mark.skipif(os.name == "nt", reason="no pipes in the file system")
def test_a_pipe_in_place_of_the_head_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    assert repository_of(tmp_path) == Repository(tmp_path, "")
