"""Commands and the change set: a contained command sees the staged files, and its own changes join the set."""

import asyncio
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from change_set_support import DONE, GO, call, outputs
from changes_support.shell import git
from overlay_support.bubblewrap import can_overlay
from placet.changes.commands.staged_texts import usual_mode
from placet.changes.review.staged_file import StagedView
from placet.core.errors import NobodyToAsk
from placet.core.events import ChangeApplied
from placet.core.hunks import Decision
from placet.core.messages import UserMessage
from placet.core.ports import PermissionAnswer, PermissionRequest, Question
from placet.frontends.lsp.handlers.review import listed
from placet.sessions.change_set_text import summary
from placet.sessions.session import Session
from services_support import AnsweringUser, TempServices

needs_overlay = pytest.mark.skipif(not can_overlay(), reason="needs bubblewrap with overlays")


class QuestionedUser(AnsweringUser):
    """A user who answers each question by these words, or is not there."""

    def __init__(self, *words: str, is_there: bool = True) -> None:
        super().__init__()
        self.words = [*words]
        self.is_there = is_there
        self.questions: list[Question] = []
        self.questioned = asyncio.Event()

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        if not self.is_there:
            raise NobodyToAsk("Nobody is there.")
        self.questions += questions
        self.questioned.set()
        return [self.words]


def rejects(_: PermissionRequest) -> PermissionAnswer:
    return PermissionAnswer("reject", feedback="No.")


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    (services.project / "a.txt").write_text("one\ntwo\nthree\n")
    (services.project / "b.txt").write_text("b\n")
    (services.project / ".gitignore").write_text("*.log\n__pycache__/\n")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        git(services.project, *arguments)
    return services


def bash(line: str, **arguments: Any) -> list[dict[str, Any]]:
    return call("bash", command=line, **arguments)


STAGE = [call("read", filePath="a.txt"), call("edit", filePath="a.txt", oldString="two\n", newString="2\n")]


ADD = "*** Begin Patch\n*** Add File: new.sh\n+echo it runs\n*** End Patch"


def mode(services: TempServices, name: str) -> str:
    return f"{(services.project / name).stat().st_mode & 0o777:o}"


def files(services: TempServices) -> dict[str, bytes]:
    paths = (path for path in services.project.rglob("*") if ".git" not in path.parts and path.is_file())
    return {path.relative_to(services.project).as_posix(): path.read_bytes() for path in paths}


async def staged(session: Session) -> dict[str, tuple[str, str]]:
    """The kind and the wanted text of each staged file."""
    views = await session.change_set.views()
    return {view.file.place.name: (view.file.kind, view.file.text) for view in views}


async def states(session: Session) -> dict[str, str]:
    """Return the state of each file in the change set."""
    return {view.file.place.name: view.file.state for view in await session.change_set.views()}


async def decide(session: Session, outcome: Any) -> list[str]:
    views: list[StagedView] = await session.change_set.views()
    decided = await session.change_set.decide([Decision(view.file.place, view.version, outcome) for view in views])
    return [file.status for file in decided]


@needs_overlay
async def test_sed_on_a_staged_file_stacks_on_the_staged_text_and_nothing_is_asked_or_written(
    services: TempServices,
) -> None:
    before = files(services)
    script = services.script(
        *STAGE,
        bash("sed -i s/three/3/ a.txt; cat a.txt; echo new > c.txt; rm b.txt"),
        bash("cat a.txt c.txt; ls"),
        DONE,
    )
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        *_, first, second = outputs(session)
        assert first.startswith("one\n2\n3\n")
        assert "are staged" in first
        assert "did not see" not in first + second
        assert second.splitlines()[:6] == ["one", "2", "3", "new", "a.txt", "c.txt"]
        assert services.user.asked == []
        assert files(services) == before
        assert git(services.project, "status", "--porcelain") == ""
        assert await staged(session) == {
            "a.txt": ("modify", "one\n2\n3\n"),
            "c.txt": ("create", "new\n"),
            "b.txt": ("delete", ""),
        }
        assert await decide(session, "accept") == ["written"] * 3
        assert files(services) == {**{name: before[name] for name in (".gitignore",)}, "a.txt": b"one\n2\n3\n"} | {
            "c.txt": b"new\n"
        }
        assert [file.status for file in await session.undo()] == ["restored"] * 3
        assert files(services) == before


