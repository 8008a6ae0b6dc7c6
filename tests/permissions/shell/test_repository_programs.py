"""A rule for git does not vouch for the programs that a repository's own configuration and hooks name."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.permissions.patterns import matches
from shell_support.asking import allowing, asked_about, asks_about

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")
GIT = allowing("git *", "cd *")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("LC_ALL", "C")  # The words of git are English.
    return made_in(tmp_path)


def made_in(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    git(tmp_path, "init", "-q", str(root))
    return root


def git(directory: Path, *arguments: str) -> None:
    subprocess.run(("git", *arguments), cwd=directory, check=True, capture_output=True)


def hook(directory: Path, name: str, text: str = "#!/bin/sh\n") -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / name).write_text(text)
    (directory / name).chmod(0o755)


@corpus("line", ["git status", "git commit -m x", "git push", "cd . && git log", "git -C . diff"], repository=made_in)
def test_git_in_a_repository_of_its_own_is_not_asked_about(repository: Path, line: str) -> None:
    git(repository, "config", "user.name", "me")
    git(repository, "config", "core.fsmonitor", "true")
    git(repository, "config", "core.pager", "less -R")
    git(repository, "config", "alias.l", "log --oneline")
    git(repository, "config", "remote.origin.url", "https://example.org/x.git")
    git(repository, "config", "branch.main.vscode-merge-base", "origin/main")
    git(repository, "config", "submodule.sub.update", "checkout")
    git(repository, "config", "commit.gpgSign", "true")
    git(repository, "config", "color.ui", "auto")
    assert asked_about(line, repository, GIT) == []


@corpus(
    ("name", "value"),
    [
        ("core.fsmonitor", "touch pwned;:"),
        ("core.sshCommand", "./x"),
        ("core.pager", "./x"),
        ("core.pager", "less; touch pwned"),
        ("core.editor", "./x"),
        ("diff.external", "./x"),
        ("diff.a.textconv", "./x"),
        ("filter.a.clean", "./x"),
        ("filter.a.process", "./x"),
        ("merge.a.driver", "./x"),
        ("gpg.program", "./x"),
        ("gpg.ssh.program", "./x"),
        ("credential.helper", "!./x"),
        ("credential.https://example.org.helper", "./x"),
        ("trailer.a.command", "./x"),
        ("remote.origin.uploadpack", "./x"),
        ("submodule.a.update", "!./x"),
        ("protocol.ext.allow", "always"),
        ("protocol.allow", "always"),
        ("gc.recentObjectsHook", "./x"),
        ("hook.a.command", "./x"),
        ("core.worktree", "/elsewhere"),
        ("core.attributesFile", "/elsewhere"),
        ("remote.origin.url", "ext::sh -c x"),
        ("branch.main.remote", "other::x"),
        ("url.x.insteadOf", "y"),
        ("log.showSignature", "true"),
        ("unknown.setting", "1"),
    ],
    repository=made_in,
)
def test_a_program_of_the_repositorys_own_configuration_is_asked_about(repository: Path, name: str, value: str) -> None:
    git(repository, "config", name, value)
    (asked,) = asked_about("git status", repository, GIT)
    assert asked.startswith(f"repository: its own configuration may run {name.lower().split('.')[0]}.")
    assert asked_about("ls", repository, allowing("ls *")) == []
    assert asked_about("git status", repository, (*GIT, *allowing("repository: *"))) == []


def test_a_submodule_with_the_working_tree_that_git_names_is_not_asked_about(repository: Path, tmp_path: Path) -> None:
    commit = ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
    git(tmp_path, "init", "-q", "library")
    git(tmp_path / "library", *commit)
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "library"), "sub")
    assert asked_about("cd sub && git status", repository, GIT) == []
    git(repository / "sub", "config", "core.worktree", str(tmp_path))
    assert asked_about("cd sub && git status", repository, GIT)


def test_a_program_of_an_included_file_is_asked_about(repository: Path) -> None:
    (repository / "more").write_text("[core]\n\tfsmonitor = ./x\n")
    git(repository, "config", "include.path", "../more")
    assert asked_about("git status", repository, GIT)


def test_a_program_of_the_users_own_configuration_is_not_asked_about(repository: Path) -> None:
    git(repository, "config", "--global", "core.editor", "./x")
    git(repository, "config", "--global", "filter.lfs.clean", "git-lfs clean -- %f")
    assert asked_about("git commit -m x", repository, GIT) == []


def test_a_hook_is_asked_about_where_the_command_runs_it(repository: Path) -> None:
    hook(repository / ".git" / "hooks", "pre-commit")
    (asked,) = asked_about("git commit -m x", repository, GIT)
    assert "hook pre-commit" in asked
    assert asked_about("git status", repository, GIT) == []
    hook(repository / ".git" / "hooks", "post-index-change")
    assert asked_about("git status", repository, GIT)


def test_a_sample_and_a_file_that_cannot_be_run_are_no_hooks(repository: Path) -> None:
    hook(repository / ".git" / "hooks", "pre-commit.sample")
    (repository / ".git" / "hooks" / "pre-push").write_text("x")
    assert asked_about("git push", repository, GIT) == []


def test_hooks_in_a_directory_that_the_repository_names_are_asked_about(repository: Path) -> None:
    git(repository, "config", "core.hooksPath", ".husky/_")
    assert asked_about("git commit -m x", repository, GIT) == []
    hook(repository / ".husky" / "_", "pre-commit")
    assert asked_about("git commit -m x", repository, GIT)


def test_hooks_in_a_directory_that_the_user_names_are_not_asked_about(repository: Path) -> None:
    git(repository, "config", "--global", "core.hooksPath", "/nowhere")
    hook(repository / ".git" / "hooks", "pre-commit")
    assert asked_about("git commit -m x", repository, GIT) == []


def test_what_was_allowed_once_is_asked_about_again_when_it_has_changed(repository: Path) -> None:
    hook(repository / ".git" / "hooks", "pre-commit")
    (asked,) = asked_about("git commit -m x", repository, GIT)
    assert matches(asked, asked)
    assert asked_about("git commit -m y", repository, (*GIT, *allowing(asked))) == []
    hook(repository / ".git" / "hooks", "pre-commit", "#!/bin/sh\ntouch pwned\n")
    assert asked_about("git commit -m y", repository, (*GIT, *allowing(asked))) != []


def test_a_repository_among_the_files_is_asked_about(repository: Path) -> None:
    git(repository, "init", "-q", "--bare", "fake")
    git(repository / "fake", "config", "core.fsmonitor", "./x")
    git(repository, "init", "-q", "nested")
    git(repository / "nested", "config", "core.fsmonitor", "./x")
    assert asked_about("git status", repository, GIT) == []
    assert asked_about("cd fake && git status", repository, GIT)
    assert asked_about("git -C nested status", repository, GIT)
    assert asked_about("cd nested && git status", repository, GIT)


def test_a_worktree_has_the_hooks_of_its_repository(repository: Path) -> None:
    git(repository, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
    git(repository, "worktree", "add", "-q", "../other")
    hook(repository / ".git" / "hooks", "pre-commit")
    assert asked_about("git commit -m x", repository.parent / "other", GIT)


def test_a_repository_whose_config_git_rejects_is_asked_about_each_time(repository: Path) -> None:
    (repository / ".git" / "config").write_text("[core\n\tfsmonitor = ./x\n")
    (asked,) = asked_about("git status", repository, GIT)
    assert asked.startswith("repository: its own configuration cannot be read (fatal: bad config line 1")
    assert asked_about("git status", repository, (*GIT, *allowing("repository: *"))) == []
    (ask,) = asks_about("git status", repository)
    assert (asked in ask.patterns, ask.always) == (True, ())


@pytest.mark.skipif(os.name == "nt", reason="a script is no program there")
def test_a_repository_whose_config_git_lists_too_slowly_is_asked_about(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(tmp_path / "bin", "git", "#!/bin/sh\nexec sleep 600\n")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("placet.project.git.configured_programs.GIT_SECONDS", 0.1)
    assert asked_about("git status", repository, GIT) == [
        "repository: its own configuration cannot be read (git took longer than 0.1 seconds)"
    ]


@pytest.mark.skipif(os.name == "nt", reason="a script is no program there")
def test_a_repository_where_git_does_not_start_is_asked_about(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(tmp_path / "bin", "git", "#!/nowhere/at/all\n")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert asked_about("git status", repository, GIT) == [
        "repository: its own configuration cannot be read (git cannot be started: No such file or directory)"
    ]
