"""`placet worktree` and `placet run --worktree`, as processes over a real repository."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from fork_support.completed import run_forked
from placet.worktrees.difference import MOST_BYTES
from run_support import Place, Terminal, editor_that
from worktree_support import Repository

POSIX = pytest.mark.skipif(os.name == "nt", reason="a terminal of its own is POSIX's")
LINES = "".join(f"line {number}\n" for number in range(1, 21))


class RepositoryPlace(Place):
    """Project that is a repository, with a script of the model for each change."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.repository = Repository(directory)
        self.file.write_text(LINES)
        self.repository.commit("Lines")

    def edits(self, old: str, new: str) -> None:
        """Let the model of the next run replace a line."""
        edit = {"filePath": "a.txt", "oldString": old, "newString": new}
        self.environment["PLACET_MODEL"] = self.script(
            [{"call": "read", "arguments": {"filePath": "a.txt"}}],
            [{"call": "edit", "arguments": edit}],
            [{"text": "All done."}],
        )

    def settings(self, **values: object) -> None:
        folder = self.directory / "CONFIG" / "placet"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "placet.json").write_text(json.dumps(values))

    def worktrees(self) -> dict[str, dict[str, Any]]:
        listed = self.run("worktree", "list", "--json")
        assert listed.returncode == 0, listed.stderr
        return {entry["name"]: entry for entry in json.loads(listed.stdout)}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RepositoryPlace:
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ada@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    return RepositoryPlace(tmp_path)


@POSIX
def test_three_runs_in_worktrees_change_one_line_and_come_back_the_conflict_settled_in_the_review(
    place: RepositoryPlace,
) -> None:
    for name, old, new in (("one", "line 2", "ONE"), ("two", "line 10", "TWO"), ("three", "line 10", "THREE")):
        place.edits(f"{old}\n", f"{new}\n")
        ran = place.run("run", "--allow", "edit", "go", f"--worktree={name}")
        assert ran.returncode == 0, ran.stderr
        assert f"branch placet/{name}" in ran.stderr
    assert place.file.read_text() == LINES
    assert {name: entry["state"] for name, entry in place.worktrees().items()} == {
        "one": "changed",
        "two": "changed",
        "three": "changed",
    }
    for name in ("one", "two"):
        terminal = Terminal(place, "worktree", "bring-back", name)
        terminal.wait_for("1/1 Accept? [y/n/s/q/?]")
        terminal.type("y")
        terminal.wait_for("written")
        assert terminal.end() == 0
    settle = "start = text.index('<<<<<<<')\nend = text.index('line 11')\ntext = text[:start] + 'BOTH\\n' + text[end:]"
    place.environment["EDITOR"] = editor_that(place, settle)
    terminal = Terminal(place, "worktree", "bring-back", "three")
    terminal.wait_for("In conflict, as you have changed these lines too:")
    terminal.wait_for("<<<<<<< the file now")
    terminal.wait_for(">>>>>>> the proposed change")
    assert "THREE" in terminal.shown
    assert "TWO" in terminal.shown
    assert "ONE" not in terminal.shown  # Both sides agree on this line.
    terminal.wait_for("1/1 Accept? [e/n/h/s/q/?]")
    terminal.type("e")
    terminal.wait_for("written")
    assert terminal.end() == 0
    assert place.file.read_text() == LINES.replace("line 2\n", "ONE\n").replace("line 10\n", "BOTH\n")
    assert all(entry["state"] == "brought back" for entry in place.worktrees().values())


@POSIX
def test_a_text_with_conflict_markers_left_is_not_accepted(place: RepositoryPlace) -> None:
    place.edits("line 2\n", "ONE\n")
    assert place.run("run", "--allow", "edit", "go", "--worktree=one").returncode == 0
    place.file.write_text(LINES.replace("line 2\n", "MINE\n"))
    place.environment["EDITOR"] = editor_that(place, "text = text.replace('line 5', 'line five')")
    terminal = Terminal(place, "worktree", "bring-back", "one")
    terminal.wait_for("1/1 Accept? [e/n/h/s/q/?]")
    terminal.type("e")
    terminal.wait_for("Lines with conflict markers are left")
    terminal.type("s")
    terminal.wait_for("changes wait for your review")
    assert terminal.end() == 0
    assert place.file.read_text() == LINES.replace("line 2\n", "MINE\n")


