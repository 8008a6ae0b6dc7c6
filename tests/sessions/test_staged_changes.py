"""Changes gather in the session's change set while the agent goes on; the user decides whenever they like."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

import services_support
from change_set_support import DONE, GO, call, decide, edit, files, outputs, read, told, whole
from changes_support.approver import ONCE
from language_server_support.no_features import NoFeatures
from placet.changes.review.staged_file import StagedView
from placet.core.hunks import Decision
from placet.core.messages import TextPart
from placet.core.ports import DiagnosticsReport, PermissionAnswer, PermissionRequest
from services_support import TempServices

NAMES = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt", "f.txt"]


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    for name in NAMES:
        (services.project / name).write_text("".join(f"{name} {number}\n" for number in range(9)))
    return services


def view(views: list[StagedView], name: str) -> StagedView:
    return next(view for view in views if view.file.place.name == name)


TEN_EDITS = [
    *(step for name in NAMES for step in (read(name), edit(name, 1, f"{name} one\n"))),
    *(edit(name, 7, f"{name} seven\n") for name in NAMES[:4]),
    read("a.txt"),
    call("grep", pattern="seven"),
    DONE,
]


async def test_a_turn_of_ten_edits_over_six_files_waits_for_no_answer_and_leaves_the_files_alone(
    services: TempServices,
) -> None:
    before = files(services)
    async with services.open(services.script(*TEN_EDITS), review="stage") as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert files(services) == before
        *_, seen, found = outputs(session)
        assert "a.txt one" in seen
        assert "a.txt seven" in seen
        assert found.count("seven") >= 4
        views = await session.change_set.views()
        assert [len(view.proposed.hunks) for view in views if view.proposed] == [2, 2, 2, 2, 1, 1]
        assert services.user.asked == []
        assert "staged" in outputs(session)[1]


async def test_accepting_seven_of_ten_hunks_and_editing_one_file_writes_exactly_these_and_tells_the_model(
    services: TempServices,
) -> None:
    before = files(services)
    async with services.open(services.script(*TEN_EDITS, DONE), review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        views = await session.change_set.views()
        statuses = await decide(
            session,
            *(whole(view(views, name), "accept") for name in NAMES[:3]),
            whole(view(views, "d.txt"), "accept", hunks=frozenset((1,))),
            whole(view(views, "d.txt"), "reject", hunks=frozenset((2,)), comment="Not that."),
            whole(view(views, "e.txt"), "accept", edited=before["e.txt"].replace("e.txt 1\n", "mine\n")),
            whole(view(views, "f.txt"), "reject"),
        )
        assert statuses == ["written"] * 5 + ["rejected"]
        wanted = {name: before[name].replace(f"{name} 1\n", f"{name} one\n") for name in NAMES[:4]}
        wanted |= {name: wanted[name].replace(f"{name} 7\n", f"{name} seven\n") for name in NAMES[:3]}
        assert files(services) == {**before, **wanted, "e.txt": before["e.txt"].replace("e.txt 1\n", "mine\n")}
        assert await session.change_set.views() == []
        await session.prompt(GO)
        news = told(session)
        assert "d.txt: these lines are rejected" in news
        assert "-d.txt 7" not in news.partition("d.txt: these lines")[2].partition("```")[0]
        assert "The user said: Not that." in news
        assert "+mine" in news
        assert "f.txt: the change is rejected" in news
        assert news.count("The user has reviewed staged changes") == 1


@pytest.mark.parametrize(("count", "judged"), [(20, 20), (21, 0)])
async def test_diagnostics_of_many_closed_files_are_not_compared_when_the_user_accepts_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, judged: int
) -> None:
    asked: list[set[Path]] = []

    class Watching(NoFeatures):
        async def diagnostics(self, paths: Sequence[Path] | None, **more: Any) -> DiagnosticsReport:
            asked.append(set(paths or ()))
            return await super().diagnostics(paths, **more)

    monkeypatch.setattr(services_support, "NoFeatures", Watching)
    services = TempServices(tmp_path)
    created = [[{"call": "write", "arguments": {"filePath": f"{n}.txt", "content": f"{n}\n"}} for n in range(count)]]
    async with services.open(services.script(*created, DONE), review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        views = await session.change_set.views()
        asked.clear()
        statuses = await decide(session, *(Decision(view.file.place, view.version, "accept") for view in views))
    assert statuses == ["written"] * count
    assert len(set().union(*asked)) == judged
    assert bool(asked) == bool(judged)


async def test_a_decision_and_the_words_about_it_for_the_model_are_stored_in_one_transaction(
    services: TempServices,
) -> None:
    async with services.open(
        services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE), review="stage"
    ) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        views = await session.change_set.views()
        stored: list[str] = []
        database = sessions._services.database  # pyright: ignore[reportPrivateUsage]
        await database.work(lambda connection: connection.set_trace_callback(stored.append))
        assert await decide(session, whole(view(views, "a.txt"), "accept")) == ["written"]
        await database.flushed()
    news = next(number for number, statement in enumerate(stored) if "INTO review_news" in statement)
    begin = max(number for number in range(news) if stored[number].startswith("BEGIN"))
    assert any("DELETE FROM staged" in statement for statement in stored[begin:news])


async def test_what_the_user_types_meanwhile_is_kept_beside_the_accepted_change(services: TempServices) -> None:
    async with services.open(
        services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE), review="stage"
    ) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        path = services.project / "a.txt"
        path.write_text(path.read_text() + "typed\n")
        (staged,) = await session.change_set.views()
        assert await decide(session, whole(staged, "accept")) == ["written"]
        assert path.read_text().startswith("a.txt 0\none\n")
        assert path.read_text().endswith("typed\n")


async def test_typing_in_the_same_lines_is_a_conflict_that_the_user_settles_with_an_own_text(
    services: TempServices,
) -> None:
    async with services.open(
        services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE), review="stage"
    ) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        path = services.project / "a.txt"
        typed = path.read_text().replace("a.txt 1\n", "typed\n")
        path.write_text(typed)
        (staged,) = await session.change_set.views()
        assert "same lines" in staged.reason_against
        assert await decide(session, whole(staged, "accept")) == ["conflict"]
        assert path.read_text() == typed
        assert await decide(session, whole(staged, "accept", edited="both\n")) == ["written"]
        assert path.read_text() == "both\n"
        assert await session.change_set.views() == []


async def test_a_decision_on_a_view_that_has_changed_does_nothing(services: TempServices) -> None:
    script = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE, edit("a.txt", 5, "five\n"), DONE)
    async with services.open(script, review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        (staged,) = await session.change_set.views()
        await session.prompt(GO)
        assert await decide(session, whole(staged, "accept")) == ["moved"]
        assert (services.project / "a.txt").read_text().startswith("a.txt 0\na.txt 1\n")


async def test_one_hunk_is_written_with_the_users_own_text_and_the_other_stays_staged(services: TempServices) -> None:
    script = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), edit("a.txt", 7, "seven\n"), DONE, DONE)
    async with services.open(script, review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        (staged,) = await session.change_set.views()
        mine = whole(staged, "accept", hunks=frozenset((1,)), edited="mine", comment="Shorter.")
        assert await decide(session, mine) == ["written"]
        assert files(services)["a.txt"] == files(services)["b.txt"].replace("b.txt", "a.txt").replace("a.txt 1", "mine")
        assert await decide(session, mine) == ["moved"]
        (rest,) = await session.change_set.views()
        assert rest.proposed is not None
        assert [hunk.new_lines for hunk in rest.proposed.hunks] == [("seven\n",)]
        comment = whole(rest, "comment", hunks=frozenset((1,)), comment="Why seven?")
        assert await decide(session, comment) == ["commented"]
        assert [view.version for view in await session.change_set.views()] == [rest.version]
        await session.prompt(GO)
        assert "-one\n+mine" in told(session)
        assert "The user said: Shorter." in told(session)
        assert "+seven\n```\n  The user said: Why seven?" in told(session)
        await session.undo()
        assert files(services)["a.txt"] == files(services)["b.txt"].replace("b.txt", "a.txt")


async def test_what_the_user_mentions_is_shown_with_the_staged_change_also_a_file_that_is_only_staged(
    services: TempServices,
) -> None:
    script = services.script(
        read("a.txt"),
        edit("a.txt", 1, "one\n"),
        call("write", filePath="new.txt", content="fresh\n"),
        read("b.txt"),
        call("apply_patch", patchText="*** Begin Patch\n*** Delete File: b.txt\n*** End Patch"),
        DONE,
        edit("a.txt", 2, "two\n"),
        DONE,
    )
    async with services.open(script, review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        path = services.project / "a.txt"
        path.write_text("typed\n" + path.read_text())
        await session.prompt([TextPart(text="See @a.txt, @a.txt#2-3, @new.txt and @b.txt")])
        news = told(session)
        assert "a.txt, with your staged change, which the user has not accepted yet:" in news
        assert "1: typed\n2: a.txt 0\n3: one" in news
        assert "lines 2 to 3 of a.txt, as the user sees the file: without your staged change:" in news
        assert "2: a.txt 0\n3: a.txt 1\n" in news
        assert "new.txt, with your staged change, which the user has not accepted yet:\n<content>\n1: fresh" in news
        assert "b.txt, as the user sees the file: without your staged change, which removes the file:" in news
        offers = (await sessions.completion.complete("@ne", 3, session_id=session.info.id)).offers
        assert "new.txt" in [offer.label for offer in offers]
        texts = {view.file.place.name: view.proposed for view in await session.change_set.views()}
        assert texts["a.txt"] is not None
        assert texts["a.txt"].new_text.startswith("typed\na.txt 0\none\ntwo\n")


async def test_undo_of_a_turn_takes_back_the_turns_own_share_of_what_was_accepted_at_once(
    services: TempServices,
) -> None:
    script = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE, edit("a.txt", 5, "five\n"), DONE)
    async with services.open(script, review="stage") as sessions:
        session = await sessions.create(title="t")
        for _ in range(2):
            await session.prompt(GO)
        (staged,) = await session.change_set.views()
        assert await decide(session, whole(staged, "accept")) == ["written"]
        assert [file.status for file in await session.undo()] == ["restored"]
        text = (services.project / "a.txt").read_text()
        assert ("one\n" in text, "five\n" in text) == (True, False)
        assert [file.status for file in await session.undo()] == ["restored"]
        assert "one\n" not in (services.project / "a.txt").read_text()


async def test_the_set_stays_over_a_restart_and_the_news_too(services: TempServices) -> None:
    script = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE)
    async with services.open(script, review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        session_id = session.info.id
    async with services.open(services.script(DONE), review="stage") as sessions:
        session = await sessions.load(session_id)
        (staged,) = await session.change_set.views()
        assert await decide(session, whole(staged, "reject")) == ["rejected"]
    async with services.open(services.script(DONE), review="stage") as sessions:
        session = await sessions.load(session_id)
        await session.choices.set_model(services.script(DONE, name="more.json"))
        await session.prompt(GO)
        assert "a.txt: the change is rejected" in told(session)


PATCHES = {
    "create": "*** Add File: folder/new.txt\n+new",
    "modify": "*** Update File: folder/a.txt\n@@\n-old\n+new",
    "delete": "*** Delete File: folder/a.txt",
    "rename": "*** Update File: folder/a.txt\n*** Move to: folder/b.txt\n@@\n-old\n+new",
}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("kind", PATCHES)
async def test_an_accepted_change_is_not_written_where_its_folder_has_become_a_link_that_leads_elsewhere(
    services: TempServices, tmp_path: Path, kind: str, restarts: bool
) -> None:
    folder, outside = services.project / "folder", tmp_path / "outside"
    for directory in (folder, outside):
        directory.mkdir()
        (directory / "a.txt").write_text("old\n")
    patch = f"*** Begin Patch\n{PATCHES[kind]}\n*** End Patch"
    script = services.script(read("folder/a.txt"), call("apply_patch", patchText=patch), DONE)
    async with AsyncExitStack() as stack:
        sessions = await stack.enter_async_context(services.open(script, review="stage"))
        session = await sessions.create(title="t")
        await session.prompt(GO)
        if restarts:
            await stack.aclose()
            sessions = await stack.enter_async_context(services.open(script, review="stage"))
            session = await sessions.load(session.info.id)
        folder.rename(services.project / "moved")
        folder.symlink_to(outside)
        (staged,) = await session.change_set.views()
        (decided,) = await session.change_set.decide([whole(staged, "accept")])
        assert decided.status == "failed"
        assert f"leads to {outside}" in decided.reason
        assert {path.name: path.read_text() for path in outside.iterdir()} == {"a.txt": "old\n"}
        assert await decide(session, whole(staged, "reject")) == ["rejected"]


async def test_created_deleted_and_renamed_files_are_staged_seen_and_written(services: TempServices) -> None:
    patch = """*** Begin Patch
