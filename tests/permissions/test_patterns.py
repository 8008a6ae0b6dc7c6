"""What a pattern for paths knows beyond OpenCode's wildcards."""

import re
import sys
from collections.abc import Generator
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import corpus, examples
from placet.permissions import patterns
from placet.permissions.patterns import behind_links, compiled, compiled_within, matches


def fits(pattern: str, path: str) -> bool:
    return compiled(pattern, as_path=True)(path) is not None


@corpus(
    ("pattern", "path"),
    [
        ("src/**/*.ts", "src/a.ts"),
        ("src/**/*.ts", "src/deep/down/a.ts"),
        ("**/secret", "secret"),
        ("**/secret", "a/b/secret"),
        ("**/secret", "/a/secret"),
        ("**/a/**/b", "a/b"),
        ("src/**", "src/a/b"),
        ("./src/*", "src/a.py"),
        (".//./src/*", "src/a.py"),
        ("*.env", "config/.env"),
        ("a?c", "abc"),
        ("src\\**\\x", "src/x"),
    ],
)
def test_a_pattern_for_paths_matches(pattern: str, path: str) -> None:
    assert fits(pattern, path)


@corpus(
    ("pattern", "path"),
    [
        ("src/**/*.ts", "srca.ts"),
        ("src/**/a.ts", "src/ba.ts"),
        ("**/secret", "topsecret"),
        ("a**/b", "b"),
        ("src/**", "src"),
        ("./src/*", "./src/a.py"),
        (".src/*", "src/a.py"),
    ],
)
def test_a_pattern_for_paths_does_not_match(pattern: str, path: str) -> None:
    assert not fits(pattern, path)


def test_a_command_is_no_path() -> None:
    assert not matches("./configure *", "configure --prefix=x")
    assert matches("./configure *", "./configure --prefix=x")
    assert not matches("ls **/x", "ls x")


PATHS = st.lists(st.sampled_from(["a", "b", "secret", "x.py", ".env"]), min_size=1, max_size=4).map("/".join)
PATTERNS = st.lists(st.sampled_from(["a", "b", "*", "**", "*.py", "x?py", "secret"]), min_size=1, max_size=4).map(
    "/".join
)


@settings(max_examples=examples(100))
@given(PATTERNS, PATHS)
def test_what_the_reference_matches_is_matched_for_paths_too(pattern: str, path: str) -> None:
    if matches(pattern, path):
        assert fits(pattern, path)


@settings(max_examples=examples(100))
@given(PATTERNS, PATHS)
def test_two_stars_stand_for_any_folders(pattern: str, path: str) -> None:
    """Against the slow and obvious way: every pattern with `**/` is the one with it, and the one without."""
    spelled = {pattern}
    while any("**/" in one for one in spelled):
        spelled = {
            other
            for one in spelled
            for other in ([one.replace("**/", "", 1), one.replace("**/", "\0/", 1)] if "**/" in one else [one])
        }
    plain = [re.escape(one).replace("\0", "\\*").replace(r"\*\*", r"\*") for one in spelled]
    expected = any(re.fullmatch(one.replace(r"\*", ".*").replace(r"\?", "."), path, re.DOTALL) for one in plain)
    assert fits(pattern, path) is expected


def test_links_before_the_first_wildcard_are_followed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    (tmp_path / "direct").symlink_to(tmp_path / "there" / "file")
    base = tmp_path.as_posix()
    assert behind_links(f"{base}/link/*.py") == f"{base}/there/*.py"
    assert behind_links(f"{base}/link/**/x") == f"{base}/there/**/x"
    assert behind_links(f"{base}/li*/x") == ""
    assert behind_links(f"{base}/direct") == f"{base}/there/file"
    assert behind_links(f"{base}/there/*") == ""
    assert behind_links("link/*") == ""
    assert behind_links("/*") == ""


FOLDERS = st.sampled_from(["/", "/a", "/a/b", "/b"])
ABSOLUTE = PATTERNS.map(lambda pattern: f"/{pattern}")


@settings(max_examples=examples(100))
@given(ABSOLUTE, FOLDERS, PATHS)
def test_a_name_within_a_folder_fits_as_its_absolute_name_does(pattern: str, folder: str, path: str) -> None:
    test = compiled_within(pattern, folder)
    within = test is not None and bool(test(path))
    assert within is fits(pattern, f"{folder.rstrip('/')}/{path}")


CHARACTERS = st.text("ab/ .", max_size=12)
ANY_PATTERN = st.lists(st.sampled_from(["a", "b", "/", "*", "?", "**/", "***", " *", " ", "./"]), max_size=9).map(
    "".join
)


@settings(max_examples=examples(100))
@given(ANY_PATTERN, CHARACTERS, st.booleans())
def test_a_pattern_means_what_its_plain_translation_means(pattern: str, value: str, as_path: bool) -> None:
    assert bool(compiled(pattern, as_path=as_path)(value)) is plainly_fits(pattern, value, as_path=as_path)


def plainly_fits(pattern: str, value: str, *, as_path: bool) -> bool:
    """The pattern as an ordinary regular expression, which tries everything."""
    if as_path:
        pattern = re.sub(r"^(?:\./+)+", "", pattern)
    expression = ""
    for piece in re.findall(r"(?:(?<=/)|^)\*\*+/|\*+|.", pattern.removesuffix(" *")):
        if piece.startswith("*") and piece.endswith("/"):
            expression += "(?:.*/)?" if as_path else ".*/"
        else:
            expression += {"*": ".*", "?": "."}.get(piece[0], re.escape(piece))
    return re.fullmatch(expression + ("(?: .*)?" if pattern.endswith(" *") else ""), value, re.DOTALL) is not None


@pytest.fixture
def macos(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    monkeypatch.setattr(patterns, "sys", SimpleNamespace(platform="darwin"))
    compiled.cache_clear()
    yield
    compiled.cache_clear()


@pytest.mark.usefixtures("macos")
def test_case_does_not_count_in_paths_where_file_systems_ignore_it() -> None:
    assert fits("*.env", "config/.ENV")
    assert fits("**/.SSH/*", ".ssh/id")
    within = compiled_within("/Users/ada/Project/.env", "/Users/ada/project")
    assert within
    assert within(".Env")


@pytest.mark.usefixtures("macos")
def test_case_counts_in_commands_where_file_systems_ignore_it() -> None:
    """`tar -x` and `tar -X` are two things."""
    assert not matches("tar -x *", "tar -X a")


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the file systems here ignore case")
def test_case_counts_in_paths_on_other_systems() -> None:
    assert not fits("*.env", ".ENV")
