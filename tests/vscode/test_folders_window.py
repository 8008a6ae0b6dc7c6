"""A window of two folders, on a server of its own: one that has shown other folders before may show none of these."""

from pathlib import Path

import pytest

from vscode_support.code_server import CodeServer
from vscode_support.windows import repository, run_suite, two_folders

pytestmark = pytest.mark.timeout(240)


def test_the_suite_passes_in_a_window_of_two_folders(server: CodeServer, tmp_path: Path) -> None:
    folder = repository(tmp_path)
    run_suite(server, "folders", folder, two_folders(folder))
