"""The user's stop at any await: every file is wholly before or wholly after, and the journal says which."""

import asyncio
import tempfile
from pathlib import Path

import pytest

from changes_support.desk import SESSION, Desk, create, plan
from placet.changes import locks
from placet.core.events import ChangeApplied
from placet.text.plan import EditPlan, PlannedFile


async def change(desk: Desk) -> EditPlan:
    desk.write("a.py", "old\n")
    gone = desk.write("gone.py", "gone\n")
    base = (await desk.plan("gone.py", "")).base_text
    made = create(desk.path("made.py"), "made\n")
    return plan(await desk.plan("a.py", "new\n"), made, PlannedFile("delete", gone, base, None))


BEFORE = {"a.py": "old\n", "made.py": None, "gone.py": "gone\n"}
AFTER = {"a.py": "new\n", "made.py": "made\n", "gone.py": None}


async def cancelled_at(moment: int, directory: Path) -> bool:
    """Cancel when the editor or the user is reached for the n-th time; False when the change was through by then."""
    desk = Desk(directory)
    planned = await change(desk)
    moments = 0

    def count() -> None:
        nonlocal moments
        moments += 1
        if moments == moment:
            task.cancel()

    desk.editor.user = desk.approver.meanwhile = count
    task = asyncio.ensure_future(desk.changes.propose(planned))
    (outcome,) = await asyncio.gather(task, return_exceptions=True)
    desk.editor.user = lambda: None
    texts = {name: desk.text(name) for name in BEFORE}
    states = [it.state for it in await desk.journal.changes(SESSION)]
    if any(isinstance(event, ChangeApplied) for event in desk.events):
        assert (texts, states) == (AFTER, ["applied"])
        assert set((await desk.undo()).values()) == {"restored"}
    else:
        assert (texts, states) == (BEFORE, [])
    assert locks._locks == {}
    # Other readers may share a read of files; a read therefore goes on, and ends by itself.
    rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert {task.get_name() for task in rest} <= {"reads of files"}
    await asyncio.gather(*rest)
    await desk.database.close()
    if moments < moment:
        return False
    assert isinstance(outcome, asyncio.CancelledError)
    return True


async def test_a_cancel_at_any_moment_leaves_all_or_nothing() -> None:
    for moment in range(1, 100):
        with tempfile.TemporaryDirectory() as directory:
            if not await cancelled_at(moment, Path(directory).resolve()):
                assert moment > 8
                return
    pytest.fail("the change never ended")


async def test_a_cancel_after_any_number_of_loop_turns_leaves_all_or_nothing() -> None:
    for turns in (*range(40), *range(40, 400, 8)):
        with tempfile.TemporaryDirectory() as directory:
            desk = Desk(Path(directory).resolve())
            planned = await change(desk)
            task = asyncio.ensure_future(desk.changes.propose(planned))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            texts = {name: desk.text(name) for name in BEFORE}
            states = [it.state for it in await desk.journal.changes(SESSION)]
            assert (texts, states) in ((BEFORE, []), (AFTER, ["applied"]))
            await desk.database.close()
