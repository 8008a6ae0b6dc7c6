"""Suites run in windows of one server, each in a folder of its own."""

import json
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from vscode_support.code_server import EXTENSION, TESTS, CodeServer, missing, open_code_server

SUITES = TESTS / "suites"
# The machine may be busy with other tests.
SETTINGS = {
    "placet.command": [sys.executable, "-m", "placet", "--stdio"],
    "placet.settings": {"diagnostics": {"timeoutSeconds": 20}},
}


@contextmanager
def open_server(directory: Path, *, trusts: bool = True) -> Generator[CodeServer]:
    """A server whose windows run the daemon of this checkout; the test is skipped where there is no VS Code."""
    if why := missing():
        pytest.skip(why)
    assert (EXTENSION / "dist" / "extension.js").exists(), "run `make clients/vscode/dist/.ready` first"
    with open_code_server(directory, SETTINGS, trusts=trusts) as server:
        yield server


def run_suite(server: CodeServer, suite: str, folder: Path, workspace: Path | None = None) -> None:
    """Fails with what the suite said, which is kept beside a picture of its window."""
    # What one suite allowed for good, another would not be asked.
    shutil.rmtree(server.directory / "home" / "config", ignore_errors=True)
    user = SUITES / f"{suite}.user.mjs"
    picture = folder.with_name("window.png")
    ended = server.run_suite(
        SUITES / f"{suite}.cjs", folder, user=user if user.exists() else None, picture=picture, workspace=workspace
    )
    folder.with_name("said.txt").write_text(ended.stdout)
    assert ended.returncode == 0, ended.stdout


def repository(directory: Path) -> Path:
    folder = directory / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


def two_folders(folder: Path) -> Path:
    """The file of a workspace of the folder and another beside it."""
    second = folder.with_name("second")
    second.mkdir()
    workspace = folder.with_name("two.code-workspace")
    workspace.write_text(json.dumps({"folders": [{"path": str(folder)}, {"path": str(second)}]}))
    return workspace
