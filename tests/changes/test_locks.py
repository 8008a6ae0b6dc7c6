"""EDITS.md rule 16."""

import asyncio
from pathlib import Path

from changes_support.approver import ONCE, PatientApprover
from changes_support.desk import SESSION, Desk, plan
from placet.changes import locks
from placet.changes.ledger import Ledger
from placet.changes.locks import locked
from placet.text.plan import PlannedFile
from time_support import limited

TEN = "".join(f"line {number}\n" for number in range(10))


async def test_the_first_lock_of_all_makes_the_directory_of_the_locks(tmp_path: Path) -> None:
    for _ in range(2):
        async with locked([tmp_path / "a"], tmp_path / "store" / "locks"):
            assert len(list((tmp_path / "store" / "locks").iterdir())) == 1


async def test_two_who_want_the_same_paths_in_other_order_do_not_wait_for_each_other_for_ever(tmp_path) -> None:
    paths = [tmp_path / name for name in "abc"]
    inside: list[str] = []

    async def work(name: str, order: list) -> None:
        for _ in range(20):
            async with locked(order, None):
                inside.append(name)
                await asyncio.sleep(0)
                assert inside == [name]
                inside.clear()

    async with limited(lambda: "both to have had both locks"), asyncio.TaskGroup() as group:
        group.create_task(work("one", paths))
        group.create_task(work("two", paths[::-1]))
    assert locks._locks == {}


async def test_a_symlink_and_its_target_are_one_path(tmp_path) -> None:
    target, link = tmp_path / "a", tmp_path / "link"
    target.write_text("")
    link.symlink_to(target)
    async with locked([target], None):
        waiting = asyncio.ensure_future(locked([link], None).__aenter__())
        await asyncio.sleep(0)
        assert not waiting.done()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    assert locks._locks == {}


async def test_no_lock_is_held_while_the_user_is_asked(tmp_path) -> None:
    approver = PatientApprover()
    desk = Desk(tmp_path, approver=approver)
    path = desk.write("a.py", TEN)
    one = asyncio.ensure_future(desk.edit("a.py", TEN.replace("line 1", "ONE")))
    await approver.shown("Edit a.py")
    async with limited(lambda: "the lock of a file that only an ask holds up"), locked([path], None):
        pass
    approver.answer("Edit a.py", ONCE)
    await one
    await desk.database.close()


async def test_changes_of_two_agents_to_one_file_are_both_kept(desk: Desk) -> None:
    path = desk.write("a.py", TEN)
    turns = [desk.turn(f"msg_{number}", Ledger()) for number in range(5)]
    async with asyncio.TaskGroup() as group:
        for number, changes in enumerate(turns):
            wanted = TEN.replace(f"line {2 * number}\n", f"changed {number}\n")
            group.create_task(changes.propose(plan(PlannedFile("modify", path, TEN, wanted))))
    assert path.read_text() == "".join(
        f"changed {number // 2}\n" if number % 2 == 0 else f"line {number}\n" for number in range(10)
    )
    assert len(await desk.journal.changes(SESSION)) == 5
