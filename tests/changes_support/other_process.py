"""Another Placet over the same store and project, as a program: `python -m changes_support.other_process ROOT STORE …`.

`edit NAME LINE TIMES`: write a number behind a line of a file so many times, once a line has come from stdin.
`hold NAME`: hold the file's lock, and say so, until it is killed.
"""

import asyncio
import sys
from pathlib import Path

from changes_support.desk import Desk, plan
from placet.changes.locks import locked
from placet.core.errors import EditConflict
from placet.storage.database import Database
from placet.text.plan import PlannedFile


def say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


async def edit(desk: Desk, name: str, line: int, times: int) -> None:
    for number in range(1, times + 1):
        while True:
            # The plan stands on the very text that the number was added to: `Desk.edit` would read the file again, and
            # take for its base what another daemon has written since.
            document = await desk.changes.read(desk.path(name))
            lines = document.text.splitlines(keepends=True)
            lines[line] = f"{lines[line].rstrip()} {number}\n"
            planned = PlannedFile("modify", document.path, document.text, "".join(lines))
            try:
                await desk.changes.propose(plan(planned))
                break
            except EditConflict:  # The others have changed it too often meanwhile, and nothing was changed.
                continue


async def main(root: str, store: str, task: str, name: str, *numbers: str) -> None:
    desk = Desk(Path(root), database=Database(Path(store)))
    await desk.database.flushed()
    say("ready")
    if task == "edit":
        sys.stdin.readline()
        await edit(desk, name, *map(int, numbers))
    else:
        async with locked([desk.path(name)], desk.journal.locks):
            say("held")
            await asyncio.Event().wait()
    await desk.database.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
