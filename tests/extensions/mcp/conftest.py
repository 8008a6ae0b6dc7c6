from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mcp_support import Notes
from tools_support.workbench import Workbench, open_workbench


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Workbench]:
    async with open_workbench(tmp_path) as bench:
        yield bench


@pytest.fixture
async def notes() -> AsyncIterator[Notes]:
    async with Notes().taken() as notes:
        yield notes
