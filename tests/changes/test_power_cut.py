"""What a power cut may take: the order in which a change reaches the disk, by the calls that are really made."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from changes_support.desk import Desk, create, plan
from placet.storage.database import Database
from placet.text.plan import PlannedFile
from time_support import wait_seconds

TESTS = Path(__file__).parent.parent
STRACE = [
    "strace",
    "-f",
    "-y",
    "-qq",
    "-e",
    "trace=pwrite64,fsync,fdatasync,rename,renameat,renameat2,linkat,unlinkat,unlink",
]


def can_trace() -> bool:
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-qq", "true"], capture_output=True, check=False).returncode == 0


async def test_a_change_is_on_disk_in_the_journal_before_it_is_applied_and_nothing_else_waits_for_the_disk(
    tmp_path: Path,
) -> None:
    statements: list[str] = []
    desk = Desk(tmp_path, database=Database(tmp_path / "placet.db"))
    path = desk.write("a.txt", "old\n")

    def note() -> None:
        statements.append(f"-- {desk.editor.applied or 'not applied'}")

    desk.editor.user = note
    await desk.database.work(lambda connection: connection.set_trace_callback(statements.append))
    await desk.edit("a.txt", "new\n")
    await desk.database.work(lambda connection: connection.set_trace_callback(None))
    synchronous, durable, first_applied = "NORMAL", list[int](), len(statements)
    for number, statement in enumerate(statements):
        if found := re.fullmatch(r"PRAGMA synchronous = (\w+)", statement):
            synchronous = found[1]
        elif statement == "COMMIT" and synchronous == "FULL":
            durable.append(number)
        elif statement.startswith("-- [") and first_applied == len(statements):
            first_applied = number
    planned = next(number for number, one in enumerate(statements) if one.startswith("INSERT INTO change "))
    assert len(durable) == 1
    assert planned < durable[0] < first_applied
    assert path.read_text() == "new\n"
    await desk.database.close()


@pytest.mark.skipif(sys.platform != "linux" or not can_trace(), reason="needs strace, and leave to trace")
def test_the_log_is_synced_before_a_file_is_touched_and_file_and_directory_after(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name in ("changed.txt", "renamed.txt", "deleted.txt"):
        (project / name).write_text("old\n")
    trace = tmp_path / "trace"
    subprocess.run(
        [*STRACE, "-o", str(trace), sys.executable, "-m", "changes.test_power_cut", str(project)],
        env={"PYTHONPATH": str(TESTS), "PATH": "/usr/bin:/bin"},
        check=True,
        timeout=wait_seconds(),
    )
    calls = [call for line in trace.read_text().splitlines() if (call := _call(line, project))]
    touched = [number for number, (name, _) in enumerate(calls) if name == "touch"]
    log = [name for name, path in calls[: touched[0]] if path.endswith("placet.db-wal")]
    assert "write" in log
    assert log[-1] == "sync"
    for number in touched:
        directory = str(Path(calls[number][1]).parent)
        assert ("sync", directory) in calls[number:], (calls, number)
    moved = [path for name, path in calls if name == "touch" and ".tmp_" in path]
    assert len(moved) >= 3  # The changed file, the renamed one and the one that is made.
    for path in moved:
        assert calls.index(("sync", path)) < calls.index(("touch", path))


def _call(line: str, project: Path) -> tuple[str, str] | None:
    """A write, a sync of a file or directory, or a call by which a name in the project comes or goes."""
    if found := re.search(r"pwrite64\(\d+<([^>]*)>", line):
        return "write", found[1]
    if found := re.search(r"(?:fsync|fdatasync)\(\d+<([^>]*)>", line):
        return "sync", found[1]
    if found := re.search(r"(?:rename\w*|linkat|unlinkat)\(\d+<([^>]*)>, \"([^\"]*)\"", line):
        return ("touch", f"{found[1]}/{found[2]}") if Path(found[1]).is_relative_to(project) else None
    return None


async def _change_all(project: Path) -> None:
    desk = Desk(project, database=Database(project.parent / "placet.db"))
    await desk.changes.read(project / "deleted.txt")
    await desk.changes.propose(
        plan(
            await desk.plan("changed.txt", "new\n"),
            PlannedFile(
                "rename",
                project / "renamed.txt",
                (await desk.plan("renamed.txt", "")).base_text,
                "new\n",
                project / "sub" / "renamed.txt",
            ),
            PlannedFile("delete", project / "deleted.txt", "old\n", None),
            create(project / "made.txt", "made\n"),
        )
    )
    await desk.database.close()


if __name__ == "__main__":
    import asyncio

    asyncio.run(_change_all(Path(sys.argv[1])))
