"""Watch over the config: reading again when files change, and questions to the user about trust in projects."""

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from functools import partial
from itertools import islice
from pathlib import Path

from placet.core.errors import NobodyToAsk, PlacetError
from placet.core.executor import in_thread
from placet.core.ports import Question, QuestionOption
from placet.core.values import replace
from placet.core.visible_text import spelled_out
from placet.permissions.rules import from_settings
from placet.permissions.trust import ProjectTrust, Trust, listed
from placet.project.directory_watch import changes
from placet.project.inventory import COURTESY, DIRECTORIES, InventoryItem
from placet.project.paths import is_directory
from placet.sessions.services.command_hooks import user_files
from placet.sessions.services.config import Config, ConfigLoader, courtesy_directories
from placet.sessions.services.services import Services
from placet.sessions.services.shown_hooks import shown_hooks
from placet.settings.foreign_servers import FOREIGN_FILES
from placet.settings.sources import FILE_NAMES
from placet.text.counted import first_lines

logger = logging.getLogger(__name__)

TRUST, REFUSE = "Trust the project", "Do not trust the project"
SETTLING_MILLISECONDS = 200
"""Milliseconds without a change before reading: an editor at a save, or a checkout, changes files one by one."""
MOST_WATCHED = 500
"""Largest number of watched directories; changes in further directories are found with the next watched change."""

MOST_SHOWN = 40
"""Largest number of lines about the hooks of one file in a question."""

_FILE_NAMES = frozenset((*FILE_NAMES, *(name for names in FOREIGN_FILES for name in names)))
"""Names of the config's files and of directories for the files of other programs."""

Listener = Callable[[Config], None]


class ConfigWatcher:
    """Watcher of the config of the services. Running turns go on with the config of their start."""

    def __init__(
        self, services: Services, loader: ConfigLoader | None, *, on_change: Listener, on_reload: Listener
    ) -> None:
        """Watch the files of `loader`; None: the config never changes.

        `on_change` is called with each new config, before the subscribers. `on_reload` is called after each reading,
        whether the config is new or not, as plugins and commands have further files to read.
        """
        self._services = services
        self._loader = loader
        self._subscribers = [on_change]
        self._on_reload = on_reload
        self._watching: asyncio.Task[None] | None = None
        self._asking: asyncio.Task[None] | None = None
        self._asked: set[ProjectTrust] = set()
        self._session_id = ""
        """The session in which the user is asked."""
        self._reloading = asyncio.Lock()

    def subscribe(self, listener: Listener) -> None:
        """Call the listener with each new config from now on."""
        self._subscribers.append(listener)

    def unsubscribe(self, listener: Listener) -> None:
        """Call the listener no more."""
        self._subscribers.remove(listener)

    def begin(self, session_id: str) -> None:
        """Note a new session: files are watched from now on, and the user is asked in this session, once a project.

        Returns without waiting for either. Untrusted items are not used meanwhile.
        """
        if self._loader is None or self._loader.is_for_once:
            return
        self._session_id = session_id
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch(), name="watch what is set up")
        if self._waiting and (self._asking is None or self._asking.done()):
            self._asking = asyncio.create_task(self._ask(), name="ask for trust")

    @property
    def _waiting(self) -> list[ProjectTrust]:
        return [
            project for project in self._services.current.config.projects if project.open and project not in self._asked
        ]

    async def reload(self) -> None:
        """Read the config again. An unreadable config leaves the earlier config in use."""
        if self._loader is None:
            return
        async with self._reloading:
            await self._reload(self._loader)

    async def editor_says(self, *, trusted: bool) -> None:
        """Note whether the editor trusts its folders from now on."""
        if self._loader is not None and self._loader.editor_trust.trusted != trusted:
            self._loader.editor_trust.trusted = trusted
            await self.reload()

    async def open_in(self, roots: Sequence[Path]) -> None:
        """Read the config of the projects in the user's new folders, and ask about new projects."""
        if self._loader is not None:
            self._loader = replace(self._loader, roots=roots)
            await self.reload()

    async def _reload(self, loader: ConfigLoader) -> None:
        services = self._services
        try:
            config = await in_thread(loader.read)
            from_settings(config.settings.written, services.rules)
            agents = await in_thread(config.catalog, services.rules)
            commands = await in_thread(config.commands)
        except PlacetError as error:
            config = Config(services.settings, services.locations, services.current.config.projects, (str(error),))
            agents, commands = services.agents, services.current.commands
        services.current.commands = commands
        if config == services.current.config and agents.problems == services.agents.problems:
            services.current.agents = agents
            self._on_reload(config)
            return
        for problem in (*config.problems, *agents.problems):
            logger.warning("%s", problem)
        services.current.config, services.current.agents = config, agents
        for subscriber in self._subscribers:
            subscriber(config)
        self._on_reload(config)
        if self._session_id:
            self.begin(self._session_id)

    async def close(self) -> None:
        tasks = [task for task in (self._watching, self._asking) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self) -> None:
        """Ask about each project in turn, until the user was asked about every project."""
        trust = Trust(self._services.locations.trust)
        while waiting := self._waiting:
            project = waiting[0]
            self._asked.add(project)
            try:
                question = await in_thread(_question, project)
                answers = await self._services.ports.approver.ask(self._session_id, [question])
                answer = answers[0][0] if answers and answers[0] else ""
                if answer in (TRUST, REFUSE):
                    # Trust is given to the shown files: files changed meanwhile are asked about again.
                    await in_thread(partial(trust.decide, project.inventory, trusted=answer == TRUST))
                    await self.reload()
            except NobodyToAsk:
                return
            except PlacetError as error:
                logger.warning("%s", error)

    async def _watch(self) -> None:
        """Watch until cancelled. New directories are watched from the next change on."""
        while True:
            watched = await in_thread(self._watched)
            async with aclosing(changes(watched, SETTLING_MILLISECONDS)) as seen:
                async for paths in seen:
                    if paths and not any(map(self._concerns, paths)):
                        continue
                    await self.reload()  # For the first, empty item as well: earlier changes are read once.
                    if await in_thread(self._watched) != watched:
                        break

    def _watched(self) -> frozenset[Path]:
        """Return the directories in which a change can concern the config. Blocks."""
        tops, levels = self._tops, self._levels
        # A missing file appears in the nearest existing directory above.
        above = {_nearest(path) for path in (self._services.locations.config, *(top.parent for top in _courtesy()))}
        below = islice((directory for top in tops for directory in _directories(top)), MOST_WATCHED)
        return frozenset(
            (*above, *levels, *_foreign_directories(levels), *below, *(program.parent for program in self._programs))
        )

    @property
    def _levels(self) -> list[Path]:
        return [level for project in self._services.current.config.projects for level in project.inventory.levels]

    @property
    def _programs(self) -> list[Path]:
        """Return the scripts of the projects, run by the projects' settings."""
        return [
            file for project in self._services.current.config.projects for file in project.inventory.files("program")
        ]

    @property
    def _tops(self) -> list[Path]:
        """Return the directories in which every file may belong to the config."""
        brought = [level / name for level in self._levels for name in DIRECTORIES]
        return [self._services.locations.config, *brought, *_courtesy()]

    def _concerns(self, path: Path) -> bool:
        """Return whether the path may belong to the config.

        Other programs write beside the courtesy directories all the time.
        """
        if path.name in _FILE_NAMES or path in (*self._programs, *user_files()):
            return True
        return any(path.is_relative_to(top) or top.is_relative_to(path) for top in self._tops)


