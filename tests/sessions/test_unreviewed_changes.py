"""Changes are written at once and marked as unreviewed; the user keeps or undoes each hunk afterwards."""

import asyncio
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from change_set_support import DONE, GO, call, decide, edit, files, outputs, read, told, whole
from changes_support.approver import ONCE
from changes_support.shell import git
from overlay_support.bubblewrap import can_overlay
from placet.changes.review.staged_file import StagedView
from placet.core.hunks import Decision
from placet.core.ports import FileEdit, FileOutcome, PermissionAnswer, PermissionRequest
from placet.frontends.lsp.handlers.review import listed as listed_files
from placet.sessions.session import Session
from services_support import TempServices

NAMES = ["a.txt", "b.txt", "c.txt"]


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    for name in NAMES:
        (services.project / name).write_text(original(name))
    services.user.answer = allow_once
    return services


def allow_once(_: PermissionRequest) -> PermissionAnswer:
    return ONCE


def original(name: str) -> str:
    return "".join(f"{name} {number}\n" for number in range(9))


async def views(session: Session) -> dict[tuple[str, str], StagedView]:
    listed = await session.change_set.views()
    return {(view.file.state, view.file.place.name): view for view in listed}


def hunks(view: StagedView, outcome: Any, *ids: int, **more: Any) -> Decision:
    return Decision(view.file.place, view.version, outcome, frozenset(ids), **more)


def shown(view: StagedView) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    assert view.proposed is not None
    return [(hunk.old_lines, hunk.new_lines) for hunk in view.proposed.hunks]


TWO_EDITS = (read("a.txt"), edit("a.txt", 1, "one\n"), edit("a.txt", 6, "six\n"), DONE)


async def test_a_change_that_the_rules_ask_about_is_written_at_once_and_is_unreviewed(services: TempServices) -> None:
    async with services.open(services.script(*TWO_EDITS), review="apply") as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert services.user.asked == []
        assert files(services)["a.txt"] == original("a.txt").replace("a.txt 1", "one").replace("a.txt 6", "six")
        (view,) = (await views(session)).values()
        assert view.file.state == "unreviewed"
        assert shown(view) == [(("a.txt 1\n",), ("one\n",)), (("a.txt 6\n",), ("six\n",))]
        assert "reviews the written change later" in outputs(session)[1]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