def test_a_run_takes_uncommitted_changes_along_and_a_second_run_finds_the_worktree_again(
    place: RepositoryPlace,
) -> None:
    place.file.write_text(LINES.replace("line 1\n", "MINE\n"))
    place.edits("MINE\n", "YOURS\n")
    ran = place.run("run", "--allow", "edit", "go", "--worktree", "--with-changes")
    assert ran.returncode == 0, ran.stderr
    assert "with your uncommitted changes" in ran.stderr
    path = Path(place.worktrees()["work-1"]["path"])
    assert (path / "a.txt").read_text().startswith("YOURS\n")
    place.edits("YOURS\n", "AGAIN\n")
    assert place.run("run", "--allow", "edit", "go", "--worktree=work-1").returncode == 0
    assert (path / "a.txt").read_text().startswith("AGAIN\n")
    assert list(place.worktrees()) == ["work-1"]
    assert place.file.read_text().startswith("MINE\n")


def test_a_run_below_the_top_works_below_the_top_of_the_worktree(place: RepositoryPlace) -> None:
    place.repository.put("sub/a.txt", "old\n")
    place.repository.commit("Sub")
    place.edits("old\n", "new\n")
    command = ("run", "--allow", "edit", "go", "--worktree=one", "--cwd", "sub")
    ran = run_forked(*command, directory=place.project, environment=place.environment)
    assert ran.returncode == 0, ran.stderr
    assert (Path(place.worktrees()["one"]["path"]) / "sub/a.txt").read_text() == "new\n"


def test_a_prompt_that_stands_where_a_name_belongs_runs_nothing(place: RepositoryPlace) -> None:
    ran = place.run("run", "--worktree", "make it louder")
    assert ran.returncode == 2
    assert "cannot name a worktree" in ran.stderr
    assert place.worktrees() == {}


def test_a_branch_holds_what_is_uncommitted(place: RepositoryPlace) -> None:
    path = Path(place.run("worktree", "create", "one").stdout.strip())
    (path / "new.txt").write_text("new\n")
    done = place.run("worktree", "bring-back", "one", "--branch", "--message", "My work")
    assert (done.returncode, done.stdout.strip()) == (0, "placet/one"), done.stderr
    assert place.repository.git("log", "-1", "--format=%s", "placet/one") == "My work"


@POSIX
def test_a_list_describes_files_that_are_no_text_and_names_what_is_left_out(place: RepositoryPlace) -> None:
    path = Path(place.run("worktree", "create", "one").stdout.strip())
    (path / "image.bin").write_bytes(b"\0" * 2048)
    (path / "large.bin").write_bytes(bytes(MOST_BYTES + 1))
    (path / "link").symlink_to("a.txt")
    (path / "a.txt").chmod(0o755)
    listed = place.run("worktree", "bring-back", "one", "--list")
    assert listed.returncode == 0, listed.stderr
    assert "image.bin  binary file, 2048 bytes, sha256" in listed.stdout
    assert "link  symbolic link to a.txt" in listed.stdout
    assert "a.txt  +0 -0  made executable" in listed.stdout
    assert "left out: large.bin is larger than 10 MB; `placet worktree bring-back --branch one`" in listed.stderr
    branch = place.run("worktree", "bring-back", "one", "--branch")
    assert branch.stdout.strip() == "placet/one"
    assert place.repository.git("cat-file", "-s", "placet/one:large.bin") == str(MOST_BYTES + 1)


@POSIX
def test_a_binary_file_is_accepted_whole_in_the_review(place: RepositoryPlace) -> None:
    path = Path(place.run("worktree", "create", "one").stdout.strip())
    (path / "image.bin").write_bytes(b"\0\1\2")
    (path / "a.txt").chmod(0o755)
    terminal = Terminal(place, "worktree", "bring-back", "one")
    terminal.wait_for("binary file, 3 bytes, sha256")
    terminal.wait_for("1/2 Accept?")
    terminal.type("y")
    terminal.wait_for("made executable")
    terminal.wait_for("2/2 Accept?")
    terminal.type("y")
    terminal.wait_for("written")
    assert terminal.end() == 0, terminal.shown
    assert (place.project / "image.bin").read_bytes() == b"\0\1\2"
    assert os.access(place.file, os.X_OK)


