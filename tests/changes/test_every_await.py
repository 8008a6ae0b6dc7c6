"""EDITS.md rule 15: the user types, saves, closes, renames or deletes before each single step of the event loop.

Whatever comes when: the change is applied and told to be, or it is not and is not; nothing that was typed is lost; the
buffer, the disk and the journal agree; and the undo does the same.

Over the editors each step has its turn with one of the actions; in the long test each step has its turn with every
action, in every second editor.
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

import pytest

from acp_support.editor import AGENT_SHELL, HONEST, VSCODE_ACP, ZED, AcpPeer, Quirks
from changes_support.approver import PatientApprover, ScriptedApprover
from changes_support.desk import SESSION, Desk, create, plan
from changes_support.hands import ACTIONS, LINE, OTHER_LINE, OTHER_OURS, OURS, Hands
from changes_support.stepping import Steps
from corpus_support import rows
from fake_editor.memory import MemoryPeer
from fake_editor.profiles import HELIX, KATE, NEOVIM, PLAIN, STOCK_NEOVIM, VSCODE, EditorProfile
from placet.core.errors import EditError, Rejected
from placet.core.hunks import Decision, Hunk
from placet.core.values import replace
from placet.frontends.acp.ports import client_writes
from placet.frontends.lsp.ports import sent_edits
from placet.frontends.lsp.ports.documents import LspDocuments
from placet.project.paths import Workspace
from placet.settings import Settings
from placet.text.diff import make_hunks
from placet.text.lines import to_lf
from placet.text.plan import PlannedFile

TEXT = "".join(f"line {number}\n" for number in range(12))
WANTED = TEXT.replace(LINE, OURS).replace(OTHER_LINE, OTHER_OURS)
Kind = EditorProfile | Quirks
"""An editor with a language server, or a client of ACP."""
EDITORS: tuple[Kind, ...] = (VSCODE, NEOVIM, HELIX, KATE, PLAIN, STOCK_NEOVIM, ZED, AGENT_SHELL, HONEST, VSCODE_ACP)
MOST_DECISIONS = 12
"""Highest number of decisions about a change of five hunks."""
FEW_EDITORS: tuple[Kind, ...] = (VSCODE, HELIX, KATE, ZED, HONEST)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for an edit that does not come is the same when it is short."""
    monkeypatch.setattr(sent_edits, "LANDING_SECONDS", 0.01)
    monkeypatch.setattr(sent_edits, "REFUSED_LANDING_SECONDS", 0.005)
    monkeypatch.setattr(client_writes, "SETTLE_SECONDS", 0.01)


