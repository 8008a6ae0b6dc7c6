"""Wait for the end of the editor's process. The pipe may outlive the process: a child of the editor can hold the other
end.
"""

import asyncio

from placet.core.process_identity import is_running


async def until_gone(process_id: int, every_seconds: float = 2.0) -> None:
    """Return when the process has ended."""
    while is_running(process_id):  # noqa: ASYNC110 - no system tells us of a process that is not our child.
        await asyncio.sleep(every_seconds)
