"""A real model host that knows the given keys and no others."""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from placet.model.client.host import ModelHost


@asynccontextmanager
async def open_host(keys: Mapping[str, str]) -> AsyncGenerator[ModelHost]:
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    host = ModelHost(environment={**environment, **keys})
    await host.start()
    yield host
    await host.close()
