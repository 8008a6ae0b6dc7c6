from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from changes_support.desk import Desk
from placet.changes.commands import listing, snapshot


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, all of a small project is looked at around a command."""
    monkeypatch.setattr(listing, "LISTING_SECONDS", 60)
    monkeypatch.setattr(snapshot, "MOST_SECONDS", 60)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    root = tmp_path / "project"
    root.mkdir()
    desk = Desk(root)
    yield desk
    await desk.database.close()