@needs_overlay
async def test_python_imports_a_staged_module_and_what_git_ignores_goes_to_the_disk(services: TempServices) -> None:
    patch = "*** Begin Patch\n*** Add File: pkg/answer.py\n+def answer():\n+    return 42\n*** End Patch"
    program = "from pkg.answer import answer; print(answer() + 1)"
    line = f"PYTHONDONTWRITEBYTECODE= /usr/bin/python3 -c '{program}'; ls pkg; git status --porcelain"
    script = services.script(call("apply_patch", patchText=patch), bash(line), bash(line), DONE)
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        _, first, second = outputs(session)
        assert first.startswith("43\n__pycache__\nanswer.py\n?? pkg/")
        assert second.startswith("43\n")
        assert "not kept" not in first + second
        assert services.user.asked == []
        assert {Path(name).parent.name for name in files(services)} == {"", "__pycache__"}
        assert await staged(session) == {"answer.py": ("create", "def answer():\n    return 42\n")}


@needs_overlay
async def test_pytest_collects_staged_tests_of_a_staged_module(services: TempServices) -> None:
    patch = """*** Begin Patch
*** Add File: answer.py
+answer = 42
*** Add File: test_answer.py
+from answer import answer
+
+
+def test_answer():
+    assert answer == 42
*** End Patch"""
    line = f"{shlex.quote(sys.executable)} -m pytest -q -p no:cacheprovider -p no:xdist --rootdir . ."
    script = services.script(call("apply_patch", patchText=patch), bash(line), DONE)
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert "1 passed" in outputs(session)[-1]
        assert services.user.asked == []
        assert sorted(await staged(session)) == ["answer.py", "test_answer.py"]


@needs_overlay
async def test_a_command_deletes_renames_and_makes_anew_staged_files(services: TempServices) -> None:
    patch = """*** Begin Patch
*** Update File: b.txt
*** Move to: moved.txt
@@
-b
+moved
*** Add File: new.txt
+new
*** End Patch"""
    lines = [
        "ls; cat moved.txt",
        "mv moved.txt b.txt; rm new.txt; mv a.txt z.txt",
        "cat b.txt z.txt; ls",
        "echo x > new.txt",
    ]
    script = services.script(
        *STAGE, call("read", filePath="b.txt"), call("apply_patch", patchText=patch), *map(bash, lines), DONE
    )
    before = files(services)
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        first, _, third, _ = outputs(session)[-4:]
        assert first.splitlines()[:4] == ["a.txt", "moved.txt", "new.txt", "moved"]
        assert third.splitlines()[:6] == ["moved", "one", "2", "three", "b.txt", "z.txt"]
        assert await staged(session) == {
            "a.txt": ("delete", ""),
            "b.txt": ("modify", "moved\n"),
            "z.txt": ("create", "one\n2\nthree\n"),
            "new.txt": ("create", "x\n"),
        }
        assert files(services) == before
        assert set(await decide(session, "accept")) == {"written"}
        assert files(services) == {
            ".gitignore": before[".gitignore"],
            "b.txt": b"moved\n",
            "z.txt": b"one\n2\nthree\n",
            "new.txt": b"x\n",
        }


@needs_overlay
async def test_line_ends_marks_and_permissions_are_those_of_the_file(services: TempServices) -> None:
    path = services.project / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n")
    path.chmod(0o755)
    script = services.script(
        *STAGE, bash("od -c a.txt | head -2; stat -c %a a.txt; printf 'four\\r\\n' >> a.txt"), DONE
    )
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        output = outputs(session)[-1]
        assert "357 273 277   o   n   e  \\r  \\n   2  \\r  \\n" in output
        assert "755" in output
        assert await decide(session, "accept") == ["written"]
        assert path.read_bytes() == b"\xef\xbb\xbfone\r\n2\r\nthree\r\nfour\r\n"
        assert path.stat().st_mode & 0o777 == 0o755


@needs_overlay
async def test_a_rejected_text_is_gone_for_the_next_command_also_after_a_restart(services: TempServices) -> None:
    script = services.script(*STAGE, bash("sed -i s/three/3/ a.txt; false"), DONE)
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert "exit code 1" in outputs(session)[-1]
        assert await staged(session) == {"a.txt": ("modify", "one\n2\n3\n")}
        session_id = session.info.id
    more = services.script(bash("cat a.txt"), DONE, bash("cat a.txt"), DONE, name="more.json")
    async with services.open(more, review="stage", sandbox={}) as sessions:
        session = await sessions.load(session_id)
        await session.choices.set_model(more)
        await session.prompt(GO)
        assert outputs(session)[-1].startswith("one\n2\n3")
        (view,) = await session.change_set.views()
        await session.change_set.decide([Decision(view.file.place, view.version, "reject", hunks=frozenset({1}))])
        await session.prompt(GO)
        assert outputs(session)[-1].startswith("one\ntwo\nthree")