class Scene:
    """A document open in an editor, one beside it that is not, and the whole pipeline."""

    def __init__(self, profile: Kind, root: Path, *, files: int, approver: object) -> None:
        self.peer: MemoryPeer | AcpPeer
        if isinstance(profile, Quirks):
            self.peer = AcpPeer(profile, root)
            documents = self.peer.documents
        else:
            self.peer = MemoryPeer(profile, root)
            documents = LspDocuments(self.peer, self.peer.buffers, Settings())
        self.desk = Desk(root, approver, editor=documents)  # type: ignore[arg-type]
        self.file = self.desk.write("a.txt", TEXT)
        self.others = [self.desk.write("b.txt", TEXT), self.desk.path("new/c.txt")] if files > 1 else []
        self.peer.editor.open(self.file)
        self.peer.editor.command_was_run()
        self.hands = Hands(self.peer.editor, self.file)
        self.applied = False
        self.is_left_out = False
        """The file in the editor was in conflict; the others were applied."""
        self.account = ""
        self.statuses: dict[Path, str] = {}
        """What the model is told of each file."""
        self.written: list[str] = []
        """New lines of the hunks of the document in the editor that a decision in the change set has written."""

    async def propose(self) -> None:
        files = [PlannedFile("modify", self.file, TEXT, WANTED)]
        if self.others:
            files += [PlannedFile("modify", self.others[0], TEXT, WANTED), create(self.others[1], OURS + "\n")]
        try:
            result = await self.desk.changes.propose(plan(*files))
            self.applied = bool(result.applied)
            self.is_left_out = result.files[0].status == "conflict"
            self.statuses = {file.file.path: file.status for file in result.files}
            self.account = result.feedback
        except (EditError, Rejected) as error:
            self.account = str(error)

    async def propose_and_decide(self) -> None:
        """Propose, and decide in the change set while the call waits: accept hunk by hunk, and reject what is in
        conflict or cannot be written.
        """
        call = asyncio.ensure_future(self.propose())
        shown = asyncio.ensure_future(self.desk.approver.shown("Change"))
        await asyncio.wait((call, shown), return_when=asyncio.FIRST_COMPLETED)
        shown.cancel()
        workspace, reviews = Workspace((self.desk.root,)), self.desk.pipeline.reviews
        outcomes: list[object] = []
        while views := await reviews.views(SESSION, workspace, with_waiting=True):
            assert len(outcomes) < MOST_DECISIONS, outcomes
            view = views[0]
            hunks = () if view.proposed is None else view.proposed.hunks
            accepted = [hunk for hunk in hunks if not hunk.is_in_conflict][:1]
            ids = frozenset(hunk.id for hunk in accepted)
            decision = Decision(view.file.place, view.version, "accept" if accepted else "reject", ids or None)
            [outcome] = await reviews.decide(SESSION, [decision], workspace)
            outcomes.append(outcome)
            if outcome.status == "failed":
                await reviews.decide(SESSION, [replace(decision, outcome="reject", hunks=None)], workspace)
            if outcome.status == "written" and view.file.place == self.file:
                self.written += ["".join(hunk.new_lines) for hunk in accepted]
        await call

    async def read(self) -> None:
        await self.desk.changes.read(self.file)
        if self.others:
            await self.desk.changes.read(self.others[0])

    async def check(self) -> None:
        """The report is true, and everybody agrees."""
        self.check_typed()
        text = self.hands.text() or ""
        assert text.count(OURS) <= 1, "doubled"
        states = await self.desk.states()
        if self.applied:
            if self.is_left_out:
                assert self.hands.acted
                assert not any(self.hands.places()), "told to be left out, and is there"
            else:
                assert any(self.hands.places()) or self.hands.may_have_taken_ours_away, (
                    "told to be applied, and is not there"
                )
            assert states.count("applied") == 1
            assert set(states) <= {"applied", "failed"}
            for path in self.others:
                assert OURS in path.read_text(), "half applied"
            await self.check_shown()
            return
        assert set(states) <= ({"failed", "unsure"} if is_open_end(self.account) else {"failed"})
        if not is_open_end(self.account):
            assert not any(self.hands.places()), f"told not to be applied, and is there: {self.account}"
        for path in self.others:
            assert not path.exists() or OURS not in path.read_text(), "half applied"

    async def check_decided(self) -> None:
        """Each hunk is where its decision says, and the model is told so."""
        self.check_typed()
        text = self.hands.text() or ""
        assert text.count(OURS) <= 1, "doubled"
        if any(OURS in lines for lines in self.written):
            assert any(self.hands.places()) or self.hands.may_have_taken_ours_away, "written, and not there"
            assert self.statuses.get(self.file) == "applied", self.account
        elif not is_open_end(self.account):
            assert not any(self.hands.places()), f"not written, and there: {self.account}"
        for path in self.others:
            is_there = path.exists() and OURS in path.read_text()
            assert is_there == (self.statuses.get(path) == "applied"), f"{path}: {self.statuses}, {self.account}"
        assert set(await self.desk.states()) <= {
            "applied",
            "failed",
            *(["unsure"] if is_open_end(self.account) else []),
        }
        staged = await self.desk.pipeline.change_sets.of(SESSION)
        assert not staged.waiting, "a file waits for a call that has ended"

    async def check_shown(self) -> None:
        """What was done is what the user saw and allowed."""
        changes = await self.desk.journal.changes(SESSION)
        [change] = await self.desk.journal.with_files(one for one in changes if one.state == "applied")
        shown = {file.path: file.hunks for file in self.desk.approver.requests[-1].change.files}
        for file in change.files:
            done = make_hunks(to_lf(file.before or ""), to_lf(file.after or ""))
            assert lines_of(done) == lines_of(shown[file.path]), "not what was shown"

    def check_typed(self) -> None:
        self.peer.editor.look_at_disk()  # As every editor does when it gets the focus.
        text = self.hands.text() or ""
        for words in self.hands.typed:
            assert text.count(words) == 1, f"lost or doubled: {words}"
        if self.hands.path != self.file:
            assert not self.file.exists(), "the old name is back"
        assert self.peer.editor.violations == []
        for path, buffer in self.peer.editor.buffers.items():
            known = self.peer.buffers.find(path)
            assert known is None or known.text == buffer.text

    async def close(self) -> None:
        await self.desk.database.close()


Run = Callable[[Scene, Steps], Awaitable[None]]


def lines_of(hunks: Iterable[Hunk]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(hunk.old_lines, hunk.new_lines) for hunk in hunks]


def is_open_end(account: str) -> bool:
    """The model is told that something is not as it should be."""
    return "COULD NOT BE PUT BACK" in account or "NOT KNOWN" in account


