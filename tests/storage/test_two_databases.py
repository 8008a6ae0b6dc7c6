"""Two Databases of one process over one file, as a daemon with several sets of folders has them."""

import asyncio
import subprocess
import sys
from pathlib import Path

from placet.storage.database import Database

WRITE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("UPDATE setting_of_test SET value = value + 1")
connection.commit()
connection.close()
"""


async def test_the_second_leaves_the_locks_of_the_first_so_that_no_process_deletes_the_log_under_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "placet.db"
    first = Database(path)
    await first.work(lambda connection: connection.execute("CREATE TABLE setting_of_test (value INTEGER)"))
    await first.work(lambda connection: connection.execute("INSERT INTO setting_of_test VALUES (0)"))
    second = Database(path)
    assert (await second.read("SELECT value FROM setting_of_test"))[0]["value"] == 0
    await second.close()
    for written in (1, 2):
        await asyncio.to_thread(subprocess.run, [sys.executable, "-c", WRITE, str(path)], check=True)
        assert (await first.read("SELECT value FROM setting_of_test"))[0]["value"] == written
    await first.close()
