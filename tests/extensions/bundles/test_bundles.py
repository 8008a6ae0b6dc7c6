"""`placet plugin` and the bundles in use: real repositories, real hooks and a real MCP server, as a user meets them."""

import json
import sys
from pathlib import Path

import pytest

from bundle_support import FILES, User, commit, git, served, write_bundle
from run_support import Place, Terminal


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return write_bundle(tmp_path / "repositories" / "b")


def address(repository: Path, ref: str) -> str:
    return f"{repository.as_uri()}@{ref}"


def test_adding_shows_everything_that_runs_and_changes_nothing_without_an_answer(user: User, repository: Path) -> None:
    shown = user.placet("plugin", "add", str(repository), code=4)
    for text in (
        "helper 1.2.0: Helps.",
        "hook at SessionStart:",
        "${CLAUDE_PLUGIN_ROOT}/scripts/start.sh",
        f"{sys.executable} ${{CLAUDE_PLUGIN_ROOT}}/server.py",
        "language server helper:py:",
        "some-server --stdio",
        "command helper:deep:one (commands/deep/one.md)",
        "runs, after your rules: echo from-the-shell",
        "agent helper:security (agents/security.md)",
        "skill helper:review (skills/review/SKILL.md)",
        "program scripts/start.sh",
        "nobody is there to ask",
    ):
        assert text in shown
    assert (user.register(), user.traces()) == ({}, set())


def test_yes_needs_a_full_commit_or_a_digest(user: User, repository: Path) -> None:
    full = commit(repository)
    for source in (str(repository), repository.as_uri(), address(repository, "main"), address(repository, full[:12])):
        assert "`--yes` needs" in user.placet("plugin", "add", source, "--yes", code=2)
    shown = user.placet("plugin", "add", str(repository), code=4)
    digest = shown.partition("digest ")[2].split()[0]
    assert "The files have the digest" in user.placet(
        "plugin", "add", str(repository), "--yes", "--digest", "0" * 64, code=2
    )
    assert user.register() == {}
    user.placet("plugin", "add", str(repository), "--yes", "--digest", digest)
    assert user.register()["helper"]["digest"] == digest


def test_a_bundle_is_added_from_an_http_server_and_pinned(user: User, repository: Path) -> None:
    full = commit(repository)
    with served(repository.parent) as server:
        assert "helper is added" in user.placet("plugin", "add", f"{server}/b/.git@{full}", "--yes")
    (record,) = user.register().values()
    assert (record["commit"], record["source"]) == (full, f"{server}/b/.git")
    assert full in user.placet("plugin", "list")
    told = json.loads(user.placet("plugin", "list", "--json"))["helper"]
    assert (told["commit"], told["enabled"], told["problem"]) == (full, True, None)
    doctor = user.placet("doctor")
    assert f"bundle             helper: {server}/b/.git at commit {full}" in doctor


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 4), ("", 4)])
def test_the_user_answers_at_a_terminal(tmp_path: Path, repository: Path, answer: str, code: int) -> None:
    terminal = Terminal(place := Place(tmp_path), "plugin", "add", str(repository), knows_cwd=False)
    terminal.wait_for("[y/N]")
    terminal.type(answer)
    terminal.wait_for("helper is added" if answer == "y" else "Nothing has changed")
    assert terminal.end() == code
    assert (place.directory / "CONFIG" / "placet" / "bundles.json").exists() == (answer == "y")


