"""A daemon that is killed while it stages, applies, keeps, undoes and asks leaves the set, the files
and the journal in agreement.
"""

import os
from pathlib import Path

import pytest

from changes_support.reviewed import BOTH, OLD, ONE, TEXT, ReviewDesk
from fork_support import start_module
from placet.changes.review.staged_file import StagedView
from placet.core.errors import RequestError

EIGHT = TEXT.replace("line 8\n", "eight\n")
NEW, GONE = "new\n", None
Hunks = tuple[str, ...] | None
"""New lines of the hunks that wait for a decision, or None for a file that is not in the set."""

LEGAL: dict[str, list[tuple[str | None, Hunks]]] = {
    "accepted": [(TEXT, None), (TEXT, ("one\n",)), (ONE, None)],
    "parted": [(TEXT, None), (TEXT, ("one\n", "eight\n")), (ONE, ("eight\n",)), (ONE, None)],
    "kept": [(TEXT, None), (BOTH, ("one\n", "eight\n")), (BOTH, ("eight\n",)), (ONE, None)],
    "undone": [(TEXT, None), (ONE, ("one\n",)), (BOTH, ("one\n", "eight\n")), (TEXT, None)],
    "created": [(GONE, None), (NEW, (NEW,)), (GONE, None)],
    "deleted": [(TEXT, None), (GONE, ("",)), (TEXT, None)],
    "renamed": [(TEXT, None), (GONE, None), (TEXT, None)],
    "moved": [(GONE, None), (ONE, ("one\n",)), (GONE, None)],
    "asked": [(TEXT, None), (ONE, None)],
}
"""For each file the stages of a run: the text on the disk, and the hunks of the set."""
BETWEEN: dict[str, list[tuple[str | None, Hunks]]] = {"undone": [(ONE, ("one\n",)), (BOTH, ("one\n", "eight\n"))]}
"""Further states of a file that is undone turn by turn."""
ENDED: dict[str, dict[int, int]] = {
    "accepted": {0: 1, 4: 2},
    "parted": {0: 1, 5: 2, 6: 3},
    "kept": {1: 1, 7: 2, 8: 3},
    "undone": {1: 1, 3: 2, 9: 3},
    "created": {2: 1, 9: 2},
    "deleted": {2: 1, 9: 2},
    "renamed": {2: 1, 9: 2},
    "moved": {2: 1, 9: 2},
    "asked": {10: 1},
}
"""For each file the stage that a file has reached at least, by the number of the act that has ended."""


@pytest.mark.skipif(os.name == "nt", reason="needs fork and SIGKILL")
@pytest.mark.parametrize("points", [20, pytest.param(200, marks=pytest.mark.long)])
async def test_at_points_all_over_a_review_the_set_the_files_and_the_journal_agree(tmp_path: Path, points: int) -> None:
    runs = await start_module("changes_support.reviewed", str(tmp_path), str(points))
    assert runs.stdout is not None
    ended = 0
    async for name in runs.stdout:
        await _agree(tmp_path / name.decode().strip())
        ended += 1
    assert await runs.wait() == 0
    assert ended == points + 1


async def _agree(root: Path) -> None:
    desk = ReviewDesk(root)
    try:
        await desk.journal.recover(desk.documents)
        acts = (root / "progress").read_text().split() if (root / "progress").exists() else []
        views, texts = await desk.views(), desk.texts()
        for name, stages in LEGAL.items():
            reached = max((ENDED[name].get(int(act), 0) for act in acts), default=0)
            state = texts.get(name), _hunks(views.get(name))
            assert state in stages[reached:] + BETWEEN.get(name, []), (root.name, acts, name, state)
        for view in views.values():
            _sees_the_disk(view, texts)
        await _undo_all(desk)
        assert desk.texts() == dict.fromkeys(OLD, TEXT), (root.name, acts)
    finally:
        await desk.database.close()


def _hunks(view: StagedView | None) -> Hunks:
    if view is None:
        return None
    assert view.proposed is not None
    return tuple("".join(hunk.new_lines) for hunk in view.proposed.hunks)


def _sees_the_disk(view: StagedView, texts: dict[str, str]) -> None:
    assert view.proposed is not None
    text = texts.get(view.file.place.stem, "")
    assert text == (view.proposed.old_text if view.file.state == "staged" else view.proposed.new_text)


async def _undo_all(desk: ReviewDesk) -> None:
    """Undo turn by turn: the journal holds everything that is on the disk."""
    while True:
        try:
            undone = await desk.undo()
        except RequestError:
            return
        assert all(file.status != "conflict" for file in undone), undone
