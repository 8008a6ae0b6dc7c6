"""Windows and daemons that end and come back, and a folder that is not trusted, in the real VS Code."""

from pathlib import Path

import pytest

from vscode_support.code_server import CodeServer
from vscode_support.windows import open_server, repository, run_suite

pytestmark = pytest.mark.timeout(240)


@pytest.mark.parametrize("suite", ["life", "life_killed", "life_reload"])
def test_the_suite_passes_in_a_window(server: CodeServer, tmp_path: Path, suite: str) -> None:
    run_suite(server, suite, repository(tmp_path))


def test_the_suite_passes_in_a_folder_that_is_not_trusted(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "vscode").mkdir()
    with open_server(tmp_path / "vscode", trusts=False) as server:
        run_suite(server, "restricted", folder)
