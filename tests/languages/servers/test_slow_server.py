"""What a server says too late, of another text, or not at all never passes as fresh; and no server outlives its use."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from language_server_support import SLOW, environment
from placet.languages.servers import pool as pool_module
from placet.languages.servers.features import ServerFeatures
from placet.languages.servers.pool import MOST_CRASHES, ServerPool
from placet.languages.servers.table import TABLE
from placet.project.files.disk import DiskDocuments
from placet.settings import LanguageSettings, ServerSettings
from process_support import is_gone
from time_support import wait_seconds


def settings(**more: Any) -> LanguageSettings:
    switched_off = {kind.name: ServerSettings(enabled=False) for kind in TABLE}
    slow = ServerSettings(command=SLOW, suffixes=(".slow",))
    return LanguageSettings(own=True, servers={**switched_off, "slow": slow}, **more)


@asynccontextmanager
async def opened(root: Path, manner: str = "", **more: Any) -> AsyncGenerator[tuple[ServerFeatures, ServerPool], None]:
    pool = ServerPool(settings(**more), [root], environment(SLOW_SERVER=manner))
    features = ServerFeatures(DiskDocuments(), pool)
    try:
        yield features, pool
    finally:
        await features.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.slow"
    path.write_text("fine\nbad\n", "utf-8")
    return path


def at(path: Path) -> dict[str, Any]:
    return {"textDocument": {"uri": path.as_uri()}, "position": {"line": 0, "character": 0}}


PATIENT = 100.0
"""Seconds: where what matters is what is answered, and not when."""


async def pid_of(features: ServerFeatures, path: Path) -> int:
    answer = await features.request("textDocument/hover", at(path), timeout_seconds=PATIENT)
    assert answer.status == "ok"
    return int(answer.result["contents"].removeprefix("pid "))


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(wait_seconds()):
        while not condition():  # noqa: ASYNC110 (processes end without telling us)
            await asyncio.sleep(0.02)


async def test_a_server_that_offers_requests_after_the_first_text_is_asked(file: Path) -> None:
    async with opened(file.parent, "offers") as (features, _):
        report = await features.diagnostics([file], timeout_seconds=10.0)
        assert (report.fresh, [diagnostic.line for diagnostic in report.diagnostics]) == ({file}, [1])


async def test_a_server_that_is_quick_and_honest_is_fresh(file: Path) -> None:
    async with opened(file.parent) as (features, _):
        report = await features.diagnostics([file], timeout_seconds=PATIENT)
        assert (report.fresh, [diagnostic.line for diagnostic in report.diagnostics], report.provider) == (
            {file},
            [1],
            "slow",
        )
        file.write_text("bad\nbad\n", "utf-8")
        report = await features.diagnostics([file], timeout_seconds=PATIENT)
        assert (report.fresh, [diagnostic.line for diagnostic in report.diagnostics]) == ({file}, [0, 1])


@pytest.mark.parametrize("manner", ["never", "older"])
async def test_one_that_says_nothing_of_this_text_is_not_fresh(file: Path, manner: str) -> None:
    async with opened(file.parent, manner) as (features, _):
        report = await features.diagnostics([file], timeout_seconds=0.5)
        assert report.fresh == frozenset()
        assert report.unserved == frozenset()


async def test_what_comes_late_is_of_the_text_before(file: Path) -> None:
    async with opened(file.parent, "late") as (features, _):
        assert (await features.diagnostics([file], timeout_seconds=0.3)).fresh == frozenset()
        file.write_text("fine\nfine\nbad\n", "utf-8")
        report = await features.diagnostics([file], timeout_seconds=0.3)
        assert report.fresh == frozenset(), "what was said now is of the first text"


async def test_without_a_version_it_counts_as_fresh_only_when_nothing_else_is_outstanding(file: Path) -> None:
    async with opened(file.parent, "versionless") as (features, _):
        assert (await features.diagnostics([file], timeout_seconds=PATIENT)).fresh == {file}


async def test_of_two_judgements_in_a_row_the_second_counts(file: Path) -> None:
    async with opened(file.parent, "twice") as (features, _):
        report = await features.diagnostics([file], timeout_seconds=PATIENT)
        assert [diagnostic.line for diagnostic in report.diagnostics] == [1]


async def test_one_that_is_still_reading_the_project_says_so_rather_than_nothing(file: Path) -> None:
    async with opened(file.parent, "loading") as (features, _):
        answer = await features.request("textDocument/definition", at(file), timeout_seconds=PATIENT)
        assert answer.status == "loading"


async def test_a_server_that_crashes_is_started_again_a_few_times_and_then_let_be(file: Path) -> None:
    async with opened(file.parent, "crash") as (features, pool):
        for _ in range(MOST_CRASHES + 2):
            answer = await features.request("textDocument/hover", at(file), timeout_seconds=PATIENT)
            assert answer.status == "noProvider"
        assert pool.running == []
        assert (await features.diagnostics([file], timeout_seconds=PATIENT)).unserved == {file}


async def test_a_server_that_ended_once_is_there_again(file: Path) -> None:
    async with opened(file.parent) as (features, _):
        first = await pid_of(features, file)
        os.kill(first, 9)
        await until(lambda: is_gone(first))
        async with asyncio.timeout(wait_seconds()):
            while (answer := await features.request("textDocument/hover", at(file), timeout_seconds=60)).status != "ok":
                pass
        assert answer.result["contents"] != f"pid {first}"


async def test_one_that_will_not_go_is_ended_with_its_children(file: Path) -> None:
    async with opened(file.parent, "stubborn") as (features, _):
        pid = await pid_of(features, file)
        family = [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]
        assert len(family) == 2
    assert all(map(is_gone, family))


async def test_one_that_is_idle_or_too_large_ends(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "LOOK_SECONDS", 0.1)
    for manner, limit in (("", {"idle_seconds": 0.3}), ("large", {"max_memory_mb": 128})):
        async with opened(file.parent, manner) as (features, pool):
            pid = await pid_of(features, file)
            pool._settings = pool._settings.model_copy(update=limit)  # It had no time to answer otherwise.
            await until(lambda pool=pool, pid=pid: not pool.running and not psutil.pid_exists(pid))


async def test_no_more_run_than_may(tmp_path: Path) -> None:
    roots = [tmp_path / name for name in ("one", "two", "three")]
    for root in roots:
        root.mkdir()
        (root / "a.slow").write_text("x", "utf-8")
    pool = ServerPool(settings(max_servers=2), roots, environment())
    features = ServerFeatures(DiskDocuments(), pool)
    try:
        pids = [await pid_of(features, root / "a.slow") for root in roots]
        assert len(pool.running) == 2
        assert not psutil.pid_exists(pids[0])
    finally:
        await features.close()
    assert not any(map(psutil.pid_exists, pids))


async def test_fifty_openings_leave_no_process(file: Path) -> None:
    pids: list[int] = []
    for _ in range(50):
        async with opened(file.parent) as (features, _pool):
            pids.append(await pid_of(features, file))
    assert len(set(pids)) == 50
    assert not any(map(psutil.pid_exists, pids))


async def test_a_file_that_nobody_serves_is_left_to_others(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("bad\n", "utf-8")
    async with opened(tmp_path) as (features, pool):
        assert (await features.diagnostics([path])).unserved == {path}
        assert (await features.request("textDocument/hover", at(path))).status == "noProvider"
        assert pool.running == []
