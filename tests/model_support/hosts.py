"""Hosts that are not as they should be, and hosts that end."""

import asyncio
import contextlib
import os
from pathlib import Path

import psutil

from placet.model.client.host import ModelHost
from placet.settings import ModelSettings, Settings

THROUGH_LITELLM = Settings(model_options=ModelSettings(transport="compatible"))
"""Settings which keep the host from the direct way."""


def package(directory: Path, name: str, text: str) -> dict[str, str]:
    """An environment in which a module of this name is found before the installed one."""
    file = directory.joinpath(*name.split(".")).with_suffix(".py")
    file.parent.mkdir(parents=True, exist_ok=True)
    for parent in list(file.relative_to(directory).parents)[:-1]:
        (directory / parent / "__init__.py").touch()
    file.write_text(text, "utf-8")
    return {**os.environ, "PYTHONPATH": str(directory)}


async def until_ended(host: ModelHost) -> None:
    """Wait for the host's process to end by itself. Leaves its exit code to whom it belongs."""
    if (process_id := host.process_id) is not None:
        with contextlib.suppress(ChildProcessError):
            await asyncio.to_thread(os.waitid, os.P_PID, process_id, os.WEXITED | os.WNOWAIT)


def host_processes() -> set[int]:
    """The hosts this process has started and that still are."""
    return {child.pid for child in psutil.Process().children() if _is_host(child)}


def _is_host(process: psutil.Process) -> bool:
    """Not the watchdog of commands, which other tests have started and which stays."""
    try:
        while not (words := process.cmdline()):  # A process has none for a moment while it becomes its program.
            continue
        return "placet.model.host" in " ".join(words)
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return False
