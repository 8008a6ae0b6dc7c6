"""The extension in the real VS Code, with the real daemon and a model that plays a script: one test a suite."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vscode_support.code_server import EXTENSION, CodeServer, missing, open_code_server

SUITES = Path(__file__).parent / "suites"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeServer]:
    if why := missing():
        pytest.skip(why)
    assert (EXTENSION / "dist" / "extension.js").exists(), "run `make clients/vscode` first"
    # The machine may be busy with other tests.
    patient = {"diagnostics": {"timeoutSeconds": 20}}
    settings = {"placet.command": [sys.executable, "-m", "placet", "--stdio"], "placet.settings": patient}
    with open_code_server(tmp_path_factory.mktemp("vscode"), settings) as server:
        yield server


@pytest.mark.parametrize("suite", sorted(path.stem for path in SUITES.glob("*.cjs") if path.stem != "harness"))
def test_the_suite_passes_in_a_window(server: CodeServer, tmp_path: Path, suite: str) -> None:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    user = SUITES / f"{suite}.user.mjs"
    picture = tmp_path / "window.png"

    ended = server.run_suite(SUITES / f"{suite}.cjs", folder, user=user if user.exists() else None, picture=picture)

    assert ended.returncode == 0, ended.stdout