@needs_overlay
async def test_what_is_no_text_is_asked_after_the_texts_are_staged(services: TempServices) -> None:
    script = services.script(bash("printf '\\0' > image; echo x > c.txt; printf 'x' > go.sh; chmod 555 go.sh"), DONE)
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        (request,) = services.user.asked
        assert request.change is not None
        assert [file.name for file in request.change.files] == ["go.sh", "image"]
        assert await staged(session) == {"c.txt": ("create", "x\n")}
        assert {"go.sh", "image"} < set(files(services))
        (output,) = outputs(session)
        assert "are staged: c.txt." in output
        assert "are in place: go.sh, image" in output


@needs_overlay
async def test_a_rejection_of_what_is_no_text_leaves_the_staged_texts(services: TempServices) -> None:
    services.user.answer = rejects
    script = services.script(bash("printf '\\0' > image; echo x > c.txt"), DONE)
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert await staged(session) == {"c.txt": ("create", "x\n")}
        assert "image" not in files(services)
        assert "rejected its changes to image" in outputs(session)[0]


RENAME = "*** Begin Patch\n*** Update File: old.txt\n*** Move to: moved.sh\n@@\n-old\n+new\n*** End Patch"


@needs_overlay
@pytest.mark.parametrize("turns", [1, 2])
async def test_the_permissions_of_a_renamed_file_are_staged_shown_seen_written_and_undone(
    services: TempServices, turns: int
) -> None:
    (services.project / "old.txt").write_text("old\n")
    (services.project / "old.txt").chmod(0o640)
    between = [DONE] if turns == 2 else []
    script = services.script(
        call("read", filePath="old.txt"),
        call("apply_patch", patchText=RENAME),
        *between,
        bash("chmod 750 moved.sh"),
        bash("stat -c %a moved.sh; echo more >> moved.sh"),
        DONE,
    )
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        for _ in range(turns):
            await session.prompt(GO)
        assert outputs(session)[-1].splitlines()[0] == "750"
        (view,) = await session.change_set.views()
        assert (view.file.kind, view.permissions, view.file.text) == ("rename", "executable", "new\nmore\n")
        assert await decide(session, "accept") == ["written"]
        assert (files(services)["moved.sh"], mode(services, "moved.sh")) == (b"new\nmore\n", "750")
        if turns == 2:
            await session.undo()
            assert (files(services)["moved.sh"], mode(services, "moved.sh")) == (b"new\n", "640")
        await session.undo()
        assert "moved.sh" not in files(services)
        assert (files(services)["old.txt"], mode(services, "old.txt")) == (b"old\n", "640")
        for _ in range(turns):
            await session.redo()
        assert "old.txt" not in files(services)
        assert (files(services)["moved.sh"], mode(services, "moved.sh")) == (b"new\nmore\n", "750")


@needs_overlay
async def test_going_back_before_the_command_leaves_the_renamed_file_its_permissions(services: TempServices) -> None:
    (services.project / "old.txt").write_text("old\n")
    script = services.script(
        call("read", filePath="old.txt"),
        call("apply_patch", patchText=RENAME),
        DONE,
        bash("chmod 755 moved.sh"),
        DONE,
    )
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        for _ in range(2):
            await session.prompt(GO)
        last = [message for message in session.messages if isinstance(message, UserMessage)][-1]
        await session.going_back.go(last.id)
        (view,) = await session.change_set.views()
        assert (view.file.kind, view.permissions) == ("rename", "")
        await session.going_back.redo()
        (view,) = await session.change_set.views()
        assert (view.file.kind, view.permissions) == ("rename", "executable")


@needs_overlay
async def test_what_a_staged_file_cannot_become_is_told(services: TempServices) -> None:
    (services.project / "old.txt").write_text("old\n")
    script = services.script(
        *STAGE,
        call("read", filePath="old.txt"),
        *(call("apply_patch", patchText=text) for text in (ADD, RENAME)),
        bash("chmod 555 new.sh moved.sh; printf '\\0' > a.txt"),
        DONE,
    )
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        output = outputs(session)[-1]
        assert "a.txt (it is staged, and a staged file can only become a text" in output
        assert "new.sh (it is staged, and its permissions" in output
        assert "moved.sh (it is staged, and its permissions" in output
        assert (await staged(session))["a.txt"] == ("modify", "one\n2\nthree\n")
        assert {view.permissions for view in await session.change_set.views()} == {""}


