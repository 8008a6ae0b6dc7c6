"""Globs as rg reads them, matched in memory against the names of documents that were never saved."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from placet.project.search import ripgrep
from placet.tools.search.unsaved_buffers import fitting

NAMES = tuple(
    f"{folder}{name}"
    for folder in ("", "a/", "b/", "a/b/", "a/a/", ".git/", "a/.git/", "a.py/", "b/a/b/")
    for name in ("a", "b", "ab", "a.py", "b.py", ".a", "a.pyc", "A", "a b")
    if f"{folder}{name}" not in {"a", "b", "a/b", "a/a", "a.py", "b/a"}
)


def listed_by_rg(directory: Path, globs: Sequence[str]) -> set[str] | None:
    """Return the files that rg lists with the globs, or None if rg takes a glob for a mistake."""
    arguments = [f"--glob={glob}" for glob in globs]
    listing = subprocess.run(
        [ripgrep(), "--files", "--hidden", "--no-ignore", *arguments], cwd=directory, capture_output=True
    )
    return None if listing.returncode == 2 else set(listing.stdout.decode().splitlines())


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("tree")
    for name in NAMES:
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).touch()
    return directory


PIECES = ("a", "b", ".", "*", "**", "?", "/", "**/", "/**", "[ab]", "[!a]", "[a-p]", "{a,b}", "{*.py,b}", "py")
GLOBS = st.lists(
    st.builds(str.__add__, st.sampled_from(("", "!")), st.lists(st.sampled_from(PIECES), min_size=1).map("".join)),
    max_size=1,
).filter(lambda globs: not any(glob.endswith("**/") for glob in globs))
"""pathspec takes `a/**/`, the directories below `a`, for `a/**`."""


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(globs=GLOBS)
@example(globs=["*.py"])
@example(globs=["*.{py,pyc}"])
@example(globs=["a"])
@example(globs=["a/"])
@example(globs=["a/*"])
@example(globs=["/a/**"])
@example(globs=["**/b/*"])
@example(globs=["!*.py"])
@example(globs=["[!a]*"])
def test_names_fit_globs_as_rg_reads_globs(tree: Path, globs: list[str]):
    expected = listed_by_rg(tree, [*globs, "!.git"])
    if expected is not None:
        assert set(fitting(NAMES, [*globs, "!.git"])) == expected
