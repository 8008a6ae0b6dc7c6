"""A daemon that dies by SIGKILL while a client of ACP writes: `python -m acp_support.killed ROOT COUNT WHEN`.

COUNT is the write at which the daemon dies, `before` or `after` the client has carried out the write.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from acp_support.editor import ZED, AcpPeer
from changes_support.desk import Desk, create, plan
from placet.storage.database import Database
from placet.text.plan import PlannedFile


class DyingPeer(AcpPeer):
    def __init__(self, root: Path, count: int, when: str) -> None:
        super().__init__(ZED, root)
        self.count, self.when = count, when

    def _write(self, path: Path, content: str) -> None:
        self.count -= 1
        if self.count == 0 and self.when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        super()._write(path, content)
        if self.count == 0:
            os.kill(os.getpid(), signal.SIGKILL)


async def main(root: Path, count: int, when: str) -> None:
    peer = DyingPeer(root, count, when)
    desk = Desk(root, editor=peer.documents, database=Database(root.parent / "store.db"))  # type: ignore[arg-type]
    (root / "gone.py").write_text("gone\n")
    (root / "changed.py").write_bytes(b"one\r\ntwo\r\n")
    peer.editor.open(root / "changed.py")
    peer.editor.type(root / "changed.py", "typed\r\n")
    changed = await desk.plan("changed.py", "typed\none\n2\n")
    gone = PlannedFile("delete", root / "gone.py", (await desk.plan("gone.py", "")).base_text, None)
    await desk.changes.propose(plan(changed, create(root / "new" / "made.py", "made\n"), gone))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
