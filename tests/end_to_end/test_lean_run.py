"""What a command loads before its work begins: seen from outside, in the real process."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from process_support import children_running, has_ended
from run_support import Place
from time_support import wait_seconds
from wire_servers.answers import Text, Wait
from wire_servers.server import WireServer

IMPORTTIME = (sys.executable, "-X", "importtime", "-m", "placet")
HEAVY = {"litellm", "openai", "anthropic", "mcp", "aiohttp", "pygls", "rich", "httpx", "keyring", "jsonschema"}
NOT_FOR_A_FIRST_REQUEST = (
    "placet.agent.mentions",
    "placet.changes.commands",
    "placet.changes.pipeline",
    "placet.changes.propose",
    "placet.changes.undo",
    "placet.extensions.mcp.server",
    "placet.extensions.plugins.process",
    "placet.frontends.lsp",
    "placet.languages.servers.pool",
    "placet.languages.syntax",
    "placet.permissions.shell",
    "placet.sandbox.network",
    "placet.sandbox.sandbox",
    "placet.sessions.services.sandboxes",
    "placet.sessions.prompts.completion",
    "placet.sessions.store.archive",
    "placet.text.merge",
    "placet.tools.bash",
    "placet.tools.edit",
    "placet.tools.lsp",
)


def imported(stderr: str) -> set[str]:
    return set(imported_in_order(stderr))


def imported_in_order(stderr: str) -> list[str]:
    return re.findall(r"^import time:\s+\d+ \|\s+\d+ \|\s+(\S+)$", stderr, re.MULTILINE)


def top_level(modules: Iterable[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


@asynccontextmanager
async def placet_run(place: Place, *arguments: str, log: Path) -> AsyncGenerator[asyncio.subprocess.Process]:
    """`placet run` which tells its imports in the file `log`; killed in the end."""
    with log.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *(*IMPORTTIME, "run", *arguments),
            cwd=place.project,
            env=place.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def test_a_run_sends_its_first_request_before_it_loads_what_only_an_answer_needs(tmp_path: Path, place: Place):
    async with WireServer([(Wait(), Text("Late."))]) as server:
        place.environment |= {
            "PLACET_MODEL": "openai/local",
            "PLACET_API_BASE": server.openai_base,
            "OPENAI_API_KEY": "none",
        }
        async with placet_run(place, "Hello.", log=tmp_path / "log"):
            await server.wait_for_requests(1)
            in_order = imported_in_order((tmp_path / "log").read_text())

    modules = set(in_order)
    assert "placet.sessions.session" in modules
    # The printer loads rich as soon as the request is with the model host, which has the request's tools from here.
    with_tools = max(at for at, module in enumerate(in_order) if module.startswith("placet.tools."))
    assert top_level(in_order[:with_tools]) & HEAVY == set()
    assert top_level(in_order) & HEAVY <= {"rich"}
    early = {module for module in modules for room in NOT_FOR_A_FIRST_REQUEST if f"{module}.".startswith(f"{room}.")}
    assert early == set()


async def test_a_run_spawns_a_single_host_before_the_services_are_imported(tmp_path: Path, place: Place):
    async with WireServer([(Wait(), Text("Late."))]) as server:
        place.environment |= {
            "PLACET_MODEL": "openai/local",
            "PLACET_API_BASE": server.openai_base,
            "OPENAI_API_KEY": "none",
        }
        async with placet_run(place, "Hello.", log=tmp_path / "log") as process:
            await server.wait_for_requests(1)
            hosts = children_running("placet.model.host", process.pid)
            names = re.findall(r"\|\s+(placet\S+)$", (tmp_path / "log").read_text(), re.MULTILINE)
            process.kill()
            await process.wait()

    assert len(hosts) == 1
    assert names.index("placet.model.client.host_child") < names.index("placet.sessions.bootstrap")
    assert has_ended(hosts[0].pid)


def test_a_host_that_no_model_of_the_run_needs_has_ended_with_the_run(place: Place):
    config = place.directory / "CONFIG" / "placet"
    config.mkdir(parents=True)
    # The quick look at the settings finds a model of the host; the model of the run is another.
    (config / "placet.json").write_text('{"agent": {"other": {"model": "openai/local"}}, "model": "builtin/rules"}')
    del place.environment["PLACET_MODEL"]

    process = place.start("run", "Find old.", leads_session=True)
    output, errors = process.communicate()

    assert process.returncode == 0, errors
    assert output
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, signal.SIGCONT)


def test_a_wrong_command_line_leaves_no_host_behind(place: Place):
    process = place.start("run", "--model", "openai/local", "--file", "none.txt", leads_session=True)
    _, errors = process.communicate()

    assert process.returncode == 2, errors
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, signal.SIGCONT)


def modules_of(place: Place, *arguments: str) -> set[str]:
    result = subprocess.run(
        [*IMPORTTIME, *arguments],
        cwd=place.project,
        env=place.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=wait_seconds(),
        check=False,
    )
    return imported(result.stderr)


@pytest.mark.parametrize(
    ("arguments", "foreign"),
    [
        (("--version",), {"pydantic", "asyncio", "sqlite3", "rich"}),
        (("--help",), {"pydantic", "asyncio", "sqlite3", "rich"}),
        (("trust", "--list"), {"pydantic", "asyncio", "sqlite3", "rich"}),
        (("pending",), {"pydantic", "rich"}),
        (("approve", "ask_none"), {"rich"}),
        (("sessions", "list"), {"tree_sitter"}),
        (("permissions", "explain", "edit", "a.txt"), {"rich", "sqlite3", "tree_sitter"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_small_command_loads_no_library_that_it_does_not_use(
    place: Place, arguments: tuple[str, ...], foreign: set[str]
) -> None:
    modules = modules_of(place, *arguments)
    assert "placet.core.visible_text" in modules
    assert {module.partition(".")[0] for module in modules} & (HEAVY - {"rich"} | foreign) == set()
    rooms = ("placet.agent.turn", "placet.changes.journal.journal", "placet.changes.pipeline", "placet.model.client")
    assert {module for module in modules for room in rooms if f"{module}.".startswith(f"{room}.")} == set()