def test_everything_of_a_bundle_works(user: User, repository: Path) -> None:
    user.placet("plugin", "add", address(repository, commit(repository)), "--yes")
    user.settings(mcp={"waitSeconds": 60})
    user.script(
        [{"call": "skill", "arguments": {"name": "helper:review"}}],
        [{"call": "task", "arguments": {"description": "d", "prompt": "look", "subagentType": "helper:security"}}],
        [{"text": "Looked."}],
        [{"call": "helper_notes_where", "arguments": {}}],
        [{"text": "Done."}],
    )
    allowed = ("--allow", "skill", "--allow", "task", "--allow", "helper_notes_*")
    lines = user.placet("run", "--json", *allowed, "/helper:hello Ann").splitlines()
    told = "\n".join(lines)
    (root,) = (user.data / "bundles" / "helper").iterdir()
    assert f"Hello Ann, see {root}/notes.txt" in told
    assert "Loaded skill: helper:review" in told
    assert "Looked." in told
    assert f"{root.parent.name} for project" in told
    assert {path.name for path in user.data.with_name("placet-bundles").rglob("*")} == {
        "helper",
        "started",
        "from-server",
    }


def test_an_agent_of_a_bundle_allows_itself_nothing(user: User, repository: Path) -> None:
    user.placet("plugin", "add", address(repository, commit(repository)), "--yes")
    user.script([{"call": "bash", "arguments": {"command": "touch made"}}], [{"text": "Done."}])
    user.settings(sandbox={"mode": "off"})
    told = user.placet("run", "--agent", "helper:security", "--ask", "deny", "go")
    assert "bash  failed: touch made: this must be asked" in told
    assert not (user.project / "made").exists()


def test_an_update_shows_what_changes_and_takes_it_after_an_answer_alone(user: User, repository: Path) -> None:
    first = commit(repository)
    user.placet("plugin", "add", address(repository, "main"), "--yes", "--digest", _digest(user, repository))
    assert "helper has not changed" in user.placet("plugin", "update", "helper")
    (repository / "scripts" / "start.sh").write_text("#!/bin/sh\necho evil\n")
    (repository / "hooks" / "hooks.json").write_text(FILES["hooks/hooks.json"].replace("SessionStart", "Stop"))
    second = commit(repository)
    shown = user.placet("plugin", "update", "helper", code=4)
    for line in ("+echo evil", '-echo "context of the bundle"', f"at commit {second}", "hook at Stop:"):
        assert line in shown
    assert user.register()["helper"]["commit"] == first
    assert "`--yes` needs" in user.placet("plugin", "update", "helper", "--yes", code=2)
    user.placet("plugin", "update", f"helper@{second}", "--yes")
    assert user.register()["helper"]["commit"] == second
    assert len(list((user.data / "bundles" / "helper").iterdir())) == 1


def test_a_bundle_whose_bytes_have_changed_is_not_loaded_and_said(user: User, repository: Path) -> None:
    full = commit(repository)
    user.placet("plugin", "add", address(repository, full), "--yes")
    (root,) = (user.data / "bundles" / "helper").iterdir()
    script = root / "scripts" / "start.sh"
    script.chmod(0o700)
    script.write_text('#!/bin/sh\ntouch "$CLAUDE_PLUGIN_DATA/evil"\n')
    user.script([{"call": "skill", "arguments": {"name": "helper:review"}}], [{"text": "Done."}])
    told = user.placet("run", "--json", "--allow", "skill", "go")
    assert "have changed on the disk" in told
    assert "There is no skill `helper:review`" in told
    assert not list(user.data.with_name("placet-bundles").rglob("evil"))
    assert "! not used: its files" in user.placet("plugin", "list")
    user.placet("plugin", "update", f"helper@{full}", "--yes")
    assert "not used" not in user.placet("plugin", "list")


def test_a_disabled_bundle_is_left_out_until_it_is_enabled(user: User, repository: Path) -> None:
    user.placet("plugin", "add", address(repository, commit(repository)), "--yes")
    user.placet("plugin", "disable", "helper")
    assert "(disabled)" in user.placet("plugin", "list")
    assert "helper:security" not in user.placet("agents")
    user.placet("plugin", "enable", "helper")
    assert "helper:security" in user.placet("agents")


