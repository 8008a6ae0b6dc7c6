"""Binary files, symbolic links and permissions that a command has changed are unreviewed, and kept or undone whole."""

import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from change_set_support import DONE, GO, call, decide, edit, read, told, whole
from placet.changes.review.staged_file import StagedView
from placet.frontends.lsp.handlers.review import listed as listed_files
from placet.sessions.session import Session
from services_support import TempServices

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")

OPTIONS: dict[str, Any] = {"review": "apply", "permission": {"bash": "allow"}, "sandbox": {"mode": "off"}}
State = dict[str, tuple[str, bytes, int]]


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    project = services.project
    project.joinpath("a.txt").write_text("".join(f"a.txt {number}\n" for number in range(9)))
    project.joinpath("old.bin").write_bytes(b"\0old")
    project.joinpath("gone.bin").write_bytes(b"\0gone")
    project.joinpath("link").symlink_to("a.txt")
    for name in ("a.txt", "old.bin", "gone.bin"):
        project.joinpath(name).chmod(0o644)
    return services


def bash(*commands: str) -> Any:
    return call("bash", command="; ".join(commands), description="Change")


def state(services: TempServices) -> State:
    """Every file and link of the project, with content and permissions."""
    found: State = {}
    for path in sorted(services.project.rglob("*")):
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            found[path.name] = ("link", os.fsencode(path.readlink()), 0)
        elif stat.S_ISREG(status.st_mode):
            found[path.name] = ("file", path.read_bytes(), stat.S_IMODE(status.st_mode))
    return found


async def views(session: Session) -> dict[str, StagedView]:
    return {view.file.place.name: view for view in await session.change_set.views()}


EVERYTHING = bash(
    "printf '\\000new' > new.bin",
    "printf '\\000other' > old.bin",
    "rm gone.bin",
    "ln -sfn old.bin link",
    "ln -s a.txt new_link",
    "chmod 755 a.txt",
)


def words(listed: Sequence[StagedView]) -> dict[str, tuple[str, str, str]]:
    return {
        view.file.place.name: (view.file.kind, view.description.partition(",")[0], view.permissions) for view in listed
    }


async def test_all_other_files_of_a_command_are_listed_with_words(services: TempServices) -> None:
    async with services.open(services.script(EVERYTHING, DONE), **OPTIONS) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert words(list((await views(session)).values())) == {
            "new.bin": ("create", "binary file", ""),
            "old.bin": ("modify", "binary file", ""),
            "gone.bin": ("delete", "binary file", ""),
            "link": ("modify", "symbolic link to old.bin", ""),
            "new_link": ("create", "symbolic link to a.txt", ""),
            "a.txt": ("modify", "", "executable"),
        }
        listed = (await listed_files(await session.change_set.views(), contents=False)).files
        assert {file.state for file in listed} == {"unreviewed"}
        assert [file.hunks for file in listed] == [()] * 6
        assert {file.permissions for file in listed} == {None, "executable"}
        assert sum(file.description is not None for file in listed) == 5


@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("outcome", ["accept", "reject"])
async def test_all_other_files_of_a_command_are_kept_or_undone_to_the_bit(
    services: TempServices, outcome: Any, is_restarted: bool
) -> None:
    before = state(services)
    async with services.open(services.script(EVERYTHING, DONE), **OPTIONS) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        after, session_id = state(services), session.info.id
        assert before != after
        if not is_restarted:
            await _decide_all(session, outcome)
    if is_restarted:
        async with services.open(services.script(DONE), **OPTIONS) as sessions:
            await _decide_all(await sessions.show(session_id), outcome)
    assert state(services) == (after if outcome == "accept" else before)


async def _decide_all(session: Session, outcome: Any) -> None:
    statuses = await decide(session, *(whole(view, outcome) for view in (await views(session)).values()))
    assert statuses == ["kept" if outcome == "accept" else "undone"] * 6
    assert await views(session) == {}


async def test_the_model_is_told_of_undone_files_by_their_descriptions(services: TempServices) -> None:
    async with services.open(services.script(EVERYTHING, DONE, DONE), **OPTIONS) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        listed = await views(session)
        await decide(session, *(whole(listed[name], "reject") for name in ("old.bin", "link", "a.txt")))
        await session.prompt(GO)
        news = told(session)
        assert "old.bin: the change is undone" in news
        assert "+binary file, 6 bytes" in news
        assert "-symbolic link to a.txt\n+symbolic link to old.bin" in news
        assert "old mode 644\nnew mode 755" in news


async def test_the_undo_of_the_turn_takes_the_marks_away_and_a_redo_brings_them_back(services: TempServices) -> None:
    async with services.open(services.script(EVERYTHING, DONE), **OPTIONS) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        before = await views(session)
        await session.undo()
        assert await views(session) == {}
        await session.redo()
        assert {name: view.version for name, view in (await views(session)).items()} == {
            name: view.version for name, view in before.items()
        }


