"""A daemon that dies by SIGKILL while it applies a change: `python -m changes_support.killed ROOT WHEN`.

WHEN is how many of the change's three files are written by then.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from changes_support.desk import Desk, create, plan
from changes_support.editor import Editor
from placet.core.ports import FileEdit, FileOutcome
from placet.storage.database import Database
from placet.text.plan import PlannedFile


class DyingEditor(Editor):
    def __init__(self, applies: int) -> None:
        super().__init__()
        self.applies = applies

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        await super().apply(edits[: self.applies], edit_id=edit_id, label=label, turn_id=turn_id)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("still alive")


async def main(root: Path, applies: int) -> None:
    desk = Desk(root, editor=DyingEditor(applies), database=Database(root.parent / "store.db"))
    (root / "gone.py").write_text("gone\n")
    (root / "changed.py").write_bytes(b"one\r\ntwo\r\n")
    changed = await desk.plan("changed.py", "one\n2\n")
    gone = PlannedFile("delete", root / "gone.py", (await desk.plan("gone.py", "")).base_text, None)
    await desk.changes.propose(plan(changed, create(root / "made.py", "made\n"), gone))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
