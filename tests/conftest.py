"""In which order the tests run."""

from collections.abc import Sequence

import pytest

FIRST = ("vscode", "vscode_chat", "neovim", "editors", "reliability")
"""Few tests that take long, mostly waiting for another program: begun at the end they would be waited for alone."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _place(item.path.parts))


def _place(parts: Sequence[str]) -> int:
    return next((place for place, name in enumerate(FIRST) if name in parts), len(FIRST))