async def test_going_back_undoes_the_files_and_their_marks(services: TempServices) -> None:
    before = state(services)
    script = services.script(DONE, EVERYTHING, DONE)
    async with services.open(script, **OPTIONS) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        await session.prompt(GO)
        prompts = [message.id for message in session.messages if message.role == "user"]
        after = {name: view.version for name, view in (await views(session)).items()}
        await session.going_back.go(prompts[-1])
        assert (await views(session), state(services)) == ({}, before)
        await session.going_back.redo()
        assert {name: view.version for name, view in (await views(session)).items()} == after


async def test_after_the_undo_of_the_last_turn_the_change_of_the_turn_before_is_unreviewed(
    services: TempServices,
) -> None:
    before = state(services)
    script = services.script(
        bash("printf '\\000one' > old.bin", "chmod 755 a.txt"),
        DONE,
        bash("printf '\\000two' > old.bin", "chmod 700 a.txt"),
        DONE,
    )
    async with services.open(script, **OPTIONS) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        first = {name: view.version for name, view in (await views(session)).items()}
        await session.prompt(GO)
        assert first != {name: view.version for name, view in (await views(session)).items()}
        await session.undo()
        listed = await views(session)
        assert first == {name: view.version for name, view in listed.items()}
        assert await decide(session, *(whole(view, "reject") for view in listed.values())) == ["undone"] * 2
        assert state(services) == before


async def test_a_file_that_the_user_has_replaced_since_is_the_users_own(services: TempServices) -> None:
    async with services.open(services.script(EVERYTHING, DONE), **OPTIONS) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        services.project.joinpath("new.bin").write_bytes(b"\0mine")
        services.project.joinpath("link").unlink()
        services.project.joinpath("a.txt").chmod(0o600)
        services.project.joinpath("gone.bin").write_text("mine\n")
        assert sorted(await views(session)) == ["new_link", "old.bin"]


async def test_permissions_and_hunks_of_one_file_are_one_entry(services: TempServices) -> None:
    before = state(services)
    script = services.script(bash("chmod 755 a.txt"), read("a.txt"), edit("a.txt", 1, "one\n"), DONE)
    async with services.open(script, **OPTIONS) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        (view,) = (await views(session)).values()
        assert view.proposed is not None
        assert (len(view.proposed.hunks), view.permissions) == (1, "executable")
        assert await decide(session, whole(view, "reject")) == ["undone"]
        assert state(services) == before


async def test_a_command_that_changes_text_and_permissions_marks_both(services: TempServices) -> None:
    before = state(services)
    script = services.script(bash("printf 'x\\n' >> a.txt", "chmod 755 a.txt"), DONE)
    async with services.open(script, **OPTIONS) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        (view,) = (await views(session)).values()
        assert view.proposed is not None
        assert (len(view.proposed.hunks), view.permissions) == (1, "executable")
        assert await decide(session, whole(view, "reject")) == ["undone"]
        assert state(services) == before


async def test_permissions_that_are_set_back_leave_no_mark(services: TempServices) -> None:
    script = services.script(bash("chmod 755 a.txt"), bash("chmod 644 a.txt"), DONE)
    async with services.open(script, **OPTIONS) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert await views(session) == {}


async def test_a_text_that_becomes_binary_and_text_again_is_one_entry_and_is_undone_whole(
    services: TempServices,
) -> None:
    before = state(services)
    script = services.script(
        read("a.txt"),
        edit("a.txt", 1, "one\n"),
        bash("printf '\\000' > a.txt"),
        bash("printf 'text\\n' > a.txt"),
        DONE,
    )
    async with services.open(script, **OPTIONS) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        (view,) = (await views(session)).values()
        assert view.description.startswith("text file")
        assert await decide(session, whole(view, "reject")) == ["undone"]
        assert state(services) == before


async def test_a_binary_file_that_is_created_and_removed_again_leaves_no_mark(services: TempServices) -> None:
    script = services.script(bash("printf '\\000' > new.bin"), bash("rm new.bin"), DONE)
    async with services.open(script, **OPTIONS) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert await views(session) == {}


async def test_a_file_that_is_no_text_takes_no_text_of_the_users_own(services: TempServices) -> None:
    async with services.open(services.script(EVERYTHING, DONE), **OPTIONS) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        before, view = state(services), (await views(session))["old.bin"]
        assert await decide(session, whole(view, "accept", edited="mine\n")) == ["conflict"]
        assert state(services) == before


@pytest.mark.parametrize("name", ["link", "new_link"])
async def test_an_undo_of_a_changed_link_leaves_the_changes_of_the_file_behind_the_link(
    services: TempServices, name: str
) -> None:
    command = bash("ln -sfn a.txt link", "ln -s a.txt new_link", "chmod 755 a.txt")
    services.project.joinpath("link").unlink()
    services.project.joinpath("link").symlink_to("old.bin")
    async with services.open(services.script(command, DONE), **OPTIONS) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        listed = await views(session)
        assert await decide(session, whole(listed[name], "reject")) == ["undone"]
        assert state(services)["a.txt"][2] == 0o755
        assert list(await views(session)) == [other for other in listed if other != name]
