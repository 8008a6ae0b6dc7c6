"""Another Placet at work in a session that stages: `python -m services_support.at_work DIRECTORY SCRIPT WRITE`.

Says the session's id as a line once the change is staged. With WRITE `hangs`, says `writing` when a file is to be
written, and never writes.
"""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from placet.core.messages import TextPart
from placet.core.ports import FileEdit, FileOutcome
from placet.project.files.disk import DiskDocuments
from services_support import TempServices


class HangingDocuments(DiskDocuments):
    """Documents whose writes never end."""

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        say("writing")
        return await asyncio.get_running_loop().create_future()


def say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


async def main(directory: Path, script: str, write: str) -> None:
    services = TempServices(directory)
    if write == "hangs":
        services.documents = HangingDocuments()
    async with services.open(script, review="stage") as sessions:
        session = await sessions.create(title="T")
        turn = asyncio.create_task(session.prompt([TextPart(text="Please go on.")]))
        await services.screen.wait_for("change_set_update")
        say(session.info.id)
        await turn


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:]))