@needs_overlay
async def test_a_new_file_that_a_command_has_made_executable_is_staged_shown_seen_and_written_so(
    services: TempServices,
) -> None:
    script = services.script(
        call("apply_patch", patchText=ADD),
        bash("chmod 755 new.sh; printf 'echo two\\n' > two.sh; chmod 700 two.sh; echo k > key; chmod 600 key"),
        bash("./new.sh; stat -c %a new.sh two.sh key"),
        DONE,
    )
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert services.user.asked == []
        assert outputs(session)[-1].splitlines()[:4] == ["it runs", "755", "700", "600"]
        session_id = session.info.id
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.load(session_id)
        views = await session.change_set.views()
        assert [summary(view).split("  ")[-1] for view in views] == [
            "made executable",
            "permissions 600",
            "made executable",
        ]
        listing = await listed(views, contents=False)
        assert [file.permissions for file in listing.files] == ["executable", "600", "executable"]
        assert await decide(session, "accept") == ["written"] * 3
        modes = {name: mode(services, name) for name in ("new.sh", "two.sh", "key")}
        assert modes == {"new.sh": "755", "two.sh": "700", "key": "600"}
        await session.undo()
        assert not (services.project / "new.sh").exists()
        await session.redo()
        assert {name: mode(services, name) for name in modes} == modes


@needs_overlay
async def test_permissions_stay_over_edits_until_a_command_sets_others(services: TempServices) -> None:
    append = "*** Begin Patch\n*** Update File: new.sh\n@@\n echo it runs\n+echo more\n*** End Patch"
    script = services.script(
        call("apply_patch", patchText=ADD),
        bash("chmod 755 new.sh"),
        call("read", filePath="new.sh"),
        call("apply_patch", patchText=append),
        bash("echo 'echo most' >> new.sh"),
        DONE,
        bash(f"chmod {usual_mode():o} new.sh"),
        DONE,
    )
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        for mode in (0o755, usual_mode()):
            await session.prompt(GO)
            (view,) = await session.change_set.views()
            assert (view.file.text.count("\n"), view.file.mode) == (3, mode)


@needs_overlay
async def test_the_permissions_of_a_rejected_file_are_gone_with_the_file(services: TempServices) -> None:
    script = services.script(call("apply_patch", patchText=ADD), bash("chmod 755 new.sh"), DONE)
    again = services.script(call("apply_patch", patchText=ADD), DONE, name="again.json")
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert await decide(session, "reject") == ["rejected"]
        assert "new.sh" not in files(services)
        await session.choices.set_model(again)
        await session.prompt(GO)
        assert [view.permissions for view in await session.change_set.views()] == [""]


@needs_overlay
async def test_a_decision_on_the_file_before_the_command_made_it_executable_is_not_carried_out(
    services: TempServices,
) -> None:
    script = services.script(call("apply_patch", patchText=ADD), DONE, bash("chmod 755 new.sh"), DONE)
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        (view,) = await session.change_set.views()
        await session.prompt(GO)
        decided = await session.change_set.decide([Decision(view.file.place, view.version, "accept")])
        assert [file.status for file in decided] == ["moved"]
        assert "new.sh" not in files(services)


@needs_overlay
async def test_permissions_are_the_share_of_the_turn_that_set_them(services: TempServices) -> None:
    script = services.script(
        call("apply_patch", patchText=ADD), DONE, bash("chmod 755 new.sh"), DONE, bash("chmod 700 new.sh"), DONE
    )
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        for _ in range(3):
            await session.prompt(GO)
        last = [message for message in session.messages if isinstance(message, UserMessage)][-1]
        await session.going_back.go(last.id)
        (view,) = await session.change_set.views()
        assert view.file.mode == 0o755
        await session.going_back.redo()
        assert await decide(session, "accept") == ["written"]
        modes = [mode(services, "new.sh")]
        for _ in range(2):
            await session.undo()
            modes.append(mode(services, "new.sh"))
        assert modes == ["700", "755", f"{usual_mode():o}"]
        applied = [event.update for event in services.screen.events if isinstance(event.update, ChangeApplied)]
        assert [[(file.kind, file.additions) for file in update.files] for update in applied] == [
            [("create", 1)],
            [("modify", 0)],
            [("modify", 0)],
        ]
        await session.undo()
        assert "new.sh" not in files(services)
        for _ in range(3):
            await session.redo()
        assert mode(services, "new.sh") == "700"


