"""A daemon killed while the client writes leaves a journal that the next start repairs."""

import os
import signal
from pathlib import Path

import pytest

from acp_support.editor import HONEST, ZED, AcpPeer, Quirks
from changes_support.desk import Desk
from fork_support import start_module
from placet.storage.database import Database


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
@pytest.mark.parametrize("next_client", [ZED, HONEST], ids=lambda quirks: quirks.name)
@pytest.mark.parametrize(("count", "when"), [(1, "before"), (1, "after"), (2, "before"), (2, "after")])
async def test_a_daemon_killed_in_a_write_of_the_client_leaves_every_file_as_before(
    count: int, when: str, next_client: Quirks, tmp_path: Path
) -> None:
    root = tmp_path.resolve() / "project"
    root.mkdir()
    killed = await start_module("acp_support.killed", str(root), str(count), when, imports=["placet.changes.pipeline"])
    assert await killed.wait() == -signal.SIGKILL
    changed = (root / "changed.py").read_bytes()
    # The client's process lives on: what it was asked to write is written, with the user's text.
    assert changed == (b"one\r\ntwo\r\n" if (count, when) == (1, "before") else b"typed\r\none\r\n2\r\n")
    database = Database(tmp_path.resolve() / "store.db")
    peer = AcpPeer(next_client, root)
    desk = Desk(root, editor=peer.documents, database=database)  # type: ignore[arg-type]
    assert [change.state for change in await desk.journal.recover(peer.documents)] == ["failed"]
    changed = (root / "changed.py").read_bytes()
    assert changed == (b"one\r\ntwo\r\n" if (count, when) == (1, "before") else b"typed\r\none\r\ntwo\r\n")
    assert (root / "gone.py").read_text() == "gone\n"
    assert not (root / "new" / "made.py").exists()
    await database.close()
