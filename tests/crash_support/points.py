"""The points at which a victim can be killed: events, statements of the store, calls to the file system, asks.

A point is the n-th time that something of its label happens, and a delay after it. All that must outlive the kill goes
to an append-only file at once.
"""

import json
import os
import signal
import sqlite3
import sys
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Point:
    label: str
    nth: int
    delay_seconds: float = 0.0


class Points:
    """Counts what happens, writes it down, and kills this process at the target."""

    def __init__(self, log: Path, project: Path, target: Point | None) -> None:
        self.counts: Counter[str] = Counter()
        self._target = target
        self._project = f"{project}{os.sep}"
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._lock = threading.RLock()
        self._trigger, self._pull = os.pipe()
        self.within = ""
        threading.Thread(target=self._wait_for_trigger, daemon=True).start()

    def note(self, **fact: Any) -> None:
        os.write(self._log, json.dumps(fact).encode() + b"\n")

    def phase(self, name: str) -> None:
        """What the daemon is at from now on; within an undo, a redo and a compaction it is that, whatever else."""
        self.note(phase=self.within or name)

    def reach(self, label: str) -> None:
        with self._lock:
            self.counts[label] += 1
            target = self._target
            if target is None or (target.label, target.nth) != (label, self.counts[label]):
                return
        self.note(reached=asdict(target))
        if target.delay_seconds:
            os.write(self._pull, b"!")
        else:
            os.kill(os.getpid(), signal.SIGKILL)

    def watch_disk(self) -> None:
        """From now on every call to the file system under the project is a point."""
        sys.addaudithook(self._heard)

    def watch_store(self, connection: sqlite3.Connection) -> None:
        """From now on every statement that writes is a point."""
        connection.set_trace_callback(self._statement)

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        match event:
            case "open" | "os.rename" | "os.link" | "os.remove" | "os.chmod" | "os.mkdir":
                if isinstance(arguments[0], str | bytes | os.PathLike):
                    path = self._full(event, arguments)
                    if path.startswith(self._project) and (event != "open" or arguments[2] & os.O_WRONLY):
                        self.reach(f"disk:{event.removeprefix('os.')}")
            case _:
                pass

    def _full(self, event: str, arguments: tuple[Any, ...]) -> str:
        """The path of a call, also of one that is relative to a descriptor."""
        name = os.fsdecode(arguments[0])
        match event, arguments:
            case "open", _ if ".tmp_" in name and not name.startswith(os.sep):
                return self._project + name  # The event does not tell the descriptor; the name is Placet's own.
            case ("os.rename" | "os.link", (_, _, int(directory), _)) if directory >= 0:
                return os.readlink(f"/proc/self/fd/{directory}") + os.sep + name
            case ("os.remove" | "os.chmod" | "os.mkdir", (_, *_, int(directory))) if directory >= 0:
                return os.readlink(f"/proc/self/fd/{directory}") + os.sep + name
            case _:
                return name

    def _statement(self, sql: str) -> None:
        words = sql.split()
        if words[0] in ("INSERT", "UPDATE", "DELETE"):
            table = words[2] if words[0] != "UPDATE" else words[1]
            if table == "change":
                self.phase("change being applied")
            self.reach(f"store:{words[0]} {table}")
        elif words[0] in ("BEGIN", "COMMIT"):
            self.reach(f"store:{words[0]}")

    def _wait_for_trigger(self) -> None:
        os.read(self._trigger, 1)
        assert self._target is not None
        time.sleep(self._target.delay_seconds)
        os.kill(os.getpid(), signal.SIGKILL)
