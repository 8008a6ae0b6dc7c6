"""Protections that the disk asks for, and the look after a command."""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import examples
from placet.core.errors import SandboxFailed
from placet.project.processes.child import Command
from placet.project.processes.commands import run_command
from placet.sandbox.aftermath import look_after
from placet.sandbox.bubblewrap import Options, bubblewrap_words
from placet.sandbox.containment import Containment
from placet.sandbox.listings import Listings
from placet.sandbox.overlay.layers import new_layer
from placet.sandbox.protections import MOST_PROTECTED, Protections, look_at
from sandbox.workshop import Workshop
from time_support import wait_seconds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
needs_bubblewrap = pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def git(directory: Path, *arguments: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    author = ("-c", "user.name=T", "-c", "user.email=t@example.org")
    subprocess.run(("git", *author, *arguments), cwd=directory, check=True, capture_output=True)


def write(file: Path, text: str = "") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def look(workshop: Workshop, containment: Containment | None = None) -> Protections:
    return look_at(containment or workshop.containment(), Listings(), workshop.home, ())


def names(workshop: Workshop, paths: tuple[Path, ...]) -> set[str]:
    return {str(path.relative_to(workshop.project)) for path in paths}


def test_programs_of_git_and_of_editors_are_protected_at_every_depth(workshop: Workshop) -> None:
    git(workshop.project, "init", "-q")
    git(workshop.project / "a/b", "init", "-q")
    write(workshop.project / "a/.envrc")
    write(workshop.project / "a/b/c/.vscode/tasks.json")
    assert names(workshop, look(workshop).protected) == {
        *(".git/hooks", ".git/config", ".git/info/exclude", "a/b/.git/hooks", "a/b/.git/config"),
        *("a/b/.git/info/exclude", "a/.envrc", "a/b/c/.vscode"),
    }


def test_directories_around_a_protected_path_keep_their_names(workshop: Workshop) -> None:
    write(workshop.project / "a/b/.vscode/tasks.json")
    assert look(workshop).pins == (workshop.project / "a", workshop.project / "a/b")


def test_hooks_that_the_settings_of_git_name_are_protected(workshop: Workshop) -> None:
    git(workshop.project, "init", "-q")
    git(workshop.project, "config", "core.hooksPath", "tools/hooks")
    git(workshop.project, "config", "include.path", "../shared.gitconfig")
    write(workshop.project / "tools/hooks/pre-commit")
    write(workshop.project / "shared.gitconfig")
    assert {"tools/hooks", "shared.gitconfig"} <= names(workshop, look(workshop).protected)


def test_what_the_user_has_opened_is_not_protected(workshop: Workshop) -> None:
    write(workshop.project / ".envrc")
    containment = Containment((workshop.project,), (workshop.project,), lifted=(workshop.project / ".envrc",))
    assert look(workshop, containment).protected == ()


def test_places_from_which_the_user_runs_programs_are_protected_where_no_layer_takes_the_changes(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, inner = workshop.project, workshop.project / "placets"
    for name in (".venv/bin/tool", "tools/run", "placets/lib/site.py"):
        write(project / name)
    (project / "bin").symlink_to("tools")
    entries = (project / ".venv/bin", project / "bin", project / "missing", Path("/usr/bin"), project)
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, entries)))
    monkeypatch.setattr(sys, "prefix", str(inner))
    direct = look(workshop)
    assert names(workshop, direct.protected) == {".venv/bin", "tools", "placets"}
    assert names(workshop, tuple(direct.links)) == {"bin"}
    assert direct.absent == (project / "missing",)
    assert direct.refusal == ""
    overlaid = look_at(workshop.containment(), Listings(), workshop.home, (), overlaid=(project,))
    assert names(workshop, overlaid.protected) == {"placets"}, "changes of the others are proposed"
    assert overlaid.absent == ()
    lifted = Containment((project,), (project,), lifted=(project / ".venv/bin/tool",))
    assert names(workshop, look(workshop, lifted).protected) == {"tools", "placets"}


