"""Edits and their review, in the real VS Code, with the real daemon and a scripted model."""

from pathlib import Path

import pytest

from vscode_support.code_server import CodeServer
from vscode_support.windows import repository, run_suite

pytestmark = pytest.mark.timeout(240)


@pytest.mark.parametrize("suite", ["edits", "review", "review_look", "review_typing", "strict"])
def test_the_suite_passes_in_a_window(server: CodeServer, tmp_path: Path, suite: str) -> None:
    run_suite(server, suite, repository(tmp_path))