def test_changes_are_removed_only_by_force_where_nobody_can_be_asked(place: RepositoryPlace) -> None:
    path = Path(place.run("worktree", "create", "one").stdout.strip())
    (path / "new.txt").write_text("new\n")
    refused = place.run("worktree", "remove", "one")
    assert (refused.returncode, path.exists()) == (1, True)
    assert "has changes that were not brought back" in refused.stderr
    removed = place.run("worktree", "remove", "one", "--force")
    assert (removed.returncode, removed.stdout.strip(), path.exists()) == (0, "Removed one.", False)


@POSIX
def test_at_a_terminal_changes_are_removed_after_a_question(place: RepositoryPlace) -> None:
    path = Path(place.run("worktree", "create", "one").stdout.strip())
    (path / "new.txt").write_text("new\n")
    for answer, exists in (("n", True), ("y", False)):
        terminal = Terminal(place, "worktree", "remove", "one")
        terminal.wait_for("one has 1 changed file that were not brought back. Remove the worktree? [y/N]")
        terminal.type(answer)
        terminal.end()
        assert path.exists() is exists


@POSIX
def test_the_setup_is_asked_for_once_with_the_whole_command_and_knows_the_ports(place: RepositoryPlace) -> None:
    place.settings(worktree={"setup": "echo $PLACET_PORT > port.log\n# to the last line"}, sandbox={"mode": "off"})
    made = place.run("worktree", "create", "unasked")
    assert made.returncode == 1
    assert "`worktree.setup` did not run" in made.stderr
    terminal = Terminal(place, "worktree", "create", "one")
    terminal.wait_for("WITHOUT a sandbox")
    terminal.wait_for("# to the last line")
    terminal.wait_for("Run it, now and for later worktrees? [y/N]")
    terminal.type("y")
    assert terminal.end() == 0, terminal.shown
    worktrees = place.worktrees()
    assert (Path(worktrees["one"]["path"]) / "port.log").read_text().strip() == str(worktrees["one"]["port"])
    assert not (Path(worktrees["unasked"]["path"]) / "port.log").exists()
    assert place.run("worktree", "create", "two").returncode == 0
    assert (Path(place.worktrees()["two"]["path"]) / "port.log").exists()
    place.settings(worktree={"setup": "echo other > other.log"}, sandbox={"mode": "off"})
    assert "did not run" in place.run("worktree", "create", "three").stderr


def test_a_setup_of_a_project_that_is_not_trusted_does_not_run(place: RepositoryPlace) -> None:
    place.settings(sandbox={"mode": "off"})
    place.repository.put("placet.json", json.dumps({"worktree": {"setup": "echo x > ran.log"}}))
    place.repository.commit("Settings")
    ran = place.run("run", "--yes", "say hello", "--worktree=one")
    assert not (Path(place.worktrees()["one"]["path"]) / "ran.log").exists(), ran.stderr
    assert run_forked("trust", "--yes", str(place.project), environment=place.environment).returncode == 0
    place.run("run", "--yes", "say hello", "--worktree=two")
    assert (Path(place.worktrees()["two"]["path"]) / "ran.log").exists()


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_the_setup_runs_in_the_sandbox(place: RepositoryPlace) -> None:
    place.settings(worktree={"setup": f"echo in > in.log; echo out > {place.project}/out.log"})
    place.run("run", "--yes", "say hello", "--worktree=one")
    assert (Path(place.worktrees()["one"]["path"]) / "in.log").read_text() == "in\n"
    assert not (place.project / "out.log").exists()


def test_a_command_of_a_session_in_a_worktree_knows_its_ports(place: RepositoryPlace) -> None:
    place.settings(sandbox={"mode": "off"})
    command = {"command": "echo $PLACET_PORT > port.txt"}
    place.environment["PLACET_MODEL"] = place.script([{"call": "bash", "arguments": command}], [{"text": "Done."}])
    assert place.run("run", "--yes", "go", "--worktree=one").returncode == 0
    entry = place.worktrees()["one"]
    assert (Path(entry["path"]) / "port.txt").read_text().strip() == str(entry["port"])
    assert place.run("run", "--yes", "go").returncode == 0
    assert (place.project / "port.txt").read_text().strip() == ""