@needs_overlay
async def test_a_file_accepted_with_the_users_text_gets_the_permissions_and_the_written_file_keeps_its_own(
    services: TempServices,
) -> None:
    script = services.script(
        call("apply_patch", patchText=ADD), bash("chmod 755 new.sh"), DONE, bash("printf 'more\\n' >> new.sh"), DONE
    )
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        (view,) = await session.change_set.views()
        edited = Decision(view.file.place, view.version, "accept", edited="echo mine\n")
        assert [file.status for file in await session.change_set.decide([edited])] == ["written"]
        assert mode(services, "new.sh") == "755"
        (services.project / "new.sh").chmod(0o700)
        await session.prompt(GO)
        (view,) = await session.change_set.views()
        assert (view.file.kind, view.permissions) == ("modify", "")
        assert await decide(session, "accept") == ["written"]
        assert mode(services, "new.sh") == "700"


@needs_overlay
async def test_a_staged_file_that_git_ignores_is_not_written_by_a_command(services: TempServices) -> None:
    path = services.project / "kept.log"
    path.write_text("log\n")
    edit = call("edit", filePath="kept.log", oldString="log\n", newString="staged\n")
    script = services.script(
        call("read", filePath="kept.log"), edit, bash("echo more >> kept.log; echo x > o.log"), DONE
    )
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert path.read_text() == "log\n"
        assert (services.project / "o.log").read_text() == "x\n"
        assert await staged(session) == {"kept.log": ("modify", "staged\nmore\n")}


@needs_overlay
async def test_the_users_typing_meanwhile_is_kept_beside_the_commands_change(services: TempServices) -> None:
    path = services.project / "a.txt"
    script = services.script(*STAGE, bash("sed -i s/three/3/ a.txt"), DONE)
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        path.write_text("zero\none\ntwo\nthree\n")
        await session.prompt(GO)
        path.write_text("mine\nzero\none\ntwo\nthree\n")
        assert await decide(session, "accept") == ["written"]
        assert path.read_text() == "mine\nzero\none\n2\n3\n"


@needs_overlay
async def test_a_cancelled_command_leaves_the_set_as_it_was(services: TempServices) -> None:
    script = services.script(*STAGE, bash("echo x >> a.txt; echo beg''un; sleep 60"), DONE)
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        turn = asyncio.create_task(session.prompt(GO))
        while not any("begun" in str(event) for event in services.screen.events):
            await services.screen.wait_for_more()
        await session.cancel()
        assert (await turn).stop_reason == "cancelled"
        assert await staged(session) == {"a.txt": ("modify", "one\n2\nthree\n")}
    assert not list((services.locations.layers).glob("*/*/staged")), "removed at the end of the front door"


