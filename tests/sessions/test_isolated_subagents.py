"""Isolated subagents work in git worktrees of their own, and their changes come back into the caller's change set."""

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from change_set_support import DONE, GO, decide, whole
from placet.core.messages import Message, ToolCompleted, ToolFailed, ToolPart
from placet.core.ports import PermissionAnswer, PermissionRequest
from placet.sessions.session import Session
from placet.worktrees.listing import ListedWorktree, list_worktrees
from services_support import AnsweringUser, TempServices
from worktree_support import Repository
from worktree_support.fixtures import repository as repository

LINES = [f"line {number}\n" for number in range(1, 21)]
ALLOWED = {"task": "allow", "edit": "allow"}


@pytest.fixture
def services(tmp_path: Path, repository: Repository) -> TempServices:
    repository.put("shared.txt", "".join(LINES))
    repository.commit("Shared")
    return TempServices(tmp_path)


class WaitingUser(AnsweringUser):
    """User who says yes once as many questions stand on the screen as are expected, after the `meanwhile`."""

    def __init__(self, expected: int, meanwhile: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self._expected = expected
        self._meanwhile = meanwhile
        self._are_there = asyncio.Event()

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        self.asked.append(request)
        if len(self.asked) == self._expected:
            self._meanwhile()
            self._are_there.set()
        await self._are_there.wait()
        return PermissionAnswer("once")


def task(agent: str, **more: Any) -> dict[str, Any]:
    arguments = {"description": "work", "prompt": "Do it.", "subagent_type": agent, **more}
    return {"call": "task", "arguments": arguments}


def read(name: str = "shared.txt") -> list[dict[str, Any]]:
    return [{"call": "read", "arguments": {"filePath": name}}]


def edit(number: int, new: str, name: str = "shared.txt") -> list[dict[str, Any]]:
    arguments = {"filePath": name, "oldString": f"line {number}\n", "newString": f"{new}\n"}
    return [{"call": "edit", "arguments": arguments}]


def isolated(services: TempServices, name: str, *steps: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Return the settings of an agent that works apart, by a script of its own."""
    return {name: {"mode": "subagent", "isolation": "worktree", "model": services.script(*steps, name=name), **more}}


def results(messages: tuple[Message, ...]) -> list[str]:
    """Return what the calls have told the model."""
    states = [part.state for message in messages for part in message.parts if isinstance(part, ToolPart)]
    return [state.output if isinstance(state, ToolCompleted) else getattr(state, "error", "") for state in states]


def children(services: TempServices, session: Session) -> set[str]:
    """Return the other sessions of which the screen has heard."""
    return {event.session_id for event in services.screen.events} - {session.info.id}


async def worktrees(services: TempServices) -> list[ListedWorktree]:
    return await list_worktrees(services.locations.worktrees, services.project)


async def accepted(session: Session, services: TempServices) -> list[str]:
    """Accept all staged files; return the lines of the shared file."""
    views = await session.change_set.views()
    assert await decide(session, *(whole(view, "accept") for view in views)) == ["written"] * len(views)
    return (services.project / "shared.txt").read_text().splitlines()


async def test_two_at_once_change_one_file_apart_and_both_changes_come_back_as_one(services: TempServices) -> None:
    agents = {
        **isolated(services, "one", read(), edit(2, "ONE"), DONE),
        **isolated(services, "two", read(), edit(18, "TWO"), DONE),
    }
    user = WaitingUser(2)
    script = services.script([task("one"), task("two")], read(), DONE)
    async with services.open(script, user=user, agent=agents, permission={"task": "allow"}) as sessions:
        session = await sessions.create()
        assert (await session.prompt(GO)).stop_reason == "end_turn"

        places = {request.change.files[0].path for request in user.asked if request.change}
        assert len(places) == 2  # Both questions stood on the screen at once.
        assert all(place.is_relative_to(services.locations.worktrees.resolve()) for place in places)
        assert {request.origin for request in user.asked} == {("one",), ("two",)}
        assert (services.project / "shared.txt").read_text() == "".join(LINES)
        *tasks, seen = results(session.messages)
        assert all("staged here" in result for result in tasks)
        # The caller sees what came back before the user accepts it.
        assert [word for word in ("ONE", "TWO") if word not in seen] == []
        assert await worktrees(services) == []
        lines = await accepted(session, services)
        assert (lines[1], lines[17]) == ("ONE", "TWO")


async def test_two_at_once_change_the_same_line_and_the_conflict_of_one_is_said_and_stays_in_its_worktree(
    services: TempServices,
) -> None:
    agents = {
        **isolated(services, "one", read(), edit(2, "ONE"), DONE),
        **isolated(services, "two", read(), edit(2, "TWO"), DONE),
    }
    script = services.script([task("one"), task("two")], DONE)
    async with services.open(script, user=WaitingUser(2), agent=agents, permission={"task": "allow"}) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        (left,) = await worktrees(services)
        assert left.state == "changed"
        (refused,) = [result for result in results(session.messages) if "Not brought back: shared.txt" in result]
        assert "same lines" in refused
        assert f"placet worktree bring-back {left.worktree.name}" in refused
        kept = (left.worktree.path / "shared.txt").read_text().splitlines()[1]
        assert {(await accepted(session, services))[1], kept} == {"ONE", "TWO"}


async def test_a_line_that_the_user_changes_meanwhile_is_a_conflict_that_is_said_and_shown(
    services: TempServices, repository: Repository
) -> None:
    def type_over() -> None:
        repository.put("shared.txt", "".join(["line 1\n", "USER\n", *LINES[2:]]))

    agents = isolated(services, "one", read(), edit(2, "ONE"), DONE)
    user = WaitingUser(1, type_over)
    script = services.script([task("one")], DONE)
    async with services.open(script, user=user, agent=agents, permission={"task": "allow"}) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        (result,) = results(session.messages)
        assert "In conflict" in result
        assert str(services.project / "shared.txt") in result
        (view,) = await session.change_set.views()
        assert view.hunks_in_conflict
        assert await worktrees(services) == []


async def test_uncommitted_changes_go_along_and_do_not_come_back_as_changes(
    services: TempServices, repository: Repository
) -> None:
    repository.put("shared.txt", "".join(["MINE\n", *LINES[1:]]))
    agents = isolated(services, "one", read(), edit(2, "ONE"), DONE)
    async with services.open(services.script([task("one")], DONE), agent=agents, permission=ALLOWED) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        (view,) = await session.change_set.views()
        assert not view.reason_against
        assert (await accepted(session, services))[:3] == ["MINE", "ONE", "line 3"]


async def test_a_subagent_begins_with_the_staged_texts_and_no_hunk_comes_back_twice(services: TempServices) -> None:
    agents = isolated(services, "one", read(), edit(3, "THREE"), DONE)
    script = services.script(read(), edit(2, "TWO"), edit(10, "TEN"), [task("one")], DONE)
    async with services.open(script, agent=agents, permission={"task": "allow"}, review="stage") as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        (child,) = children(services, session)
        (seen, _) = results((await sessions.load(child)).messages)
        assert "TWO" in seen
        assert "TEN" in seen
        assert (services.project / "shared.txt").read_text() == "".join(LINES)
        (view,) = await session.change_set.views()
        assert view.proposed is not None
        assert [hunk.new_lines for hunk in view.proposed.hunks] == [("TWO\n", "THREE\n"), ("TEN\n",)]
        assert (await accepted(session, services))[:4] == ["line 1", "TWO", "THREE", "line 4"]
        assert await worktrees(services) == []


async def test_staged_new_renamed_and_deleted_files_are_as_staged_in_the_worktree(
    services: TempServices, repository: Repository
) -> None:
    for name in ("gone.txt", "old.txt"):
        repository.put(name, "".join(LINES))
    repository.commit("More")
    patch = "\n".join(
        (
            "*** Begin Patch",
            "*** Add File: new.txt",
            "+line 1",
            "*** Add File: brief.txt",
            "+line 1",
            "*** Delete File: gone.txt",
            "*** Update File: old.txt",
            "*** Move to: moved.txt",
            "@@",
            " line 1",
            "-line 2",
            "+TWO",
            "*** End Patch",
        )
    )
    stage = [{"call": "apply_patch", "arguments": {"patchText": patch}}]
    look = [{"call": "bash", "arguments": {"command": "ls; rm brief.txt; echo back > gone.txt", "description": "Look"}}]
    steps = (look, read("new.txt"), edit(1, "NEW", "new.txt"), read("moved.txt"), edit(9, "NINE", "moved.txt"))
    agents = isolated(services, "one", *steps, DONE)
    permission = {"task": "allow", "bash": "allow"}
    script = services.script([*read("gone.txt"), *read("old.txt")], stage, [task("one")], DONE)
    async with services.open(script, agent=agents, permission=permission, review="stage") as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        (child,) = children(services, session)
        listed, *_ = results((await sessions.load(child)).messages)
        assert listed.split()[:5] == ["a.txt", "brief.txt", "moved.txt", "new.txt", "shared.txt"]
        assert repository.git("status", "--porcelain") == ""
        views = {view.file.place.name: view for view in await session.change_set.views()}
        assert {name: view.file.kind for name, view in views.items()} == {
            "new.txt": "create",
            "moved.txt": "rename",
            "gone.txt": "modify",
        }
        await decide(session, *(whole(view, "accept") for view in views.values()))
        moved = (services.project / "moved.txt").read_text().splitlines()
        assert (moved[1], moved[8]) == ("TWO", "NINE")
        assert (services.project / "new.txt").read_text() == "NEW\n"
        assert (services.project / "gone.txt").read_text() == "back\n"
        assert not any((services.project / name).exists() for name in ("old.txt", "brief.txt"))
        assert await worktrees(services) == []


@pytest.mark.skipif(os.name == "nt", reason="links and programs as on POSIX")
async def test_binary_files_and_links_come_back_and_a_second_subagent_begins_with_them(
    services: TempServices, repository: Repository
) -> None:
    make = "printf '\\0' > new.bin; chmod +x new.bin shared.txt; ln -s a.txt link; rm a.txt; printf '\\0' > a.txt"
    look = "wc -c < new.bin; readlink link; test -x new.bin && test -x shared.txt && echo both; wc -c < a.txt"
    agents = {
        **isolated(services, "one", [{"call": "bash", "arguments": {"command": make, "description": "Make"}}], DONE),
        **isolated(services, "two", [{"call": "bash", "arguments": {"command": look, "description": "Look"}}], DONE),
    }
    permission = {"task": "allow", "bash": "allow"}
    script = services.script([task("one")], read("a.txt"), [task("two")], DONE)
    async with services.open(script, agent=agents, permission=permission) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        first, refused, second = results(session.messages)
        assert "Not brought back" not in first + second
        assert all(name in first for name in ("new.bin", "link", "shared.txt", "a.txt"))
        assert "a proposed change that is no text" in refused
        looks = [results((await sessions.load(child)).messages) for child in children(services, session)]
        assert ["1", "a.txt", "both", "1"] in [look[0].split() for look in looks if look]
        assert repository.git("status", "--porcelain") == ""
        views = await session.change_set.views()
        assert {view.name: view.description.partition(",")[0] for view in views} == {
            "new.bin": "binary file",
            "link": "symbolic link to a.txt",
            "a.txt": "binary file",
            "shared.txt": "",
        }
        assert await decide(session, *(whole(view, "accept") for view in views)) == ["written"] * 4
        assert os.access(services.project / "shared.txt", os.X_OK)
        assert await worktrees(services) == []


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="the sandbox needs bubblewrap")
async def test_a_command_sees_staged_files_that_are_no_text_and_its_changes_of_them_are_left_out(
    services: TempServices, repository: Repository
) -> None:
    repository.put("tool", "#!/bin/sh\necho ran\n")
    repository.put("gone.txt", "gone\n")
    repository.commit("A tool")
    make = "printf '\\0' > new.bin; chmod +x new.bin tool; ln -s brief.txt link; rm gone.txt; ln -s brief.txt gone.txt"
    look = "wc -c < new.bin; readlink link gone.txt; test -x new.bin && ./tool"
    change = "touch tool new.bin; printf x >> new.bin; rm link; ln -sf shared.txt gone.txt; echo over"
    script = services.script(
        [task("one")],
        [{"call": "bash", "arguments": {"command": look, "description": "Look"}}],
        [{"call": "bash", "arguments": {"command": change, "description": "Change"}}],
        DONE,
    )
    agents = isolated(services, "one", [{"call": "bash", "arguments": {"command": make, "description": "Make"}}], DONE)
    async with services.open(script, agent=agents, permission={"task": "allow"}, sandbox={}) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        _, looked, changed = results(session.messages)
        assert looked.split()[:4] == ["1", "brief.txt", "brief.txt", "ran"]
        assert "not seen" not in looked
        assert changed.count("it is staged and no text, so that it can be changed only after it is written") == 3
        assert "tool" not in changed, "a touched file is no change"
        views = {view.name: view for view in await session.change_set.views()}
        assert {name: view.description.partition(",")[0] for name, view in views.items()} == {
            "new.bin": "binary file",
            "tool": "",
            "link": "symbolic link to brief.txt",
            "gone.txt": "symbolic link to brief.txt",
        }
        assert views["new.bin"].file.raw_after is not None
        assert views["new.bin"].file.raw_after.data == b"\0"
        assert repository.git("status", "--porcelain") == ""


async def test_a_staged_ignored_file_is_in_no_tree_of_git(services: TempServices, repository: Repository) -> None:
    patch = "*** Begin Patch\n*** Add File: build/secret.txt\n+word\n*** End Patch"
    stage = [{"call": "apply_patch", "arguments": {"patchText": patch}}]
    look = [{"call": "bash", "arguments": {"command": "ls build; true", "description": "Look"}}]
    agents = isolated(services, "one", look, DONE)
    script = services.script(stage, [task("one")], DONE)
    permission = {"task": "allow", "bash": "allow"}
    async with services.open(script, agent=agents, permission=permission, review="stage") as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        objects = repository.git("cat-file", "--batch-check", "--batch-all-objects").splitlines()
        texts = [repository.git("cat-file", "-p", line.split()[0]) for line in objects if " blob " in line]
        assert "word" not in texts
        (view,) = await session.change_set.views()
        assert (view.file.kind, view.file.text) == ("create", "word\n")


async def test_a_file_taken_along_that_the_subagent_ignores_is_not_deleted(
    services: TempServices, repository: Repository
) -> None:
    repository.put("mine.txt", "mine\n")
    look = [{"call": "bash", "arguments": {"command": "echo mine.txt >> .gitignore", "description": "Ignore"}}]
    agents = isolated(services, "one", look, DONE)
    permission = {"task": "allow", "bash": "allow"}
    async with services.open(services.script([task("one")], DONE), agent=agents, permission=permission) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        assert [view.name for view in await session.change_set.views()] == [".gitignore"]


@pytest.mark.parametrize("is_absolute", [False, True])
async def test_a_rule_about_a_path_of_the_tree_holds_in_the_worktree(services: TempServices, is_absolute: bool) -> None:
    pattern = (services.project / "shared.txt").as_posix() if is_absolute else "shared.txt"
    agents = isolated(services, "one", read(), edit(2, "ONE"), DONE)
    permission = {"task": "allow", "edit": {"*": "allow", pattern: "deny"}}
    async with services.open(services.script([task("one")], DONE), agent=agents, permission=permission) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        (child,) = children(services, session)
        states = [
            part.state
            for message in (await sessions.load(child)).messages
            for part in message.parts
            if isinstance(part, ToolPart)
        ]
        assert [isinstance(state, ToolFailed) for state in states] == [False, True]
        assert await session.change_set.views() == []
        assert await worktrees(services) == []


async def test_a_cancelled_subagent_leaves_its_changes_in_a_worktree_of_the_list(services: TempServices) -> None:
    asked = asyncio.Event()

    class SilentUser(AnsweringUser):
        async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError

    shell = [{"call": "bash", "arguments": {"command": "touch x", "description": "Touch"}}]
    agents = isolated(services, "one", read(), edit(2, "ONE"), shell, DONE)
    script = services.script([task("one")], DONE)
    async with services.open(script, user=SilentUser(), agent=agents, permission=ALLOWED) as sessions:
        session = await sessions.create()
        prompt = asyncio.create_task(session.prompt(GO))
        await asked.wait()
        await session.cancel()
        assert (await prompt).stop_reason == "cancelled"

        (left,) = await worktrees(services)
        assert (left.state, left.changed_files) == ("changed", 1)
        assert await session.change_set.views() == []
        assert (services.project / "shared.txt").read_text() == "".join(LINES)


async def test_a_subagent_below_an_isolated_subagent_works_in_the_same_worktree(services: TempServices) -> None:
    agents = {
        **isolated(services, "one", [task("two")], DONE, permission={"task": "allow"}),
        **isolated(services, "two", read(), edit(2, "TWO"), DONE),
    }
    async with services.open(services.script([task("one")], DONE), agent=agents, permission=ALLOWED) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        assert (services.project / "shared.txt").read_text() == "".join(LINES)
        assert (await accepted(session, services))[1] == "TWO"
        assert await worktrees(services) == []


async def test_an_undo_of_the_turn_takes_back_what_was_accepted_and_nothing_of_the_worktree(
    services: TempServices,
) -> None:
    agents = isolated(services, "one", read(), edit(2, "ONE"), DONE)
    async with services.open(services.script([task("one")], DONE), agent=agents, permission=ALLOWED) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        assert (await accepted(session, services))[1] == "ONE"

        undone = await session.undo()

        assert [(file.path, file.status) for file in undone] == [(services.project / "shared.txt", "restored")]
        assert (services.project / "shared.txt").read_text() == "".join(LINES)


async def test_changes_of_a_subagent_in_the_background_come_back_before_its_message(services: TempServices) -> None:
    agents = isolated(services, "one", read(), edit(2, "ONE"), DONE)
    script = services.script([task("one", background=True)], DONE, DONE)
    async with services.open(script, agent=agents, permission=ALLOWED) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        while services.screen.kinds().count("turn_ended") < 3:
            await services.screen.wait_for_more()

        assert (await accepted(session, services))[1] == "ONE"
        assert await worktrees(services) == []


@pytest.mark.parametrize(("review", "asked"), [("ask", 1), ("stage", 1), ("apply", 0)])
async def test_edits_in_the_worktree_are_asked_unless_changes_are_applied_before_their_review(
    services: TempServices, review: str, asked: int
) -> None:
    agents = isolated(services, "one", read(), edit(2, "ONE"), DONE)
    script = services.script([task("one")], DONE)
    async with services.open(script, agent=agents, permission={"task": "allow"}, review=review) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        assert [request.permission for request in services.user.asked] == ["edit"] * asked
        (view,) = await session.change_set.views()
        assert (view.file.place, view.file.state) == (services.project / "shared.txt", "staged")


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="the sandbox needs bubblewrap")
@pytest.mark.parametrize(("rules", "asked"), [({}, 0), ({"sandbox": {"write *": "allow"}}, 1), ({"edit": "ask"}, 1)])
async def test_edits_in_the_worktree_are_not_asked_where_the_sandbox_holds_every_command(
    services: TempServices, rules: dict[str, Any], asked: int
) -> None:
    agents = isolated(services, "one", read(), edit(2, "ONE"), DONE)
    script, permission = services.script([task("one")], DONE), {"task": "allow", **rules}
    async with services.open(script, agent=agents, permission=permission, sandbox={}) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        assert [request.permission for request in services.user.asked] == ["edit"] * asked
        assert (services.project / "shared.txt").read_text() == "".join(LINES)
        assert len(await session.change_set.views()) == 1


async def test_commands_run_in_the_worktree_and_their_changes_come_back(services: TempServices) -> None:
    shell = [{"call": "bash", "arguments": {"command": "pwd > made.txt; rm shared.txt", "description": "Work"}}]
    agents = isolated(services, "one", shell, DONE)
    permission = {"task": "allow", "bash": "allow"}
    async with services.open(services.script([task("one")], DONE), agent=agents, permission=permission) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        assert not (services.project / "made.txt").exists()
        views = {view.file.place.name: view.file for view in await session.change_set.views()}
        assert {name: file.kind for name, file in views.items()} == {"made.txt": "create", "shared.txt": "delete"}
        assert Path(views["made.txt"].text.strip()).is_relative_to(services.locations.worktrees.resolve())


async def test_outside_of_a_repository_an_isolated_subagent_does_not_begin(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    agents = isolated(services, "one", DONE)
    async with services.open(services.script([task("one")], DONE), agent=agents, permission=ALLOWED) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        (result,) = results(session.messages)
        assert "git" in result
        assert children(services, session) == set()
