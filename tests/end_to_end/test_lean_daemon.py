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


async def imported_for_a_prompt(tmp_path: Path, project: Path) -> list[str]:
    """The modules that a daemon imports to initialize, to open a session and to run a prompt that calls a tool."""
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
    return daemon.imported


async def test_the_daemon_imports_neither_litellm_nor_mcp_also_when_a_model_answers_through_them(tmp_path, project):
    imported = await imported_for_a_prompt(tmp_path, project)

    assert "placet.sessions.session" in imported
    packages = {name.partition(".")[0] for name in imported}
    assert packages & {"litellm", "mcp", "openai", "httpx", "keyring"} == set()


async def test_a_first_prompt_imports_no_handlers_of_other_messages(tmp_path, project):
    imported = await imported_for_a_prompt(tmp_path, project)

    # Python tells the imports of a module that `import_module` loads, and not the module itself.
    messages = {name for name in imported if name.startswith("placet.frontends.lsp.protocol.")}
    assert "placet.frontends.lsp.protocol.agent_messages" in messages
    others = ("auth", "catalog", "completion", "mcp")
    assert messages.isdisjoint({f"placet.frontends.lsp.protocol.{name}_messages" for name in others})
    later = {"placet.frontends.lsp.generic.choices", "placet.sessions.prompts.completion"}
    assert later.isdisjoint(imported)


STOPPED_AT_THE_SERVER = """
import os, runpy, sys

class Stop:
    def find_spec(self, name, *_):
        if name == "placet.frontends.lsp.server":
            os.write(2, "\\n".join(sys.modules).encode())
            os._exit(0)

sys.meta_path.insert(0, Stop())
sys.argv = ["placet", "--stdio"]
runpy.run_module("placet", run_name="__main__", alter_sys=True)
"""


class StoppedDaemon(Daemon):
    """`placet --stdio` which ends where the loading of the server begins, and names the modules loaded until then."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self._command = [sys.executable, "-c", STOPPED_AT_THE_SERVER]

    async def modules_at_initialize(self) -> set[str]:
        await self.call("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {}})
        assert await self.ended() == 0
        return set(self.stderr.decode().split())


async def test_initialize_is_answered_before_the_event_loop_pygls_and_the_core_are_loaded(tmp_path):
    async with StoppedDaemon(tmp_path) as daemon:
        modules = await daemon.modules_at_initialize()

    packages = {name.partition(".")[0] for name in modules}
    assert packages & {"asyncio", "pygls", "lsprotocol", "logging", "pydantic", "pathlib", "urllib", "socket"} == set()
    assert {name for name in modules if name.startswith("placet.")} == {
        "placet.core",
        "placet.core.framing",
        "placet.core.process_identity",
        "placet.core.stdio",
        "placet.core.stdio.garbage",
        "placet.core.stdio.inbound",
        "placet.core.stdio.wire",
        "placet.frontends",
        "placet.frontends.lsp",
        "placet.frontends.lsp.initialize",
        "placet.frontends.lsp.connection",
        "placet.frontends.lsp.handshake",
        "placet.frontends.lsp.connection.profile",
        "placet.frontends.lsp.protocol",
        "placet.frontends.lsp.protocol.method_names",
        "placet.frontends.lsp.protocol.methods",
        "placet.frontends.lsp.shared",
        "placet.frontends.lsp.start",
        "placet.frontends.lsp.shared.endpoint_address",
        "placet.frontends.lsp.shared.proxy",
        "placet.text",
        "placet.text.positions",
    }


async def test_what_extends_it_is_not_even_looked_at_before_initialize_is_answered(tmp_path):
    modules = []
    for name in ("bare", "extended"):
        (directory := tmp_path / name).mkdir()
        if name == "extended":
            config = directory / "config" / "placet"
            for file, text in EXTENSIONS.items():
                (config / file).parent.mkdir(parents=True, exist_ok=True)
                (config / file).write_text(text)
        async with StoppedDaemon(directory) as daemon:
            modules.append(await daemon.modules_at_initialize())
    assert modules[0] == modules[1]
