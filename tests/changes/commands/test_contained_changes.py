"""What a command under an overlay changed is proposed like an edit: accepted in parts, rejected, merged, undone."""

import asyncio
import errno
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from changes_support.answers import answering
from changes_support.approver import REJECT
from changes_support.desk import SESSION, Desk
from changes_support.shell import git
from overlay_support.bubblewrap import can_overlay, under_overlay
from overlay_support.contained import asked_names, run_contained
from overlay_support.manifest import manifest
from placet.changes.commands.command_report import change_metadata, not_covered
from placet.changes.commands.contained_changes import ContainedChange
from placet.permissions.shell import analyse
from placet.project.paths import Workspace

pytestmark = pytest.mark.skipif(not can_overlay(), reason="needs bubblewrap with overlays")

TEN = "".join(f"line {number}\n" for number in range(10))


@pytest.fixture
async def project(tmp_path: Path) -> AsyncIterator[Desk]:
    root = tmp_path / "project"
    root.mkdir()
    desk = Desk(root, permission={"edit": "ask"})
    desk.write("a.py", TEN)
    desk.write("package/one.py", "one\n")
    desk.write("package/deep/two.py", "two\r\n")
    desk.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    desk.write(".gitignore", "*.log\nignored/\nnode_modules/\n")
    desk.write("local.log", "log\n")
    desk.write("ignored/made.txt", "made\n")
    desk.path("image.bin").write_bytes(bytes(range(256)))
    desk.path("link.py").symlink_to("a.py")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    yield desk
    await desk.database.close()


def git_names(root: Path) -> list[str]:
    """The files that git sees as changed."""
    listed = git(root, "status", "--porcelain", "-z", "-uall", "--no-renames")
    return sorted(entry[3:] for entry in listed.split("\0") if entry)


COMMANDS = {
    "sed in place": "sed -i s/3/three/ a.py",
    "a text is appended to": "echo more >> a.py",
    "a file is made": "echo new > new.py",
    "an empty file is made": "touch new.py",
    "files are made in new directories": "mkdir -p x/y/z && echo new > x/y/z/new.py && echo two > x/two.py",
    "a file is removed": "rm a.py",
    "a directory is removed": "rm -r package",
    "a file is moved": "mv a.py package/b.py",
    "a directory is renamed": "mv package renamed",
    "a binary is changed": "printf '\\0\\1\\377' >> image.bin",
    "a binary is removed": "rm image.bin",
    "a binary is made": "printf '\\0\\1\\377' > other.bin",
    "a text becomes binary": "printf '\\0\\1\\377' > a.py",
    "a binary becomes text": "echo text > image.bin",
    "a file is made executable": "chmod +x a.py",
    "a file is changed and made executable": "chmod 700 a.py && sed -i s/3/three/ a.py",
    "a program is made": "printf '#!/bin/sh\\n' > go.sh && chmod 755 go.sh",
    "an executable is changed and no longer one": "echo >> run.sh; chmod -x run.sh",
    "a file is made read-only": "echo >> a.py; chmod a-w a.py",
    "a link is replaced by a file": "sed -i s/3/three/ link.py",
    "a link is removed": "rm link.py",
    "a link is turned": "ln -sf run.sh link.py",
    "a link that leads out is made": "ln -s /etc/passwd out.py",
    "a file is replaced by a link": "ln -sf run.sh a.py",
    "a file is replaced by a directory": "rm a.py; mkdir a.py; echo x > a.py/inner.py",
    "a directory is replaced by a file": "rm -r package; echo x > package",
    "a directory is replaced by a link": "rm -r package; ln -s ignored package",
    "a directory is made anew": "rm -r package; mkdir package; echo x > package/new.py",
    "line ends are changed": "sed -i 's/$/\\r/' a.py",
    "a mark is put before a text": "printf '\\xef\\xbb\\xbf' | cat - a.py > b.py && mv b.py a.py",
    "the command fails": "echo >> a.py; false",
    "several at once": "rm a.py; echo x > package/c.py; mv run.sh go.sh; ln -sf go.sh link.py; echo >> image.bin",
    "a space and a line end in names": "echo x > 'a b.py'; echo x > $'c\\nd.py'",
    "ignored files": "echo x >> local.log; echo x > ignored/new; rm ignored/made.txt; mkdir -p node_modules/a/b; "
    "echo x > node_modules/a/b/c; ln -s ../a node_modules/a/l; echo x >> a.py",
    "an ignored directory is removed": "rm -r ignored; rm a.py",
    "a cache with an ignore file of its own": "mkdir -p .cache/x; echo '*' > .cache/.gitignore; echo x > .cache/x/y",
    "the ignore file": "echo '*.tmp' >> .gitignore; echo x > b.py",
    "git applies a patch": "printf -- '--- a/a.py\\n+++ b/a.py\\n@@ -1,2 +1,2 @@\\n-line 0\\n+line zero\\n line 1\\n' "
    "| git apply",
    "a code generator": '/usr/bin/python3 -c \'import os\nos.makedirs("gen")\n'
    'for n in range(30): open(f"gen/m{n}.py", "w").write(f"N = {n}\\n")\'',
    "an empty directory": "mkdir -p hollow/inner; echo x >> a.py",
    "permissions of a directory": "chmod 700 package; echo x >> a.py",
    "made and removed": "echo x > x; rm x; touch -c a.py; chmod 600 a.py; chmod 644 a.py",
}


