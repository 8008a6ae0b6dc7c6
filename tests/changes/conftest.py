from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from changes_support.desk import Desk


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    root = tmp_path / "project"
    root.mkdir()
    desk = Desk(root)
    yield desk
    await desk.database.close()
