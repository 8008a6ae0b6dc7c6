from collections.abc import Callable
from pathlib import Path

import pytest

from placet.project.instructions import MOST_FILES, bounded, rules_matching, rules_of_project, rules_of_user

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        return path

    return write


def repository(directory: Path) -> Path:
    (directory / ".git").mkdir(parents=True)
    return directory


def test_all_of_the_first_name_found_upward_count_the_outermost_first(tmp_path: Path, write: Write) -> None:
    top = repository(tmp_path / "top")
    write("AGENTS.md")
    expected = [write("top/CLAUDE.md"), write("top/a/b/CLAUDE.md")]
    write("top/CONTEXT.md")
    write("top/a/CONTEXT.md")
    assert rules_of_project([top / "a/b"]) == expected
    nearest = write("top/a/AGENTS.md")
    assert rules_of_project([top / "a/b"]) == [nearest]


def test_each_root_has_its_own_and_what_they_share_comes_once(tmp_path: Path, write: Write) -> None:
    top = repository(tmp_path / "top")
    shared, first, second = write("top/AGENTS.md"), write("top/one/AGENTS.md"), write("top/two/AGENTS.md")
    assert rules_of_project([top / "one", top / "two"]) == [shared, first, second]


def test_outside_of_a_repository_only_the_root_is_looked_at(tmp_path: Path, write: Write) -> None:
    write("AGENTS.md")
    expected = write("root/AGENTS.md")
    assert rules_of_project([tmp_path / "root"]) == [expected]
    assert rules_of_project([tmp_path / "nothing"]) == []


def test_the_users_rules_are_their_own_file_or_claudes(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    assert rules_of_user(tmp_path / "config") is None
    claudes = write("home/.claude/CLAUDE.md")
    assert rules_of_user(tmp_path / "config") == claudes
    own = write("config/AGENTS.md")
    assert rules_of_user(tmp_path / "config") == own


def test_a_relative_pattern_is_tried_from_the_root_upward(tmp_path: Path, write: Write) -> None:
    top = repository(tmp_path / "top")
    (top / "a").mkdir()
    write("docs/rules/no.md")
    expected = [write("top/a/docs/rules/z.md"), write("top/docs/rules/b.md"), write("top/docs/rules/c.md")]
    write("top/docs/rules/c.txt")
    write("top/docs/rules/deep/d.md")
    assert rules_matching("docs/rules/*.md", [top / "a"]) == expected
    assert rules_matching("./docs/rules/b.md", [top]) == [top / "docs/rules/b.md"]


def test_two_stars_are_any_number_of_directories_but_those_made_by_tools(tmp_path: Path, write: Write) -> None:
    expected = [write("r.md"), write("a/r.md"), write("a/b/c/r.md")]
    write("node_modules/r.md")
    write("a/x.md")
    (tmp_path / "a/round").symlink_to(tmp_path)
    assert sorted(rules_matching("**/r.md", [tmp_path])) == sorted(expected)
    assert rules_matching("a/**/c/*.md", [tmp_path]) == [tmp_path / "a/b/c/r.md"]


def test_a_pattern_may_be_absolute_of_the_home_or_of_another_directory(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    path = write("rules/one.md")
    (tmp_path / "root").mkdir()
    for pattern in (str(tmp_path / "rules/*.md"), "~/rules/o?e.md", "../rules/one.md"):
        assert rules_matching(pattern, [tmp_path / "root"]) == [path]
    for pattern in ("", "~", "*/", "gone/*.md", "[", "a\0b", "x" * 300):
        assert rules_matching(pattern, [tmp_path / "root"]) == []


def test_only_so_many_files_of_a_pattern_are_taken(tmp_path: Path, write: Write) -> None:
    for number in range(MOST_FILES + 5):
        write(f"{number}.md")
    assert len(rules_matching("*.md", [tmp_path])) == MOST_FILES


def test_long_instructions_are_cut_and_say_so() -> None:
    assert bounded("short\n") == "short"
    assert bounded("x" * 30_000).endswith("\n... (30000 characters in all; read the file for the rest)")
    assert len(bounded("x" * 30_000)) < 20_100
