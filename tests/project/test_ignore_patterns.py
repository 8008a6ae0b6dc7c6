"""Patterns in the syntax of `.gitignore`: as git reads the patterns, and in bounded time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from corpus_support import corpus
from placet.project.ignore_patterns import LONGEST, MOST_BYTES, MOST_CHARACTERS, MOST_PATTERNS, ignore_patterns
from time_support import wait_seconds

NAMES = ("a", "b", "a.log", ".env", "x/a", "x/ab", "x/y/a.log", "x/y/b", "logs/b.log", "a b", "x/.env", "x/aXbXb")
"""Names of files in the order of a repository."""


@corpus(
    ("text", "fitting"),
    [
        ("*.log\n", ("a.log", "x/y/a.log", "logs/b.log")),
        ("*.log\n!b.log\n", ("a.log", "x/y/a.log")),
        ("/a\n", ("a",)),
        ("x/\n", ("x/a", "x/ab", "x/y/a.log", "x/y/b", "x/.env", "x/aXbXb")),
        ("x/*/b\r\n", ("x/y/b",)),
        ("**/.env\n", (".env", "x/.env")),
        ("x/**/b\n", ("x/y/b",)),
        ("a*b*b\n", ("x/aXbXb",)),
        ("a*b*X\n", ()),
        ("?.log\n", ("a.log", "x/y/a.log", "logs/b.log")),
        ("[!a].log\n", ("logs/b.log",)),
        ("x[!a]a\nx[+-9]ab\n", ()),
        ("# a\n\n  \n", ()),
        ("a\\ b\n", ("a b",)),
        ("logs/\n!logs/b.log\n", ()),
    ],
)
def test_patterns_are_read_as_in_gitignore(text: str, fitting: tuple[str, ...]) -> None:
    patterns = ignore_patterns(text)
    assert patterns.problems == ()
    assert tuple(name for name in NAMES if patterns.fits(name)) == fitting


TOKENS = st.sampled_from(["a", "b", "x", "y", "*", "**", "?", "/", "[ab]", "[!a]", ".log", ".env", "\\*", " ", "X"])
LINES = st.lists(st.lists(TOKENS, min_size=1, max_size=6).map("".join), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "--quiet", str(top)], check=True)
    for name in NAMES:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text("")
    return top


@settings(max_examples=60)
@given(lines=LINES)
def test_git_finds_the_same_files(repository: Path, lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    patterns = ignore_patterns(text)
    file = repository / ".git" / "patterns"
    file.write_text(text)
    command = ["git", "-C", str(repository), "ls-files", "--others", "--ignored", "-z", f"--exclude-from={file}"]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    if patterns.problems == ():
        assert {name for name in NAMES if patterns.fits(name)} == set(found) - {""}


@given(
    pattern=st.lists(st.sampled_from(["*", "?", "a", "b", "[ab]", "/"]), min_size=1, max_size=10).map("".join),
    name=st.lists(st.sampled_from(["a", "b", "/"]), min_size=1, max_size=12).map("".join),
)
def test_a_pattern_of_many_stars_fits_the_names_that_pathspec_finds(pattern: str, name: str) -> None:
    patterns = ignore_patterns(pattern)
    if patterns.problems == ():
        assert patterns.fits(name) == GitIgnoreSpec.from_lines([pattern]).match_file(name)


@corpus(
    ("text", "problem"),
    [
        ("a" * 50_000, f"line 1 has more than {LONGEST} characters"),
        ("*" * 50_000, f"line 1 has more than {LONGEST} characters"),
        ("[" * 50_000, f"line 1 has more than {LONGEST} characters"),
        ("a\n" * 50_000, f"line {MOST_PATTERNS + 1} and all behind are more than {MOST_PATTERNS} patterns"),
        ("**/a/**/b/**/c", "line 1 has more than 2 `**`"),
        ("**/" * 150, "line 1 has more than 2 `**`"),
        ("[b-a]", "line 1 is no pattern"),
        ("a\n\nb\\", "line 3 is no pattern"),
        ("[[:digit:]]", "line 1 has a class of characters that is not read here"),
        ("[a&&b]", "line 1 has a class of characters that is not read here"),
    ],
)
def test_a_line_that_is_no_pattern_or_too_costly_describes_nothing(text: str, problem: str) -> None:
    patterns = ignore_patterns(text)
    assert [found[: len(problem)] for found in patterns.problems] == [problem]
    assert not patterns.fits("x/no/such/name")


HOURS = [
    ("*a" * 200 + "*b", "a" * 255),
    ("*a" * 200 + "*b", "/".join(["a" * 255] * 15)),
    ("**/" + "*a" * 100 + "/**/" + "*a" * 100 + "*b", "/".join(["a" * 255] * 15)),
    ("?*" * 200 + "b", "a" * 255),
    ("[a]*" * 100 + "b", "a" * 255),
    ("**/a/**/b", "a/" * 2000 + "c"),
    ("*/" * 200 + "b", "a/" * 2000 + "c"),
]
CHILD = """
import json, sys
from placet.project.ignore_patterns import ignore_patterns
for pattern, name in json.load(sys.stdin):
    patterns = ignore_patterns(pattern)
    print(patterns.problems, patterns.fits(name))
"""


def test_patterns_that_pathspec_would_try_for_hours_are_matched() -> None:
    """In a child: nothing ends the search of a regular expression in this process."""
    child = subprocess.run(
        [sys.executable, "-c", CHILD], input=json.dumps(HOURS), capture_output=True, text=True, timeout=wait_seconds()
    )
    assert child.stdout.splitlines() == ["() False"] * len(HOURS), child.stderr


def test_the_largest_file_of_patterns_is_read() -> None:
    text = "\n".join(["*a*a*b"] * (MOST_BYTES // 7))
    assert not ignore_patterns(text).fits("a" * 255)


def test_a_path_that_is_too_long_fits_no_pattern() -> None:
    patterns = ignore_patterns("*")
    assert patterns.fits("a" * MOST_CHARACTERS)
    assert not patterns.fits("a" * (MOST_CHARACTERS + 1))
