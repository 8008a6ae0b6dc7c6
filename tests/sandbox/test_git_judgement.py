"""Repositories that a command makes may hold the settings that git writes, and nothing that runs a program."""

import subprocess
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.sandbox.git.judgement import has_harmless_settings, leads_to_repository, obeyed_entries
from placet.sandbox.removal import remove_tree


def git(directory: Path, *words: str) -> None:
    identity = ("-c", "user.name=u", "-c", "user.email=u@e", "-c", "protocol.file.allow=always")
    subprocess.run(("git", *identity, *words), cwd=directory, check=True, capture_output=True)


def obeyed(top: Path) -> list[str]:
    return sorted(str(path.relative_to(top)) for path in obeyed_entries(top / ".git"))


@pytest.fixture
def top(tmp_path: Path) -> Path:
    source, top = tmp_path / "source", tmp_path / "top"
    for directory in (source, top):
        directory.mkdir()
        git(directory, "init", "-q")
        git(directory, "commit", "-q", "--allow-empty", "-m", "first")
    git(top, "remote", "add", "origin", str(source))
    git(top, "fetch", "-q")
    git(top, "branch", "config")
    git(top, "submodule", "--quiet", "add", str(source), "module")
    git(top, "worktree", "add", "-q", "tree")
    return top


def test_a_repository_as_git_makes_one_is_harmless(top: Path) -> None:
    assert obeyed(top) == []
    assert leads_to_repository(top / "module/.git", (top,))
    assert leads_to_repository(top / "tree/.git", (top,))


@pytest.mark.parametrize(
    "name",
    [
        *("config.worktree", "commondir", "hooks/pre-commit", "info/attributes", "info/exclude", "modules/x/config"),
        *("modules/x/hooks/pre-commit", "worktrees/x/commondir", "worktrees/x/config.worktree"),
    ],
)
def test_an_entry_that_git_obeys_is_found(top: Path, name: str) -> None:
    (top / ".git" / name).parent.mkdir(parents=True, exist_ok=True)
    (top / ".git" / name).write_text("../planted = [x\n")
    assert obeyed(top) == [f".git/{name}"]


def test_an_entry_is_found_at_any_depth(top: Path) -> None:
    place = top / ".git/modules"
    for _ in range(1200):
        place /= "d"
        place.mkdir()
    (place / "config").write_text("[core]\n\tfsmonitor = x\n")
    names = [path.name for path in obeyed_entries(top / ".git")]
    remove_tree(top)  # pytest cannot.
    assert names == ["config"]


def test_a_link_in_a_repository_is_found(top: Path) -> None:
    (top / ".git/modules/x").symlink_to(top)
    assert obeyed(top) == [".git/modules/x"]


@pytest.mark.parametrize(
    "target", ["../planted", "/planted/.git/modules/x", ".git/refs/x", "../top/.git/modules/refs/x", ".git/../planted"]
)
def test_a_git_file_that_leads_elsewhere_is_no_worktree(top: Path, target: str) -> None:
    (top / "x").mkdir()
    (top / "x/.git").write_text(f"gitdir: {target}\n")
    assert not leads_to_repository(top / "x/.git", (top,))


@corpus(
    "text",
    [
        *("[core]\n\tfsmonitor = x", "[core] fsmonitor = x", "[core]\n\tfilemode = a \\\n\tb", "[include]\n\tpath = x"),
        *('[remote "o"]\n\tuploadpack = x', "[CORE]\n\tsshCommand = x", "[core.x]\n\tpager = x", "\0", "bare = true"),
        *('[submodule "a"]\n\tupdate = !x', "[alias]\n\tst = !x", '[filter "x"]\n\tclean = x', "[core]\n\thooksPath=x"),
        *("[core]fsmonitor=x", "[core]\r\n\tfsmonitor=x", "[core] # x\n\tfsmonitor = x", "\ufeff[core]\n\tpager=x"),
    ],
)
def test_a_setting_that_runs_a_program_is_not_harmless(text: str) -> None:
    assert not has_harmless_settings(text)


def test_settings_as_git_writes_them_are_harmless() -> None:
    assert has_harmless_settings(
        '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://h/p.git\n\n# words\n[branch "m"]\n\tmerge\n'
    )
