"""What the daemon loads, and when: seen from outside, in the real process."""

import os
import re
import sys
from pathlib import Path

import pytest

from lsp_link.process import ServerProcess
from wire_servers.answers import Call, Text
from wire_servers.server import WireServer

EXTENSIONS = {
    "placet.json": '{"mcp": {"one": {"command": "true"}}}',
    "tools/one.py": "from placet.tools import tool\n@tool\ndef one() -> str:\n    return ''\n",
    "skills/one/SKILL.md": "---\nname: one\ndescription: d\n---\nDo it.",
}


class Daemon(ServerProcess):
    """`placet --stdio` with Python telling every import on stderr, in the order they are done."""

    def __init__(self, directory: Path) -> None:
        super().__init__("ours", directory)
        self._environment["XDG_CONFIG_HOME"] = str(directory / "config")
        self._command = [sys.executable, "-X", "importtime", "-m", "placet", "--stdio"]

    @property
    def imported(self) -> list[str]:
        return re.findall(r"^import time:\s+\d+ \|\s+\d+ \|\s+(\S+)$", self.stderr.decode(), re.MULTILINE)


@pytest.fixture
def project(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.txt").write_text("words\n")
    return project


async def test_the_daemon_imports_neither_litellm_nor_mcp_also_when_a_model_answers_through_them(tmp_path, project):
    script = [(Call("read", {"filePath": "a.txt"}),), (Text("Read."),)]
    async with WireServer(script) as server, Daemon(tmp_path) as daemon:
        settings = {"model": "openai/local", "modelOptions": {"apiBase": server.openai_base}}
        options = {"agent": {"protocol": 1}, "settings": settings}
        await daemon.handshake(rootUri=project.as_uri(), initializationOptions=options)
        session = (await daemon.call("agent/session/new", {"title": "Lean"}))["result"]
        prompt = {"sessionId": session["id"], "parts": [{"type": "text", "text": "Read it."}]}
        answer = await daemon.call("agent/prompt", prompt)
        await daemon.call("shutdown")
        daemon.notify("exit", None)
        assert await daemon.ended() == 0

    assert answer["result"]["stopReason"] == "end_turn"
    assert len(server.requests) == 2
    assert "placet.sessions.session" in daemon.imported
    packages = {name.partition(".")[0] for name in daemon.imported}
    assert packages & {"litellm", "mcp", "openai", "httpx", "keyring"} == set()


async def test_until_initialize_is_answered_nothing_is_loaded_that_it_does_not_need(tmp_path):
    async with Daemon(tmp_path) as daemon:
        await daemon.call("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {}})
        daemon.process.kill()
        await daemon.ended()

    assert "pygls.protocol" in daemon.imported
    loaded = {name.partition(".")[0] for name in daemon.imported}
    heavy = {"pydantic", "sqlite3", "rich", "msgspec", "tree_sitter", "patiencediff", "filelock", "psutil"}
    assert loaded & heavy == set()
    ours = {name for name in daemon.imported if name.startswith("placet.")}
    assert (
        ours & {"placet.core.ports", "placet.core.messages", "placet.core.events", "placet.sessions", "placet.settings"}
        == set()
    )


async def test_what_extends_it_is_not_even_looked_at_before_initialize_is_answered(tmp_path):
    imported = []
    for name in ("bare", "extended"):
        (directory := tmp_path / name).mkdir()
        if name == "extended":
            config = directory / "config" / "placet"
            for file, text in EXTENSIONS.items():
                (config / file).parent.mkdir(parents=True, exist_ok=True)
                (config / file).write_text(text)
        async with Daemon(directory) as daemon:
            await daemon.call("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
            daemon.process.kill()
            await daemon.ended()
        imported.append(daemon.imported)
    assert imported[0] == imported[1]
    assert not any(one.startswith("placet.extensions") for one in imported[1])