def _foreign_directories(levels: Iterable[Path]) -> Iterator[Path]:
    """Yield the present directories below the levels that may hold a file of another program. Blocks."""
    for level in levels:
        for names in FOREIGN_FILES:
            directory = level.joinpath(*names).parent
            if is_directory(directory):
                yield directory


def _courtesy() -> list[Path]:
    """Return the directories in which the user keeps things for other agents."""
    return [directory for kind in COURTESY for directory in courtesy_directories(kind)]


def _nearest(directory: Path) -> Path:
    return next(candidate for candidate in (directory, *directory.parents) if is_directory(candidate))


def _directories(top: Path) -> Iterator[Path]:
    """Yield the directory and its subdirectories, links not followed; yields nothing for a missing directory."""
    for parent, names, _ in os.walk(top):
        names[:] = [name for name in names if name not in ("node_modules", "__pycache__", ".git")]
        yield Path(parent)


def _few_lines(item: InventoryItem) -> list[str]:
    """Return the lines about the hooks of a file, as many as a question on a screen can hold."""
    return first_lines(shown_hooks(item), MOST_SHOWN, way=", which `placet trust` shows")


def _question(project: ProjectTrust) -> Question:
    new = "has changed its extensions for Placet" if project.standing == "changed" else "has extensions for Placet"
    text = "\n".join(
        (
            f"The project {spelled_out(str(project.inventory.folder))} {new}. Extensions can run programs, and can "
            "allow tools more without asking. Placet uses no extension until you trust the project.",
            *(f"  {line}" for line in listed(project.news, _few_lines)),
        )
    )
    return Question(
        "Trust",
        text,
        (
            QuestionOption(TRUST, "Use the extensions, until one of them changes."),
            QuestionOption(REFUSE, "Use no extension; `placet trust` can change this decision."),
        ),
        custom=False,
    )
