"""A daemon that dies by SIGKILL while the user goes back or forward: `python -m services_support.killed_going_back`.

Arguments: DIRECTORY SCRIPT SESSION ACT POINT. ACT is `go:PROMPT` or `redo`. POINT is the number of transactions of the
store and of changes in the project's directory before the kill; a daemon that comes to its end before exits with 0.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from placet.storage.database import Database
from services_support import TempServices


class Points:
    """Count of the points that were passed; the process dies at the last."""

    def __init__(self, last: int) -> None:
        self.left = last

    def before(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **named: Any) -> Any:
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            self.left -= 1
            return function(*arguments, **named)

        return counted


async def main(directory: Path, script: str, session_id: str, act: str, point: int) -> None:
    services = TempServices(directory)
    async with services.open(script, permission="allow") as sessions:
        session = await sessions.load(session_id)
        points = Points(point)
        for place, name in ((Database, "transaction"), (Database, "work"), (os, "replace"), (os, "unlink")):
            setattr(place, name, points.before(getattr(place, name)))
        if act == "redo":
            await session.going_back.redo()
        else:
            await session.going_back.go(act.partition(":")[2])
        await session.catch_up()
        os._exit(0)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5])))