@needs_overlay
async def test_a_denied_edit_keeps_the_commands_changes_out_of_the_set(services: TempServices) -> None:
    script = services.script(bash('/usr/bin/python3 -c \'open("a.txt", "a").write("x")\''), DONE)
    async with services.open(script, review="stage", sandbox={}, permission={"edit": "deny"}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert "None of its changes to files was kept" in outputs(session)[0]
        assert await staged(session) == {}


@needs_overlay
async def test_changes_that_rules_allow_are_written_at_once_beside_staged_files(services: TempServices) -> None:
    script = services.script(*STAGE, bash("echo x >> b.txt; echo four >> a.txt"), DONE)
    permission = {"edit": {"b.txt": "allow"}}
    async with services.open(script, sandbox={}, permission=permission) as sessions:
        session = await sessions.create(title="t")
        await session.choices.set_review("stage")
        services.user.answer = rejects
        await session.prompt(GO)
        assert await staged(session) == {
            "a.txt": ("modify", "one\n2\nthree\nfour\n"),
            "b.txt": ("modify", "b\nx\n"),
        }


@needs_overlay
async def test_a_staged_file_that_other_programs_obey_is_not_seen_and_named(services: TempServices) -> None:
    patch = "*** Begin Patch\n*** Add File: .envrc\n+export A=1\n*** End Patch"
    script = services.script(call("apply_patch", patchText=patch), bash("ls -A; echo x > c.txt"), DONE)
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        output = outputs(session)[-1]
        assert ".envrc" not in output.partition("<shell_metadata>")[0]
        assert "did not see: .envrc." in output
        assert sorted(await staged(session)) == [".envrc", "c.txt"]


@needs_overlay
async def test_with_apply_a_commands_texts_are_written_and_its_changes_of_staged_files_are_staged(
    services: TempServices,
) -> None:
    move = "*** Begin Patch\n*** Update File: b.txt\n*** Move to: moved.txt\n@@\n-b\n+moved\n*** End Patch"
    staging = [*STAGE, call("read", filePath="b.txt"), call("apply_patch", patchText=move), DONE]
    script = services.script(*staging, bash("echo four >> a.txt; echo x > c.txt; echo anew > b.txt"), DONE)
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        await session.choices.set_review("apply")
        await session.prompt(GO)
        assert services.user.asked == []
        assert (services.project / "c.txt").read_text() == "x\n"
        views = await session.change_set.views()
        assert {(view.file.place.name, view.file.state) for view in views} == {
            *(("a.txt", "staged"), ("b.txt", "staged"), ("moved.txt", "staged")),
            ("c.txt", "unreviewed"),
        }
        assert (services.project / "b.txt").read_text() == "b\n"
        assert (await staged(session))["a.txt"] == ("modify", "one\n2\nthree\nfour\n")


# ------------------------------------------------------------ commands that run on the disk


RUN = bash("wc -l a.txt > count; cat a.txt >> count; cat count")
ALLOWED = {"bash": "allow"}


async def test_the_user_accepts_all_before_a_command_that_runs_on_the_disk(services: TempServices) -> None:
    services.user = user = QuestionedUser("Accept all and run")
    async with services.open(services.script(*STAGE, RUN, DONE), review="stage", permission=ALLOWED) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        (question,) = user.questions
        assert question.question.startswith("Review 1 staged file before `wc -l a.txt")
        assert [option.label for option in question.options] == ["Accept all and run", "Run without them", "Review"]
        assert outputs(session)[-1].startswith("3 a.txt\none\n2\n")
        assert "did not see" not in outputs(session)[-1]
        assert await states(session) == {"count": "unreviewed"}


async def test_the_user_lets_the_command_run_without_the_staged_files(services: TempServices) -> None:
    services.user = QuestionedUser("Run without them")
    async with services.open(services.script(*STAGE, RUN, DONE), review="stage", permission=ALLOWED) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert outputs(session)[-1].startswith("3 a.txt\none\ntwo\n")
        assert "did not see: a.txt" in outputs(session)[-1]
        assert await states(session) == {"a.txt": "staged", "count": "unreviewed"}


async def test_the_command_waits_until_the_user_has_reviewed_every_staged_file(services: TempServices) -> None:
    services.user = user = QuestionedUser("Review")
    async with services.open(services.script(*STAGE, RUN, DONE), review="stage", permission=ALLOWED) as sessions:
        session = await sessions.create(title="t")
        turn = asyncio.create_task(session.prompt(GO))
        await user.questioned.wait()
        assert not (services.project / "count").exists()
        assert await decide(session, "reject") == ["rejected"]
        assert (await turn).stop_reason == "end_turn"
        assert outputs(session)[-1].startswith("3 a.txt\none\ntwo\n")


async def test_own_words_of_the_user_reach_the_model_and_the_command_does_not_run(services: TempServices) -> None:
    services.user = QuestionedUser("Not now.")
    async with services.open(services.script(*STAGE, RUN, DONE), review="stage", permission=ALLOWED) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert not (services.project / "count").exists()
        assert "Not now." in str(session.messages)


async def test_without_anybody_to_ask_the_command_runs_and_the_staged_files_are_named(services: TempServices) -> None:
    services.user = QuestionedUser(is_there=False)
    async with services.open(services.script(*STAGE, RUN, DONE), review="stage", permission=ALLOWED) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert "did not see: a.txt" in outputs(session)[-1]
        assert await states(session) == {"a.txt": "staged", "count": "unreviewed"}


async def test_a_command_that_only_reads_is_never_a_reason_to_ask(services: TempServices) -> None:
    services.user = user = QuestionedUser("Run without them")
    script = services.script(*STAGE, bash("cat a.txt"), DONE)
    async with services.open(script, review="stage", permission=ALLOWED) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert user.questions == []
        assert "did not see: a.txt" in outputs(session)[-1]


@needs_overlay
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
async def test_a_job_in_the_sandbox_asks_for_the_review(services: TempServices) -> None:
    services.user = user = QuestionedUser("Run without them")
    script = services.script(*STAGE, bash("cat a.txt > count.log", background=True), DONE)
    async with services.open(script, review="stage", sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert len(user.questions) == 1
