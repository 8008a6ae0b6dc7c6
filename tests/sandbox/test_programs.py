"""Real programs of the daemon in the real sandbox: MCP servers, language servers, a project's tools, and Python."""

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from extension_support import DONE, Workshop, call, output
from language_server_support import environment
from mcp_support import NODE_SERVERS, held, node_server
from placet.core.errors import SandboxFailed, ToolError
from placet.languages.servers.features import ServerFeatures
from placet.languages.servers.pool import ServerPool
from placet.project.files.disk import DiskDocuments
from placet.project.processes.child import Command, LastWords, ManagedChild
from placet.sandbox import sandbox as sandbox_module
from placet.sandbox.fallbacks.landlock import landlock_abi, unusable
from placet.sandbox.preflight import Backend
from placet.sandbox.programs import ContainProgram, Program
from placet.sessions.services.programs import contained_by
from placet.settings import LanguageSettings, Locations, ServerSettings, Settings
from tools_support.workbench import open_workbench

pytestmark = pytest.mark.skipif(sys.platform != "linux" or not shutil.which("bwrap"), reason="needs bubblewrap")
PATIENT = 100.0
MARKED = "MARKED"


@dataclass
class House:
    """Home with a secret, a folder outside of the project, and the sandbox of programs."""

    home: Path
    outside: Path
    project: Path
    locations: Locations

    @property
    def secret(self) -> Path:
        return self.home / ".ssh" / "id_ed25519"

    def contain(self, **sandbox: Any) -> ContainProgram:
        settings = Settings.model_validate({"sandbox": sandbox})
        return contained_by(lambda: settings, self.locations)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    home = tmp_path / "home"
    outside, project = tmp_path / "outside", tmp_path / "project"
    for place in (home / ".ssh", outside, project):
        place.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    locations = Locations(
        config=home / ".config/placet",
        data=home / ".local/share/placet",
        cache=home / ".cache/placet",
        log=home / "log",
    )
    house = House(home, outside, project, locations)
    house.secret.write_text(MARKED)
    return house


async def ran(house: House, contain: ContainProgram, program: Program, line: str) -> str:
    """Run the line of Python as a program; return the output."""
    command = Command((sys.executable, "-I", "-c", line), house.project, environment())
    async with contain(program)(command) as contained:
        words = LastWords()
        child = await ManagedChild.start_program(contained, words)
        text = (await child.stdout.read()).decode()
        await child.end(input_seconds=1)
    return f"{text}{words.tail.decode()}"


def program(house: House, **needs: Any) -> Program:
    return Program("the program", (house.project,), **needs)


async def test_a_program_writes_in_its_folders_alone_and_reads_no_secret(house: House) -> None:
    line = f"""
import pathlib
for path in {[str(house.project / "a"), str(house.outside / "a"), str(house.home / "a"), "/tmp/a"]!r}:
    try:
        pathlib.Path(path).write_text("x")
        print("wrote", path)
    except OSError as error:
        print("not", path)
try:
    print(pathlib.Path({str(house.secret)!r}).read_text())
except OSError:
    print("no secret")
"""
    text = await ran(house, house.contain(), program(house), line)
    assert text.splitlines() == [
        f"wrote {house.project / 'a'}",
        *(f"not {place / 'a'}" for place in (house.outside, house.home)),
        "wrote /tmp/a",
        "no secret",
    ]
    assert not Path("/tmp/a").exists()
    assert not (house.outside / "a").exists()
    assert (house.project / "a").exists()


async def test_a_program_reads_no_file_that_a_rule_asks_about(house: House) -> None:
    (house.project / ".env").write_text(MARKED)
    line = "import os; print(os.access('.env', os.R_OK))"
    hidden = await ran(house, house.contain(), program(house), line)
    shown = await ran(house, house.contain(allowRead=[str(house.project / ".env")]), program(house), line)
    assert (hidden, shown) == ("False\n", "True\n")


async def test_the_needs_of_a_program_open_directories(house: House) -> None:
    line = f"open({str(house.outside / 'a')!r}, 'w').write('x')"
    text = await ran(house, house.contain(), program(house, write=(str(house.outside),)), line)
    assert (text, (house.outside / "a").read_text()) == ("", "x")


