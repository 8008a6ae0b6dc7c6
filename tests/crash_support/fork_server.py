"""Runs victims: a line of JSON in for each, `{"directory", "seed", "point"}`, and one out when it was looked at.

It has imported everything and has no threads; for each victim it forks a keeper, and that one the victim.
"""

import asyncio
import contextlib
import gc
import json
import os
import shutil
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from crash_support import aftermath
from crash_support.points import Point, Points
from crash_support.record import read_record
from crash_support.victim import Victim
from placet.tools.framework.registry import ready_tools  # noqa: F401 (imported once for all)


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Keepers are nobody's to wait for.
    gc.freeze()
    for line in sys.stdin:
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            answer = json.dumps(_keep(json.loads(line)))
            os.write(1, f"{answer}\n".encode())
            os._exit(0)


def _keep(job: dict[str, Any]) -> dict[str, Any]:
    directory = Path(job["directory"])
    point = None if job["point"] is None else Point(**job["point"])
    directory.mkdir(parents=True)
    victim = os.fork()
    if victim == 0:
        _be_victim(directory, job["seed"], point)
    _, status = os.waitpid(victim, 0)
    outcome: dict[str, Any] = {"job": job, "killed": os.WIFSIGNALED(status), "status": status, "problems": []}
    try:
        record = read_record(directory / "log")
        outcome |= {"phase": record.phase, "seen": len(record.seen), "kept": record.kept, "over": record.is_over}
        outcome["turns"] = record.turns
        if point is not None:
            outcome["problems"] = aftermath.look(directory, record, victim).problems
        else:
            outcome["counts"] = json.loads((directory / "counts").read_text())
    except BaseException:  # noqa: BLE001 (whatever it is, it is a problem)
        outcome["problems"].append(traceback.format_exc())
    if not outcome["problems"]:
        with contextlib.suppress(OSError):
            shutil.rmtree(directory)
    return outcome


def _be_victim(directory: Path, seed: int, point: Point | None) -> None:
    code = 1
    try:
        os.environ["PLACET_CRASH"] = str(directory)
        points = Points(directory / "log", directory / "project", point)
        asyncio.run(Victim(directory, points, seed).work())
        (directory / "counts").write_text(json.dumps(points.counts))
        code = 0
    except BaseException:  # noqa: BLE001 (a fork must not go on as its parent)
        traceback.print_exc()
    os._exit(code)


if __name__ == "__main__":
    main()
