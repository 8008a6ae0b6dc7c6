"""What `placet --acp` loads before `initialize` is answered: seen from outside, in the real process."""

import re
import sys

from acp_support import AcpClient
from run_support import Place

STOPPED_AT_THE_SERVER = """
import os, runpy, sys

class Stop:
    def find_spec(self, name, *_):
        if name == "placet.core.pydantic_plugins":
            os.write(2, "\\n".join(sys.modules).encode())
            os._exit(0)

sys.meta_path.insert(0, Stop())
sys.argv = ["placet", "--acp"]
runpy.run_module("placet", run_name="__main__", alter_sys=True)
"""


async def test_initialize_is_answered_before_the_event_loop_and_the_core_are_loaded(tmp_path):
    async with AcpClient(Place(tmp_path), command=[sys.executable, "-c", STOPPED_AT_THE_SERVER]) as client:
        await client.initialize()
        await client.process.wait()

    modules = set(client.stderr.decode().split())
    packages = {name.partition(".")[0] for name in modules}
    assert packages & {"asyncio", "msgspec", "logging", "pydantic", "pathlib", "urllib", "socket"} == set()
    assert {name for name in modules if name.startswith("placet.")} == {
        "placet.core",
        "placet.core.framing",
        "placet.core.stdio",
        "placet.core.stdio.garbage",
        "placet.core.stdio.inbound",
        "placet.core.stdio.lines",
        "placet.core.stdio.wire",
        "placet.frontends",
        "placet.frontends.acp",
        "placet.frontends.acp.capabilities",
        "placet.frontends.acp.handshake",
        "placet.frontends.acp.start",
        "placet.model",
        "placet.model.local",
        "placet.model.local.offer",
    }


NOT_FOR_A_SESSION = (
    "anyio._backends",
    "placet.changes.commands",
    "placet.changes.journal.journal",
    "placet.changes.journal.records",
    "placet.changes.pipeline",
    "placet.changes.propose",
    "placet.changes.undo",
    "placet.frontends.acp.commands",
    "placet.frontends.acp.ports.approver",
    "placet.frontends.acp.ports.client_writes",
    "placet.frontends.acp.ports.forms",
    "placet.frontends.terminal",
    "placet.frontends.lsp",
    "placet.languages.servers.pool",
    "placet.languages.syntax",
    "placet.sandbox.network",
    "placet.sandbox.sandbox",
    "placet.sessions.store.library",
    "placet.text.diff",
    "placet.text.merge",
)
IMPORTED = re.compile(r"^import time:\s+\d+ \|\s+\d+ \|\s+(\S+)$", re.MULTILINE)


async def test_a_session_is_made_before_what_only_changes_and_questions_need_is_loaded(tmp_path):
    files = {"fs": {"readTextFile": True, "writeTextFile": True}}
    command = [sys.executable, "-X", "importtime", "-m", "placet", "--acp"]
    async with AcpClient(Place(tmp_path), command=command, capabilities=files) as client:
        await client.initialize()
        await client.new_session()
        await client.new_session()
        await client.kill()

    modules = set(IMPORTED.findall(client.stderr.decode()))
    assert "placet.sessions.session" in modules
    assert {name for name in modules for room in NOT_FOR_A_SESSION if f"{name}.".startswith(f"{room}.")} == set()