@pytest.mark.parametrize("line", COMMANDS.values(), ids=COMMANDS.keys())
async def test_exactly_what_git_does_not_ignore_is_proposed_and_accepted_as_if_run_directly(
    project: Desk, tmp_path: Path, line: str
) -> None:
    before, direct = manifest(project.root), tmp_path / "direct"
    shutil.copytree(project.root, direct, symlinks=True)
    await asyncio.to_thread(subprocess.run, ["bash", "-c", line], cwd=direct, check=False)
    change = await run_contained(project, line, fails=True)
    assert (change.left_out, change.doubt, change.refusal) == ([], "", None)
    assert manifest(project.root) == manifest(direct)
    if names := git_names(direct):
        assert asked_names(project) == names
        assert git_names(project.root) == names
        await project.undo()
        tracked = git(project.root, "ls-files", "-z").split("\0")[:-1]
        assert {name: manifest(project.root).get(name) for name in tracked} == {name: before[name] for name in tracked}
        assert git_names(project.root) == []
    else:
        assert project.approver.requests == []


@pytest.mark.parametrize("line", COMMANDS.values(), ids=COMMANDS.keys())
async def test_a_rejected_change_leaves_every_file_that_git_knows_as_it_was(project: Desk, line: str) -> None:
    before = manifest(project.root, with_times=True)
    project.approver.answers = [REJECT]
    change = await run_contained(project, line, fails=True)
    after = manifest(project.root, with_times=True)
    listed = git(project.root, "ls-files", "-z", "--others", "--exclude-standard", "--deleted", "--modified")
    assert listed == ""
    tracked = git(project.root, "ls-files", "-z").split("\0")[:-1]
    assert {name: after.get(name) for name in tracked} == {name: before.get(name) for name in tracked}
    await project.pipeline.close()
    assert not list((project.root.parent / "project.layers").iterdir())
    if project.approver.requests:
        assert change.refusal is not None
        assert "The user rejected its changes to" in not_covered(change, Workspace((project.root,)))[0]
    assert await project.journal.changes(SESSION) == []


@pytest.mark.parametrize("line", ["rm -r package", "mv package renamed"])
async def test_a_directory_comes_back_with_its_permissions_on_undo_and_on_redo(project: Desk, line: str) -> None:
    project.path("package").chmod(0o2750)
    project.path("package/deep").chmod(0o700)
    before = manifest(project.root)
    await run_contained(project, line)
    after = manifest(project.root)
    await project.undo()
    assert manifest(project.root) == before
    await project.redo()
    assert manifest(project.root) == after
    await project.undo()
    assert manifest(project.root) == before


async def test_a_directory_that_a_link_replaced_comes_back_with_its_permissions(project: Desk) -> None:
    project.path("package").chmod(0o700)
    before = manifest(project.root)
    await run_contained(project, "rm -r package; ln -s ignored package")
    await project.undo()
    assert manifest(project.root) == before


