"""A new worktree has the files of the commit or of the user's tree, and leaves the user's tree as it is."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import Any

import pytest

from corpus_support import corpus
from hostile_support import HostileRepository
from placet.core.errors import RequestError
from placet.core.executor import in_thread
from placet.project.file_lock import claim_lock
from placet.project.paths import real
from placet.worktrees import create, git_worktree
from placet.worktrees.create import create_worktree
from placet.worktrees.difference import difference
from placet.worktrees.included_files import FILE_NAME
from placet.worktrees.listing import list_worktrees
from placet.worktrees.names import as_name, checked
from placet.worktrees.present_tree import present_tree
from placet.worktrees.records import PORTS, worktree_at
from placet.worktrees.unwritten_files import UnwrittenFile
from worktree_support import Repository
from worktree_support.fixtures import repository as repository

POSIX = pytest.mark.skipif(os.name == "nt", reason="links and programs as on POSIX")


async def test_a_worktree_stands_on_a_branch_of_its_own_from_the_last_commit(repository: Repository) -> None:
    repository.put("a.txt", "changed\n")
    created = await create_worktree(repository.home, repository.top, "Fix-1")
    path = created.worktree.path
    assert path.is_relative_to(repository.home)
    assert repository.git("symbolic-ref", "--short", "HEAD", top=path) == "placet/Fix-1"
    assert (path / "a.txt").read_text() == "one\ntwo\nthree\n"
    assert repository.git("status", "--porcelain", top=path) == ""
    assert not created.takes_changes
    assert (repository.top / "a.txt").read_text() == "changed\n"


async def test_uncommitted_and_untracked_files_are_taken_along_uncommitted(repository: Repository) -> None:
    repository.put("b.txt", "staged\n")
    repository.git("add", "b.txt")
    repository.put("a.txt", "changed\n")
    repository.put("dir/new.txt", "untracked\n")
    repository.put("x.log", "ignored\n")
    before = repository.git("status", "--porcelain")
    created = await create_worktree(repository.home, repository.top, takes_changes=True)
    path = created.worktree.path
    assert created.takes_changes
    assert {name: (path / name).read_text() for name in ("a.txt", "b.txt", "dir/new.txt")} == {
        "a.txt": "changed\n",
        "b.txt": "staged\n",
        "dir/new.txt": "untracked\n",
    }
    assert not (path / "x.log").exists()
    assert repository.git("rev-parse", "HEAD", top=path) == repository.git("rev-parse", "HEAD")
    assert repository.git("diff", "--name-only", top=path) == "a.txt"
    assert repository.git("status", "--porcelain") == before


async def test_a_deleted_file_is_taken_along_as_deleted(repository: Repository) -> None:
    (repository.top / "a.txt").unlink()
    created = await create_worktree(repository.home, repository.top, takes_changes=True)
    assert not (created.worktree.path / "a.txt").exists()


@POSIX
async def test_unwritten_files_are_taken_along_in_place_of_the_files_on_the_disk(repository: Repository) -> None:
    top = repository.top
    repository.put("run.sh", "one\n").chmod(0o755)
    repository.put("old/a", "old\n")
    repository.put(".gitattributes", "*.bat text eol=crlf\n")
    repository.commit("More")
    repository.put("inner/b.txt", "inner\n")
    repository.git("init", "--quiet", top=top / "inner")
    repository.commit("Inner", top=top / "inner")
    files = {
        "a.txt": b"staged\n",
        "run.sh": b"two\n",
        "old/a": None,
        "old": b"a file in the place of a directory\n",
        "new/tool": b"tool\n",
        "x.bat": b"echo\r\n",
        "x.log": b"ignored\n",
        "inner/b.txt": b"of another repository\n",
        "../outside.txt": b"outside\n",
        ".git/config": b"[core]\n",
    }
    modes = {"new/tool": 0o755}
    unwritten = [UnwrittenFile(real(top / name), data, modes.get(name)) for name, data in files.items()]
    before = repository.git("status", "--porcelain")

    worktree = (await create_worktree(repository.home, top, takes_changes=True, unwritten=unwritten)).worktree

    path = worktree.path
    names = ("a.txt", "run.sh", "old", "new/tool", "x.bat")
    assert {name: (path / name).read_bytes() for name in names} == {name: files[name] for name in names}
    assert [os.access(path / name, os.X_OK) for name in names] == [False, True, False, True, False]
    assert not any((path / name).exists() for name in ("x.log", "inner/b.txt", "outside.txt"))
    assert repository.git("cat-file", "-p", f"{worktree.base}:x.bat") == "echo"
    assert repository.git("status", "--porcelain") == before
    assert (await difference(worktree)).texts == ()


async def test_the_base_survives_the_garbage_collection_of_git(repository: Repository) -> None:
    repository.put("new.txt", "untracked\n")
    created = await create_worktree(repository.home, repository.top, takes_changes=True)
    repository.git("gc", "--quiet", "--prune=now")
    assert repository.git("cat-file", "-t", created.worktree.base) == "commit"


async def test_ignored_files_named_in_worktreeinclude_are_copied_and_no_others(repository: Repository) -> None:
    repository.put(FILE_NAME, "*.log\n!secret.log\n.env\nplain.txt\n")
    for name in (".env", "logs/a.log", "logs/secret.log", "build/out", "plain.txt"):
        repository.put(name, name)
    created = await create_worktree(repository.home, repository.top)
    path = created.worktree.path
    assert (created.copied.files, created.copied.left_out) == (2, ())
    assert (path / ".env").read_text() == ".env"
    assert (path / "logs/a.log").read_text() == "logs/a.log"
    assert not any((path / name).exists() for name in ("logs/secret.log", "build/out", "plain.txt"))


async def test_a_file_below_a_named_directory_can_be_taken_out_again(repository: Repository) -> None:
    repository.put(FILE_NAME, "logs/\n!logs/secret.log\n")
    for name in ("logs/a.log", "logs/secret.log"):
        repository.put(name, name)
    created = await create_worktree(repository.home, repository.top)
    assert (created.worktree.path / "logs/a.log").exists()
    assert not (created.worktree.path / "logs/secret.log").exists()


async def test_a_pattern_that_cannot_be_used_is_reported_and_the_others_count(repository: Repository) -> None:
    repository.put(FILE_NAME, f"{'*a' * 25_000}\n*.log\n" + "*a*a" * 100 + "*b.log\n")
    repository.put(f"{'a' * 200}.log", "text")
    created = await create_worktree(repository.home, repository.top)
    assert created.copied.files == 1
    assert created.copied.left_out == (f"{FILE_NAME}: line 1 has more than 500 characters",)


async def test_an_endless_file_of_patterns_names_nothing(repository: Repository) -> None:
    repository.put(FILE_NAME, "*.log\n" * 50_000)
    repository.put("a.log", "text")
    created = await create_worktree(repository.home, repository.top)
    assert created.copied.files == 0
    assert created.copied.left_out == (f"{FILE_NAME} cannot be read: it is larger than 65536 bytes",)


async def test_patterns_that_take_too_long_name_no_further_files(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("placet.worktrees.included_files.MATCHING_SECONDS", -1.0)
    repository.put(FILE_NAME, "*.log\n")
    repository.put("a.log", "text")
    created = await create_worktree(repository.home, repository.top)
    assert created.copied.files == 0
    assert created.copied.left_out == (f"a.log and later files: the patterns of {FILE_NAME} take too long",)


@POSIX
async def test_no_link_leads_a_copy_out_of_the_repository(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "key.log").write_text("secret")
    (repository.top / "out.log").symlink_to(tmp_path / "outside" / "key.log")
    repository.put("own.log", "own")
    (repository.top / "in.log").symlink_to("own.log")
    repository.put(FILE_NAME, "*.log\n")
    created = await create_worktree(repository.home, repository.top)
    path = created.worktree.path
    assert not os.path.lexists(path / "out.log")
    assert created.copied.left_out == ("out.log leads out of the repository",)
    assert (path / "in.log").resolve() == path / "own.log"


@POSIX
async def test_no_copy_is_written_through_a_link_of_the_commit(repository: Repository, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (repository.top / "logs").symlink_to(outside)
    repository.commit("A link")
    (repository.top / "logs").unlink()
    repository.put("logs/a.log", "text")
    repository.put(FILE_NAME, "*.log\n")
    created = await create_worktree(repository.home, repository.top)
    assert created.copied.left_out == ("logs/a.log would lead out of the worktree",)
    assert list(outside.iterdir()) == []


@POSIX
async def test_no_program_of_the_repository_runs(tmp_path: Path) -> None:
    hostile = HostileRepository(tmp_path)
    created = await create_worktree(tmp_path / "home", hostile.folder, takes_changes=True)
    assert (created.worktree.path / "a.txt").exists()
    assert hostile.ran() == set()


async def test_a_repository_without_a_commit_has_no_worktree(tmp_path: Path, repository: Repository) -> None:
    shutil.rmtree(repository.top / ".git")
    repository.git("init", "--quiet")
    with pytest.raises(RequestError, match="has no commit yet"):
        await create_worktree(repository.home, repository.top)
    assert not list(tmp_path.glob("placet-worktrees/*/*"))


async def test_outside_of_a_repository_there_is_no_worktree(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="in no git repository"):
        await create_worktree(tmp_path / "home", tmp_path)


async def test_a_failed_worktree_leaves_nothing(repository: Repository) -> None:
    repository.put(FILE_NAME, "*\n")
    # The path is too long for every system, so that git fails in the middle.
    with pytest.raises(RequestError):
        await create_worktree(repository.home / ("x" * 300), repository.top, "one")
    # git checks the files out, and fails at a missing object.
    blob = repository.git("rev-parse", "HEAD:a.txt")
    (repository.top / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(RequestError, match=r"read-tree failed"):
        await create_worktree(repository.home, repository.top, "two")
    assert list(repository.home.glob("*/*")) == []
    assert repository.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert len(repository.git("worktree", "list").splitlines()) == 1


async def test_worktrees_made_at_the_same_time_have_names_and_ports_of_their_own(repository: Repository) -> None:
    made = await asyncio.gather(*(create_worktree(repository.home, repository.top) for _ in range(16)))
    worktrees = [created.worktree for created in made]
    assert {worktree.name for worktree in worktrees} == {f"work-{number}" for number in range(1, 17)}
    ports = sorted(worktree.port for worktree in worktrees)
    assert all(later - earlier >= PORTS for earlier, later in pairwise(ports))


async def test_a_directory_inside_knows_its_worktree(repository: Repository) -> None:
    worktree = (await create_worktree(repository.home, repository.top, "one")).worktree
    assert worktree_at(repository.home, worktree.path / "sub" / "dir") == worktree
    assert worktree_at(repository.home, repository.top) is None


async def test_a_variable_of_a_hook_leads_to_no_other_repository(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    created = await create_worktree(repository.home, repository.top, "one", takes_changes=True)
    assert (created.worktree.path / "a.txt").exists()


@corpus("name", ["", "../x", "a/b", "-x", "a.lock", "CON", "nul", "com1", "x" * 41, "a b", "ä", "."])
def test_a_name_fits_every_system(name: str) -> None:
    with pytest.raises(RequestError, match="cannot name a worktree"):
        checked(name, ())


def test_names_that_differ_in_case_alone_are_one_name() -> None:
    with pytest.raises(RequestError, match="already"):
        checked("Fix", ("fix",))


@pytest.mark.parametrize(("text", "name"), [("my repo!", "my-repo"), ("con", "repository-con"), ("äö", "repository")])
def test_the_directory_of_a_repository_fits_every_system(text: str, name: str) -> None:
    assert as_name(text) == name


@pytest.mark.parametrize("moment", ["copy_included", "free_name"])
async def test_a_worktree_whose_making_is_cancelled_again_and_again_leaves_nothing(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """The name is looked for by a thread, which a cancellation does not stop."""
    loop, has_come, may_go = asyncio.get_running_loop(), asyncio.Event(), Event()

    def wait(function: Callable[..., object], *arguments: object) -> object:
        loop.call_soon_threadsafe(has_come.set)
        may_go.wait()
        return function(*arguments)

    async def wait_in_thread(function: Callable[..., Awaitable[object]], *arguments: object) -> object:
        await asyncio.to_thread(wait, lambda: None)
        return await function(*arguments)

    function = getattr(create, moment)
    monkeypatch.setattr(create, moment, partial(wait if moment == "free_name" else wait_in_thread, function))
    making = asyncio.create_task(create_worktree(repository.home, repository.top))
    await has_come.wait()
    for _ in range(3):
        making.cancel()
        await asyncio.sleep(0)
    may_go.set()
    while not making.done():
        making.cancel()
        await asyncio.sleep(0)

    assert making.cancelled()
    assert await list_worktrees(repository.home, repository.top) == []
    assert [*repository.home.glob("*/*")] == []
    assert repository.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert repository.git("worktree", "list", "--porcelain").count("worktree ") == 1


async def test_a_look_at_the_present_files_that_is_cancelled_again_and_again_leaves_no_temporary_directory(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    loop, has_come, may_go, make = asyncio.get_running_loop(), asyncio.Event(), Event(), tempfile.mkdtemp

    def gated(*arguments: Any, **more: Any) -> str:
        loop.call_soon_threadsafe(has_come.set)
        if current_thread() is not main_thread():
            may_go.wait()
        return make(*arguments, **more)

    monkeypatch.setattr(tempfile, "mkdtemp", gated)
    looking = asyncio.create_task(present_tree(repository.top))
    await has_come.wait()
    for _ in range(3):
        looking.cancel()
        await asyncio.sleep(0)
    may_go.set()
    while not looking.done():
        looking.cancel()
        await asyncio.sleep(0)
    await in_thread(lambda: None)
    assert [*temporary.iterdir()] == []


async def test_a_lock_that_another_process_never_releases_is_not_waited_for_without_end(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    worktree = (await create_worktree(repository.home, repository.top)).worktree
    lock = claim_lock(worktree.path.parent.with_name(f"{worktree.path.parent.name}.lock"))
    assert lock is not None
    monkeypatch.setattr(git_worktree, "MOST_SECONDS", 0)
    with lock, pytest.raises(RequestError, match="is locked by another process"):
        await git_worktree.git_worktree(worktree, "prune")
