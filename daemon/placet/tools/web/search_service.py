"""Search service of websearch and codesearch: the conditions of use, and a bounded question to the service."""

import asyncio
import importlib

from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.core.messages import JsonObject
from placet.settings import SearchSettings
from placet.tools.framework.facts import Need

SEARCH_KEY = Need("settings.search.api_key", "Set EXA_API_KEY, or switch it on in the setting `tools`, to have it.")


async def search(settings: SearchSettings, tool: str, arguments: JsonObject, *, seconds: float) -> str:
    """Return the text of the answer, empty for no result. Raises ToolError."""
    # The HTTP client takes a fifth of a second to load; only a search pays for the load.
    exa = await in_thread(importlib.import_module, "placet.tools.web.exa")
    try:
        async with asyncio.timeout(seconds):
            return await exa.call_exa(settings, tool, arguments)
    except TimeoutError as error:
        raise ToolError(
            f"The search service did not answer within {seconds:g} seconds. Try again, or do without."
        ) from error
