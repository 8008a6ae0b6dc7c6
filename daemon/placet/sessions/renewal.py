"""What is set up, read again when its files change, and the user asked about what a project brings along."""

import asyncio
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from placet.errors import NobodyToAsk, PlacetError
from placet.permissions.rules import from_settings
from placet.permissions.trust import Judged, Trust, listed
from placet.ports import Question, QuestionOption
from placet.project.brought import COURTESY, DIRECTORIES
from placet.project.executor import in_thread
from placet.project.paths import is_directory
from placet.sessions.house import House
from placet.sessions.setup import Setup, SetupReader, courtesy_directories
from placet.settings.sources import FILE_NAMES
from placet.visible_text import spelled_out

logger = logging.getLogger(__name__)

TRUST, REFUSE = "Trust it", "Do not trust it"
SETTLING_MILLISECONDS = 200
"""An editor that saves, or a checkout, changes files one after the other."""
MOST_WATCHED = 500
"""Directories; what changes in further ones is found with the next change in one of these."""

Listener = Callable[[Setup], None]


class Renewal:
    """One house's. Turns that run go on with what they began with."""

    def __init__(self, house: House, reader: SetupReader | None) -> None:
        self._house = house
        self._reader = reader
        self._watching: asyncio.Task[None] | None = None
        self._asking: asyncio.Task[None] | None = None
        self._asked: set[Judged] = set()
        self._session_id = ""
        """In which the user is asked."""
        self._renewing = asyncio.Lock()
        self.listeners: list[Listener] = []
        """Called with each new setup."""
        self.readers: list[Listener] = []
        """Called each time everything was read again, whether the setup is another or not: for who reads more files."""

    def begin(self, session_id: str) -> None:
        """A session is there: from now on files are watched, and the user is asked in it about projects, once each.

        Neither is waited for. What is not trusted is not used meanwhile.
        """
        if self._reader is None or self._reader.is_for_once:
            return
        self._session_id = session_id
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch(), name="watch what is set up")
        if self._waiting and (self._asking is None or self._asking.done()):
            self._asking = asyncio.create_task(self._ask(), name="ask for trust")

    @property
    def _waiting(self) -> list[Judged]:
        return [one for one in self._house.current.setup.projects if one.open and one not in self._asked]

    async def renew(self) -> None:
        """Read everything again. What cannot be read at all leaves what there was."""
        if self._reader is None:
            return
        async with self._renewing:
            await self._renew(self._reader)

    async def editor_says(self, *, trusted: bool) -> None:
        """The editor trusts its folders from now on, or does not any more."""
        if self._reader is not None and self._reader.editor_trust.trusted != trusted:
            self._reader.editor_trust.trusted = trusted
            await self.renew()

    async def open_in(self, roots: Sequence[Path]) -> None:
        """The user has other folders open: read what their projects set up, and ask about those that are new."""
        if self._reader is not None:
            self._reader = replace(self._reader, roots=roots)
            await self.renew()

    async def _renew(self, reader: SetupReader) -> None:
        house = self._house
        try:
            setup = await in_thread(reader.read)
            from_settings(setup.settings.written, house.rules)
            agents = await in_thread(setup.catalog, house.rules)
            commands = await in_thread(setup.commands)
        except PlacetError as error:
            setup = Setup(house.settings, house.locations, house.current.setup.projects, (str(error),))
            agents, commands = house.agents, house.current.commands
        house.current.commands = commands
        if setup == house.current.setup and agents.problems == house.agents.problems:
            house.current.agents = agents
            self._tell_readers()
            return
        for problem in (*setup.problems, *agents.problems):
            logger.warning("%s", problem)
        house.current.setup, house.current.agents = setup, agents
        for listener in self.listeners:
            listener(setup)
        self._tell_readers()
        if self._session_id:
            self.begin(self._session_id)

    def _tell_readers(self) -> None:
        for reader in self.readers:
            reader(self._house.current.setup)

    async def close(self) -> None:
        tasks = [task for task in (self._watching, self._asking) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self) -> None:
        """About one project after the other, as long as there is one that nobody was asked about."""
        trust = Trust(self._house.locations.trust)
        while waiting := self._waiting:
            project = waiting[0]
            self._asked.add(project)
            try:
                answers = await self._house.ports.approver.ask(self._session_id, [_question(project)])
                answer = answers[0][0] if answers and answers[0] else ""
                if answer in (TRUST, REFUSE):
                    # Of what was shown: what has changed meanwhile is asked about again.
                    await in_thread(partial(trust.decide, project.inventory, trusted=answer == TRUST))
                    await self.renew()
            except NobodyToAsk:
                return
            except PlacetError as error:
                logger.warning("%s", error)

    async def _watch(self) -> None:
        """Until it is ended. Directories that come are watched from the next change on."""
        from watchfiles import awatch

        while True:
            watched, stop = await in_thread(self._watched), asyncio.Event()
            changes = awatch(
                *watched,
                recursive=False,
                watch_filter=lambda _, path: self._concerns(Path(path)),
                step=SETTLING_MILLISECONDS,
                stop_event=stop,
                ignore_permission_denied=True,
            )
            async with aclosing(changes):
                changed = asyncio.ensure_future(anext(changes, None))
                await asyncio.sleep(0)  # From here on it watches, and what changed before is read.
                await self.renew()
                try:
                    while await in_thread(self._watched) == watched:
                        await changed
                        changed = asyncio.ensure_future(anext(changes, None))
                        await self.renew()
                finally:
                    stop.set()
                    await asyncio.gather(changed, return_exceptions=True)

    def _watched(self) -> frozenset[Path]:
        """The directories in which something can change that is set up. Blocks."""
        tops, levels = self._tops, self._levels
        # Where one is not there yet, it comes in what is above it.
        above = {_nearest(one) for one in (self._house.locations.config, *(top.parent for top in _courtesy()))}
        found = islice((one for top in tops for one in _directories(top)), MOST_WATCHED)
        return frozenset((*above, *levels, *found, *(program.parent for program in self._programs)))

    @property
    def _levels(self) -> list[Path]:
        return [level for project in self._house.current.setup.projects for level in project.inventory.levels]

    @property
    def _programs(self) -> list[Path]:
        """The scripts of the projects that their settings run."""
        return [file for project in self._house.current.setup.projects for file in project.inventory.files("program")]

    @property
    def _tops(self) -> list[Path]:
        """All that lies below them may be set up."""
        brought = [level / name for level in self._levels for name in DIRECTORIES]
        return [self._house.locations.config, *brought, *_courtesy()]

    def _concerns(self, path: Path) -> bool:
        """Whether it may be set up there. Other programs write beside what is read as a courtesy all the time."""
        if path.name in FILE_NAMES or path in self._programs:
            return True
        return any(path.is_relative_to(top) or top.is_relative_to(path) for top in self._tops)


def _courtesy() -> list[Path]:
    """Where the user keeps things for other agents."""
    return [directory for kind in COURTESY for directory in courtesy_directories(kind)]


def _nearest(directory: Path) -> Path:
    return next(one for one in (directory, *directory.parents) if is_directory(one))


def _directories(top: Path) -> Iterator[Path]:
    """The directory and those below it, links not followed; nothing where there is none."""
    for parent, names, _ in os.walk(top):
        names[:] = [name for name in names if name not in ("node_modules", "__pycache__", ".git")]
        yield Path(parent)


def _question(project: Judged) -> Question:
    new = "has changed what it brings along for Placet" if project.standing == "changed" else "brings things for Placet"
    text = "\n".join(
        (
            f"The project {spelled_out(str(project.inventory.folder))} {new}. They can run programs, and let tools do "
            "more without asking. None is used until you trust the project.",
            *(f"  {line}" for line in listed(project.news)),
        )
    )
    return Question(
        "Trust",
        text,
        (
            QuestionOption(TRUST, "Use them, until one of them changes."),
            QuestionOption(REFUSE, "Use none of them; `placet trust` can change that."),
        ),
        custom=False,
    )
