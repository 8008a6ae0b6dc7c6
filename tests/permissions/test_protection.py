"""Files that stay closed where `edit` and `bash` are allowed."""

import os
from pathlib import Path
from typing import Any

import pytest

from changes_support.approver import ALWAYS, ScriptedApprover
from changes_support.desk import Desk, create, plan
from corpus_support import corpus
from placet.core.errors import PermissionDenied
from placet.permissions.explain import Explanation, explain
from placet.permissions.protection import protection_of
from placet.permissions.rules import builtin_rules, evaluate, from_config
from placet.project.paths import Workspace
from placet.sessions.asks.explain_asks import questions_of
from placet.settings.deny_only import Allowance, reduced_to_denials
from placet.settings.sources import Source

ALL_ALLOWED: dict[str, Any] = {
    "*": "allow",
    "edit": "allow",
    "external_directory": "allow",
    "bash": {"*": "allow", "unproved: *": "ask"},
}


def judged(root: Path, permission: str, subject: str, config: Any = ALL_ALLOWED) -> Explanation:
    rules = builtin_rules(root / "output") + from_config(config, "the test")
    questions = questions_of(
        permission, subject, Workspace((root,)), lambda name, pattern: evaluate(rules, name, pattern).action
    )
    return explain(questions.asks, rules, (), lambda name, pattern: None)


@corpus(
    "name",
    [
        *(".git", ".git/config", ".git/hooks/pre-commit", "sub/.git/config", ".GIT/config", ".git./config"),
        *("GIT~1/config", ".git /config", ".git::$INDEX_ALLOCATION/config", ".g\u200cit/config", "C:\\x\\.git\\config"),
        *("/home/me/.config/placet/keys.json", "/home/me/.config/placet/grants.json"),
    ],
)
def test_gits_directory_is_protected_under_every_name_that_a_file_system_takes_for_it(name: str) -> None:
    assert protection_of(name) == "edit_protected"


@corpus(
    "name",
    [
        *(".vscode/settings.json", ".idea/workspace.xml", ".envrc", ".ENVRC", ".husky/pre-commit", ".npmrc", ".exrc"),
        *(".nvim.lua", ".github/workflows/ci.yml", ".gitmodules", ".mcp.json", ".claude/settings.json", "placet.json"),
        ".agents/skills/release/SKILL.md",
        *(
            ".placet/plugins/x.py",
            "sub/.vscode/tasks.json",
            "/home/me/.bashrc",
            ".ripgreprc",
            ".Github/Workflows/x.yml",
        ),
        *(
            ".devcontainer.json",
            ".dir-locals-2.el",
            ".cargo/config.toml",
            "My.code-workspace",
            ".idea/x",
            ".run/A.run.xml",
        ),
        *(".vs/tasks.vs.json", "lefthook.yml", "mise.toml", ".aider.conf.yml", ".windsurf/x", ".roo/mcp.json"),
        *(".kiro/settings/mcp.json", ".junie/x", ".gitlab-ci.yml", ".circleci/config.yml", ".hg/hgrc", ".rprofile"),
        *("sub/.Rprofile", ".pdbrc", ".yarn/releases/yarn.cjs", "bunfig.toml", ".vim/coc-settings.json"),
        *("MEMORY.md", "memory.MD", "deep/MEMORY.md", "/home/me/.config/placet/Memory.md"),
    ],
)
def test_what_other_programs_run_is_sensitive(name: str) -> None:
    assert protection_of(name) == "edit_sensitive"


@corpus(
    "name",
    [
        *("src/a.py", ".gitignore", ".gitattributes", "AGENTS.md", ".github/CODEOWNERS", ".env", "git/config", "."),
        *("docs/memory.md", ".yarn/cache/x.zip", ".cargo/registry/x", "config.toml", ".run/server.pid", "hgrc"),
    ],
)
def test_other_files_are_not_protected(name: str) -> None:
    assert protection_of(name) is None


async def test_an_edit_of_gits_directory_is_denied_where_edit_is_allowed(tmp_path: Path) -> None:
    desk = Desk(tmp_path, permission=ALL_ALLOWED)
    with pytest.raises(PermissionDenied, match=r"edit_protected.*built in"):
        await desk.changes.propose(plan(create(desk.path(".git/config"), "[core]\n")))
    assert desk.approver.requests == []
    assert not desk.path(".git/config").exists()


async def test_an_edit_of_what_other_programs_run_is_asked_where_edit_is_allowed(tmp_path: Path) -> None:
    desk = Desk(tmp_path, permission=ALL_ALLOWED)
    await desk.changes.propose(plan(create(desk.path(".envrc"), "a\n"), create(desk.path("a.py"), "a\n")))
    [request] = desk.approver.requests
    assert (request.permission, request.patterns) == ("edit_sensitive", (".envrc",))
    assert "`edit_sensitive: *` -> ask (built in). Other programs run" in request.rule
    assert [part.pattern for part in request.parts] == ["edit: .envrc", "edit: a.py", ".envrc"]
    assert request.title == "Write .envrc: other programs run or obey what is written there"
    assert request.change is not None


async def test_always_opens_a_sensitive_file_and_no_other(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ScriptedApprover(ALWAYS), permission=ALL_ALLOWED)
    await desk.changes.propose(plan(create(desk.path(".envrc"), "a\n")))
    await desk.edit(".envrc", "b\n")
    assert len(desk.approver.requests) == 1
    await desk.changes.propose(plan(create(desk.path(".npmrc"), "a\n")))
    assert [request.patterns for request in desk.approver.requests] == [(".envrc",), (".npmrc",)]