def test_a_project_that_is_home_keeps_the_programs_and_the_start_of_the_user(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{workshop.home / 'bin'}:/usr/bin")
    for name in (".bashrc", ".config/systemd/user/x.service", "bin/tool"):
        write(workshop.home / name)
    home = workshop.home
    protections = look_at(Containment((home,), (home,)), Listings(), home, ())
    assert {home / ".bashrc", home / ".config/systemd", home / "bin"} <= {*protections.protected}
    assert Path("/usr/bin") not in protections.protected
    assert home / ".config/autostart" in protections.absent


def test_nothing_is_protected_where_nothing_is_written(workshop: Workshop) -> None:
    write(workshop.project / ".envrc")
    assert look(workshop, workshop.containment(only_reads=True)).protected == ()


def test_the_number_of_protected_paths_is_bounded_and_the_nearest_come_first(workshop: Workshop) -> None:
    for number in range(MOST_PROTECTED + 5):
        write(workshop.project / f"package{number}" / ".envrc")
    write(workshop.project / ".mcp.json")
    protections = look(workshop)
    assert len(protections.protected) == MOST_PROTECTED
    assert protections.protected[0] == workshop.project / ".mcp.json"
    assert len(protections.unheld) == 6


def test_the_git_directory_of_a_linked_worktree_can_be_written_but_not_its_programs(workshop: Workshop) -> None:
    main = workshop.project.parent / "main"
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", str(workshop.project / "linked"))
    git(main, "worktree", "add", "-q", str(workshop.project.parent / "elsewhere"))
    protections = look(workshop, Containment((workshop.project / "linked",), (workshop.project / "linked",)))
    assert protections.outer_git == (main / ".git",)
    own = main / ".git/worktrees/linked"
    assert {own / "commondir", own / "gitdir", main / ".git/hooks", main / ".git/worktrees/elsewhere"} <= {
        *protections.protected
    }


def test_a_file_that_names_the_git_directory_of_others_opens_nothing(workshop: Workshop) -> None:
    main = workshop.project.parent / "main"
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", str(workshop.project.parent / "elsewhere"))
    for named in (main / ".git/worktrees/elsewhere", main / ".git", workshop.home):
        write(workshop.project / ".git", f"gitdir: {named}\n")
        assert look(workshop).outer_git == ()


def test_a_submodule_that_is_opened_alone_can_be_committed_to(workshop: Workshop) -> None:
    main = workshop.project.parent / "main"
    git(main / ".git", "init", "-q", "--bare", "modules/sub")
    git(main / ".git/modules/sub", "config", "core.bare", "false")
    git(main / ".git/modules/sub", "config", "core.worktree", "../../../../project")
    write(workshop.project / ".git", "gitdir: ../main/.git/modules/sub\n")
    assert look(workshop).outer_git == (main / ".git/modules/sub",)


def test_a_link_in_the_place_of_a_protected_path_refuses_the_command(workshop: Workshop) -> None:
    write(workshop.project / "planted/tasks.json")
    (workshop.project / ".vscode").symlink_to("planted")
    assert "symbolic link" in look(workshop).refusal


def test_a_link_to_a_protected_path_of_the_project_is_only_watched(workshop: Workshop) -> None:
    write(workshop.project / ".npmrc")
    (workshop.project / "pkg").mkdir()
    link = workshop.project / "pkg/.npmrc"
    link.symlink_to("../.npmrc")
    protections = look(workshop)
    assert (protections.refusal, protections.links) == ("", {link: "../.npmrc"})


async def test_a_command_does_not_run_beside_such_a_link(workshop: Workshop) -> None:
    (workshop.project / ".git").symlink_to("nowhere")
    with pytest.raises(SandboxFailed, match="symbolic link"):
        await workshop.run("touch has-run")
    assert not (workshop.project / "has-run").exists()


def test_a_link_to_a_place_out_of_reach_is_watched_and_restored(workshop: Workshop) -> None:
    write(workshop.home / "shared/settings.json")
    link = workshop.project / ".vscode"
    link.symlink_to(workshop.home / "shared")
    listings = Listings()
    protections = look_at(workshop.containment(), listings, workshop.home, ())
    assert not protections.refusal
    link.unlink()
    write(link / "tasks.json", "planted")
    (intrusion,) = look_after(protections, listings, workshop.home / "kept")
    assert intrusion.path == link
    assert intrusion.kept_at is not None
    assert (intrusion.kept_at / "tasks.json").read_text() == "planted"
    assert link.readlink() == workshop.home / "shared"


@needs_bubblewrap
async def test_protected_files_that_a_command_makes_are_moved_away_and_reported(workshop: Workshop) -> None:
    git(workshop.project, "init", "-q")
    write(workshop.project / "pkg/file")
    line = "echo planted > .envrc; mkdir -p pkg/.vscode; echo planted > pkg/.vscode/x; echo y > .git/config.worktree"
    await workshop.run(line)
    assert workshop.contained is not None
    kept = {intrusion.path: intrusion.kept_at for intrusion in workshop.contained.intrusions}
    project = workshop.project
    assert set(kept) == {project / ".envrc", project / "pkg/.vscode", project / ".git/config.worktree"}
    assert all(place is not None and place.exists() and not path.exists() for path, place in kept.items())


@needs_bubblewrap
async def test_protected_files_are_moved_away_however_often_the_command_is_cancelled(workshop: Workshop) -> None:
    """A user who stops a turn and then closes the editor cancels the clean-up too."""
    running = asyncio.create_task(workshop.run("echo planted > .envrc; touch planted; sleep 600"))
    await workshop.until("planted")
    while not running.done():
        running.cancel()
        await asyncio.sleep(0)
    assert running.cancelled()
    assert not (workshop.project / ".envrc").exists()
    assert workshop.contained is not None
    assert [intrusion.path for intrusion in workshop.contained.intrusions] == [workshop.project / ".envrc"]


@needs_bubblewrap
async def test_a_command_leaves_no_trace_of_the_sandbox_in_the_project(workshop: Workshop) -> None:
    git(workshop.project, "init", "-q")
    before = sorted(str(path) for path in workshop.project.rglob("*"))
    await workshop.run("true")
    assert sorted(str(path) for path in workshop.project.rglob("*")) == before


def test_files_of_the_user_are_not_moved_through_a_link_in_the_project(workshop: Workshop) -> None:
    write(workshop.home / "own/.envrc")
    (workshop.project / "pkg").mkdir()
    listings = Listings()
    protections = look_at(workshop.containment(), listings, workshop.home, ())
    (workshop.project / "pkg").rmdir()
    (workshop.project / "pkg").symlink_to(workshop.home / "own")
    assert look_after(protections, listings, workshop.home / "kept") == ()
    assert (workshop.home / "own/.envrc").exists()


def test_files_of_the_user_are_not_moved_through_a_link_above(workshop: Workshop) -> None:
    write(workshop.home / "own/inner/.envrc")
    (workshop.project / "pkg/inner").mkdir(parents=True)
    listings = Listings()
    protections = look_at(workshop.containment(), listings, workshop.home, ())
    shutil.rmtree(workshop.project / "pkg")
    (workshop.project / "pkg").symlink_to(workshop.home / "own")
    assert look_after(protections, listings, workshop.home / "kept") == ()
    assert (workshop.home / "own/inner/.envrc").exists()


def test_a_change_right_after_a_look_is_seen_by_the_next_look(workshop: Workshop) -> None:
    listings = Listings()
    assert look_at(workshop.containment(), listings, workshop.home, ()).protected == ()
    for name in (".envrc", ".mcp.json", ".exrc"):
        time = workshop.project.stat().st_mtime_ns
        write(workshop.project / name)
        os.utime(workshop.project, ns=(time, time))  # As the clock of a file system that ticks coarsely.
        assert workshop.project / name in look_at(workshop.containment(), listings, workshop.home, ()).protected


def test_a_file_that_git_tracks_is_not_masked_and_another_file_is(workshop: Workshop) -> None:
    git(workshop.project, "init", "-q")
    for name in ("tracked", "untracked"):
        write(workshop.project / name)
    git(workshop.project, "add", "tracked")
    containment = workshop.containment(deny_read=[str(workshop.project / name) for name in ("tracked", "untracked")])
    masked = look(workshop, containment).masked_files
    assert workshop.project / "untracked" in masked
    assert workshop.project / "tracked" not in masked


def test_settings_of_npm_are_masked_only_with_a_secret(workshop: Workshop) -> None:
    write(workshop.home / ".npmrc", "fund=false\n")
    assert workshop.home / ".npmrc" not in look(workshop).masked_files
    write(workshop.home / ".npmrc", "//r.example/:_authToken=x\n")
    assert workshop.home / ".npmrc" in look(workshop).masked_files


def test_a_socket_that_a_program_of_the_host_waits_at_is_masked(workshop: Workshop, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as waiting:
        path = workshop.project / "agent.sock"
        waiting.bind(str(path))
        waiting.listen()
        assert path in look(workshop).masked_files
        open_one = Containment((workshop.project,), (workshop.project,), sockets=(path,))
        assert path not in look(workshop, open_one).masked_files


PART = st.sampled_from(("a", "b", "--", "line\nbreak"))
PLACE = st.lists(PART, min_size=1, max_size=4).map(lambda parts: Path("/", *parts))
PLACES = st.lists(PLACE, max_size=5, unique=True).map(tuple)


@settings(max_examples=examples(100))
@given(PLACES, PLACES, PLACES, PLACES)
def test_a_mount_never_hides_a_mount_below(
    writable: tuple[Path, ...], protected: tuple[Path, ...], masked: tuple[Path, ...], pins: tuple[Path, ...]
) -> None:
    containment = Containment(roots=writable, writable=writable)
    protections = Protections(protected=protected, pins=pins, masked_directories=masked)
    words = bubblewrap_words(containment, protections, Options("bwrap", Path("/t")), Path("/"))
    mounts = mounts_of(words)
    above = [place for _, place in mounts[1 + len(pins) :]]
    for index, place in enumerate(above):
        assert not any(later != place and place.is_relative_to(later) for later in above[index + 1 :])
    kinds = {place: kind for kind, place in mounts}
    assert all(kinds[place] == "--ro-bind" for place in protected)
    assert all(kinds[place] == "--tmpfs" for place in masked if place not in protected)
    assert words[-1] == "--"


def mounts_of(words: tuple[str, ...]) -> list[tuple[str, Path]]:
    """Return the kinds and places of the mounts, read as bubblewrap reads its arguments."""
    mounts: list[tuple[str, Path]] = []
    rest = list(words[1:])
    while rest and (word := rest.pop(0)) != "--":
        if word in ("--bind", "--ro-bind", "--ro-bind-try"):
            mounts.append((word, Path(rest[1])))
            rest = rest[2:]
        elif word in ("--tmpfs", "--dev", "--proc"):
            mounts.append((word, Path(rest.pop(0))))
        elif word in ("--perms", "--chdir", "--cap-drop", "--seccomp", "--json-status-fd"):
            rest.pop(0)
    return mounts


@needs_bubblewrap
@pytest.mark.parametrize("target", ["../home/own", "{home}/own"])
async def test_a_link_that_replaces_a_path_after_the_look_opens_nothing(workshop: Workshop, target: str) -> None:
    write(workshop.home / "own/file", "own")
    write(workshop.project / "pkg/.vscode/settings.json")
    containment = workshop.containment()
    protections = look_at(containment, Listings(), workshop.home, ())
    shutil.rmtree(workshop.project / "pkg")
    (workshop.project / "pkg").symlink_to(target.format(home=workshop.home))
    options = Options(str(shutil.which("bwrap")), workshop.locations.cache)
    workshop.locations.cache.mkdir()
    words = bubblewrap_words(containment, protections, options, workshop.project)
    process = await asyncio.create_subprocess_exec(*words, "sh", "-c", f"echo x > {workshop.home}/own/file")
    await process.wait()
    assert (workshop.home / "own/file").read_text() == "own"


@needs_bubblewrap
@pytest.mark.parametrize("name", ["line\nbreak", "--bind", "-", "with space", "quote'\"", "ä", "\udcff"])
async def test_a_project_may_have_any_name(tmp_path: Path, name: str) -> None:
    base = tmp_path / "base"
    base.mkdir()
    workshop = Workshop(base)
    root = workshop.project / name
    root.mkdir()
    write(root / ".envrc", "own")
    line = "echo planted > .envrc; echo done > made"
    await workshop.run(line, containment=workshop.containment(root), directory=root)
    assert (root / ".envrc").read_text() == "own"
    assert (root / "made").read_text() == "done\n"


@needs_bubblewrap
async def test_a_mask_is_never_an_empty_file_that_git_would_commit(workshop: Workshop) -> None:
    git(workshop.project, "init", "-q")
    write(workshop.project / ".env", "KEY=1\n")
    containment = workshop.containment(deny_read=[str(workshop.project / ".env")])
    ending, output = await workshop.run("cat .env; git add -A", containment=containment)
    assert "Permission denied" in output
    assert ending.code
    assert os.stat(workshop.project / ".env").st_size


@needs_bubblewrap
async def test_a_root_that_is_a_link_is_written_at_its_target(workshop: Workshop) -> None:
    link = workshop.home / "link"
    link.symlink_to(workshop.project)
    await workshop.run("touch made", containment=workshop.containment(link), directory=link)
    assert (workshop.project / "made").exists()


@needs_bubblewrap
async def test_under_an_overlay_git_is_written_at_once_and_protected_all_the_same(workshop: Workshop) -> None:
    backend = await workshop.sandbox.backend()
    if backend.overlay_bubblewrap is None:
        pytest.skip("no overlay can be laid here")
    git(workshop.project, "init", "-q")
    write(workshop.project / ".envrc", "own")
    write(workshop.project / "file", "old")
    with new_layer(workshop.home / "layers", (workshop.project,)) as layer:
        line = """
        echo new > file; echo planted > .envrc; echo planted > .mcp.json; echo planted > .git/hooks/x
        echo planted >> .git/config; mv .git other; git -c user.name=T -c user.email=t commit -q --allow-empty -m first
        """
        command = Command(("sh", "-c", line), workshop.project, {"PATH": workshop.path, "HOME": str(workshop.home)})
        sandbox, limits = workshop.sandbox, workshop.containment()
        async with sandbox.contained(command, limits, session_id="s", overlays=layer.mounts) as contained:
            with (workshop.home / "output").open("wb") as output:
                abort = asyncio.Event()
                await run_command(
                    contained.command, output, timeout_seconds=wait_seconds(), abort=abort, max_output_bytes=1 << 20
                )
        assert sorted(path.name for path in layer.mounts[0].upper.iterdir()) == [".mcp.json", "file"]
    assert (workshop.project / "file").read_text() == "old"
    assert (workshop.project / ".envrc").read_text() == "own"
    assert not (workshop.project / ".git/hooks/x").exists()
    assert "planted" not in (workshop.project / ".git/config").read_text()
    git(workshop.project, "log", "-1")


@needs_bubblewrap
@pytest.mark.parametrize("is_shown", [True, False])
async def test_placet_below_the_true_tmp_is_seen_there_and_cannot_be_changed(
    workshop: Workshop, tmp_path: Path, is_shown: bool
) -> None:
    own = tmp_path / "own"
    write(own / "program", "echo ran")
    containment = workshop.containment()
    temporary = workshop.locations.cache
    temporary.mkdir()
    options = Options(
        str(shutil.which("bwrap")), temporary, own_directories=(own,) if is_shown else (), is_root=os.geteuid() == 0
    )
    words = bubblewrap_words(containment, Protections(), options, workshop.project)
    # The project of the test lies below the true /tmp too.
    line = f"sh {own}/program; echo x >> {own}/program"
    process = await asyncio.create_subprocess_exec(*words, "sh", "-c", line, stdout=-1, stderr=-1)
    output, _ = await process.communicate()
    assert (output, (own / "program").read_text()) == (b"ran\n" if is_shown else b"", "echo ran")


@needs_bubblewrap
@pytest.mark.parametrize("is_named", [True, False], ids=["named by its path", "found on PATH"])
async def test_a_program_below_the_true_tmp_runs_with_the_files_around_it(tmp_path: Path, is_named: bool) -> None:
    packages = tmp_path / "tools/node_modules"
    write(packages / "pack/cli", f"#!/bin/sh\n. {packages}/other/part; echo x >> {packages}/other/part\n")
    write(packages / "other/part", "echo ran\n")
    (packages / "pack/cli").chmod(0o755)
    (packages / ".bin").mkdir()
    (packages / ".bin/program").symlink_to("../pack/cli")
    path = "/usr/bin:/bin" if is_named else f"{packages}/.bin:/usr/bin:/bin"
    workshop = Workshop(tmp_path, path)
    _, output = await workshop.run([f"{packages}/.bin/program" if is_named else "program"])
    assert "ran" in output
    assert (packages / "other/part").read_text() == "echo ran\n"


@needs_bubblewrap
@pytest.mark.parametrize("is_server", [True, False])
async def test_a_file_below_the_true_tmp_that_a_server_is_started_with_is_seen_and_no_file_of_a_line(
    tmp_path: Path, is_server: bool
) -> None:
    script = tmp_path / "tools/server.sh"
    write(script, "echo ran")
    workshop = Workshop(tmp_path)
    command = Command(("sh", str(script)), workshop.project, {"PATH": workshop.path, "HOME": str(workshop.home)})
    output = workshop.home / "output"
    async with workshop.sandbox.contained(
        command, workshop.containment(), session_id="s", is_server=is_server
    ) as contained:
        with output.open("wb") as file:
            await run_command(
                contained.command, file, timeout_seconds=wait_seconds(), abort=asyncio.Event(), max_output_bytes=1000
            )
    assert ("ran" in output.read_text()) == is_server


def test_files_beside_a_directory_of_programs_that_lies_in_tmp_itself_stay_hidden(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = workshop.home / "tmp"
    for directory in ("bin", "tools/bin"):
        (temporary / directory).mkdir(parents=True)
    write(temporary / "file")
    monkeypatch.setattr("placet.sandbox.protections.REPLACED", (temporary,))
    programs = (temporary, temporary / "bin", temporary / "tools/bin")
    protections = look_at(workshop.containment(), Listings(), workshop.home, programs, (temporary / "file",))
    assert protections.shown == (temporary / "bin", temporary / "tools")
