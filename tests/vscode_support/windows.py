"""Windows of VS Code that run one suite after the other: a fresh one costs more than most suites."""

import json
import sys
import time
import warnings
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from time_support import wait_seconds
from vscode_support.code_server import (
    EXTENSION,
    TESTS,
    CodeServer,
    OpenWindow,
    missing,
    model_address,
    open_code_server,
)

SUITES = TESTS / "suites"
WAITS_OF_A_SUITE = 12
"""A suite's own waits have the limit of one; the suite as a whole ends within so many."""
LOOK_SECONDS = 0.05
MOST_FLAKY = 2
"""So many suites of a run may fail once, and pass alone in a fresh window."""


class FlakySuite(UserWarning):
    """A suite failed, and passed alone in a fresh window."""


# How changes are reviewed is not set: the suites test what the user has by default.
SETTINGS = {
    "placet.command": [sys.executable, "-m", "placet", "--stdio"],
    "placet.settings": {
        # The machine may be busy with other tests.
        "diagnostics": {"timeoutSeconds": 40},
        "sandbox": {"mode": "off"},
        # Where a suite that wants a model on a wire puts one.
        "modelOptions": {"apiBase": model_address()},
    },
}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a window is opened on."""

    folders: tuple[str, ...]
    trusted: bool
    settings: str = ""
    """Text of `.vscode/settings.json` of the first folder, as it comes with a clone; empty without one."""


ONE_FOLDER = Kind(("project",), trusted=True)
TWO_FOLDERS = Kind(("project", "second"), trusted=True)
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


@dataclass(frozen=True, slots=True)
class Failure:
    problem: str
    said: str
    pictures: Path
    """The folder of the window, with a picture of the moment of each failure."""

    def __str__(self) -> str:
        pictures = "\n".join(f"picture: {path}" for path in sorted(self.pictures.glob("failed-*.png")))
        return f"{self.problem}\n{self.said}\n{pictures or f'no picture in {self.pictures}'}"


class Windows:
    """One at a time. The next suite of the same kind runs in the window of the last one, unless that failed."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._opened = 0
        self._shown: _Shown | None = None
        self._open = ExitStack()
        self._flaky: list[str] = []

    def run_suite(self, suite: str, kind: Kind, given: object = None) -> Any:
        """Run the suite with what is given, and return what the suite returns.

        A suite that fails runs once more, alone in a fresh window, and the second verdict counts.

        Fails with what the suite said and the pictures of its failures. A suite that passed the second time is told
        of as a warning of the run; of more than a few such in a run the last one fails.
        """
        path = SUITES / f"{suite}.cjs"
        first = self.outcome(path, kind, given)
        if not isinstance(first, Failure):
            return first
        second = self.outcome(path, kind, given)
        if isinstance(second, Failure):
            pytest.fail(f"{second}\n\nand before, in a window with other suites: {first}", pytrace=False)
        self._flaky.append(suite)
        told = f"FLAKY {suite}: failed, and passed alone in a fresh window.\n{first}"
        if len(self._flaky) > MOST_FLAKY:
            pytest.fail(f"{told}\n{len(self._flaky)} suites of this run were flaky: {self._flaky}", pytrace=False)
        warnings.warn(FlakySuite(told), stacklevel=2)
        return second

    def outcome(self, suite: Path, kind: Kind, given: object = None) -> Any:
        """Run the suite once, and return what it returns, or the Failure; a window in which it failed is closed."""
        if self._shown is None or self._shown.kind != kind:
            self.close()
            self._shown = self._show(kind)
        shown, start = self._shown, self._shown.window.said.stat().st_size
        order = shown.directory / "orders" / f"{shown.ordered}.json"
        order.write_text(json.dumps({"suite": str(suite), "given": given}))
        shown.ordered += 1
        done = _outcome(shown.window, order.with_suffix(".done.json"))
        if not done["problem"]:
            return done.get("value")
        self.close()
        return Failure(
            done["problem"], shown.window.said.read_bytes()[start:].decode("utf-8", "replace"), shown.directory
        )

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


def _outcome(window: OpenWindow, done: Path) -> dict[str, Any]:
    """`problem`, what went wrong, empty where nothing did, and the `value` of the suite."""
    limit = WAITS_OF_A_SUITE * wait_seconds()
    deadline = time.monotonic() + limit
    while not done.exists():
        if not window.is_open():
            return {"problem": "the window was closed"}
        if time.monotonic() > deadline:
            return {"problem": f"it did not end in {limit:.0f} seconds"}
        time.sleep(LOOK_SECONDS)
    return json.loads(done.read_text())
