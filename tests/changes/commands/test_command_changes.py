"""Changes made by commands are taken back like edits, and what is not covered is said."""

import asyncio
import os
from pathlib import Path

import pytest

from changes_support.desk import SESSION, Desk, create, plan
from changes_support.shell import git, run
from placet.changes.commands import listing, snapshot
from placet.core.errors import ToolError
from placet.core.events import ChangeApplied, ChangeReverted
from placet.permissions.shell import analyse

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs bash")

TEN = "".join(f"line {number}\n" for number in range(10))


def tree(root: Path) -> dict[str, tuple[str, bytes | str, int]]:
    """All that lies there, but git's own."""
    found: dict[str, tuple[str, bytes | str, int]] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = ("link", os.readlink(path), 0)
        elif path.is_file():
            found[name] = ("file", path.read_bytes(), path.stat().st_mode & 0o777)
        else:
            found[name] = ("directory", "", path.stat().st_mode & 0o777)
    return {name: one for name, one in found.items() if not name.startswith(".git/") and name != ".git"}


async def settled() -> None:
    """Wait until the times of what was just written can be believed."""
    await asyncio.sleep(listing.UNSETTLED_NS / 1e9 * 2)


COMMANDS = {
    "a text is changed": "sed -i s/3/three/ a.py",
    "a text is changed in place": "echo more >> a.py",
    "a file is made": "echo new > new.py",
    "files are made in new directories": "mkdir -p x/y/z && echo new > x/y/z/new.py && echo two > x/two.py",
    "a file is removed": "rm a.py",
    "a directory is removed": "rm -r package",
    "a directory is moved": "mv package moved",
    "a private directory is made": "umask 077; mkdir -p x/y; echo new > x/y/z.py",
    "a file is moved": "mv a.py package/b.py",
    "a binary is changed": "printf '\\0\\1\\377' >> image.bin",
    "a binary is removed": "rm image.bin",
    "a binary is made": "printf '\\0\\1\\377' > other.bin",
    "a text becomes binary": "printf '\\0\\1\\377' > a.py",
    "a binary becomes text": "echo text > image.bin",
    "a file is made executable": "chmod +x a.py",
    "a file is changed and made executable": "chmod 700 a.py && sed -i s/3/three/ a.py",
    "an executable is removed": "rm run.sh",
    "an executable is changed and no longer one": "echo >> run.sh; chmod -x run.sh",
    "a file is made read-only": "echo >> a.py; chmod a-w a.py",
    "a binary's permissions are changed": "chmod 600 image.bin",
    "a link is replaced by a file": "sed -i s/3/three/ link.py",
    "a link is removed": "rm link.py",
    "a link is turned": "ln -sf run.sh link.py",
    "a link is made": "ln -s a.py other.py",
    "a file is replaced by a link": "ln -sf run.sh a.py",
    "line ends are changed": "sed -i 's/$/\\r/' a.py",
    "an ignored file that is named is changed": "echo x >> local.log",
    "an ignored directory that is named is removed": "rm -r ignored",
    "the command fails": "echo >> a.py; false",
    "several at once": "rm a.py; echo x > package/c.py; mv run.sh go.sh; ln -sf go.sh link.py; echo >> image.bin",
    "an encoding is changed": "printf '\\xef\\xbb\\xbf' | cat - a.py > b.py && mv b.py a.py",
    "a space in a name": "echo x > 'a b.py'",
}


@pytest.fixture
async def project(desk: Desk) -> Desk:
    desk.write("a.py", TEN)
    desk.write("package/one.py", "one\n")
    desk.write("package/deep/two.py", "two\r\n")
    desk.path("package").chmod(0o750)
    desk.path("package/deep").chmod(0o2700)
    desk.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    desk.write(".gitignore", "*.log\nignored/\n")
    desk.write("local.log", "log\n")
    desk.write("ignored/made.txt", "made\n")
    desk.path("image.bin").write_bytes(bytes(range(256)))
    desk.path("link.py").symlink_to("a.py")
    return desk


@pytest.mark.parametrize("line", COMMANDS.values(), ids=COMMANDS.keys())
async def test_what_a_command_did_is_undone_and_redone_to_the_bit(project: Desk, line: str) -> None:
    before = tree(project.root)
    found = await run(project, line)
    after = tree(project.root)
    assert found.change is not None
    assert (found.uncovered, found.doubt) == ([], "")
    assert after != before
    assert set((await project.undo()).values()) == {"restored"}
    assert tree(project.root) == before
    assert set((await project.redo()).values()) == {"restored"}
    assert tree(project.root) == after
    assert set((await project.undo()).values()) == {"restored"}
    assert tree(project.root) == before


