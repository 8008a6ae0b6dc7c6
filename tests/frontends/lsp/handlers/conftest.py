"""Editor with our plugin, for the tests of the agent's own methods."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from lsp_link.own_editor import Editor, at_home


@pytest_asyncio.fixture
async def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Editor]:
    async with at_home(Editor(tmp_path), monkeypatch) as editor:
        yield editor
