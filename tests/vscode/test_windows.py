"""The extension in the real VS Code, with the real daemon and a scripted model: suites, each a test by its name."""

from collections.abc import Iterator

import pytest

from vscode_support.windows import (
    ONE_FOLDER,
    SUITES,
    TWO_FOLDERS,
    TWO_NOT_TRUSTED,
    WITH_SETTINGS,
    FlakySuite,
    Kind,
    Windows,
)

OTHER_KINDS = {"restricted": TWO_NOT_TRUSTED, "folders": TWO_FOLDERS, "workspace_settings": WITH_SETTINGS}
"""The others have a window of one folder, in any order."""
NO_SUITES = {"harness"}

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(900),
    pytest.mark.filterwarnings(f"default::{FlakySuite.__module__}.{FlakySuite.__qualname__}"),
]


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windows]:
    windows = Windows(tmp_path_factory.mktemp("vscode"))
    try:
        yield windows
    finally:
        windows.close()


def _kind(suite: str) -> Kind:
    return OTHER_KINDS.get(suite, ONE_FOLDER)


def _suites() -> list[str]:
    """All suites, those of a kind of window together."""
    names = {path.stem for path in SUITES.glob("*.cjs")} - NO_SUITES
    return sorted(names, key=lambda suite: (suite not in OTHER_KINDS, suite))


@pytest.mark.parametrize("suite", _suites())
def test_the_suite_passes_in_a_window(windows: Windows, suite: str) -> None:
    windows.run_suite(suite, _kind(suite))
