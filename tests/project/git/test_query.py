"""git asked for what it knows: no program that a repository names is run by it."""

import os
from pathlib import Path

import pytest

from corpus_support import corpus
from hostile_support import HostileRepository
from placet.project.git.query import git
from placet.project.processes.programs import find_program

pytestmark = pytest.mark.skipif(os.name == "nt", reason="programs are made as shell scripts")

DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")


def repository_in(tmp_path: Path) -> HostileRepository:
    return HostileRepository(tmp_path)


@pytest.fixture
def repository(tmp_path: Path) -> HostileRepository:
    return repository_in(tmp_path)


@corpus(
    "arguments",
    [DIFF, (*DIFF, "--cached"), ("diff-files", "--name-only"), ("log", "--format=%s"), ("ls-files", "-s"), ("status",)],
    repository=repository_in,
)
async def test_no_program_of_its_configuration_is_run(
    repository: HostileRepository, arguments: tuple[str, ...]
) -> None:
    output = await git(repository.folder, *arguments)
    assert output is not None
    assert repository.ran() == set()


async def test_what_has_changed_is_told_without_the_filters_of_the_repository(repository: HostileRepository) -> None:
    output = await git(repository.folder, *DIFF)
    assert output is not None
    assert output.count(b"+world") == 2


async def test_the_users_own_filters_are_used(
    repository: HostileRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "gitconfig"
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    own.write_text('[filter "own"]\n\tclean = sed s/world/earth/\n')
    repository.put(".gitattributes", "*.txt filter=own\n")
    output = await git(repository.folder, *DIFF)
    assert output is not None
    assert b"+earth" in output


async def test_where_the_filters_cannot_be_listed_nothing_is_told_and_none_is_run(
    repository: HostileRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = find_program("git")
    own = tmp_path / "bin" / "git"
    own.parent.mkdir()
    own.write_text(f'#!/bin/sh\ncase "$*" in *" config "*) exit 1 ;; esac\nexec "{program}" "$@"\n')
    own.chmod(0o755)
    monkeypatch.setenv("PATH", str(own.parent), prepend=os.pathsep)
    assert await git(repository.folder, *DIFF) is None
    assert await git(repository.folder, "log", "--format=%s") is not None
    assert repository.ran() == set()


async def test_what_a_partial_clone_lacks_is_not_fetched(repository: HostileRepository) -> None:
    repository.configure("core.repositoryFormatVersion", "1")
    repository.configure("extensions.partialClone", "origin")
    repository.configure("remote.origin.promisor", "true")
    repository.configure("remote.origin.url", f"ext::{repository.program('.git/remote', 'remote')}")
    repository.configure("protocol.ext.allow", "always")
    assert await git(repository.folder, "cat-file", "blob", "1" * 40) is None
    assert repository.ran() == set()


def test_a_program_is_not_taken_from_the_working_directory(
    repository: HostileRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    monkeypatch.setenv("PATH", os.pathsep.join((".", "bin", "", "node_modules/.bin")))
    assert find_program("git") is None
    monkeypatch.setenv("PATH", os.pathsep.join(("bin", str(repository.folder / "bin"))))
    assert find_program("git") == str(repository.folder / "bin" / "git")
