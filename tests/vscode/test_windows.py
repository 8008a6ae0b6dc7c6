"""The extension in the real VS Code, with the real daemon and a scripted model: suites, each a test by its name."""

import re
from collections.abc import Iterator, Sequence

import pytest

from corpus_support import rows
from editor_support.random_changes import WORDS, Change, bare, not_shown, random_changes
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
NO_SUITES = {"harness", "shown_whole"}
WIDTHS = (1600, 1280, 960, 640)
"""Widths of the window in pixels: of two editors side by side, and of one with deleted lines between the others."""
MORE_WORDS = ("\x1b[31m", "\x07", "\x7f", "\u202e", "\u2066", "\u2069", "\ufeff", "\U000e0041", "&nbsp;")
PLAIN_WORDS = tuple(word for word in WORDS if word.isascii())
"""VS Code wraps the rows of Markdown, and counts on a font that draws each character as wide as usual."""
CHANGES_IN_A_SUITE = 6

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


def _check_all(windows: Windows, mode: str, changes: list[Change], widths: Sequence[int] = WIDTHS) -> None:
    """Accept the changes by the key, and compare what could be read directly before with the bytes of the files.

    A character counts as shown if turning the wheel of the mouse in the focused editor brings the character into view
    uncovered. The editor is the one in which the key decides: the file with its hints, or the comparison.
    """
    told = [{"name": one.name, "before": one.before, "call": one.call(one.name)} for one in changes]
    shown = windows.run_suite("shown_whole", ONE_FOLDER, {"mode": mode, "widths": widths, "changes": told})
    with rows() as failures:
        for change in changes:
            written = bare(_decoded(change.written(shown[change.name]["written"])))
            for width, text in shown[change.name]["texts"].items():
                with failures.row(f"{change.name}, {width}"):
                    missing = not_shown(written, _read(text))
                    assert not missing, f"{missing!r} comes next in the file, and is not next on the screen: {text}"


REVIEWS = ("ask", "stage", "apply")
MODES = pytest.mark.parametrize("mode", REVIEWS)
FIRSTS = range(0, 48, CHANGES_IN_A_SUITE)


@pytest.mark.parametrize(("mode", "first"), [(REVIEWS[first // CHANGES_IN_A_SUITE % 3], first) for first in FIRSTS])
def test_every_character_that_accept_writes_can_be_read_where_the_user_accepts(
    windows: Windows, mode: str, first: int
) -> None:
    changes = random_changes(FIRSTS.stop, (*WORDS, *MORE_WORDS), (".txt", ".py"))
    _check_all(windows, mode, changes[first : first + CHANGES_IN_A_SUITE])


@MODES
def test_every_character_in_wrapped_rows_can_be_read_where_the_user_accepts(windows: Windows, mode: str) -> None:
    _check_all(windows, mode, random_changes(CHANGES_IN_A_SUITE, PLAIN_WORDS, (".md",)))


@pytest.mark.parametrize("mode", ["ask", "stage"])
def test_separators_that_other_programs_take_for_line_ends_can_be_read_where_the_user_accepts(
    windows: Windows, mode: str
) -> None:
    """VS Code asks whether to remove such separators from an open file, and a window under test says yes."""
    change = Change(
        "separators.txt", "above\nold\nbelow\n", "old\n", "one \u2028 two \u0085 three \u2029 four \x0c five\n"
    )
    _check_all(windows, mode, [change])


def _read(text: dict[str, list[str]]) -> str:
    """Return what the hints or the lines of an editor say, without blanks."""
    hints = [hint[2:] for hint in text["hints"] if hint.startswith(("→ ", "+ "))]
    return bare(_decoded("\n".join(hints or text["lines"])))


def _decoded(text: str) -> str:
    """Return the text with the characters that VS Code, or a hint, spells out; U+FFFD stands for four characters."""
    text = re.sub(r"\\u([0-9a-f]{4,5})|\[U\+([0-9A-F]{4})\]", lambda match: chr(int(match[1] or match[2], 16)), text)
    text = re.sub("[\u2400-\u241f]", lambda match: chr(ord(match[0]) - 0x2400), text).replace("\u2421", "\x7f")
    return re.sub("[\u0085\u2028\u2029\ufeff]", "\ufffd", text)
