from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from acp_support import end
from acp_support.shared import SharedPlace
from run_support import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def own_place(tmp_path: Path) -> Place:
    """In a file whose tests share an agent: for a test that looks at the store behind the end of its agent."""
    return Place(tmp_path)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def module_place(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SharedPlace]:
    """For files whose tests share an agent; each test takes `shared_place`."""
    place = SharedPlace(tmp_path_factory.mktemp("acp"))
    yield place
    await end(place)


@pytest.fixture
def shared_place(module_place: SharedPlace) -> SharedPlace:
    module_place.renew()
    return module_place


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests that share an agent in one loop, that of the agent's pipes."""
    for item in items:
        if "shared_place" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)