async def test_rejecting_a_command_without_ignored_files_leaves_the_tree_byte_for_byte(project: Desk) -> None:
    before = manifest(project.root, with_times=True)
    project.approver.answers = [REJECT]
    line = "rm -r package; mv a.py b.py; mkdir -p hollow x; echo x > x/y; chmod +x image.bin; ln -sf x link.py"
    await run_contained(project, line)
    assert manifest(project.root, with_times=True) == before


async def test_a_layer_that_a_command_has_left_empty_serves_the_next_command(project: Desk) -> None:
    (first,) = (await run_contained(project, "ls")).mounts
    (second,) = (await run_contained(project, "cat a.py; echo x > x; echo y > b.py; rm x b.py")).mounts
    (third,) = (await run_contained(project, "echo three >> a.py")).mounts
    assert first.upper == second.upper == third.upper
    assert project.text("a.py") == TEN + "three\n"
    (fourth,) = (await run_contained(project, "cat a.py > b.py")).mounts
    assert fourth.upper != third.upper, "a layer with files serves no other command"
    assert project.text("b.py") == TEN + "three\n"
    await project.pipeline.close()
    assert not list((project.root.parent / "project.layers").iterdir())


@pytest.mark.parametrize("line", ["chmod 700 .", "setfattr -n user.x -v y . || chmod 700 ."])
async def test_a_layer_whose_top_a_command_has_changed_serves_no_other_command(project: Desk, line: str) -> None:
    (first,) = (await run_contained(project, line)).mounts
    (second,) = (await run_contained(project, "ls")).mounts
    assert first.upper != second.upper


async def test_a_layer_is_no_longer_used_when_the_root_has_other_permissions(project: Desk) -> None:
    (first,) = (await run_contained(project, "ls")).mounts
    project.root.chmod(0o711)
    (second,) = (await run_contained(project, "ls")).mounts
    assert first.upper != second.upper
    assert second.upper.stat().st_mode & 0o777 == 0o711


async def test_two_commands_at_a_time_have_two_layers(project: Desk) -> None:
    await run_contained(project, "ls")
    both = await asyncio.gather(run_contained(project, "echo 1 > b.py"), run_contained(project, "echo 2 > c.py"))
    assert len({change.mounts[0].upper for change in both}) == 2
    assert (project.text("b.py"), project.text("c.py")) == ("1\n", "2\n")


async def test_a_file_that_is_tracked_since_the_last_command_is_proposed_although_git_ignores_it(project: Desk) -> None:
    await run_contained(project, "ls")
    git(project.root, "add", "-f", "local.log")
    await run_contained(project, "echo x >> local.log")
    assert asked_names(project) == ["local.log"]


async def test_what_the_user_changed_between_two_commands_is_no_conflict(project: Desk) -> None:
    await run_contained(project, "ls")
    project.write("a.py", "mine\n")
    change = await run_contained(project, "echo theirs >> a.py")
    assert (change.left_out, project.text("a.py")) == ([], "mine\ntheirs\n")


async def test_hunks_can_be_rejected_and_the_model_is_told(project: Desk) -> None:
    path = project.path("a.py")
    project.approver.answers = [answering({path: frozenset({1})})]
    change = await run_contained(project, "sed -i -e 's/line 0/zero/' -e 's/line 9/nine/' a.py; echo x > new.py")
    assert path.read_text() == TEN.replace("line 0", "zero")
    assert not project.path("new.py").exists()
    told = "\n".join(not_covered(change, Workspace((project.root,))))
    assert "were accepted and are in place: a.py." in told
    assert "rejected its changes to new.py" in told
    assert "+nine" in told
    statuses = {Path(file["uri"]).name: file["status"] for file in change_metadata(change)["files"]}
    assert statuses == {"a.py": "applied", "new.py": "refused"}


async def test_the_users_own_version_of_a_new_file_is_the_one_that_lands(project: Desk) -> None:
    path = project.path("new.sh")
    project.approver.answers = [answering(edited={path: "echo mine\n"})]
    await run_contained(project, "printf 'echo theirs\\n' > new.sh; chmod +x new.sh")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("echo mine\n", 0o755)


