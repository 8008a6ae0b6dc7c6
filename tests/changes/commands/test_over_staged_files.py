"""Any file operations of a command over staged files are seen by the next command, and accepted or told."""

import asyncio
import hashlib
import shutil
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from changes_support.desk import SESSION, Desk, plan
from corpus_support import corpus, examples
from language_server_support.no_features import NoFeatures
from overlay_support.bubblewrap import can_overlay, under_overlay, without_overlay
from overlay_support.contained import run_contained
from placet.changes.accepted_changes import AcceptedChanges
from placet.changes.call_changes import CallChanges
from placet.changes.commands.staged_texts import usual_mode
from placet.changes.review.decisions import Reviews
from placet.changes.review.staged_file import StagedStep, UndecidedFile
from placet.changes.undo.revert import UndoneFile
from placet.core.errors import DocumentError, DocumentMissing, EditError
from placet.core.hunks import Decision
from placet.core.ports import Document
from placet.permissions.shell import analyse
from placet.project.paths import Workspace
from placet.text.lines import to_lf
from placet.text.plan import EditPlan, PlannedFile

pytestmark = pytest.mark.skipif(not can_overlay(), reason="needs bubblewrap with overlays")

NAMES = st.sampled_from(["a", "b", "d", "d/e", "d/f", "d/e/g", "log", "d/log", "i", "i/x", "i/y"])
STEPS = st.one_of(
    st.builds("echo {} >> {}".format, st.integers(0, 9), NAMES),
    st.builds("printf '\\0{}' >> {}".format, st.integers(0, 7), NAMES),
    st.builds("rm -rf {}".format, NAMES),
    st.builds("mkdir -p {}".format, NAMES),
    st.builds("mv -T {} {}".format, NAMES, NAMES),
    st.builds("ln -sfT {} {}".format, NAMES, NAMES),
    st.builds("chmod {} {}".format, st.sampled_from(["700", "755"]), NAMES),
    st.builds("test -f {0} && chmod 444 {0}".format, NAMES),
    st.builds("cp -T {} {}".format, NAMES, NAMES),
)
FILES = st.sampled_from(["a", "b", "d/e", "d/f", "log", "i/x"])
STAGED = st.one_of(
    st.tuples(st.just("write"), FILES, st.sampled_from(["x\n", "y\nz\n", ""])),
    st.tuples(st.just("delete"), FILES, st.just("")),
    st.tuples(st.just("rename"), FILES, FILES),
)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(before=["echo 1 >> a"], staged=[("rename", "a", "b")], steps=["mv -T b a"])
@example(before=["echo 1 >> a"], staged=[("delete", "a", "")], steps=["echo 2 >> a"])
@example(before=["echo 1 >> a"], staged=[("delete", "a", ""), ("write", "b", "x\n"), ("rename", "b", "a")], steps=[])
@example(before=["echo 1 >> a"], staged=[("rename", "a", "b"), ("write", "d/e", ""), ("rename", "d/e", "a")], steps=[])
@example(before=["echo 1 >> log"], staged=[("write", "log", "x\n")], steps=["echo 2 >> log", "cp -T log i"])
@example(before=["echo 1 >> a", "echo 1 >> b"], staged=[("write", "b", "x\n")], steps=["chmod 444 a b; echo 2 >> a"])
@example(before=["mkdir d"], staged=[("write", "d/e", "x\n")], steps=["rm -rf d", "echo 2 >> d"])
@given(before=st.lists(STEPS, max_size=8), staged=st.lists(STAGED, max_size=5), steps=st.lists(STEPS, max_size=8))
def test_over_staged_files_any_operations_are_seen_by_the_next_command_and_accepted_or_told(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], staged: list[tuple[str, str, str]], steps: list[str]
) -> None:
    place = tmp_path_factory.mktemp("property")
    root, direct = place / "root", place / "direct"
    root.mkdir()
    (root / ".gitignore").write_text("log\ni/\n")
    subprocess.run(["bash", "-c", "\n".join(before)], cwd=root, capture_output=True, check=False)
    asyncio.run(_run_over_staged(root, direct, staged, "\n".join(steps)))


async def _run_over_staged(root: Path, direct: Path, staged: list[tuple[str, str, str]], line: str) -> None:
    desk = Desk(root, permission={"edit": "ask"})
    staging = desk.pipeline.staging(SESSION, NoFeatures(), lambda: "stage", desk.events.append)
    changes = desk.turn("msg_staged", staging=staging)
    for kind, name, detail in staged:
        with suppress(EditError, DocumentError):
            await changes.propose(await _edit(changes, kind, root, name, detail))
    shutil.copytree(root, direct, symlinks=True)
    try:
        _write(await staging.documents.overlays(), root, direct)
    except OSError:
        assume(condition=False)  # A staged file below another staged file.
    before = contents(root)
    without_overlay(line, direct)
    change = await run_contained(desk, line, changes=changes, fails=True)
    told = "\n".join((*change.notes, change.doubt))
    is_whole = "not kept" not in told and "None of its" not in told
    asked = {path for request in desk.approver.requests for file in request.change.files for path in file.paths}
    for name, content in contents(root).items():
        is_through = not {"log", "i"}.isdisjoint(name.split("/"))
        assert is_through or root / name in asked or before.get(name) == content
    if is_whole:
        listing = await _seen_by_the_next_command(desk, changes)
        assert listing == _hashes(contents(direct))
        assert await _decide(desk, "accept") <= {"written"}
        assert contents(root) == contents(direct)
        assert modes(root) == modes(direct)
    await desk.pipeline.close()
    await desk.database.close()


