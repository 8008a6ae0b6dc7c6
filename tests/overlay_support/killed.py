"""A daemon that dies by SIGKILL around a command under an overlay, at one point after another, and starts again.

`python -m overlay_support.killed DIRECTORY POINTS` prints a line for each point: the call at which the daemon died, and
what was wrong afterwards, if anything. A point is a change to the file system by the daemon itself.
"""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from changes_support.desk import Desk
from overlay_support.contained import run_contained
from overlay_support.manifest import manifest
from placet.sandbox.overlay.layers import remove_left_layers
from placet.storage.database import Database

LINE = (
    "sed -i s/a/b/ a.py; rm -r package; mkdir -p new/deep node_modules/x; echo new > new/deep/n.py; echo x > bin; "
    "printf '\\0\\1' >> bin; ln -sf a.py link.py; chmod +x run.sh; echo more >> one.log; echo two > two.log; "
    "rm three.log; echo x > node_modules/x/y; echo x > node_modules/old/new; mkfifo ignored/pipe; rm -r ignored/inner"
)
CHANGING = (
    *("chmod", "chown", "link", "mkdir", "mkfifo", "removexattr", "rename", "replace", "rmdir", "symlink", "unlink"),
    *("fsync", "utime"),
)
IGNORED = (".log", "node_modules", "ignored")


def make_project(root: Path) -> None:
    texts = {
        "a.py": "a\n",
        "package/one.py": "one\n",
        "package/two.py": "two\n",
        "run.sh": "run\n",
        "link.py": "link\n",
        "bin": "\0",
        "one.log": "one\n",
        "three.log": "three\n",
        "node_modules/old/o": "o\n",
        "ignored/inner/i": "i\n",
        ".gitignore": "*.log\nnode_modules/\nignored/\n",
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def count_changes(at: int, report: int) -> None:
    """Die at the change number `at`; write the name of each changing call to the descriptor."""
    done = 0

    def counted(function: Callable[..., Any], name: str, *arguments: Any, **named: Any) -> Any:
        nonlocal done
        done += 1
        os.write(report, f"{name}\n".encode())
        if done == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **named)

    for name in CHANGING:
        setattr(os, name, partial(counted, getattr(os, name), name))


async def run(place: Path, at: int, report: int) -> None:
    desk = Desk(place / "project", database=Database(place / "store.db"))
    await desk.database.work(lambda _: None)
    count_changes(at, report)
    await run_contained(desk, LINE)
    os._exit(0)


async def start_again(place: Path, states: list[dict[str, tuple[object, ...]]]) -> str:
    desk = Desk(place / "project", database=Database(place / "store.db"))
    await desk.journal.recover(desk.editor)
    remove_left_layers(place / "project.layers")
    wrong: list[str] = []
    entries = manifest(place / "project")
    before, after = states
    if relevant(entries) not in (relevant(before), relevant(after)):
        wrong.append(f"half-landed: {relevant(entries)}")
    for name in set(before) | set(after) | set(entries):
        if is_ignored(name) and entries.get(name) not in (before.get(name), after.get(name)):
            wrong.append(f"{name} is neither as before nor as after")
    wrong += [f"left: {name}" for name in entries if ".tmp_" in name]
    wrong += [f"left: {path}" for path in (place / "project.layers").glob("*")]
    landed = [change.state for change in await desk.journal.changes("ses_1") if change.state == "applied"]
    if bool(landed) != (relevant(entries) == relevant(after)):
        wrong.append(f"the journal says {landed}")
    await desk.database.close()
    return "; ".join((*wrong, *mounts(place)))


def relevant(entries: dict[str, tuple[object, ...]]) -> dict[str, tuple[object, ...]]:
    """The files that git does not ignore."""
    return {
        name: entry for name, entry in entries.items() if not is_ignored(name) and (len(entry) > 2 or "link" in entry)
    }


def is_ignored(name: str) -> bool:
    return name.endswith(".log") or name.split("/")[0] in IGNORED


def mounts(place: Path) -> list[str]:
    """The mounts of any process that still name the place."""
    wrong: list[str] = []
    for path in Path("/proc").glob("[0-9]*/mountinfo"):
        try:
            wrong += [f"{path}: {line}" for line in path.read_text().splitlines() if str(place) in line]
        except OSError:
            continue
    return wrong


def in_child(work: Callable[[int], None]) -> tuple[int, str]:
    """Run the work in a forked process; return how it ended, and what it wrote."""
    readable, writable = os.pipe()
    if (process := os.fork()) == 0:
        os.close(readable)
        work(writable)
        os._exit(0)
    os.close(writable)
    with os.fdopen(readable) as file:
        text = file.read()
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), text


def attempt(place: Path, at: int) -> tuple[int, list[str]]:
    make_project(place / "project")
    code, text = in_child(lambda report: asyncio.run(run(place, at, report)))
    return code, text.split()


def main(directory: Path, points: int) -> None:
    before_place, after_place = directory / "before", directory / "after"
    make_project(before_place)
    code, calls = attempt(after_place, 0)
    assert code == 0, code
    states = [manifest(before_place), manifest(after_place / "project")]
    assert len(calls) >= points, len(calls)
    for number in range(points):
        at = 1 + number * len(calls) // points
        place = directory / str(number)
        code, died_at = attempt(place, at)
        assert code == -signal.SIGKILL, code
        _, wrong = in_child(partial(report_again, place, states))
        sys.stdout.write(f"{at}\t{died_at[-1]}\t{wrong}\n")
        shutil.rmtree(place)


def report_again(place: Path, states: list[dict[str, tuple[object, ...]]], report: int) -> None:
    os.write(report, (asyncio.run(start_again(place, states)) or "ok").encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
