"""Placet's own language servers run in the sandbox, unless the setting `languages.sandbox` says otherwise."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from language_server_support import SLOW, environment
from placet.languages.servers.features import ServerFeatures
from placet.languages.servers.pool import ServerPool
from placet.languages.servers.process import ServerProcess
from placet.languages.servers.table import TABLE
from placet.project.files.disk import DiskDocuments
from placet.project.processes.child import Command, ManagedChild
from placet.sandbox.programs import Program
from placet.settings import LanguageSettings, ServerSettings
from sandbox_support import FakeSandbox


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "package" / "a.slow"
    path.parent.mkdir()
    path.write_text("fine\nbad\n", "utf-8")
    return path


async def status(fake: FakeSandbox, root: Path, file: Path, **settings: Any) -> str:
    """Return the status of a request to the server, after the end of the server."""
    servers = {kind.name: ServerSettings(enabled=False) for kind in TABLE}
    servers["slow"] = ServerSettings(command=SLOW, suffixes=(".slow",))
    pool = ServerPool(
        LanguageSettings(own=True, servers=servers, **settings), [root], environment(), contain=fake.contain
    )
    features = ServerFeatures(DiskDocuments(), pool)
    position = {"textDocument": {"uri": file.as_uri()}, "position": {"line": 0, "character": 0}}
    try:
        answer = await features.request("textDocument/hover", position, timeout_seconds=100)
        if answer.status == "ok" and fake.programs:
            assert fake.running == ["the language server slow"]
    finally:
        await features.close()
    assert fake.running == [], "the sandbox ends with the server"
    return answer.status


async def test_a_contained_server_writes_in_the_folders_of_the_workspace_and_reaches_no_host(
    tmp_path: Path, file: Path
) -> None:
    fake = FakeSandbox()
    assert await status(fake, tmp_path, file) == "ok"
    assert fake.programs == [Program("the language server slow", (tmp_path,))]


async def test_the_sandbox_of_a_server_whose_start_is_cancelled_ends(tmp_path: Path) -> None:
    is_entered, is_left = asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def contain(command: Command) -> AsyncGenerator[Command]:
        try:
            is_entered.set()
            yield command
        finally:
            is_left.set()

    async def forever(*_: object) -> ManagedChild:
        await asyncio.Event().wait()
        raise AssertionError

    def ignore(method: str, params: object) -> None:
        pass

    process = ServerProcess("slow", ignore, ignore)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ManagedChild, "start_program", forever)
        starting = asyncio.create_task(process.start(SLOW, tmp_path, environment(), contain))
        await is_entered.wait()
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
    assert is_left.is_set()


async def test_only_a_setting_lets_servers_run_outside(tmp_path: Path, file: Path) -> None:
    fake = FakeSandbox()
    assert await status(fake, tmp_path, file, sandbox=False) == "ok"
    assert fake.programs == []


async def test_a_server_that_cannot_be_contained_is_not_started_and_the_log_says_why(
    tmp_path: Path, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert await status(FakeSandbox("There is no sandbox here."), tmp_path, file, sandbox=True) != "ok"
    assert "The language server slow cannot be started: There is no sandbox here." in caplog.text
