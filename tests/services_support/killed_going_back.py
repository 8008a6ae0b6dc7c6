"""A daemon that dies by SIGKILL at each of many points while the user goes back or forward:
`python -m services_support.killed_going_back HOME SCRIPT SESSION ACT COUNT`.

ACT is `go:PROMPT` or `redo`. Each run starts from the files in HOME as they are, and leaves HOME/../NNN behind; the run
HOME/../whole comes to its end. The points are spread evenly over the files opened, renamed and removed below HOME and
the beginnings and ends of transactions of one run.
"""

import asyncio
import importlib
import itertools
import os
import shutil
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from placet.storage.database import Database
from services_support import TempServices


class _Points:
    """Points of a run; the process dies at the point `last`."""

    def __init__(self, home: Path, last: int | None) -> None:
        self.passed = 0
        self._numbers = itertools.count(1)
        self._last = last
        self._home = str(home)
        sys.addaudithook(self._hear)
        for name in ("transaction", "work"):
            setattr(Database, name, self._around(getattr(Database, name)))

    def _pass(self) -> None:
        self.passed = next(self._numbers)
        if self.passed == self._last:
            os.kill(os.getpid(), signal.SIGKILL)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        is_own = event == "open" and self._home in str(arguments[0])
        if is_own or event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.symlink"):
            self._pass()

    def _around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **named: Any) -> Any:
            self._pass()
            result = function(*arguments, **named)
            if isinstance(result, Future):
                result.add_done_callback(lambda _: self._pass())
            return result

        return counted


async def _act(home: Path, script: str, session_id: str, act: str, last: int | None) -> int:
    """Go back or forward, up to the point `last`; return the number of passed points."""
    async with TempServices(home).open(script) as sessions:
        session = await sessions.load(session_id)
        points = _Points(home, last)
        if act == "redo":
            await session.going_back.redo()
        else:
            await session.going_back.go(act.partition(":")[2])
        await session.catch_up()
        return points.passed


def _forked(home: Path, script: str, session_id: str, act: str, last: int | None, name: str) -> int:
    """Run in a process of its own, and leave the files as NAME beside HOME; return the number of passed points."""
    if (process := os.fork()) == 0:
        passed = asyncio.run(_act(home, script, session_id, act, last))
        home.with_name("passed").write_text("\n".join([str(passed), *sys.modules]))
        os._exit(0)
    _, status = os.waitpid(process, 0)
    assert os.waitstatus_to_exitcode(status) == (0 if last is None else -signal.SIGKILL)
    home.rename(home.with_name(name))
    shutil.copytree(home.with_name("master"), home, symlinks=True)
    total, *modules = home.with_name("passed").read_text().splitlines()
    for module in modules if last is None else ():
        importlib.import_module(module)  # The runs to come find all modules loaded.
    return int(total)


def main(home: Path, script: str, session_id: str, act: str, count: int) -> None:
    shutil.copytree(home, home.with_name("master"), symlinks=True)
    _forked(home, script, session_id, act, None, "loading")
    total = _forked(home, script, session_id, act, None, "whole")
    assert total >= count, total
    for number in range(count):
        _forked(home, script, session_id, act, 1 + number * total // count, f"{number:03}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]))