@pytest.mark.parametrize("kind", ["create", "modify"])
async def test_nothing_is_undone_where_the_folder_has_become_a_link_that_leads_elsewhere(
    services: TempServices, tmp_path: Path, kind: str
) -> None:
    folder, outside = services.project / "folder", tmp_path / "outside"
    folder.mkdir()
    (folder / "a.txt").write_text("a.txt 1\n")
    name = "folder/new.txt" if kind == "create" else "folder/a.txt"
    step = call("write", filePath=name, content="new\n")
    async with services.open(services.script(read("folder/a.txt"), step, DONE), review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        shutil.copytree(folder, outside)
        folder.rename(services.project / "moved")
        folder.symlink_to(outside)
        (view,) = (await views(session)).values()
        (decided,) = await session.change_set.decide([whole(view, "reject")])
        assert decided.status != "undone"
        assert f"leads to {outside}" in decided.reason
        assert (outside / Path(name).name).read_text() == "new\n"


async def test_an_undone_hunk_goes_alone_with_the_typing_kept_and_the_model_is_told(services: TempServices) -> None:
    async with services.open(services.script(*TWO_EDITS, DONE), review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        path = services.project / "a.txt"
        path.write_text(path.read_text().replace("a.txt 3\n", "typed\n"))
        view = (await views(session))["unreviewed", "a.txt"]
        assert len(shown(view)) == 2
        assert await decide(session, hunks(view, "reject", 1, comment="Not that.")) == ["undone"]
        expected = original("a.txt").replace("a.txt 3", "typed").replace("a.txt 6", "six")
        assert path.read_text() == expected
        view = (await views(session))["unreviewed", "a.txt"]
        assert shown(view) == [(("a.txt 6\n",), ("six\n",))]
        assert await decide(session, hunks(view, "accept", 1)) == ["kept"]
        assert path.read_text() == expected
        assert await views(session) == {}
        await session.prompt(GO)
        news = told(session)
        assert "a.txt: this part of the change is undone" in news
        assert "+one" in news
        assert "six" not in news
        assert "The user said: Not that." in news


async def test_the_users_own_text_takes_the_place_of_one_hunk_and_the_model_is_told(services: TempServices) -> None:
    async with services.open(services.script(*TWO_EDITS, DONE), review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        view = (await views(session))["unreviewed", "a.txt"]
        mine = hunks(view, "accept", 2, edited="mine\n")
        assert await decide(session, mine) == ["kept"]
        assert files(services)["a.txt"] == original("a.txt").replace("a.txt 1", "one").replace("a.txt 6", "mine")
        assert await decide(session, mine) == ["moved"]
        assert shown((await views(session))["unreviewed", "a.txt"]) == [(("a.txt 1\n",), ("one\n",))]
        await session.prompt(GO)
        assert "another text in place:\n```diff" in told(session)
        assert "-six\n+mine" in told(session)


async def test_a_kept_change_is_no_news_for_the_model(services: TempServices) -> None:
    async with services.open(services.script(*TWO_EDITS, DONE), review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert await decide(session, whole((await views(session))["unreviewed", "a.txt"], "accept")) == ["kept"]
        await session.prompt(GO)
        assert "reviewed" not in told(session)


async def test_lines_that_the_user_changes_afterwards_are_the_users_own(services: TempServices) -> None:
    async with services.open(services.script(*TWO_EDITS), review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        path = services.project / "a.txt"
        path.write_text(path.read_text().replace("one\n", "mine\n"))
        view = (await views(session))["unreviewed", "a.txt"]
        assert shown(view) == [(("a.txt 6\n",), ("six\n",))]
        assert await decide(session, whole(view, "reject")) == ["undone"]
        assert path.read_text() == original("a.txt").replace("a.txt 1\n", "mine\n")


async def test_a_decision_on_a_view_that_has_changed_does_nothing(services: TempServices) -> None:
    script = services.script(*TWO_EDITS, edit("a.txt", 4, "four\n"), DONE)
    async with services.open(script, review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        view = (await views(session))["unreviewed", "a.txt"]
        await session.prompt(GO)
        before = files(services)
        assert await decide(session, whole(view, "reject")) == ["moved"]
        assert files(services) == before
        assert len(shown((await views(session))["unreviewed", "a.txt"])) == 3


PATCH = """*** Begin Patch
*** Add File: deep/new.txt
+new
*** Delete File: b.txt
*** Update File: c.txt
*** Move to: moved.txt
@@
-c.txt 1
+moved
*** End Patch"""


@pytest.mark.parametrize("outcome", ["accept", "reject"])
async def test_created_deleted_and_renamed_files_are_kept_or_restored_to_the_byte(
    services: TempServices, outcome: str
) -> None:
    services.project.joinpath("b.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\nthree\r\n")
    services.project.joinpath("b.txt").chmod(0o755)
    before = {path.name: path.read_bytes() for path in services.project.iterdir()}
    script = services.script(read("b.txt"), read("c.txt"), call("apply_patch", patchText=PATCH), DONE)
    async with services.open(script, review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert not services.project.joinpath("b.txt").exists()
        assert services.project.joinpath("deep/new.txt").read_text() == "new\n"
        listed = await views(session)
        assert [view.file.kind for view in listed.values()] == ["create", "delete", "rename"]
        statuses = await decide(session, *(whole(view, outcome) for view in listed.values()))
        assert statuses == [{"accept": "kept", "reject": "undone"}[outcome]] * 3
        assert await views(session) == {}
        if outcome == "reject":
            assert {path.name: path.read_bytes() for path in services.project.iterdir()} == before
            if os.name == "posix":
                assert services.project.joinpath("b.txt").stat().st_mode & 0o777 == 0o755
        else:
            assert services.project.joinpath("moved.txt").read_text() == original("c.txt").replace("c.txt 1", "moved")


async def test_a_created_file_in_which_the_user_typed_keeps_the_typing(services: TempServices) -> None:
    script = services.script(call("write", filePath="new.txt", content="a\nb\nc\n"), DONE)
    async with services.open(script, review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        path = services.project / "new.txt"
        path.write_text("a\nb\nmine\nc\n")
        view = (await views(session))["unreviewed", "new.txt"]
        assert await decide(session, whole(view, "reject")) == ["undone"]
        assert path.read_text() == "mine\n"
        assert await views(session) == {}


async def test_a_deleted_file_whose_earlier_hunks_were_unreviewed_comes_back_whole(services: TempServices) -> None:
    script = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), call("apply_patch", patchText=DELETE_A), DONE)
    async with services.open(script, review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        (view,) = (await views(session)).values()
        assert (view.file.kind, shown(view)[0][0][1]) == ("delete", "a.txt 1\n")
        assert await decide(session, whole(view, "reject")) == ["undone"]
        assert files(services)["a.txt"] == original("a.txt")
        assert await views(session) == {}


async def test_after_the_undo_of_a_deletion_the_hunks_before_are_unreviewed_again(services: TempServices) -> None:
    delete = call("apply_patch", patchText=DELETE_A)
    async with services.open(services.script(*TWO_EDITS, delete, DONE), review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert await decide(session, hunks((await views(session))["unreviewed", "a.txt"], "accept", 1)) == ["kept"]
        await session.prompt(GO)
        (view,) = (await views(session)).values()
        assert view.file.kind == "delete"
        assert await decide(session, whole(view, "reject")) == ["undone"]
        (view,) = (await views(session)).values()
        assert shown(view) == [(("a.txt 6\n",), ("six\n",))]
        assert await decide(session, whole(view, "reject")) == ["undone"]
        assert files(services)["a.txt"] == original("a.txt").replace("a.txt 1", "one")


async def test_lines_that_two_turns_changed_are_undone_newest_turn_first(services: TempServices) -> None:
    again = call("edit", filePath="a.txt", oldString="one\n", newString="uno\n")
    script = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE, again, DONE)
    async with services.open(script, review="apply") as sessions:
        session = await sessions.create(title="t")
        for _ in range(2):
            await session.prompt(GO)
        assert await decide(session, whole((await views(session))["unreviewed", "a.txt"], "reject")) == ["undone"]
        assert files(services)["a.txt"] == original("a.txt")
        turns = [change["turnId"] for change in await session.changes()]
        assert [turns.count(turn) for turn in dict.fromkeys(turns)] == [2, 2]


async def test_a_change_that_cuts_hard_links_is_asked_all_the_same(services: TempServices) -> None:
    (services.project / "other.txt").hardlink_to(services.project / "a.txt")
    async with services.open(services.script(*TWO_EDITS), review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert len(services.user.asked) == 1
        assert len(shown((await views(session))["unreviewed", "a.txt"])) == 1


DELETE_A = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"


async def test_after_the_undo_of_a_turn_only_other_turns_are_unreviewed(services: TempServices) -> None:
    script = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE, edit("a.txt", 6, "six\n"), DONE)
    async with services.open(script, review="apply") as sessions:
        session = await sessions.create(title="t")
        for _ in range(2):
            await session.prompt(GO)
        assert [file.status for file in await session.undo()] == ["restored"]
        view = (await views(session))["unreviewed", "a.txt"]
        assert shown(view) == [(("a.txt 1\n",), ("one\n",))]
        assert await decide(session, whole(view, "reject")) == ["undone"]
        assert files(services)["a.txt"] == original("a.txt")


@pytest.mark.parametrize("is_listed", [True, False])
async def test_a_redo_brings_the_marks_back_whether_or_not_the_set_was_listed_meanwhile(
    services: TempServices, is_listed: bool
) -> None:
    script = services.script(
        *TWO_EDITS,
        read("b.txt"),
        read("c.txt"),
        call("apply_patch", patchText=PATCH),
        edit("a.txt", 3, "three\n"),
        DONE,
    )
    async with services.open(script, review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert await decide(session, hunks((await views(session))["unreviewed", "a.txt"], "accept", 1)) == ["kept"]
        await session.prompt(GO)
        before = await views(session)
        assert len(before) == 4
        for _ in range(2):
            for left in (1, 0):
                await session.undo()
                if is_listed:
                    assert len(await views(session)) == left
            if is_listed:
                assert await sessions.with_undecided_changes() == frozenset()
            for _ in range(2):
                await session.redo()
            assert await views(session) == before
            assert await sessions.with_undecided_changes() == {session.info.id}


async def test_marks_that_were_set_aside_come_back_after_a_restart_and_not_over_later_marks(
    services: TempServices,
) -> None:
    async with services.open(services.script(*TWO_EDITS), review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        before = await views(session)
        await session.undo()
        assert await views(session) == {}
    more = services.script(*TWO_EDITS, name="more.json")
    async with services.open(more, review="apply") as sessions:
        session = await sessions.load(session.info.id)
        await session.redo()
        assert await views(session) == before
        await session.undo()
        assert await views(session) == {}
        await session.choices.set_model(more)
        await session.prompt(GO)
        assert await decide(session, whole((await views(session))["unreviewed", "a.txt"], "accept")) == ["kept"]
        await session.undo()
        await session.redo()
        assert await views(session) == {}


async def test_the_undo_of_a_turn_after_a_decision_takes_only_the_turns_share(services: TempServices) -> None:
    script = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE, edit("a.txt", 6, "six\n"), DONE)
    async with services.open(script, review="apply") as sessions:
        session = await sessions.create(title="t")
        for _ in range(2):
            await session.prompt(GO)
        view = (await views(session))["unreviewed", "a.txt"]
        assert await decide(session, hunks(view, "reject", 1)) == ["undone"]
        assert [file.status for file in await session.undo()] == ["restored"]
        assert files(services)["a.txt"] == original("a.txt")
        assert [file.status for file in await session.redo()] == ["restored"]
        assert files(services)["a.txt"] == original("a.txt").replace("a.txt 6", "six")


async def test_hunks_of_two_turns_that_are_undone_at_once_are_each_journaled_in_their_turn(
    services: TempServices,
) -> None:
    script = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE, edit("a.txt", 6, "six\n"), DONE)
    async with services.open(script, review="apply") as sessions:
        session = await sessions.create(title="t")
        for _ in range(2):
            await session.prompt(GO)
        assert await decide(session, whole((await views(session))["unreviewed", "a.txt"], "reject")) == ["undone"]
        assert files(services)["a.txt"] == original("a.txt")
        turns = [change["turnId"] for change in await session.changes()]
        assert [turns.count(turn) for turn in dict.fromkeys(turns)] == [2, 2]


async def test_the_marks_stay_over_a_restart_and_the_news_too(services: TempServices) -> None:
    async with services.open(services.script(*TWO_EDITS), review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        session_id = session.info.id
    async with services.open(services.script(DONE)) as sessions:
        session = await sessions.load(session_id)
        view = (await views(session))["unreviewed", "a.txt"]
        assert await decide(session, hunks(view, "reject", 2)) == ["undone"]
    async with services.open(services.script(DONE)) as sessions:
        session = await sessions.load(session_id)
        assert len(shown((await views(session))["unreviewed", "a.txt"])) == 1
        await session.choices.set_model(services.script(DONE, name="more.json"))
        await session.prompt(GO)
        assert "this part of the change is undone" in told(session)


async def test_two_sessions_mark_their_own_hunks_of_one_file(services: TempServices) -> None:
    first = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE)
    second = services.script(read("a.txt"), edit("a.txt", 6, "six\n"), DONE, name="second.json")
    async with services.open(first, review="apply") as sessions:
        one, two = await sessions.create(title="1"), await sessions.create(title="2", model=second)
        await one.prompt(GO)
        await two.prompt(GO)
        assert shown((await views(one))["unreviewed", "a.txt"]) == [(("a.txt 1\n",), ("one\n",))]
        assert shown((await views(two))["unreviewed", "a.txt"]) == [(("a.txt 6\n",), ("six\n",))]
        assert await decide(one, whole((await views(one))["unreviewed", "a.txt"], "reject")) == ["undone"]
        assert files(services)["a.txt"] == original("a.txt").replace("a.txt 6", "six")
        assert len(shown((await views(two))["unreviewed", "a.txt"])) == 1


async def test_a_subagents_change_is_unreviewed_in_the_users_session(services: TempServices) -> None:
    services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE, name="sub.json")
    task = call("task", description="Edit", prompt="Edit a.txt.", subagent_type="general")
    script = services.script(task, DONE)
    agent = {"general": {"model": f"scripted/{services.project.parent / 'sub.json'}"}}
    async with services.open(script, review="apply", agent=agent) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        view = (await views(session))["unreviewed", "a.txt"]
        assert await decide(session, whole(view, "reject")) == ["undone"]
        assert files(services)["a.txt"] == original("a.txt")


async def test_both_kinds_stand_in_one_set_when_the_way_is_switched_within_a_turn(services: TempServices) -> None:
    script = services.script(
        read("a.txt"),
        edit("a.txt", 1, "one\n"),
        call("question", questions=[QUESTION]),
        edit("a.txt", 6, "six\n"),
        read("b.txt"),
        edit("b.txt", 1, "one\n"),
        call("question", questions=[QUESTION]),
        edit("a.txt", 3, "three\n"),
        read("c.txt"),
        edit("c.txt", 1, "one\n"),
        DONE,
    )
    async with services.open(script, review="stage") as sessions:
        session = await sessions.create(title="t")
        ways = iter(["apply", "stage"])

        async def answers(*_: Any) -> list[list[str]]:
            await session.choices.set_review(next(ways))  # type: ignore[arg-type]
            return [["yes"]]

        services.user.ask = answers  # type: ignore[method-assign]
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        listed = await views(session)
        assert list(listed) == [("staged", "a.txt"), ("unreviewed", "b.txt"), ("staged", "c.txt")]
        assert len(shown(listed["staged", "a.txt"])) == 3
        assert files(services)["a.txt"] == original("a.txt")
        assert files(services)["b.txt"] == original("b.txt").replace("b.txt 1", "one")
        decisions = [whole(view, "accept") for view in listed.values()]
        assert await decide(session, *decisions) == ["written", "kept", "written"]
        assert "three" in files(services)["a.txt"]
        assert await views(session) == {}


QUESTION = {"question": "Go on?", "header": "Go", "options": [{"label": "yes", "description": "yes"}]}


async def test_a_staged_change_stands_on_the_unreviewed_change_of_its_file(services: TempServices) -> None:
    script = services.script(*TWO_EDITS[:2], DONE, edit("a.txt", 6, "six\n"), DONE)
    async with services.open(script, review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        await session.choices.set_review("stage")
        await session.prompt(GO)
        listed = await views(session)
        assert shown(listed["unreviewed", "a.txt"]) == [(("a.txt 1\n",), ("one\n",))]
        assert shown(listed["staged", "a.txt"]) == [(("a.txt 6\n",), ("six\n",))]
        session_id = session.info.id
    async with services.open(services.script(DONE)) as sessions:
        session = await sessions.load(session_id)
        listed = await views(session)
        assert list(listed) == [("unreviewed", "a.txt"), ("staged", "a.txt")]
        assert await decide(session, whole(listed["unreviewed", "a.txt"], "reject")) == ["undone"]
        assert await decide(session, whole((await views(session))["staged", "a.txt"], "accept")) == ["written"]
        assert files(services)["a.txt"] == original("a.txt").replace("a.txt 6", "six")


@pytest.mark.parametrize("name", [".vscode/settings.json", "../outside.txt"])
async def test_a_sensitive_file_and_a_file_outside_the_project_are_asked_all_the_same(
    services: TempServices, name: str
) -> None:
    script = services.script(call("write", filePath=str((services.project / name).resolve()), content="x\n"), DONE)
    async with services.open(script, review="apply", permission={"external_directory": "allow"}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert len(services.user.asked) == 1
        assert (services.project / name).read_text() == "x\n"
        assert await views(session) == {}


async def test_a_renaming_onto_an_unreviewed_deletion_is_a_deletion_and_a_new_text_of_the_deleted_file(
    services: TempServices,
) -> None:
    patch = "*** Begin Patch\n*** Update File: b.txt\n*** Move to: a.txt\n@@\n-b.txt 1\n+b\n*** End Patch"
    script = services.script(
        read("a.txt"),
        call("apply_patch", patchText=DELETE_A),
        read("b.txt"),
        call("apply_patch", patchText=patch),
        DONE,
    )
    async with services.open(script, review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert services.user.asked == []
        listed = await views(session)
        assert {name: view.file.kind for (_, name), view in listed.items()} == {"b.txt": "delete", "a.txt": "modify"}
        assert await decide(session, *(whole(view, "reject") for view in listed.values())) == ["undone", "undone"]
        assert {name: files(services)[name] for name in ("a.txt", "b.txt")} == {
            name: original(name) for name in ("a.txt", "b.txt")
        }


async def test_a_change_that_a_rule_allows_is_unreviewed_too_and_a_denied_change_is_not_written(
    services: TempServices,
) -> None:
    script = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), read("b.txt"), edit("b.txt", 1, "one\n"), DONE)
    rules = {"edit": {"*": "ask", "a.txt": "allow", "b.txt": "deny"}}
    async with services.open(script, review="apply", permission=rules) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert "one\n" in files(services)["a.txt"]
        assert files(services)["b.txt"] == original("b.txt")
        assert list(await views(session)) == [("unreviewed", "a.txt")]


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
async def test_the_files_that_a_command_changes_are_unreviewed(services: TempServices) -> None:
    command = "printf 'x\\n' >> a.txt; rm b.txt; printf 'new\\n' > new.txt; printf '\\000\\377' > new.bin"
    script = services.script(call("bash", command=command, description="Change"), DONE)
    before = files(services)
    async with services.open(script, review="apply", permission={"bash": "allow"}, sandbox={"mode": "off"}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        listed = await views(session)
        assert {(view.file.kind, view.file.place.name) for view in listed.values()} == {
            ("modify", "a.txt"),
            ("delete", "b.txt"),
            ("create", "new.txt"),
            ("create", "new.bin"),
        }
        assert set(await decide(session, *(whole(view, "reject") for view in listed.values()))) == {"undone"}
        assert files(services) == before


async def test_a_change_that_fails_leaves_no_mark(services: TempServices, monkeypatch: pytest.MonkeyPatch) -> None:
    async with services.open(services.script(*TWO_EDITS), review="apply") as sessions:
        session = await sessions.create(title="t")
        from placet.changes.change_writer import ChangeWriter
        from placet.core.errors import EditError

        async def fails(*_: Any) -> Any:
            raise EditError("no room")

        monkeypatch.setattr(ChangeWriter, "_apply", fails)
        await session.prompt(GO)
        assert await sessions.with_undecided_changes() == frozenset()
        assert files(services)["a.txt"] == original("a.txt")


async def test_a_list_of_sessions_tells_how_many_files_each_session_has_to_review(services: TempServices) -> None:
    async with services.open(services.script(*TWO_EDITS), review="apply") as sessions:
        other = await sessions.create(title="other")
        session = await sessions.create(title="t")
        await session.prompt(GO)

        async def to_review() -> dict[str, int | None]:
            infos, _ = await sessions.list()
            files = {info.id: info.to_review for info in infos}
            assert (await sessions.info(session.info.id)).to_review == files[session.info.id]
            return files

        listed = await views(session)
        assert await to_review() == {session.info.id: len(listed), other.info.id: None}
        await decide(session, *(whole(view, "accept") for view in listed.values()))
        assert await to_review() == {session.info.id: None, other.info.id: None}


async def test_changes_side_by_side_are_all_marked(services: TempServices) -> None:
    scripts = [
        services.script(read("a.txt"), edit("a.txt", number, f"new {number}\n"), DONE, name=f"{number}.json")
        for number in (1, 4, 7)
    ]
    async with services.open(scripts[0], review="apply") as sessions:
        them = [await sessions.create(title="t", model=script) for script in scripts]
        await asyncio.gather(*(session.prompt(GO) for session in them))
        for session, number in zip(them, (1, 4, 7), strict=True):
            view = (await views(session))["unreviewed", "a.txt"]
            assert shown(view) == [((f"a.txt {number}\n",), (f"new {number}\n",))]


async def test_a_file_that_cannot_be_written_keeps_no_other_file_from_being_written(services: TempServices) -> None:
    script = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), read("b.txt"), edit("b.txt", 1, "one\n"), DONE)
    async with services.open(script, review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        apply = services.documents.apply

        async def fails(edits: Sequence[FileEdit], **more: Any) -> list[FileOutcome]:
            if any(edit.path.name == "a.txt" for edit in edits):
                return [FileOutcome(edit.path, applied=False, reason="no room") for edit in edits]
            return await apply(edits, **more)

        services.documents.apply = fails  # type: ignore[method-assign]
        listed = await views(session)
        assert await decide(session, *(whole(view, "accept") for view in listed.values())) == ["failed", "written"]
        assert files(services)["a.txt"] == original("a.txt")
        assert files(services)["b.txt"] == original("b.txt").replace("b.txt 1", "one")
        assert list(await views(session)) == [("staged", "a.txt")]


@pytest.mark.parametrize("review", ["stage", "apply"])
async def test_a_file_that_is_no_text_any_more_is_listed_and_can_leave_the_set(
    services: TempServices, review: str
) -> None:
    script = services.script(*TWO_EDITS[:3], read("b.txt"), edit("b.txt", 1, "one\n"), DONE)
    async with services.open(script, review=review) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        (services.project / "a.txt").write_bytes(b"\0\xff\0")
        listed = await views(session)
        assert len(listed) == 2
        view = next(iter(listed.values()))
        assert view.conflict
        impossible, possible = ("accept", "reject") if review == "stage" else ("reject", "accept")
        assert await decide(session, whole(view, impossible)) == ["conflict"]
        assert await decide(session, whole(view, possible)) == [{"stage": "rejected", "apply": "kept"}[review]]
        assert len(await views(session)) == 1
        assert (services.project / "a.txt").read_bytes() == b"\0\xff\0"


async def test_the_list_of_the_wire_has_the_state_and_both_sides(services: TempServices) -> None:
    async with services.open(services.script(*TWO_EDITS), review="apply") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        (file,) = (await listed_files(await session.change_set.views(), contents=True)).files
        assert (file.state, file.kind, len(file.hunks)) == ("unreviewed", "modify", 2)
        assert (file.old_text, file.new_text) == (original("a.txt"), files(services)["a.txt"])


@pytest.mark.skipif(not can_overlay(), reason="needs bubblewrap with overlays")
@pytest.mark.parametrize(("more", "is_asked"), [("", False), ("; printf '\\000\\377' > new.bin", True)])
async def test_texts_of_a_contained_command_are_written_at_once_and_other_files_are_asked(
    services: TempServices, more: str, is_asked: bool
) -> None:
    git(services.project, "init", "-q")
    command = f"printf 'x\\n' >> a.txt; rm b.txt; printf 'new\\n' > new.txt{more}"
    script = services.script(call("bash", command=command, description="Change"), DONE)
    before = {name: original(name) for name in NAMES}
    async with services.open(script, review="apply", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert (services.project / "new.txt").read_text() == "new\n"
        assert bool(services.user.asked) == is_asked
        listed = await views(session)
        assert ("reviews the written change later" in outputs(session)[0]) != is_asked
        if is_asked:
            assert listed == {}
            return
        assert [view.file.kind for view in listed.values()].count("modify") == 1
        assert set(await decide(session, *(whole(view, "reject") for view in listed.values()))) == {"undone"}
        assert files(services) == before