@pytest.mark.parametrize("line", COMMANDS.values(), ids=COMMANDS.keys())
async def test_a_second_command_is_seen_as_well(project: Desk, line: str) -> None:
    """What is remembered from the first is not believed where it no longer holds."""
    await run(project, "touch nothing; rm nothing")
    await run(project, "echo first >> a.py; echo first >> image.bin; echo first > package/first.py")
    before = tree(project.root)
    await run(project, line, changes=project.turn("msg_second"))
    await project.undo(turn_id="msg_second")
    assert tree(project.root) == before


async def test_a_command_s_change_is_told_like_an_edit_s(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    found = await run(desk, "sed -i s/3/three/ a.py")
    (event,) = desk.events
    assert isinstance(event, ChangeApplied)
    (file,) = event.files
    assert (file.uri, file.kind, file.additions, file.deletions) == (path.as_uri(), "modify", 1, 1)
    assert "+line three\n" in file.diff
    (described,) = await desk.journal.describe(SESSION)
    assert found.change is not None
    assert (described["id"], described["kind"], described["state"]) == (found.change.id, "command", "applied")
    assert described["files"] == [{"uri": path.as_uri(), "kind": "modify"}]
    await desk.undo()
    assert isinstance(desk.events[-1], ChangeReverted)


@pytest.mark.parametrize("line", ["ls", "cat a.py | head -n 1", "git status", "true", "rg line"])
async def test_a_command_that_only_reads_is_not_looked_at(desk: Desk, line: str) -> None:
    desk.write("a.py", TEN)
    found = await run(desk, line, meanwhile=lambda: desk.path("a.py").write_text("somebody else\n"))
    assert not found.is_watched
    assert await desk.states() == []


async def test_a_command_that_changes_nothing_leaves_no_change(desk: Desk) -> None:
    desk.write("a.py", TEN)
    found = await run(desk, "touch a.py; echo x > b && rm b; cp a.py /dev/null")
    assert found.is_watched
    assert found.change is None
    assert desk.events == []


async def test_what_the_user_typed_since_stays(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    await run(desk, "sed -i s/3/three/ a.py")
    path.write_text("typed\n" + path.read_text())
    assert await desk.undo() == {"a.py": "restored"}
    assert path.read_text() == "typed\n" + TEN


async def test_a_binary_that_has_changed_since_is_a_conflict(desk: Desk) -> None:
    path = desk.path("image.bin")
    path.write_bytes(b"\0one")
    await run(desk, "printf '\\0two' > image.bin")
    path.write_bytes(b"\0three")
    assert await desk.undo() == {"image.bin": "conflict"}
    assert path.read_bytes() == b"\0three"


async def test_edits_and_commands_of_one_turn_are_taken_back_together(desk: Desk) -> None:
    desk.write("a.py", TEN)
    before = tree(desk.root)
    await desk.edit("a.py", TEN.replace("line 1", "ONE"))
    await run(desk, "sed -i s/8/eight/ a.py; printf '\\0' > a.bin; mv a.py b.py")
    await desk.changes.propose(plan(create(desk.path("deep/c.py"), "c\n")))
    await run(desk, "printf '\\0' > b.py")
    after = tree(desk.root)
    assert set((await desk.undo()).values()) == {"restored"}
    assert tree(desk.root) == before
    await desk.redo()
    assert tree(desk.root) == after


async def test_an_edit_by_a_subagent_meanwhile_is_not_the_command_s(desk: Desk) -> None:
    for name in ("a.py", "b.py", "c.py"):
        desk.write(name, TEN)
    findings = analyse("make", directory=desk.root, home=Path.home())
    other = desk.turn("msg_subagent")
    async with desk.changes.around_command(findings) as found:
        desk.path("c.py").write_text(TEN.replace("line 1", "ONE"))
        await desk.edit("a.py", TEN.replace("line 8", "EIGHT"), changes=other)
        await desk.edit("c.py", TEN.replace("line 1", "ONE").replace("line 8", "EIGHT"), changes=other)
        desk.path("b.py").write_text(TEN.replace("line 1", "ONE"))
        path = desk.path("a.py")
        path.write_text(path.read_text().replace("line 2", "TWO"))
    assert found.change is not None
    texts = {file.path.name: (file.before, file.after) for file in found.change.files}
    edited = TEN.replace("line 8", "EIGHT")
    assert texts == {
        "a.py": (edited, edited.replace("line 2", "TWO")),
        "b.py": (TEN, TEN.replace("line 1", "ONE")),
        "c.py": (TEN, TEN.replace("line 1", "ONE")),
    }
    assert set((await desk.undo(change_ids=[found.change.id])).values()) == {"restored"}
    assert (desk.text("a.py"), desk.text("b.py"), desk.text("c.py")) == (edited, TEN, edited)


async def test_what_the_user_saved_meanwhile_is_not_the_command_s(desk: Desk) -> None:
    for name in ("a.py", "b.py"):
        path = desk.write(name, TEN)
        desk.editor.open_buffer(path)

    def save() -> None:
        desk.editor.type(desk.path("a.py"), "typed\n" + TEN)
        desk.editor.save_as_user(desk.path("a.py"))
        desk.editor.type(desk.path("b.py"), "typed\n" + TEN)
        desk.editor.save_as_user(desk.path("b.py"))
        desk.path("b.py").write_text("typed\n" + TEN.replace("line 8", "EIGHT"))

    found = await run(desk, "sleep 0; echo x > c.py", meanwhile=save)
    assert found.change is not None
    texts = {file.path.name: (file.before, file.after) for file in found.change.files}
    saved = "typed\n" + TEN
    assert texts == {"b.py": (saved, saved.replace("line 8", "EIGHT")), "c.py": (None, "x\n")}


async def test_a_draft_saved_meanwhile_by_an_editor_that_does_not_say_so_is_not_the_command_s(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    desk.editor.open_buffer(path)
    desk.editor.type(path, "typed\n" + TEN)

    def save() -> None:
        path.write_text("typed\n" + TEN)
        desk.editor.open[path].dirty = False

    found = await run(desk, "sleep 0; echo x > c.py", meanwhile=save)
    assert found.change is not None
    assert [file.path.name for file in found.change.files] == ["c.py"]


async def test_a_cancelled_command_s_changes_are_journaled(desk: Desk) -> None:
    desk.write("a.py", TEN)
    findings = analyse("make", directory=desk.root, home=Path.home())
    begun = asyncio.Event()

    async def command() -> None:
        async with desk.changes.around_command(findings):
            desk.path("a.py").write_text("half\n")
            begun.set()
            await asyncio.Event().wait()

    task = asyncio.ensure_future(command())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await desk.undo() == {"a.py": "restored"}
    assert desk.text("a.py") == TEN


async def test_two_commands_at_once_share_no_change(desk: Desk) -> None:
    desk.write("a.py", TEN)
    findings = analyse("make", directory=desk.root, home=Path.home())
    async with desk.changes.around_command(findings) as outer:
        async with desk.turn("msg_subagent").around_command(findings) as inner:
            desk.path("a.py").write_text("inner\n")
        desk.path("b.py").write_text("outer\n")
    names = [[file.path.name for file in found.change.files] for found in (outer, inner) if found.change]
    assert names == [["b.py"], ["a.py"]]


async def test_a_file_no_longer_ignored_is_not_taken_for_a_new_one(project: Desk) -> None:
    """An undo would delete it."""
    before = tree(project.root)
    await settled()
    found = await run(project, "echo > .gitignore; echo > made$((1 + 1)).txt")
    assert found.change is not None
    assert {file.path.name for file in found.change.files} == {".gitignore", "made2.txt"}
    assert found.uncovered == []
    await project.undo()
    assert tree(project.root) == before


async def test_a_change_that_hides_behind_the_old_time_is_seen(desk: Desk) -> None:
    """Same size, same inode, and the time put back."""
    path = desk.write("a.py", "aaaa\n")
    findings = analyse("make", directory=desk.root, home=Path.home())
    await settled()
    for old, new in (("aaaa\n", "bbbb\n"), ("bbbb\n", "cccc\n")):
        async with desk.changes.around_command(findings) as found:
            times = path.stat()
            with path.open("r+") as file:
                file.write(new)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert found.change is not None
        assert (found.change.files[0].before, found.change.files[0].after) == (old, new)


async def test_a_file_too_large_to_be_kept_is_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "MOST_FILE_BYTES", 20)
    path = desk.write("large.txt", TEN)
    found = await run(desk, "echo >> large.txt; echo small > small.txt; yes | head -n 50 > huge.txt")
    assert sorted((path.name, reason) for path, reason in found.uncovered) == [
        ("huge.txt", "it is too large, or cannot be read"),
        ("large.txt", "it is too large, or cannot be read"),
    ]
    assert await desk.undo() == {"small.txt": "restored"}
    assert path.read_text() == TEN + "\n"


async def test_the_permissions_of_a_file_too_large_to_be_kept_are_covered(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "MOST_FILE_BYTES", 20)
    path = desk.write("large.sh", TEN)
    before = tree(desk.root)
    await settled()
    found = await run(desk, "chmod 700 large.sh")
    assert found.uncovered == []
    assert path.stat().st_mode & 0o777 == 0o700
    assert await desk.undo() == {"large.sh": "restored"}
    assert tree(desk.root) == before


async def test_in_a_large_project_git_has_what_is_not_kept(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "MOST_FILES", 1)
    for name in ("clean.py", "dirty.py", "named.py", "gone.bin", "untracked.py"):
        desk.write(name, f"{name}\n")
    desk.path("gone.bin").write_bytes(b"\0\1\2")
    git(desk.root, "init", "-q")
    git(desk.root, "add", "clean.py", "dirty.py", "named.py", "gone.bin")
    git(desk.root, "commit", "-qm", "all")
    desk.write("dirty.py", "DIRTY.py\n")
    found = await run(
        desk, "for f in *; do test $f = named.py || echo more >> $f; done; rm gone.bin; echo x >> named.py"
    )
    assert sorted(path.name for path, _ in found.uncovered) == ["dirty.py", "untracked.py"]
    assert await desk.undo() == {"clean.py": "restored", "gone.bin": "restored", "named.py": "restored"}
    assert (desk.text("clean.py"), desk.text("dirty.py")) == ("clean.py\n", "DIRTY.py\nmore\n")
    assert desk.path("gone.bin").read_bytes() == b"\0\1\2"


async def test_git_s_word_is_not_taken_where_the_disk_has_another_form(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "MOST_FILES", 0)
    desk.write(".gitattributes", "*.txt text eol=crlf\n")
    git(desk.root, "init", "-q")
    desk.write("a.txt", "one\r\n")
    git(desk.root, "add", ".")
    git(desk.root, "commit", "-qm", "all")
    found = await run(desk, "echo more >> a.txt")
    assert [path.name for path, _ in found.uncovered] == ["a.txt"]


async def test_a_project_with_too_many_files_is_said_to_be_one(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.py", "b.py", "c.py"):
        desk.write(name, TEN)
    monkeypatch.setattr(listing, "MOST_LISTED", 2)
    found = await run(desk, "echo >> a.py")
    assert "more files than undo looks at" in found.doubt


async def test_what_cannot_be_looked_at_is_said(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("a.py", TEN)

    async def refuse(*_: object, **__: object) -> None:
        raise ToolError("ripgrep was not found.")

    monkeypatch.setattr("placet.changes.commands.command_changes.list_project", refuse)
    found = await run(desk, "echo >> a.py")
    assert found.doubt == "Undo does not cover what it changed: ripgrep was not found."
    assert await desk.states() == []


async def test_a_project_that_is_not_listed_in_time_is_said_to_be_too_large(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("a.py", TEN)
    monkeypatch.setattr(listing, "LISTING_SECONDS", 0)
    found = await run(desk, "echo >> a.py; echo > b.py")
    assert "more files than undo looks at" in found.doubt
    assert await desk.undo() == {"a.py": "restored", "b.py": "restored"}  # The command named them.


async def test_what_lies_outside_is_not_looked_at(desk: Desk) -> None:
    outside = desk.root.parent / "outside.txt"
    outside.write_text("old\n")
    found = await run(desk, f"echo new > {outside}; mkdir d; rmdir d")
    assert found.change is None


async def test_the_journal_brings_bytes_links_and_permissions_back(desk: Desk) -> None:
    desk.path("image.bin").write_bytes(bytes(range(256)))
    desk.path("link").symlink_to("image.bin")
    desk.write("run.sh", "x\n").chmod(0o755)
    found = await run(
        desk, "rm link; ln -s elsewhere link; chmod 600 run.sh; echo >> image.bin; mkdir -p x/y; cp image.bin x/y/"
    )
    assert found.change is not None
    (stored,) = await desk.journal.with_files(await desk.journal.changes(SESSION))
    assert stored == found.change
    modes = {file.path.name: (file.raw_after.mode if file.raw_after else None) for file in stored.files}
    assert modes["image.bin"] is not None


async def test_a_directory_that_was_there_before_is_left_though_it_is_empty(desk: Desk) -> None:
    desk.write("a.py", TEN)
    desk.path("empty/deep").mkdir(parents=True)
    await run(desk, "echo x > empty/deep/x.py; mkdir -p made/deep; echo x > made/deep/x.py")
    await desk.undo()
    assert desk.path("empty/deep").is_dir()
    assert not desk.path("made").exists()