async def test_an_edit_that_is_asked_anyway_is_one_question(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    await desk.changes.propose(plan(create(desk.path(".envrc"), "a\n")))
    [request] = desk.approver.requests
    assert request.permission == "edit"
    assert "edit_sensitive: .envrc" in [part.pattern for part in request.parts]


async def test_a_rename_onto_a_sensitive_file_is_asked(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(".git")
    (tmp_path / ".git").mkdir()
    desk = Desk(tmp_path, permission=ALL_ALLOWED)
    with pytest.raises(PermissionDenied):
        await desk.changes.propose(plan(create(desk.path("link/config"), "a\n")))


@corpus(
    ("rules", "outcome"),
    [
        ({"*": "allow", "edit": "allow"}, "ask"),
        ({"edit": "allow", "edit_*": "allow"}, "ask"),
        ({"edit": "allow", "edit_sensitive": "allow"}, "allow"),
        ({"edit": "allow", "edit_sensitive": {".vscode/*": "allow"}}, "allow"),
        ({"edit": "allow", "edit_sensitive": {".idea/*": "allow"}}, "ask"),
        ({"edit": "allow", "edit_sensitive": "deny"}, "deny"),
        ({"edit": "allow", "edit_*": "deny"}, "deny"),
    ],
)
def test_only_a_rule_with_its_own_name_opens_a_protection(tmp_path: Path, rules: Any, outcome: str) -> None:
    assert judged(tmp_path, "edit", ".vscode/settings.json", rules).outcome == outcome


def test_an_untrusted_project_cannot_loosen_a_protection() -> None:
    values = {"permission": {"edit_sensitive": "allow", "edit_protected": {".git/*": "allow"}}}
    source, _ = reduced_to_denials(Source("placet.json", values, trusted=False), Allowance())
    assert source.values == {}


def test_a_bare_repository_and_what_a_git_file_points_to_are_protected(tmp_path: Path) -> None:
    for directory in ("objects", "refs", "hooks"):
        (tmp_path / "store" / directory).mkdir(parents=True)
    (tmp_path / "store" / "HEAD").touch()
    (tmp_path / ".git").write_text("gitdir: store\n")
    assert judged(tmp_path, "edit", "store/config").outcome == "deny"
    assert judged(tmp_path, "edit", "store/hooks/pre-commit").outcome == "deny"
    assert judged(tmp_path, "edit", ".git").outcome == "deny"
    assert judged(tmp_path, "edit", "store/main/config/x").outcome == "allow"
    assert judged(tmp_path, "bash", "rm -rf store").outcome == "deny"


@corpus(
    "line",
    [
        "echo x > .git/config",
        "echo x >> .GIT/hooks/pre-commit",
        "cd .git && echo x > config",
        "tee .git/config",
        "sed -i s/a/b/ .git/config",
        "sed -n -i s/a/b/ .git/config",
        "cp x .git/config",
        "cp x/.git .",
        "cp -t .git/hooks x",
        "mv x .git/hooks",
        "mv .git x",
        "rm -rf .git",
        "chmod +x .git/hooks/pre-commit",
        "touch link/config",
        "ln .git/config x",
        "find .git -delete",
        "find .git -name config -exec sed -i s/a/b/ {} +",
        "env X=1 tee .git/config",
        "sort -o .git/config x",
        "rm .gi*/config",
    ],
)
def test_a_command_that_would_change_gits_directory_is_denied(tmp_path: Path, line: str) -> None:
    (tmp_path / ".git" / "hooks").mkdir(parents=True)
    (tmp_path / ".git" / "config").touch()
    (tmp_path / "link").symlink_to(".git")
    assert judged(tmp_path, "bash", line).outcome == "deny"


@corpus(
    "line",
    [
        "cat .git/config",
        "ls -la .git",
        "git status",
        "git add .vscode/settings.json",
        "git diff .github/workflows/ci.yml",
        "cp .envrc backup",
        "grep -r x .github/workflows",
        "find . -path ./.git -prune -o -name '*.pyc' -exec rm {} +",
        "tar --exclude=.git -czf x.tgz src",
        "rg x .vscode",
        "sed -n 1p .envrc",
        "wc -l .git/config > out.txt",
    ],
)
def test_a_command_that_only_reads_a_protected_file_is_not_asked(tmp_path: Path, line: str) -> None:
    assert judged(tmp_path, "bash", line).outcome == "allow"


@corpus(
    "line",
    ["echo x > .envrc", "cp x .vscode/settings.json", "tool .npmrc", "tool --output=.git/config", "tee a/.mcp.json"],
)
def test_a_command_that_may_change_what_others_run_is_asked(tmp_path: Path, line: str) -> None:
    found = judged(tmp_path, "bash", line)
    assert found.outcome == "ask"
    assert [one.permission for one in found.judged if one.action == "ask"] == ["edit_sensitive"]
    assert "Other programs run" in next(one.by for one in found.judged if one.action == "ask")


@pytest.mark.skipif(os.name == "nt", reason="a line of bash")
def test_a_program_on_path_in_the_project_is_asked_about_where_edit_and_bash_are_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    entries = (str(programs), str(tmp_path), "/usr/bin", "/bin")
    monkeypatch.setenv("PATH", os.pathsep.join(entries))
    for permission, subject in (
        ("edit", ".venv/bin/git"),
        ("edit", ".venv/bin"),
        ("bash", "cp tool .venv/bin/git"),
        ("bash", "echo x > .venv/bin/git"),
        ("bash", "rm -r .venv/bin"),
    ):
        assert judged(tmp_path, permission, subject).outcome == "ask", subject
    for permission, subject in (
        ("edit", ".venv/lib/module.py"),
        ("edit", "a.py"),
        ("bash", ".venv/bin/python --version"),
        ("bash", "cat .venv/bin/activate"),
    ):
        assert judged(tmp_path, permission, subject).outcome == "allow", subject
