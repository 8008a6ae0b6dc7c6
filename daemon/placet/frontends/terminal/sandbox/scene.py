"""Scene of `placet sandbox test`: a scratch project, a secret, and services and processes outside of the sandbox."""

import asyncio
import os
import shutil
import sys
import tempfile
import uuid
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from msgspec import Struct

from placet.core.executor import in_thread
from placet.project.git.query import harmless_environment, harmless_git
from placet.project.paths import user_home
from placet.project.processes.child import Command, LastWords, ManagedChild
from placet.project.processes.environment import without_secrets
from placet.project.processes.programs import find_program


class Scene(Struct, frozen=True):
    """Places of the test; the directories are removed with the scene."""

    cache: Path
    """Directory for the caches of the sandbox under test."""
    project: Path
    secret: Path
    target: Path
    """File in the user's home that no attempt may create."""
    environment: dict[str, str]

    @property
    def planted(self) -> bool:
        """Return whether an attempt has left a trace on disk; the trace in the user's home is removed."""
        hook = self.project / ".git" / "hooks" / "post-commit"
        traces = [path for path in (self.target, hook) if path.exists()]
        for path in traces:
            path.unlink()
        return bool(traces)


@asynccontextmanager
async def scene(cache: Path) -> AsyncGenerator[Scene]:
    """Yield the scene, with the scratch project below the directory of caches."""
    name = f"test-{uuid.uuid4().hex[:12]}"
    base = cache / "sandbox" / name
    async with AsyncExitStack() as stack:
        stack.callback(shutil.rmtree, base, ignore_errors=True)
        project, secret = await in_thread(_made, base)
        await _initialize(project)
        temporary = stack.enter_context(tempfile.TemporaryDirectory(prefix="placet-"))
        socket = Path(temporary) / "socket"
        if hasattr(asyncio, "start_unix_server"):
            await stack.enter_async_context(await asyncio.start_unix_server(_hang_up, str(socket)))
        server = await stack.enter_async_context(await asyncio.start_server(_hang_up, "127.0.0.1", 0))
        witness = await _witness(stack, project)
        target = user_home() / f".placet-{name}"
        places = {
            "PYTHON": sys.executable,
            "TARGET": str(target),
            "SECRET": str(secret),
            "PROCESS": str(witness.process_id),
            "PORT": str(server.sockets[0].getsockname()[1]),
            "SOCKET": str(socket),
        }
        yield Scene(base, project, secret, target, {**without_secrets(os.environ), **places})


def _made(base: Path) -> tuple[Path, Path]:
    project, secret = base / "project", base / "secret"
    project.mkdir(parents=True)
    (project / "file.txt").write_text("a file\n", "utf-8")
    secret.write_text("MARKED\n", "utf-8")
    return project, secret


async def _initialize(project: Path) -> None:
    git = await in_thread(find_program, "git")
    if git is None:
        return
    process = await asyncio.create_subprocess_exec(
        *harmless_git(git, "init", "--quiet"),
        cwd=project,
        env=harmless_environment(),
        stderr=asyncio.subprocess.DEVNULL,
    )
    await process.wait()
    (project / ".git" / "hooks").mkdir(parents=True, exist_ok=True)


async def _witness(stack: AsyncExitStack, directory: Path) -> ManagedChild:
    """Start a process outside of the sandbox with a secret in its environment."""
    environment = {**without_secrets(os.environ), "PLACET_SANDBOX_TEST_SECRET": "1"}
    command = Command((sys.executable, "-I", "-S", "-c", "input()"), directory, environment)
    child = await ManagedChild.start_program(command, LastWords())
    stack.push_async_callback(child.end, input_seconds=1.0)
    return child


async def _hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()
