"""The rows of rows.py inside Landlock; rows that Landlock does not stop are marked in the table."""

import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest

from placet.sandbox.containment import Containment
from placet.sandbox.fallbacks import landlock_launcher
from placet.sandbox.fallbacks.landlock import (
    Surroundings,
    landlock_abi,
    landlock_rules,
    launcher_words,
    system_directories,
    unusable,
)
from sandbox.rows import ESCAPES, QUICK_WORKS, SLOW_WORKS, BackendName
from sandbox.runners import ONE_USER, USERS, Outcome, judge_escapes, judge_works
from sandbox.scene import Scene, scene
from time_support import wait_seconds

pytestmark = [
    pytest.mark.skipif(landlock_abi() < 6, reason="the rows are those of a kernel whose Landlock has scopes"),
    pytest.mark.skipif(unusable(landlock_abi()) is not None, reason=str(unusable(landlock_abi()))),
    pytest.mark.skipif(shutil.which("git") is None, reason="needs git"),
]
_SECRETS = (
    *(".ssh", ".aws", ".config/gh", ".netrc", ".npmrc", ".bash_history", ".local/share/keyrings", ".config/placet"),
    *(".local/share/placet", ".local/state/placet", ".cache/placet"),
)


class LandlockRunner:
    """Runs a line in the scene by the launcher, in a directory for temporary files beside the scene's home."""

    backend: BackendName = "landlock"

    async def run(self, scene: Scene, line: str, directory: Path, *, only_reads: bool = False) -> Outcome:
        return await asyncio.to_thread(self._run, scene, line, directory, only_reads)

    def _run(self, scene: Scene, line: str, directory: Path, only_reads: bool) -> Outcome:
        temporary, caches = scene.base / "tmp", scene.base / "caches"
        for path in (temporary, caches):
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir()
            path.chmod(0o777)
        launcher = shutil.copy(landlock_launcher.__file__, scene.base)
        containment = Containment(
            roots=scene.roots,
            writable=() if only_reads else scene.roots,
            unreadable=(*(scene.home / name for name in _SECRETS), Path("/etc/shadow")),
        )
        surroundings = Surroundings(
            abi=landlock_abi(),
            home=scene.home,
            system=system_directories(),
            programs=(Path(scene.python).parent, Path(scene.python).resolve().parent),
            temporary=temporary,
            caches=(caches,),
            git_directories=(scene.home / "work/main/.git",),
        )
        words = launcher_words(landlock_rules(containment, surroundings), python="/usr/bin/python3")
        words = tuple(launcher if word == landlock_launcher.__file__ else word for word in words)
        process = subprocess.run(
            (*scene.prefix, *words, "bash", "-c", line),
            cwd=directory,
            env={
                **scene.environment,
                **{name: str(caches) for name in ("XDG_CACHE_HOME", "npm_config_cache")},
                "TMPDIR": str(temporary),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=wait_seconds(),
            check=False,
        )
        return Outcome(process.returncode, process.stdout.decode("utf-8", "replace"))


@pytest.mark.parametrize("as_plain_user", USERS)
async def test_no_attempt_escapes_from_landlock(as_plain_user: bool) -> None:
    with scene(as_plain_user=as_plain_user) as made:
        await judge_escapes(ESCAPES, LandlockRunner(), made)


@pytest.mark.parametrize("as_plain_user", ONE_USER)
async def test_work_is_done_inside_of_landlock(as_plain_user: bool) -> None:
    with scene(as_plain_user=as_plain_user) as made:
        await judge_works(QUICK_WORKS, LandlockRunner(), made)


@pytest.mark.parametrize("as_plain_user", ONE_USER)
async def test_slow_work_is_done_inside_of_landlock(as_plain_user: bool) -> None:
    with scene(as_plain_user=as_plain_user) as made:
        await judge_works(SLOW_WORKS, LandlockRunner(), made)