@pytest.mark.parametrize("is_listed", [True, False])
async def test_a_program_reaches_the_hosts_of_its_needs_alone(house: House, is_listed: bool) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nword")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port: int = server.sockets[0].getsockname()[1]
        line = (
            "import urllib.request, urllib.error\n"
            f"try: print(urllib.request.urlopen('http://localhost:{port}').read().decode())\n"
            "except OSError as error: print('refused')\n"
        )
        needs = {"domains": (f"localhost:{port}",)} if is_listed else {}
        text = await ran(house, house.contain(), program(house, **needs), line)
    assert text.strip() == ("word" if is_listed else "refused")


async def test_a_name_that_the_user_makes_while_a_program_runs_stays(house: House) -> None:
    command = Command((sys.executable, "-c", "input()"), house.project, environment())
    async with house.contain()(program(house))(command) as contained:
        child = await ManagedChild.start_program(contained, LastWords())
        (house.project / ".envrc").write_text("the user's")
        await child.end(input_seconds=5)
    assert (house.project / ".envrc").read_text() == "the user's"


async def test_the_temporary_files_of_a_program_end_with_the_program(house: House) -> None:
    await ran(house, house.contain(), program(house), "open('/tmp/a', 'w').write('x')")
    sessions = house.locations.cache / "sandbox" / "sessions"
    assert [path.name for path in sessions.iterdir() if path.name != "trial"] == []


async def test_a_program_that_is_killed_leaves_no_process(house: House) -> None:
    line = "import subprocess; subprocess.Popen(['setsid', 'sleep', '1000']); print('begun', flush=True); input()"
    command = Command((sys.executable, "-c", line), house.project, environment())
    async with house.contain()(program(house))(command) as contained:
        child = await ManagedChild.start_program(contained, LastWords())
        assert await child.stdout.readline() == b"begun\n"
        child.kill()
        assert await child.stdout.read() == b"", "every process with the pipe has ended"
        await child.end()


def without_any_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(reason: str, *_: object) -> Backend:
        return Backend("none", "none", reason)

    monkeypatch.setattr(sandbox_module, "find_bubblewraps", no_bubblewraps)
    monkeypatch.setattr(sandbox_module, "fallback", none)


def no_bubblewraps(*_: object) -> list[str]:
    return []


@pytest.mark.skipif(unusable(landlock_abi()) is not None, reason="needs Landlock")
async def test_landlock_alone_counts_as_no_sandbox_for_a_program(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "find_bubblewraps", no_bubblewraps)
    assert await ran(house, house.contain(), program(house), "print('ran')") == "ran\n"
    with pytest.raises(SandboxFailed, match="Landlock hides the files of a program"):
        await ran(house, house.contain(mode="require"), program(house), "")