async def raced(
    profile: Kind,
    act: Callable[[Hands], None],
    at: int,
    files: int,
    run: Run,
) -> int:
    """One run with the action before step `at`; how many steps there were."""
    with tempfile.TemporaryDirectory() as directory:
        approver = PatientApprover() if run is race_decisions else ScriptedApprover()
        scene = Scene(profile, Path(directory).resolve(), files=files, approver=approver)

        def action() -> None:
            if scene.hands.is_open:
                scene.hands.acted = True
                act(scene.hands)
                # The user's unsaved text counts, also in a client that has not read the written file again.
                is_stale = (
                    run is race_decisions and OURS in scene.hands.on_disk() and OURS not in (scene.hands.text() or "")
                )
                scene.hands.may_have_taken_ours_away |= is_stale

        steps = Steps(at, action, scene.hands.hear)
        try:
            await run(scene, steps)
        finally:
            await scene.close()
    return steps.count


_undisturbed: dict[tuple[str, int, Run], int] = {}
"""How many steps there are, by editor, files and work, where nobody does anything."""


async def steps_of(profile: Kind, files: int, run: Run) -> int:
    case = (profile.name, files, run)
    if case not in _undisturbed:
        _undisturbed[case] = await raced(profile, Hands.save, 0, files, run)
    return _undisturbed[case]


async def race(editors: Sequence[Kind], files: int, run: Run, stride: int, begin: int = 0) -> None:
    """In each editor each action before every `stride`th step.

    The actions of an editor begin at neighbouring steps, and the next editor goes on behind them, one step further: so
    each step has its turn, and not with the same actions in all editors. `begin`: all begin so many steps later.
    """
    with rows() as failures:
        for editor, profile in enumerate(editors):
            steps = await steps_of(profile, files, run)
            between = min(stride, steps)
            for number, (name, action) in enumerate(ACTIONS.items()):
                first = 1 + (begin + editor * (len(ACTIONS) + 1) + number) % between
                for at in range(first, steps + 1, between):
                    with failures.row(f"{name} before step {at} of {steps} in {profile.name}"):
                        await raced(profile, action, at, files, run)


async def race_a_change(scene: Scene, steps: Steps) -> None:
    await scene.read()
    with steps.armed():
        await asyncio.create_task(scene.propose())
    scene.hands.hear()
    await scene.check()


async def race_decisions(scene: Scene, steps: Steps) -> None:
    await scene.read()
    with steps.armed():
        await asyncio.create_task(scene.propose_and_decide())
    scene.hands.hear()
    await scene.check_decided()


async def race_an_undo(scene: Scene, steps: Steps) -> None:
    await scene.read()
    await scene.propose()
    await scene.check()
    assert scene.applied
    account, statuses = "", dict[str, str]()
    with steps.armed():
        try:
            statuses = await asyncio.create_task(scene.desk.undo())
        except EditError as error:
            account = str(error)
    scene.hands.hear()
    scene.check_typed()
    text = scene.hands.text() or ""
    match statuses.get("a.txt"):
        case "restored":
            may_be_ours = scene.hands.may_have_brought_ours_back
            assert not all(scene.hands.places()) or may_be_ours
            is_back = to_lf(text).count(LINE) == 1 or LINE in scene.hands.on_disk()
            assert is_back or "my own 5" in text or scene.hands.may_have_taken_ours_away or may_be_ours
        case "conflict":
            assert any(scene.hands.places()) or scene.hands.may_have_taken_ours_away or scene.hands.path != scene.file
        case "unchanged":
            assert scene.hands.may_have_taken_ours_away
        case _:
            assert account
            if not is_open_end(account):
                assert any(scene.hands.places()) or scene.hands.may_have_taken_ours_away
    for path in scene.others:
        status = statuses.get(path.relative_to(scene.desk.root).as_posix())
        is_back = not path.exists() or OURS not in path.read_text()
        assert is_back == (status == "restored"), f"{path}: {status}"
    if statuses.get("new/c.txt") == "restored":
        assert not scene.desk.path("new").exists()


async def test_a_change_of_one_file() -> None:
    await race(EDITORS, 1, race_a_change, 2 * len(ACTIONS))


async def test_a_change_of_several_files() -> None:
    await race(FEW_EDITORS, 3, race_a_change, 3 * len(ACTIONS))


async def test_decisions_about_a_change_of_one_file() -> None:
    await race(EDITORS, 1, race_decisions, 4 * len(ACTIONS))


async def test_decisions_about_a_change_of_several_files() -> None:
    await race(FEW_EDITORS, 3, race_decisions, 6 * len(ACTIONS))


async def test_an_undo_of_one_file() -> None:
    await race(EDITORS, 1, race_an_undo, 2 * len(ACTIONS))


async def test_an_undo_of_several_files() -> None:
    await race(FEW_EDITORS, 3, race_an_undo, 3 * len(ACTIONS))


@pytest.mark.long
@pytest.mark.parametrize("run", [race_a_change, race_an_undo])
@pytest.mark.parametrize("files", [1, 3])
@pytest.mark.parametrize("profile", EDITORS, ids=lambda profile: profile.name)
async def test_every_action_before_every_second_step(profile: Kind, files: int, run: Run) -> None:
    await race([profile], files, run, 2, begin=EDITORS.index(profile))