def test_the_doctor_finds_orphans(place: RepositoryPlace) -> None:
    path = Path(place.run("worktree", "create", "one").stdout.strip())
    assert "the directory is gone" not in place.run("doctor").stdout
    shutil.rmtree(path)
    told = place.run("doctor").stdout
    assert f"{path}: the directory is gone" in told
    assert f"`placet worktree remove --force {path}`" in told
    assert place.run("worktree", "remove", "--force", str(path)).returncode == 0
    assert "the directory is gone" not in place.run("doctor").stdout


@POSIX
def test_the_doctor_finds_what_the_subagent_of_a_killed_process_has_left(place: RepositoryPlace) -> None:
    gate = place.directory / "gate"
    os.mkfifo(gate)
    wait = [{"call": "bash", "arguments": {"command": f"cat {gate}; cat {gate}", "description": "Wait"}}]
    edit = {"filePath": "a.txt", "oldString": "line 2\n", "newString": "TWO\n"}
    steps = ([{"call": "read", "arguments": {"filePath": "a.txt"}}], [{"call": "edit", "arguments": edit}], wait)
    script = place.directory / "subagent.json"
    script.write_text(json.dumps({"turns": [{"events": step} for step in steps]}))
    agent = {"mode": "subagent", "isolation": "worktree", "model": f"scripted/{script}"}
    place.settings(agent={"fixer": agent}, sandbox={"mode": "off"})
    task = {"description": "fix", "prompt": "Fix it.", "subagent_type": "fixer"}
    place.environment["PLACET_MODEL"] = place.script([{"call": "task", "arguments": task}], [{"text": "Done."}])
    process = place.start("run", "--yes", "go")
    gate.write_text("the command runs")  # Returns once the command reads.
    (entry,) = place.worktrees().values()
    assert entry["subagent"]["isAtWork"]
    assert "left by" not in place.run("doctor").stdout
    refused = place.run("worktree", "remove", entry["name"])
    assert (refused.returncode, "works in" in refused.stderr) == (1, True)

    process.kill()
    process.communicate()

    told = place.run("doctor").stdout
    session = entry["subagent"]["session"]
    assert f"{entry['path']} was left by the subagent fixer of the session {session} with 1 changed file" in told
    assert f"`placet worktree bring-back {entry['path']}`" in told
    assert "left by fixer" in place.run("worktree", "list").stdout
    brought = place.run("worktree", "bring-back", entry["path"], "--list")
    assert (brought.returncode, "a.txt" in brought.stdout) == (0, True), brought.stderr
    assert "holds nothing more" in place.run("doctor").stdout
    assert place.run("worktree", "remove", entry["path"]).returncode == 0
    assert "left by" not in place.run("doctor").stdout
    assert place.file.read_text() == LINES


def test_inside_a_command_of_an_agent_no_worktree_is_made_or_removed(place: RepositoryPlace) -> None:
    place.run("worktree", "create", "one")
    place.environment["PLACET_COMMAND"] = "1"
    refused = place.run("worktree", "remove", "one", "--force")
    assert (refused.returncode, "only you can decide" in refused.stderr) == (2, True)
    assert list(place.worktrees()) == ["one"]


def test_open_says_the_path_for_a_shell(place: RepositoryPlace) -> None:
    path = place.run("worktree", "create", "one").stdout.strip()
    assert place.run("worktree", "open", "one", "--path").stdout.strip() == path
    place.environment["VISUAL"] = editor_that(place, "").replace("editor.py", "opener.py")
    opener = place.directory / "opener.py"
    opener.write_text("import os, sys\nopen(sys.argv[1] + '/opened.log', 'w').write(os.getcwd())\n")
    place.environment.pop("TERM_PROGRAM", None)
    assert place.run("worktree", "open", "one").returncode == 0
    assert (Path(path) / "opened.log").read_text() == path
