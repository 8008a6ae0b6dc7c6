"""Modules are loaded in a pause of the user's requests, and loaded once."""

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from placet.sessions.services import early_loading
from placet.sessions.services.early_loading import EarlyLoading
from time_support import wait_seconds

MODULE = """
from early_loading_support import told
told({name!r})
"""
SUPPORT = """
told = None
"""
ACCEPT = """
import asyncio, sys
from pathlib import Path
from bench.review import stored_session
from placet.core.hunks import Decision

def loaded():
    return {name for name in sys.modules if name.partition(".")[0] in ("filelock", "placet")}

async def main(directory):
    async with stored_session(directory, "staged") as session:
        views = await session.change_set.views()
        before = loaded()
        assert "filelock" not in before
        assert "placet.changes.call_changes" not in before
        session._services.loading_for_decisions._load()
        early = loaded()
        (decided,) = await session.change_set.decide([Decision(views[0].file.place, views[0].version, "accept")])
        assert decided.status == "written"
        assert loaded() == early, loaded() - early

asyncio.run(main(Path(sys.argv[1]) / "review"))
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(early_loading, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(early_loading, "REST_SECONDS", 0.0)


async def test_the_modules_are_loaded_in_their_order_after_a_pause_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, told = asyncio.get_running_loop(), asyncio.Queue[str]()
    (tmp_path / "early_loading_support.py").write_text(SUPPORT)
    for name in ("early_one", "early_two"):
        (tmp_path / f"{name}.py").write_text(MODULE.format(name=name))
    monkeypatch.syspath_prepend(tmp_path)
    import early_loading_support  # pyright: ignore[reportMissingImports]

    def tell(name: str) -> None:
        loop.call_soon_threadsafe(told.put_nowait, name)

    early_loading_support.told = tell
    loading = EarlyLoading(("early_one", "early_two"))
    loading.begin_soon()
    loading.begin_soon()
    assert [await told.get(), await told.get()] == ["early_one", "early_two"]
    assert "early_two" in sys.modules
    monkeypatch.delitem(sys.modules, "early_one")
    loading.begin_soon()
    passed = asyncio.Event()
    loop.call_later(0, passed.set)
    await passed.wait()
    for thread in threading.enumerate():
        if thread.name == "early loading":
            thread.join()
    assert "early_one" not in sys.modules


def test_a_decision_after_the_loading_loads_nothing_more(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    search = os.pathsep.join(map(str, (root, root / "tests", root / "daemon")))
    environment = {**os.environ, "PYTHONPATH": search}
    subprocess.run([sys.executable, "-c", ACCEPT, str(tmp_path)], env=environment, check=True, timeout=wait_seconds())