@corpus(
    ("outcome", "line", "kinds", "left_out"),
    [
        ("accept", "echo x >> a; echo x >> new", {"a": "modify", "new": "modify"}, []),
        ("accept", "rm a new", {"a": "delete", "new": "delete"}, []),
        ("reject", "echo x >> a", {"a": "modify"}, []),
        ("reject", "echo x >> new", {}, ["new"]),
        ("reject", "rm new; echo x > b", {"b": "create"}, ["new"]),
    ],
)
async def test_a_decision_while_the_command_runs_is_merged_or_keeps_the_file_out_and_is_told(
    tmp_path: Path, outcome: Literal["accept", "reject"], line: str, kinds: dict[str, str], left_out: list[str]
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a").write_text("1\n2\n3\n4\n")
    desk = Desk(root, permission={"edit": "ask"})
    staging = desk.pipeline.staging(SESSION, NoFeatures(), lambda: "stage", desk.events.append)
    changes = desk.turn("msg_staged", staging=staging)
    await changes.propose(await _edit(changes, "write", root, "a", "one\n2\n3\n4\n"))
    await changes.propose(await _edit(changes, "write", root, "new", "new\n"))
    async with changes.around_contained(analyse(line, directory=root, home=Path.home()), line) as change:
        assert (await asyncio.to_thread(under_overlay, change.mounts, line, root)).returncode == 0
        await _decide(desk, outcome)
    views = await Reviews(desk.editor, desk.pipeline.change_sets).views(SESSION, Workspace((root,)))
    assert {view.file.place.name: view.file.kind for view in views} == kinds
    assert [path.name for path, _ in change.left_out] == left_out
    assert all(name in "".join(change.notes) for name in left_out)
    await desk.pipeline.close()
    await desk.database.close()


async def _decide(desk: Desk, outcome: Literal["accept", "reject"]) -> set[str]:
    """Decide everything in the change set; the outcomes."""
    reviews, workspace = Reviews(desk.editor, desk.pipeline.change_sets), Workspace((desk.root,))
    views = await reviews.views(SESSION, workspace)
    decisions = [Decision(view.file.place, view.version, outcome) for view in views]
    decided = await reviews.decide(SESSION, decisions, workspace, partial(_bind, desk), _no_revert)
    return {file.status for file in decided}


def _write(overlays: list[tuple[UndecidedFile, Document | None]], root: Path, direct: Path) -> None:
    """Write the staged files to the copy of the root."""
    before = modes(direct)
    for file, _ in overlays:
        (direct / file.path.relative_to(root)).unlink(missing_ok=True)
    for file, document in overlays:
        if document is not None:
            path = direct / file.place.relative_to(root)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(document.text.encode())
            path.chmod(before.get(file.path.relative_to(root).as_posix(), usual_mode()))


async def _edit(changes: CallChanges, kind: str, root: Path, name: str, detail: str) -> EditPlan:
    path = root / name
    try:
        old = to_lf((await changes.read(path)).text)
    except DocumentMissing:
        return plan(PlannedFile("create", path, None, detail))
    match kind:
        case "write":
            return plan(PlannedFile("modify", path, old, to_lf(detail)))
        case "delete":
            return plan(PlannedFile("delete", path, old, None))
        case _:
            return plan(PlannedFile("rename", path, old, None, root / detail))


@asynccontextmanager
async def _bind(desk: Desk, _: StagedStep) -> AsyncGenerator[AcceptedChanges]:
    yield desk.accepted("msg_decision")


async def _no_revert(*_: object) -> list[UndoneFile]:
    raise AssertionError("nothing is unreviewed")


async def _seen_by_the_next_command(desk: Desk, changes: CallChanges) -> dict[str, str]:
    """The digest of each regular file that a further command sees."""
    line = "find . -type f -exec sha256sum {} +"
    async with changes.around_contained(analyse(line, directory=desk.root, home=Path.home()), line) as change:
        done = await asyncio.to_thread(under_overlay, change.mounts, line, desk.root)
    return {name.removeprefix("./"): digest for digest, name in (entry.split() for entry in done.stdout.splitlines())}


def contents(root: Path) -> dict[str, bytes]:
    """The content of each regular file."""
    files = (path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def modes(root: Path) -> dict[str, int]:
    """The permissions of each regular file."""
    return {name: (root / name).stat().st_mode & 0o777 for name in contents(root)}


def _hashes(files: dict[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
