"""The extension in the real VS Code, with the real daemon and a scripted model: suites, each a test by its name."""

from collections.abc import Iterator

import pytest

from vscode_support.windows import ONE_FOLDER, SUITES, TWO_NOT_TRUSTED, WITH_SETTINGS, Kind, Windows

IN_TURN = {
    # `restricted` is the first in its window: by the next one the user has trusted the folders.
    TWO_NOT_TRUSTED: ("restricted", "folders"),
    WITH_SETTINGS: ("workspace_settings",),
    # From `commit` on the suites leave settings behind, from `life_killed` on daemons that were killed.
    ONE_FOLDER: (
        "questions",
        *(
            "edits",
            "strict",
            "review",
            "review_typing",
            "review_large",
            "review_look",
            "asks",
            "spoofs",
            "chat",
            "chat_places",
            "speed",
            "choices",
            "first_minutes",
            "context",
            "keys",
            "everywhere",
        ),
        *("change_set", "change_set_look", "going_back", "going_back_look"),
        *(
            "eyes",
            "walkthrough",
            "sandbox",
            "sign_in",
            "commit",
            "worktrees",
            "journeys",
            "life",
            "life_killed",
            "life_reload",
            "going_back_reload",
        ),
    ),
}

pytestmark = pytest.mark.timeout(480)


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windows]:
    windows = Windows(tmp_path_factory.mktemp("vscode"))
    try:
        yield windows
    finally:
        windows.close()


@pytest.mark.parametrize(
    ("kind", "suite"), [pytest.param(kind, suite, id=suite) for kind, suites in IN_TURN.items() for suite in suites]
)
def test_the_suite_passes_in_a_window(windows: Windows, kind: Kind, suite: str) -> None:
    windows.run_suite(suite, kind)


def test_no_suite_is_forgotten() -> None:
    suites = {path.stem for path in SUITES.glob("*.cjs")} - {"harness"}

    assert suites == {suite for some in IN_TURN.values() for suite in some}
