"""Environment of Harbor without containers: each command runs under bubblewrap, with the directories of a trial in a
temporary directory. Harbor imports the file; the file imports nothing of Placet.
"""

import asyncio
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities

_OWN = ("logs/agent", "logs/verifier", "logs/artifacts", "app", "installed-agent", "tests", "home", "tmp")
_SYSTEM = ("/usr", "/etc", "/opt", "/bin", "/lib", "/lib64", "/sbin")


class BubblewrapEnvironment(BaseEnvironment):
    """Environment of one trial. `PLACET_TEST_HARBOR_BINDS` names further directories, seen at their own paths."""

    capabilities = EnvironmentCapabilities()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._root = Path(tempfile.mkdtemp(prefix="placet-harbor-"))

    @staticmethod
    def type() -> str:
        return "bubblewrap"

    def _validate_definition(self) -> None:
        pass

    async def start(self, force_build: bool) -> None:
        for directory in _OWN:
            (self._root / directory).mkdir(parents=True, exist_ok=True)

    async def stop(self, delete: bool) -> None:
        shutil.rmtree(self._root, ignore_errors=True)

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        target = self._inside(target_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source_path, target)

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        shutil.copytree(source_dir, self._inside(target_dir), dirs_exist_ok=True)

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        shutil.copy(self._inside(source_path), target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        shutil.copytree(self._inside(source_dir), target_dir, dirs_exist_ok=True)

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        binds = [part for name in _OWN for part in ("--bind", str(self._root / name), f"/{name}")]
        binds += [part for path in _SYSTEM for part in ("--ro-bind-try", path, path)]
        further = os.environ.get("PLACET_TEST_HARBOR_BINDS", "").split(":")
        binds += [part for path in further if path for part in ("--ro-bind", path, path)]
        process = await asyncio.create_subprocess_exec(
            *("bwrap", "--dev", "/dev", "--proc", "/proc", *binds, "--chdir", cwd or "/app", "--die-with-parent"),
            *("sh", "-c", command),
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/home", **(self._merge_env(env) or {})},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, errors = await asyncio.wait_for(process.communicate(), timeout_sec)
        return ExecResult(stdout=out.decode(), stderr=errors.decode(), return_code=process.returncode or 0)

    def _inside(self, path: str) -> Path:
        return self._root / path.lstrip("/")
