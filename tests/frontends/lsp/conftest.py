from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from lsp_link.links import OurLink


@pytest_asyncio.fixture
async def link(request: pytest.FixtureRequest) -> AsyncIterator[OurLink]:
    """Ours, unless the test asks for another (see lsp_link.links.stock_and_ours)."""
    made = getattr(request, "param", OurLink)()
    yield made
    await made.stop()
