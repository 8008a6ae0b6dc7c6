"""Clone of a task: a repository of its own, which borrows the objects of the source and shares nothing else."""

import asyncio
import hashlib
import os
import shutil
from contextlib import suppress
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from msgspec import Struct

from placet.core.errors import RequestError
from placet.core.executor import in_thread
from placet.fleet.tasks import FleetTask
from placet.project.file_lock import awaited_lock
from placet.project.git.repository import repository_of
from placet.project.git.work import git_work, reason_of, text_of
from placet.project.paths import real
from placet.project.processes.child import end_at_once, started
from placet.project.processes.environment import without_secrets
from placet.project.processes.programs import find_program
from placet.worktrees.present_tree import PLACET, present_tree

_FETCHED = {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh"}
_FETCH_SECONDS = 1800.0


class Clone(Struct, frozen=True):
    top: Path
    directory: Path
    """Directory of the task's work: the top, or the folder of the source below the top."""
    base: str
    """Commit on which the changes stand."""


def folder_name(task: FleetTask) -> str:
    """Return the name of the clone's folder: the name of the source."""
    name = task.path.name if task.path is not None else PurePosixPath(urlsplit(task.repository or "").path).name
    return name.removesuffix(".git") or "project"


async def make_clone(task: FleetTask, top: Path, home: Path) -> Clone:
    """Return the clone of the task at `top`, a new directory. `home` keeps fetched repositories.

    No hook and no filter of the source runs. Raises RequestError.
    """
    top.mkdir(parents=True)
    top = await in_thread(real, top)
    await git_work(top, "init", "--quiet", "--template=", "--initial-branch=main")
    if task.repository is not None:
        mirror = await _mirror(task.repository, task.commit, home)
        return Clone(top, top, await _check_out(top, mirror, mirror / ".git", task.commit or "FETCH_HEAD"))
    if task.path is None:
        return Clone(top, top, await _first_commit(top))
    if not task.path.is_dir():
        raise RequestError(f"{task.path} is no directory.")
    source = await in_thread(lambda: repository_of(real(task.path or top)))
    if source is None:
        if task.commit is not None:
            raise RequestError(f"{task.path} is in no git repository, and has no commit {task.commit}.")
        await in_thread(lambda: shutil.copytree(task.path or top, top, symlinks=True, dirs_exist_ok=True))
        return Clone(top, top, await _first_commit(top))
    common = await git_work(source.top, "rev-parse", "--git-common-dir")
    directory = await in_thread(lambda: real(source.top / text_of(common)))
    base = await _check_out(top, source.top, directory, task.commit or "HEAD")
    inner = real(task.path).relative_to(real(source.top))
    return Clone(top, top / inner, base)


async def patch_of(clone: Clone) -> bytes:
    """Return the changes of the files since the base, committed or not, for `git apply`. Raises RequestError."""
    tree = await present_tree(clone.top)
    return await git_work(clone.top, "diff-tree", "-p", "--binary", "--full-index", "--no-ext-diff", clone.base, tree)


async def _first_commit(top: Path) -> str:
    tree = await present_tree(top)
    return await _at(top, text_of(await git_work(top, "commit-tree", tree, "-m", "Start", variables=PLACET)))


async def _check_out(top: Path, repository: Path, directory: Path, revision: str) -> str:
    """Check the revision out; the objects come from the git directory `directory`."""
    name = await git_work(repository, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    alternates = top / ".git" / "objects" / "info" / "alternates"
    alternates.parent.mkdir(parents=True, exist_ok=True)
    await in_thread(lambda: alternates.write_bytes(os.fsencode(directory / "objects") + b"\n"))
    return await _at(top, text_of(name))


async def _at(top: Path, commit: str) -> str:
    await git_work(top, "update-ref", "HEAD", commit)
    await git_work(top, "read-tree", "--reset", "-u", commit)
    return commit


async def _mirror(address: str, commit: str | None, home: Path) -> Path:
    """Return a repository without files that has the commit, fetched if the repository does not have the commit yet."""
    mirror = home / "repositories" / hashlib.sha256(address.encode()).hexdigest()[:16]

    async with awaited_lock(mirror.with_suffix(".lock")):
        if not (mirror / ".git" / "HEAD").exists():
            mirror.mkdir(parents=True, exist_ok=True)
            await git_work(mirror, "init", "--quiet", "--template=")
        if commit is not None:
            with suppress(RequestError):
                await git_work(mirror, "rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}")
                return mirror
        await _fetch(mirror, address, commit)
    return mirror


async def _fetch(mirror: Path, address: str, commit: str | None) -> None:
    """Fetch branches, tags and HEAD, or a commit. Raises RequestError."""
    options = ("--no-recurse-submodules", "--force", "--update-head-ok", "--end-of-options", address)
    wanted = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
    if (program := await in_thread(find_program, "git")) is None:
        raise RequestError("git is not installed.")
    start = asyncio.create_subprocess_exec(
        *(program, "-c", "core.hooksPath=/dev/null", "fetch", "--quiet", *options, *wanted, "HEAD"),
        cwd=mirror,
        env={**without_secrets(os.environ), **_FETCHED},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    process = await started(start)
    try:
        async with asyncio.timeout(_FETCH_SECONDS):
            _, errors = await process.communicate()
    except TimeoutError:
        raise RequestError(f"git fetch took longer than {_FETCH_SECONDS:g} seconds.") from None
    finally:
        await end_at_once(process)
    if process.returncode != 0:
        raise RequestError(f"git fetch failed: {reason_of(errors) or f'exit code {process.returncode}'}")