async def test_without_a_sandbox_a_program_runs_as_before(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    line = f"open({str(house.outside / 'off')!r}, 'w')"
    assert await ran(house, house.contain(mode="off"), program(house), line) == ""
    without_any_backend(monkeypatch)
    assert await ran(house, house.contain(), program(house), line.replace("off", "none")) == ""
    assert sorted(path.name for path in house.outside.iterdir()) == ["none", "off"]


async def test_where_a_sandbox_is_required_and_none_works_a_program_does_not_start(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_any_backend(monkeypatch)
    with pytest.raises(SandboxFailed, match=r"requires a sandbox, and bubblewrap \(bwrap\) is not installed"):
        await ran(house, house.contain(mode="require"), program(house), "")


@pytest.mark.skipif(not NODE_SERVERS.exists(), reason="`make test` installs the servers of tests/mcp_servers")
async def test_a_real_mcp_server_writes_in_the_project_and_reads_no_secret(house: House) -> None:
    directory = house.project.parent / "bench"
    directory.mkdir()
    async with open_workbench(directory) as bench:

        def memory(file: Path) -> dict[str, Any]:
            return node_server("server-memory", env={"MEMORY_FILE_PATH": str(file)}, sandbox=True)

        entities = [{"name": "Ada", "entityType": "person", "observations": []}]
        async with held(
            bench,
            contain=house.contain(mode="require"),
            inside=memory(bench.root / "a"),
            outside=memory(house.home / "a"),
            secret=memory(house.secret),
        ) as mcp:
            await mcp.connected("inside", "outside", "secret")
            await mcp.run("inside_create_entities", entities=entities)
            with pytest.raises(ToolError, match="EROFS: read-only file system"):
                await mcp.run("outside_create_entities", entities=entities)
            with pytest.raises(ToolError, match="EACCES: permission denied"):
                await mcp.run("secret_read_graph")
        assert "Ada" in (bench.root / "a").read_text()
        assert not (house.home / "a").exists()


async def test_a_projects_tool_is_held_and_a_tool_of_the_user_is_not(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop = Workshop(house.project.parent)
    secret, outside = str(house.secret), house.outside
    text = (
        "import pathlib\nfrom placet.tools import tool\n"
        "@tool\ndef {name}() -> str:\n"
        "    done = []\n"
        "    try: done.append(pathlib.Path({secret!r}).read_text())\n"
        "    except OSError: done.append('no secret')\n"
        "    try: pathlib.Path({file!r}).write_text('x'); done.append('wrote')\n"
        "    except OSError: done.append('not written')\n"
        "    return ', '.join(done)\n"
    )
    workshop.own("tools/mine.py", text.format(name="mine", secret=secret, file=str(outside / "mine")))
    workshop.brought("tools/theirs.py", text.format(name="theirs", secret=secret, file=str(outside / "theirs")))
    workshop.trust()
    async with workshop.work(call("mine"), call("theirs"), DONE) as work:
        mine, theirs = await work.prompt()
    assert (output(mine), output(theirs)) == (f"{MARKED}, wrote", "no secret, not written")


async def test_an_mcp_server_of_a_projects_file_is_started_in_the_sandbox(house: House) -> None:
    workshop = Workshop(house.project.parent)

    def server(name: str) -> dict[str, Any]:
        return {"command": ["/bin/sh", "-c", f'echo "$PLACET_SANDBOX" > {house.project / name}']}

    (house.project / "placet.json").write_text(json.dumps({"mcp": {"theirs": server("theirs")}}))
    workshop.trust()
    async with workshop.work(DONE, mcp={"mine": server("mine")}) as work:
        servers = work.sessions.extensions.mcp
        for name in ("mine", "theirs"):
            await servers.connect(name)
    assert (house.project / "theirs").read_text() == "bubblewrap\n"
    assert (house.project / "mine").read_text() == "\n"


@asynccontextmanager
async def servers(root: Path, contain: ContainProgram, *, is_contained: bool) -> AsyncGenerator[ServerFeatures]:
    settings = LanguageSettings(own=True, servers={"basedpyright": ServerSettings(enabled=False)}, sandbox=is_contained)
    features = ServerFeatures(DiskDocuments(), ServerPool(settings, [root], environment(), contain=contain))
    try:
        yield features
    finally:
        await features.close()


CASES: dict[str, tuple[str, Callable[[], object]]] = {
    "a.py": ("import os\n\nx: int = 'text'\n", lambda: shutil.which("pyright", path=environment()["PATH"])),
    "a.ts": ("const n: string = 1\n", lambda: shutil.which("typescript-language-server", path=environment()["PATH"])),
    "a.c": ("int main(void) { return wrong; }\n", lambda: shutil.which("clangd", path=environment()["PATH"])),
}


@pytest.mark.parametrize("name", CASES)
async def test_diagnostics_of_real_language_servers_are_equal_inside_and_outside(house: House, name: str) -> None:
    text, installed = CASES[name]
    if not installed():
        pytest.skip(f"no server for {name} is installed")
    (house.project / "tsconfig.json").write_text('{"compilerOptions": {"strict": true}}')
    path = house.project / name
    path.write_text(text)
    told: list[list[str]] = []
    for is_contained in (False, True):
        async with servers(house.project, house.contain(mode="require"), is_contained=is_contained) as features:
            report = await features.diagnostics([path], timeout_seconds=PATIENT)
            assert path in report.fresh
            told.append(sorted(f"{item.source} {item.line}: {item.message}" for item in report.diagnostics))
    assert told[0]
    assert told[1] == told[0]
