"""Windows of VS Code that run one suite after the other: a fresh one costs more than most suites."""

import json
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from vscode_support.code_server import EXTENSION, TESTS, CodeServer, OpenWindow, missing, open_code_server

SUITES = TESTS / "suites"
SUITE_SECONDS = 400
LOOK_SECONDS = 0.05
# The machine may be busy with other tests.
# Most suites are about changes that wait for an answer; `change_set` chooses the other review modes.
SETTINGS = {
    "placet.reviewMode": "ask",
    "placet.command": [sys.executable, "-m", "placet", "--stdio"],
    "placet.settings": {"diagnostics": {"timeoutSeconds": 40}, "sandbox": {"mode": "off"}},
}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a window is opened on."""

    folders: tuple[str, ...]
    trusted: bool
    settings: str = ""
    """Text of `.vscode/settings.json` of the first folder, as it comes with a clone; empty without one."""


ONE_FOLDER = Kind(("project",), trusted=True)
TWO_NOT_TRUSTED = Kind(("project", "second"), trusted=False)
WITH_SETTINGS = Kind(
    ("project",),
    trusted=True,
    settings=json.dumps(
        {
            "placet.command": ["false"],
            "placet.settings": {"permission": {"bash": "allow"}, "maxSteps": 7, "review": "apply"},
            "placet.reviewMode": "apply",
            "placet.maxCost.turn": 900,
        }
    ),
)
"""What a hostile project would have: a folder of a clone whose settings allow commands and changes."""


@dataclass(slots=True)
class _Shown:
    kind: Kind
    window: OpenWindow
    directory: Path
    ordered: int = 0


class Windows:
    """One at a time. The next suite of the same kind runs in the window of the last one, unless that failed."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._opened = 0
        self._shown: _Shown | None = None
        self._open = ExitStack()

    def run_suite(self, suite: str, kind: Kind) -> None:
        """Fails with what the suite said; a picture of its window is kept in its directory."""
        if self._shown is None or self._shown.kind != kind:
            self.close()
            self._shown = self._show(kind)
        shown, start = self._shown, self._shown.window.said.stat().st_size
        order = shown.directory / "orders" / f"{shown.ordered}.json"
        order.write_text(json.dumps({"suite": str(SUITES / f"{suite}.cjs")}))
        shown.ordered += 1
        problem = _outcome(shown.window, order.with_suffix(".done.json"))
        if problem:
            self.close()
            said = shown.window.said.read_bytes()[start:].decode("utf-8", "replace")
            pytest.fail(f"{problem}\n{said}\npictures: {shown.directory}", pytrace=False)

    def close(self) -> None:
        self._open.close()
        self._shown = None

    def _show(self, kind: Kind) -> _Shown:
        self._opened += 1
        directory = self._directory / f"window{self._opened}"
        for name in (*kind.folders, "orders", "server"):
            (directory / name).mkdir(parents=True)
        (directory / kind.folders[0] / ".git").mkdir()
        if kind.settings:
            (directory / kind.folders[0] / ".vscode").mkdir()
            (directory / kind.folders[0] / ".vscode" / "settings.json").write_text(kind.settings)
        server = self._open.enter_context(open_server(directory / "server", trusts=kind.trusted))
        folders = [directory / name for name in kind.folders]
        workspace = directory / "several.code-workspace"
        workspace.write_text(json.dumps({"folders": [{"path": str(folder)} for folder in folders]}))
        several = workspace if len(folders) > 1 else None
        return _Shown(kind, self._open.enter_context(server.open_window(folders[0], several)), directory)


@contextmanager
def open_server(directory: Path, *, trusts: bool = True) -> Generator[CodeServer]:
    """A server whose windows run the daemon of this checkout; the test is skipped where there is no VS Code."""
    if why := missing():
        pytest.skip(why)
    assert (EXTENSION / "dist" / "extension.js").exists(), "run `make clients/vscode/dist/.ready` first"
    with open_code_server(directory, SETTINGS, trusts=trusts) as server:
        yield server


def _outcome(window: OpenWindow, done: Path) -> str:
    """What went wrong; empty where nothing did."""
    deadline = time.monotonic() + SUITE_SECONDS
    while not done.exists():
        if not window.is_open():
            return "the window was closed"
        if time.monotonic() > deadline:
            return f"it did not end in {SUITE_SECONDS} seconds"
        time.sleep(LOOK_SECONDS)
    return json.loads(done.read_text())["problem"]