async def test_a_binary_is_shown_by_size_and_digest(project: Desk) -> None:
    await run_contained(project, "head -c 20000 /dev/zero > image.bin; ln -sf run.sh link.py; chmod +x a.py")
    (change,) = [request.change for request in project.approver.requests]
    texts = {file.name: (file.old_text, file.new_text) for file in change.files}
    assert texts["image.bin"][0].startswith("binary file, 256 bytes, sha256 40aff2e9d2d8")
    assert texts["image.bin"][1].startswith("binary file, 20 KB, sha256 ")
    assert texts["link.py"] == ("symbolic link to a.py\n", "symbolic link to run.sh\n")
    assert texts["a.py"] == ("permissions 644\n", "permissions 755\n")


async def test_a_rule_that_denies_edits_keeps_the_command_from_changing_anything(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    desk = Desk(root, permission={"edit": "deny"})
    desk.write("a.py", TEN)
    change = await run_contained(desk, "echo x >> a.py")
    assert desk.text("a.py") == TEN
    assert "None of its changes to files was kept" in change.notes[0]
    await desk.database.close()


async def test_an_ignored_file_that_other_programs_obey_is_proposed(project: Desk) -> None:
    project.write(".gitignore", ".envrc\n.vscode/\nnode_modules/\nscratch/\n")
    line = "mkdir -p .vscode node_modules/a/.vscode scratch/new; echo x > .envrc; echo x > .vscode/tasks.json; "
    line += "echo x > scratch/new/.envrc; echo x > scratch/new/file; echo x > node_modules/a/.vscode/settings.json"
    await run_contained(project, line)
    assert asked_names(project) == [".envrc", ".vscode/tasks.json", "scratch/new/.envrc"]


async def test_a_command_cannot_hide_a_file_by_changing_the_ignore_file(project: Desk) -> None:
    await run_contained(project, "echo 'conftest.py' >> .gitignore; echo x > conftest.py; rm local.log")
    assert asked_names(project) == [".gitignore", "conftest.py"]
    await run_contained(project, "rm .gitignore; echo x > local.log; echo x > other.py")
    assert asked_names(project) == [".gitignore", "other.py"]


async def test_a_later_command_sees_what_the_earlier_ones_did(project: Desk) -> None:
    await run_contained(project, "echo one > new.py; echo x > a.log")
    await run_contained(project, "cat new.py a.log >> b.py; rm new.py")
    assert project.text("b.py") == "one\nx\n"
    assert project.text("new.py") is None


async def test_the_users_edit_meanwhile_is_merged(project: Desk) -> None:
    await project.changes.read(project.path("a.py"))
    project.editor.open_buffer(project.path("a.py"))

    def type_and_save() -> None:
        project.editor.type(project.path("a.py"), TEN.replace("line 0", "mine"))
        project.editor.save_as_user(project.path("a.py"))

    change = await run_contained(project, "sed -i 's/line 9/nine/' a.py", meanwhile=type_and_save)
    assert change.left_out == []
    assert project.text("a.py") == TEN.replace("line 0", "mine").replace("line 9", "nine")


async def test_the_users_unsaved_text_is_merged_and_stays_unsaved(project: Desk) -> None:
    path = project.path("a.py")
    project.editor.open_buffer(path)
    project.editor.type(path, TEN.replace("line 0", "mine"))
    await run_contained(project, "sed -i 's/line 9/nine/' a.py")
    assert project.text("a.py") == TEN.replace("line 0", "mine").replace("line 9", "nine")
    assert path.read_text() == TEN
    assert project.editor.open[path].dirty


async def test_a_conflict_with_the_user_leaves_the_file_to_the_user_and_the_model_is_told(project: Desk) -> None:
    path = project.path("a.py")
    project.editor.open_buffer(path)
    project.editor.type(path, TEN.replace("line 0", "mine"))
    change = await run_contained(project, "sed -i 's/line 0/theirs/' a.py; echo x > b.py")
    assert asked_names(project) == ["b.py"]
    assert project.text("a.py") == TEN.replace("line 0", "mine")
    assert "a.py (the user changed the same lines meanwhile)" in "".join(change.notes)


async def test_a_file_of_unknown_history_changed_meanwhile_is_left_to_whoever_changed_it(project: Desk) -> None:
    path = project.path("image.bin")
    change = await run_contained(project, "echo >> image.bin", meanwhile=lambda: path.write_bytes(b"\0mine"))
    assert path.read_bytes() == b"\0mine"
    assert change.left_out == [(path, "it was changed by something else while the command ran")]


async def test_permissions_are_not_set_through_a_link_that_comes_meanwhile(
    project: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside, place = tmp_path / "outside", project.path("package")
    outside.mkdir(mode=0o755)
    set_mode = os.chmod

    def swap(path: str | Path, mode: int, **named: Any) -> None:
        if not place.is_symlink():
            place.rename(tmp_path / "moved")
            place.symlink_to(outside)
        set_mode(path, mode, **named)

    await run_contained(project, "chmod 700 package", meanwhile=lambda: monkeypatch.setattr(os, "chmod", swap))
    assert place.is_symlink()
    assert outside.stat().st_mode & 0o777 == 0o755


async def test_two_commands_at_once_both_land(project: Desk) -> None:
    line, other = "sed -i 's/line 9/nine/' a.py; echo x > b.py", "sed -i 's/line 0/zero/' a.py; echo x > c.py"
    analysed = analyse(other, directory=project.root, home=Path.home())
    async with project.turn("msg_other").around_contained(analysed, other) as outer:
        assert under_overlay(outer.mounts, other, project.root).returncode == 0
        await run_contained(project, line)
    assert project.text("a.py") == TEN.replace("line 0", "zero").replace("line 9", "nine")
    assert outer.left_out == []
    assert (project.text("b.py"), project.text("c.py")) == ("x\n", "x\n")


async def test_of_two_commands_at_once_the_second_leaves_the_lines_of_the_first_and_is_told(project: Desk) -> None:
    line, other = "sed -i 's/line 0/first/' a.py; echo 1 > b.py", "sed -i 's/line 0/second/' a.py; echo 2 > b.py"
    analysed = analyse(other, directory=project.root, home=Path.home())
    async with project.turn("msg_other").around_contained(analysed, other) as outer:
        assert under_overlay(outer.mounts, other, project.root).returncode == 0
        await run_contained(project, line)
    assert project.text("a.py") == TEN.replace("line 0", "first")
    assert project.text("b.py") == "1\n"
    assert {path.name for path, _ in outer.left_out} == {"a.py", "b.py"}
    assert "Changed by it, and not kept: " in "".join(outer.notes)


async def test_a_command_cut_short_by_an_error_leaves_nothing(project: Desk) -> None:
    before = manifest(project.root, with_times=True)
    findings = analyse("true", directory=project.root, home=Path.home())

    async def cut_short() -> None:
        async with project.changes.around_contained(findings, "true") as change:
            under_overlay(change.mounts, "echo x >> a.py; echo x > local.log", project.root)
            raise RuntimeError("cut short")

    with pytest.raises(RuntimeError):
        await cut_short()
    assert manifest(project.root, with_times=True) == before
    await project.pipeline.close()
    assert not list((project.root.parent / "project.layers").iterdir())


async def test_a_file_changed_while_the_user_decides_is_not_overwritten(project: Desk) -> None:
    path = project.path("image.bin")
    project.approver.meanwhile = lambda: path.write_bytes(b"\0mine")
    change = await run_contained(project, "echo >> image.bin; echo x > b.py")
    assert path.read_bytes() == b"\0mine"
    assert project.text("b.py") is None
    assert "image.bin has changed since the command ran" in change.notes[0]


async def test_a_name_that_is_not_utf8_is_proposed_with_its_bytes_spelled(project: Desk) -> None:
    await run_contained(project, "echo x > $'\\xff.py'")
    assert [file.name for file in project.approver.requests[0].change.files] == ["\\xff.py"]
    assert os.path.exists(os.fsencode(project.root) + b"/\xff.py")


async def test_a_submodule_and_a_new_repository_go_by_their_own_rules(project: Desk) -> None:
    project.write("sub/.gitignore", "*.out\n")
    project.write("sub/a.out", "out\n")
    git(project.path("sub"), "init", "-q")
    await run_contained(project, "echo x > sub/b.out; echo x > sub/c.log; git init -q made; echo x > made/d.log")
    assert asked_names(project) == ["made/d.log", "sub/c.log"]
    assert project.text("sub/b.out") == "x\n"
    assert project.path("made/.git/HEAD").exists()


async def test_a_hook_of_a_new_repository_is_left_out_and_the_rest_is_proposed(project: Desk) -> None:
    line = "git init -q made; printf 'evil\\n' > made/.git/hooks/pre-commit; echo x > b.py"
    change = await run_contained(project, line)
    assert not project.path("made/.git/hooks/pre-commit").exists()
    assert asked_names(project) == ["b.py"]
    assert "made/.git/hooks/pre-commit (git or Placet itself trusts the file)" in change.notes[-1]


async def test_a_directory_becomes_no_repository_with_settings_that_git_obeys(project: Desk) -> None:
    project.write(".gitignore", "build/\n")
    project.write("build/config", "[core]\n\tfsmonitor = ./mine\n")
    line = "for d in build docs; do mkdir -p $d/objects $d/refs; echo ref: refs/heads/main > $d/HEAD; done; "
    change = await run_contained(project, line + "mkdir docs/hooks; echo x > docs/hooks/pre-commit; echo x > docs/text")
    assert asked_names(project) == ["docs/text"]
    assert {path.relative_to(project.root).as_posix() for path, _ in change.left_out} == {
        *("build/HEAD", "docs/HEAD", "docs/hooks/pre-commit"),
    }
    assert not (project.root / "build/HEAD").exists()


async def test_without_git_the_ignore_files_count_all_the_same(project: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_program(_: str) -> None:
        return None

    monkeypatch.setattr("placet.project.git.query.find_program", no_program)
    await run_contained(project, "echo x > x.log; echo x > x.py; rm ignored/made.txt")
    assert asked_names(project) == ["x.py"]
    assert project.text("x.log") == "x\n"
    assert not project.path("ignored/made.txt").exists()


async def test_a_directory_without_a_repository_goes_by_its_ignore_files(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    desk = Desk(root, permission={"edit": "ask"})
    desk.write(".gitignore", "*.log\n")
    await run_contained(desk, "echo x > x.log; echo x > x.py")
    assert asked_names(desk) == ["x.py"]
    assert desk.text("x.log") == "x\n"
    await desk.database.close()


async def test_tracked_files_are_proposed_although_a_rule_ignores_them(project: Desk) -> None:
    git(project.root, "add", "-f", "local.log")
    await run_contained(project, "echo x >> local.log; echo x > other.log")
    assert asked_names(project) == ["local.log"]


async def test_a_large_file_is_left_out_and_told(project: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("placet.changes.commands.layer_records.MOST_FILE_BYTES", 1000)
    change: ContainedChange = await run_contained(project, "head -c 2000 /dev/zero > big; echo x > b.py")
    assert asked_names(project) == ["b.py"]
    assert "big (it is too large to be proposed)" in "".join(change.notes)


async def test_a_new_directory_of_too_many_files_is_left_out_as_a_whole_and_told(
    project: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("placet.changes.commands.layer_records.MOST_FILES", 4)
    change = await run_contained(project, "mkdir -p new/x few; touch new/1 new/x/2 new/x/3 few/4; echo x > b.py")
    assert asked_names(project) == ["b.py", "few/4"]
    assert change.left_out == [(project.path("new"), "it holds 3 new files, too many to be proposed")]
    assert "new (it holds 3 new files" in change.notes[-1]
    assert not project.path("new").exists()


async def test_ignored_files_on_another_file_system_are_copied(project: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def other_file_system(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr("placet.sandbox.overlay.harvest.os.rename", other_file_system)
    monkeypatch.setattr("placet.sandbox.overlay.harvest._exchange", other_file_system)
    line = "mkdir -p node_modules/a; echo x > node_modules/a/x; chmod 640 node_modules/a/x; ln -s x node_modules/a/l; "
    change = await run_contained(project, line + "mkfifo node_modules/p; echo x >> local.log")
    assert change.left_out == []
    entries = manifest(project.path("node_modules"))
    assert {name: entry[1] for name, entry in entries.items()} == {"a": 0o755, "a/x": 0o640, "a/l": "x", "p": 0o644}
    assert project.text("local.log") == "log\nx\n"
