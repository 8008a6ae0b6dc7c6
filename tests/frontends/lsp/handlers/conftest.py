"""Editor with our plugin, for the tests of the agent's own methods."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from lsp_link.own_editor import Editor


@pytest_asyncio.fixture
async def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Editor]:
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    made = Editor(tmp_path)
    yield made
    await made.link.stop()
