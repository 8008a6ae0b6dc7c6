"""Another Placet that accepts the change set of a session: `python -m services_support.decider DIRECTORY SESSION`.

Says the status of each file as a line.
"""

import asyncio
import sys
from pathlib import Path

from placet.core.hunks import Decision
from services_support import TempServices


async def main(directory: Path, session_id: str) -> None:
    async with TempServices(directory).open() as sessions:
        session = await sessions.show(session_id)
        views = await session.change_set.views()
        for file in await session.change_set.decide(
            [Decision(view.file.place, view.version, "accept") for view in views]
        ):
            sys.stdout.write(f"{file.status}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
