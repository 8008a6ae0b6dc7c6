"""Servers of Placet's own follow the settings, and none runs where a project is not trusted."""

import asyncio
from pathlib import Path
from typing import Any

import psutil
import pytest

from language_server_support import SLOW
from placet.languages.servers.own import OwnServers
from placet.languages.servers.table import TABLE
from placet.project.files.disk import DiskDocuments
from placet.settings import LanguageSettings, ServerSettings
from time_support import wait_seconds


def settings(*, own: bool) -> LanguageSettings:
    switched_off = {kind.name: ServerSettings(enabled=False) for kind in TABLE}
    return LanguageSettings(
        own=own, servers={**switched_off, "slow": ServerSettings(command=SLOW, suffixes=(".slow",))}
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.slow"
    path.write_text("fine\nbad\n", "utf-8")
    return path


async def hover(servers: OwnServers, file: Path) -> Any:
    params = {"textDocument": {"uri": file.as_uri()}, "position": {"line": 0, "character": 0}}
    return await servers.request("textDocument/hover", params, timeout_seconds=60)


async def test_they_are_there_as_soon_as_the_settings_want_them_and_gone_as_soon_as_they_do_not(file: Path) -> None:
    servers = OwnServers(DiskDocuments(), [file.parent], settings(own=False), may_start=True)
    try:
        assert (await hover(servers, file)).status == "noProvider"
        servers.follow(settings(own=True), may_start=True)
        answer = await hover(servers, file)
        assert answer.status == "ok"
        process = psutil.Process(int(answer.result["contents"].removeprefix("pid ")))
        assert (await servers.diagnostics([file], timeout_seconds=60)).fresh == {file}

        servers.follow(settings(own=True), may_start=False)  # The editor has taken its trust back.
        await asyncio.to_thread(psutil.wait_procs, [process], wait_seconds())
        assert not process.is_running()
        assert (await hover(servers, file)).status == "noProvider"
        assert (await servers.diagnostics([file])).unserved == {file}
    finally:
        await servers.close()


async def test_the_same_settings_read_again_end_nothing(file: Path) -> None:
    servers = OwnServers(DiskDocuments(), [file.parent], settings(own=True), may_start=True)
    try:
        before = (await hover(servers, file)).result
        servers.follow(settings(own=True), may_start=True)
        assert (await hover(servers, file)).result == before
    finally:
        await servers.close()
