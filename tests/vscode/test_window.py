"""The extension in the real VS Code, with the real daemon and a model that plays a script: one test a suite."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vscode_support.code_server import EXTENSION, CodeServer, missing, open_code_server

SUITES = Path(__file__).parent / "suites"
pytestmark = pytest.mark.timeout(240)
OF_SEVERAL_FOLDERS = {"folders"}
UNTRUSTED = {"restricted"}
# The machine may be busy with other tests.
SETTINGS = {
    "placet.command": [sys.executable, "-m", "placet", "--stdio"],
    "placet.settings": {"diagnostics": {"timeoutSeconds": 20}},
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeServer]:
    if why := missing():
        pytest.skip(why)
    assert (EXTENSION / "dist" / "extension.js").exists(), "run `make clients/vscode` first"
    with open_code_server(tmp_path_factory.mktemp("vscode"), SETTINGS) as server:
        yield server


@pytest.mark.parametrize(
    "suite", sorted(path.stem for path in SUITES.glob("*.cjs") if path.stem not in {"harness", *UNTRUSTED})
)
def test_the_suite_passes_in_a_window(server: CodeServer, tmp_path: Path, suite: str) -> None:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    workspace = two_folders(folder) if suite in OF_SEVERAL_FOLDERS else None

    _run(server, suite, folder, workspace)


@pytest.mark.parametrize("suite", sorted(UNTRUSTED))
def test_the_suite_passes_in_a_folder_that_is_not_trusted(tmp_path: Path, suite: str) -> None:
    if why := missing():
        pytest.skip(why)
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "vscode").mkdir()
    with open_code_server(tmp_path / "vscode", SETTINGS, trusts=False) as server:
        _run(server, suite, folder, None)


def two_folders(folder: Path) -> Path:
    """The file of a workspace of the folder and another beside it."""
    second = folder.with_name("second")
    second.mkdir()
    workspace = folder.with_name("two.code-workspace")
    workspace.write_text(json.dumps({"folders": [{"path": str(folder)}, {"path": str(second)}]}))
    return workspace


def _run(server: CodeServer, suite: str, folder: Path, workspace: Path | None) -> None:
    user = SUITES / f"{suite}.user.mjs"
    picture = folder.with_name("window.png")
    ended = server.run_suite(
        SUITES / f"{suite}.cjs", folder, user=user if user.exists() else None, picture=picture, workspace=workspace
    )
    assert ended.returncode == 0, ended.stdout