*** Add File: new.txt
+new
*** Delete File: b.txt
*** Update File: c.txt
*** Move to: moved.txt
@@
-c.txt 1
+moved
*** End Patch"""
    before = files(services)
    script = services.script(
        read("b.txt"), read("c.txt"), call("apply_patch", patchText=patch), read("new.txt"), read("moved.txt"), DONE
    )
    async with services.open(script, review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert files(services) == before
        assert "new" in outputs(session)[3]
        assert "moved" in outputs(session)[4]
        views = await session.change_set.views()
        assert [view.file.kind for view in views] == ["create", "delete", "rename"]
        assert await decide(session, *(whole(view, "accept") for view in views)) == ["written"] * 3
        changed = {"new.txt": "new\n", "moved.txt": before["c.txt"].replace("c.txt 1\n", "moved\n")}
        kept = {name: text for name, text in before.items() if name not in ("b.txt", "c.txt")}
        assert files(services) == {**kept, **changed}


async def test_a_change_that_a_rule_allows_is_written_at_once_unless_the_file_is_staged(
    services: TempServices,
) -> None:
    script = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), read("b.txt"), edit("b.txt", 1, "one\n"), DONE)
    async with services.open(script, review="stage", permission={"edit": {"b.txt": "allow"}}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert "one\n" in (services.project / "b.txt").read_text()
        listed = {view.file.place.name: view.file.state for view in await session.change_set.views()}
        assert listed == {"a.txt": "staged", "b.txt": "unreviewed"}


async def test_a_denied_change_is_not_staged(services: TempServices) -> None:
    script = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE)
    async with services.open(script, review="stage", permission={"edit": "deny"}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert await session.change_set.views() == []


async def test_the_way_of_reviewing_is_switched_in_the_middle_of_a_turn(services: TempServices) -> None:
    script = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), read("b.txt"), edit("b.txt", 1, "one\n"), DONE)
    async with services.open(script) as sessions:
        session = await sessions.create(title="t")

        def switches(_: PermissionRequest) -> PermissionAnswer:
            switching.append(asyncio.create_task(session.choices.set_review("stage")))
            return ONCE

        switching: list[asyncio.Task[Any]] = []
        services.user.answer = switches
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        await switching[0]
        assert "one\n" in (services.project / "a.txt").read_text()
        assert [view.file.place.name for view in await session.change_set.views()] == ["b.txt"]
        session_id = session.info.id
    async with services.open(script) as sessions:
        assert (await sessions.load(session_id)).choices.review == "stage"


async def test_the_changes_of_a_subagent_are_reviewed_as_the_user_chose_for_its_employer(
    services: TempServices,
) -> None:
    delegation = call("task", description="Edit", prompt="Edit a.txt.", subagent_type="general")
    async with services.open(
        services.script(delegation, read("a.txt"), edit("a.txt", 1, "one\n"), DONE, DONE)
    ) as sessions:
        session = await sessions.create(title="t")
        await session.choices.set_review("stage")
        await session.prompt(GO)
        assert services.user.asked == []
        assert [view.file.place.name for view in await session.change_set.views()] == ["a.txt"]


async def test_two_sessions_do_not_see_each_others_staged_text_and_the_second_accepted_is_merged(
    services: TempServices,
) -> None:
    first = services.script(read("a.txt"), edit("a.txt", 1, "one\n"), DONE)
    second = services.script(read("a.txt"), edit("a.txt", 7, "seven\n"), read("a.txt"), DONE, name="second.json")
    async with services.open(first, review="stage") as sessions:
        one, two = await sessions.create(title="1"), await sessions.create(title="2", model=second)
        await one.prompt(GO)
        await two.prompt(GO)
        assert "one\n" not in outputs(two)[2]
        for session in (one, two):
            (staged,) = await session.change_set.views()
            assert await decide(session, whole(staged, "accept")) == ["written"]
        text = (services.project / "a.txt").read_text()
        assert "one\n" in text
        assert "seven\n" in text


async def test_a_command_is_told_not_to_have_seen_the_staged_text(services: TempServices) -> None:
    script = services.script(
        read("a.txt"), edit("a.txt", 1, "one\n"), call("bash", command="cat a.txt", description="Look"), DONE
    )
    async with services.open(script, review="stage", permission={"bash": "allow"}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        output = outputs(session)[2]
        assert "a.txt 1" in output
        assert "staged" in output.partition("the command did not see")[0]
        assert "a.txt" in output.partition("the command did not see")[2]


async def test_a_file_made_where_a_staged_rename_took_one_away_is_written_beside_the_renamed_file(
    services: TempServices,
) -> None:
    before = files(services)
    move = "*** Begin Patch\n*** Update File: c.txt\n*** Move to: moved.txt\n@@\n-c.txt 1\n+moved\n*** End Patch"
    anew = "*** Begin Patch\n*** Add File: c.txt\n+anew\n*** End Patch"
    script = services.script(
        read("c.txt"), call("apply_patch", patchText=move), call("apply_patch", patchText=anew), DONE
    )
    async with services.open(script, review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        views = await session.change_set.views()
        assert {view.file.place.name: view.file.kind for view in views} == {"moved.txt": "create", "c.txt": "modify"}
        assert await decide(session, *(whole(view, "accept") for view in views)) == ["written"] * 2
        moved = before["c.txt"].replace("c.txt 1\n", "moved\n")
        assert files(services) == {**before, "c.txt": "anew\n", "moved.txt": moved}


async def test_a_file_renamed_to_where_a_staged_delete_took_one_away_is_written_there(services: TempServices) -> None:
    before = files(services)
    delete = "*** Begin Patch\n*** Delete File: b.txt\n*** End Patch"
    move = "*** Begin Patch\n*** Update File: c.txt\n*** Move to: b.txt\n@@\n-c.txt 1\n+moved\n*** End Patch"
    script = services.script(
        *(read("b.txt"), read("c.txt")), *(call("apply_patch", patchText=text) for text in (delete, move)), DONE
    )
    async with services.open(script, review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        views = await session.change_set.views()
        assert {view.file.place.name: view.file.kind for view in views} == {"b.txt": "modify", "c.txt": "delete"}
        assert await decide(session, *(whole(view, "accept") for view in views)) == ["written"] * 2
        others = {name: text for name, text in before.items() if name != "c.txt"}
        assert files(services) == {**others, "b.txt": before["c.txt"].replace("c.txt 1\n", "moved\n")}


async def test_a_call_that_takes_a_staged_change_back_is_not_told_that_a_change_is_staged(
    services: TempServices,
) -> None:
    delete = "*** Begin Patch\n*** Delete File: new.txt\n*** End Patch"
    model = services.script(
        call("write", filePath="new.txt", content="new\n"),
        call("apply_patch", patchText=delete),
        read("a.txt"),
        edit("a.txt", 1, "one\n"),
        call("edit", filePath="a.txt", oldString="one\n", newString="a.txt 1\n"),
        DONE,
    )
    async with services.open(model, review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        created, deleted, _, edited, edited_back = outputs(session)
        assert "The creation of new.txt (+1 -0) is staged." in created
        assert "The change of a.txt (+1 -1) is staged." in edited
        for taken_back, subject in ((deleted, "The deletion of new.txt"), (edited_back, "The change of a.txt")):
            assert f"{subject} takes the staged change back: nothing of the file is staged any more." in taken_back
            assert "Staged means" not in taken_back
        assert await session.change_set.views() == []