def test_a_removed_bundle_leaves_nothing_but_the_files_of_its_programs(user: User, repository: Path) -> None:
    user.placet("plugin", "add", address(repository, commit(repository)), "--yes")
    kept = user.data.with_name("placet-bundles") / "helper" / "kept"
    kept.write_text("mine")
    assert str(kept.parent) in user.placet("plugin", "remove", "helper")
    assert (user.register(), user.traces(), kept.read_text()) == ({}, set(), "mine")
    assert "You have no bundle helper" in user.placet("plugin", "remove", "helper", code=2)


def test_a_second_bundle_of_the_name_is_refused(user: User, repository: Path, tmp_path: Path) -> None:
    source = address(repository, commit(repository))
    user.placet("plugin", "add", source, "--yes")
    assert "You have a bundle helper already" in user.placet("plugin", "add", source, "--yes", code=2)
    other = write_bundle(tmp_path / "other", {".claude-plugin/plugin.json": '{"name": "HELPER"}', "commands/a.md": "A"})
    assert "You have a bundle helper already" in user.placet("plugin", "add", str(other), code=2)


def test_a_bundle_of_a_marketplace_is_chosen_by_its_name(user: User, tmp_path: Path) -> None:
    market = {
        "name": "market",
        "plugins": [
            {"name": "one", "source": "./plugins/one", "description": "The first."},
            {"name": "two", "source": {"source": "github", "repo": "team/two", "sha": "b" * 40}},
        ],
    }
    files = {".claude-plugin/marketplace.json": json.dumps(market), "plugins/one/commands/a.md": "A"}
    full = commit(repository := write_bundle(tmp_path / "market", files))
    source = address(repository, full)
    assert "choose one by `--plugin NAME`. Bundles: one, two" in user.placet("plugin", "add", source, code=2)
    elsewhere = user.placet("plugin", "add", source, "--plugin", "two", code=2)
    assert f"placet plugin add https://github.com/team/two@{'b' * 40}" in elsewhere
    assert "one: The first." in user.placet("plugin", "add", source, "--plugin", "one", "--yes")
    assert user.register()["one"]["plugin"] == "one"
    assert "has not changed" in user.placet("plugin", "update", f"one@{full}")


def test_a_bundle_below_the_top_of_a_repository_is_named_by_its_path(user: User, tmp_path: Path) -> None:
    full = commit(repository := write_bundle(tmp_path / "r", {"deep/inner/commands/a.md": "A"}))
    user.placet("plugin", "add", address(repository, full), "--path", "deep/inner", "--yes")
    assert user.register()["inner"]["path"] == "deep/inner"
    assert "leads out" in user.placet("plugin", "add", address(repository, full), "--path", "../x", code=2)


def test_the_user_s_settings_open_the_sandbox_of_a_bundle_s_server_and_switch_it_off(
    user: User, repository: Path
) -> None:
    user.placet("plugin", "add", address(repository, commit(repository)), "--yes")
    user.settings(mcp={"helper:notes": {"enabled": False}})
    assert "disabled" in user.placet("mcp", "list")
    user.settings(mcp={"helper:notes": {"sandbox": {"domains": ["example.org"]}}})
    assert "problem" not in user.placet("mcp", "list")


def test_a_project_that_asks_for_a_bundle_gets_nothing_by_itself(user: User, repository: Path) -> None:
    full = commit(repository)
    git(user.project, "init", "-q")
    (user.project / "placet.json").write_text(json.dumps({"bundles": {"helper": address(repository, full)}}))
    assert "asks for the bundle" not in user.placet("doctor")
    user.placet("trust", "--yes")
    told = user.placet("doctor")
    assert "helper: this project asks for the bundle, and you have not added it" in told
    assert f"placet plugin add {address(repository, full)}" in told
    assert (user.register(), user.traces()) == ({}, set())


def _digest(user: User, repository: Path) -> str:
    return user.placet("plugin", "add", str(repository), code=4).partition("digest ")[2].split()[0]
