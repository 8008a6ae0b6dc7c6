"""All the other places of the extension, in the real VS Code, with the real daemon and a scripted model."""

from pathlib import Path

import pytest

from vscode_support.code_server import CodeServer
from vscode_support.windows import SUITES, repository, run_suite

pytestmark = pytest.mark.timeout(240)


@pytest.mark.parametrize("suite", ["commit", "everywhere", "eyes", "walkthrough"])
def test_the_suite_passes_in_a_window(server: CodeServer, tmp_path: Path, suite: str) -> None:
    run_suite(server, suite, repository(tmp_path))


def test_no_suite_is_forgotten() -> None:
    run = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*_window.py"))

    suites = {path.stem for path in SUITES.glob("*.cjs")} - {"harness"}
    assert [suite for suite in sorted(suites) if f'"{suite}"' not in run] == []
