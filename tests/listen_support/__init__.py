"""A home whose user has `daemon.shared` set, and the editors that come to its daemon."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from fake_editor.client import DaemonEditor, daemon
from fake_editor.profiles import EditorProfile
from time_support import limited


class Home:
    """The user's directories, a project, and a model that plays a script: in each session, a turn after the other."""

    def __init__(self, directory: Path, *turns: list[dict[str, Any]], **settings: Any) -> None:
        self.directory = directory
        self.project = directory / "project"
        self.project.mkdir()
        script = directory / "script.json"
        script.write_text(json.dumps({"turns": [{"events": events} for events in turns]}))
        config = directory / "config" / "placet"
        config.mkdir(parents=True)
        self._settings_file = config / "placet.json"
        shared = {"shared": True, "idleSeconds": 60, **settings}
        self._settings = {"model": f"scripted/{script}", "daemon": shared}
        self.set()

    def set(self, **settings: Any) -> None:
        """In the user's own settings, beside those for the daemon."""
        self._settings.update(settings)
        self._settings_file.write_text(json.dumps(self._settings))

    @property
    def place(self) -> Path:
        return self.directory / "data" / "placet" / "daemon"

    @property
    def environment(self) -> dict[str, str]:
        homes = {
            f"XDG_{name}_HOME": str(self.directory / name.lower()) for name in ("CONFIG", "DATA", "CACHE", "STATE")
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PLACET_")}
        return {**kept, **homes, "HOME": str(self.directory)}

    def editor(self, profile: EditorProfile) -> Any:
        """`async with` it: an editor of that kind, which begins `placet --stdio` on the project."""
        return daemon(profile, self.project, self.directory)

    def daemon_pid(self) -> int | None:
        """Of the daemon that runs, or has run last."""
        with suppress(OSError, ValueError):
            return int((self.place / "lock").read_text())
        return None

    async def end(self) -> None:
        """End the daemon as `kill` does, and wait until it is gone."""
        if (pid := self.daemon_pid()) is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            await until_gone(pid)


@asynccontextmanager
async def home(directory: Path, *turns: list[dict[str, Any]], **settings: Any) -> AsyncIterator[Home]:
    made = Home(directory, *turns, **settings)
    try:
        yield made
    finally:
        await made.end()


async def until_gone(pid: int) -> None:
    """No system tells of the end of a process that is not one's child."""
    async with limited(lambda: f"the end of the process {pid}"):
        while _lives(pid):  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def _lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def events(desk: DaemonEditor, session_id: str) -> list[tuple[int, str]]:
    """What this editor has heard of the session, by number and kind, without what may be put together on the way."""
    told = (params for method, params in desk.editor.told if method == "agent/update")
    heard = [(one["seq"], one["update"]["kind"]) for one in told if one["sessionId"] == session_id]
    return [(seq, kind) for seq, kind in heard if not kind.endswith("_chunk") and kind != "tool_call_update"]
