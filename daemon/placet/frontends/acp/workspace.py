"""Services of a set of folders, and the client's sessions in these folders."""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

from placet.core.effort import Level
from placet.core.errors import PlacetError, StoreError
from placet.core.events import (
    AvailableCommand,
    CautionUpdate,
    CurrentModeUpdate,
    EffortUpdate,
    ProfileUpdate,
    ReviewModeUpdate,
    SessionEvent,
)
from placet.core.executor import in_thread
from placet.core.ports import Approver, Documents, Ports
from placet.frontends.acp.client_session import CURRENT_SESSION, ClientSession
from placet.frontends.acp.config_options import config_options
from placet.frontends.acp.connection.client import Client
from placet.frontends.acp.connection.update_queue import UpdateQueue
from placet.frontends.acp.options import DoorOptions
from placet.frontends.acp.own_commands import hidden_words
from placet.frontends.acp.ports.client_files import ClientFiles
from placet.frontends.acp.ports.documents import UnsavedTexts, client_documents
from placet.frontends.acp.ports.terminals import AcpTerminals
from placet.frontends.acp.profile import LearnedFaults, Profile
from placet.frontends.acp.protocol.requests import ConfigOption
from placet.frontends.acp.updates.conversation import Conversation
from placet.languages.features import language_features
from placet.languages.servers.own import OwnServers
from placet.sessions.asks.deferred_approver import DeferredApprover
from placet.sessions.bootstrap import open_sessions
from placet.sessions.registry import Sessions
from placet.sessions.services.config import Config, ConfigLoader
from placet.sessions.services.programs import contained_by
from placet.sessions.session import Session
from placet.settings import Locations

logger = logging.getLogger(__name__)

FOLLOWING_SECONDS = 0.5
"""Pause between two looks at the writes of other processes."""
MOST_MODELS = 300
"""Most models in a menu."""
_CHOICES = CurrentModeUpdate | EffortUpdate | ProfileUpdate | ReviewModeUpdate | CautionUpdate
"""Updates after which the menus show another choice."""


class Workspace:
    """Workspace of a set of folders, for as long as the connection; the EventSink port of the sessions.

    The first folder is the working directory of the client's sessions.
    """

    def __init__(
        self,
        client: Client,
        updates: UpdateQueue,
        roots: tuple[Path, ...],
        profile: Profile,
        faults: LearnedFaults,
    ) -> None:
        self.roots = roots
        self._client = client
        self._updates = updates
        self._profile = profile
        self._open: dict[str, ClientSession] = {}
        """The client's open sessions, by id."""
        self.approver = DeferredApprover(self._approver)
        self._terminals = AcpTerminals(
            client,
            lambda session_id: self._session_of(session_id)[0],
            has_terminals=profile.capabilities.terminal,
        )
        self._files = ClientFiles(client, profile.files, faults, self._asking_session)
        self._unsaved = UnsavedTexts(lambda: self.sessions.store_path)
        self._documents: Documents | None = None
        self._sessions: Sessions | None = None
        self._problems: list[str] = []
        """Problems of the settings still to be told to the user."""
        self._known_problems: tuple[str, ...] = ()
        self._told_hidden: set[str] = set()
        self._models: tuple[str, ...] = ()
        """Names of the models at hand, as the model host listed the models last."""
        self._levels: dict[str, Sequence[Level] | None] = {}
        """Levels of thinking of these models."""
        self._tasks: set[asyncio.Task[None]] = set()
        """Work beside the requests: warming the model host, and following other processes."""

    @property
    def sessions(self) -> Sessions:
        """Return the sessions of these folders, which `open` has opened."""
        assert self._sessions is not None
        return self._sessions

    async def open(self, options: DoorOptions, locations: Locations) -> None:
        """Open the sessions. Raises SettingsError and StoreError."""
        loader = ConfigLoader(locations, self.roots, command_line=options.settings)
        config = await in_thread(loader.read)
        present: list[Config] = [config]
        documents = self._documents = client_documents(self._files, self._unsaved)
        contain = contained_by(lambda: present[0].settings, locations)
        servers = OwnServers(
            documents, self.roots, config.settings.languages, may_start=config.may_start_programs, contain=contain
        )
        features = language_features(documents, self.roots, servers)

        def follow(config: Config) -> None:
            present[:] = (config,)
            self._note_problems(config)
            servers.follow(config.settings.languages, may_start=config.may_start_programs)

        ports = Ports(documents, features, self.approver, self, self._terminals, review="stage")
        self._sessions = await open_sessions(ports, self.roots, config, locations, loader=loader)
        self._sessions.config_watcher.subscribe(follow)
        self._sessions.extensions.on_trouble(self._report)
        self._sessions.notices.subscribe(self.say)
        self._note_problems(config)
        self._own(asyncio.create_task(self._follow(), name="follow other processes"))

    def _approver(self) -> Approver:
        from placet.frontends.acp.ports.approver import AcpApprover  # A session is opened before anything is asked.

        return AcpApprover(
            self._client, lambda session_id: self._session_of(session_id)[0], has_forms=self._profile.has_forms
        )

    def emit(self, event: SessionEvent) -> None:
        """Show an event to the client, if the client has the session open (see EventSink)."""
        session, agent = self._session_of(event.session_id)
        if session is not None:
            session.emit(event, agent)
            if not agent and isinstance(event.update, _CHOICES):
                self._show_options(session)

    async def status(self, session: Session) -> str:
        """Return the words of `/status`. Raises PlacetError."""
        from placet.frontends.acp.commands.status import status  # Most prompts call no command.

        assert self._documents is not None
        return await status(session, self.sessions, self._files, self._documents, self._profile)

    def options_of(self, session: Session) -> tuple[ConfigOption, ...]:
        """Return the options of the session, as the client shows the options in menus."""
        choices = session.choices
        return config_options(
            agent=session.info.agent,
            model=session.info.model,
            effort=session.info.effort,
            profile=session.info.profile,
            review=choices.review,
            caution=choices.caution,
            agents=self.sessions.agents.primary,
            models=self._models,
            levels=self._levels.get(session.info.model),
        )

    def told_options(self, opened: ClientSession, session: Session) -> tuple[ConfigOption, ...]:
        """Return the options of the session for an answer to the client."""
        return opened.note_options(self.options_of(session))

    def keep(self, session: Session, cost: float = 0.0) -> ClientSession:
        """Keep the session as open at the client; a session opened again is shown from the beginning."""
        conversation = Conversation(
            self.roots[0],
            mode=session.info.agent,
            cost=cost,
            has_notices=self._profile.takes_notices,
            has_compactions=self._profile.takes_compactions,
        )
        if (opened := self._open.get(session.info.id)) is not None:
            opened.conversation = conversation
        else:
            opened = self._open[session.info.id] = ClientSession(session.info.id, conversation, self._updates)
        return opened

    def opened(self, session_id: str) -> ClientSession | None:
        """Return the session, if the client has the session open here."""
        return self._open.get(session_id)

    async def release(self, session_id: str) -> None:
        """Cancel the session's work, and forget the session."""
        if (opened := self._open.get(session_id)) is not None:
            opened.cancel_prompts()
            await self.sessions.unload(session_id)
            self._open.pop(session_id, None)

    def say(self, message: str) -> bool:
        """Show the user a message in the session opened last; return False if the client has no session open."""
        announced = [session for session in self._open.values() if session.announced.is_set()]
        if announced:
            announced[-1].say(message)
        return bool(announced)

    def newly_hidden(self, commands: Iterable[AvailableCommand]) -> list[str]:
        """Return words about the user's commands that have the name of an own command, each once."""
        words = [text for text in hidden_words(commands) if text not in self._told_hidden]
        self._told_hidden.update(words)
        return words

    def take_problems(self) -> list[str]:
        """Return the problems of the settings still to be told; the caller tells the user."""
        problems, self._problems = self._problems, []
        return problems

    def warm(self) -> None:
        """Prepare the model host beside the client's work, as the user is about to prompt, and list the models."""
        self._own(asyncio.create_task(self._warm(), name="warm the model host"))

    async def _warm(self) -> None:
        try:
            await self.sessions.warm()
            listed = (await self.sessions.models.list(query="", limit=MOST_MODELS, named=())).listing
        except PlacetError as error:  # The first prompt tries again, and reports the failure.
            logger.info("The model host could not be started early: %s", error)
            return
        self._models = tuple(facts.name for facts in listed.models)
        self._levels = {facts.name: facts.efforts for facts in listed.models}
        for opened in self._open.values():
            self._show_options(opened)

    def _show_options(self, opened: ClientSession) -> None:
        if (session := self.sessions.loaded(opened.id)) is not None:
            opened.show_options(self.options_of(session))

    async def _follow(self) -> None:
        """Show the writes of other processes to the client's sessions."""
        is_reported = False
        while True:
            await asyncio.sleep(FOLLOWING_SECONDS)
            try:
                await self.sessions.follow()
                is_reported = False
            except StoreError as error:
                if not is_reported:
                    logger.warning("What others do in the sessions cannot be followed: %s", error)
                is_reported = True

    def _own(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _report(self, message: str) -> None:
        if not self.say(message):
            logger.warning("%s", message)

    def _note_problems(self, config: Config) -> None:
        """Tell the user of the problems of the settings, each once until the problem is mended."""
        new = [problem for problem in dict.fromkeys(config.problems) if problem not in self._known_problems]
        self._known_problems = config.problems
        self._problems += [problem for problem in new if not self.say(problem)]

    async def close(self) -> None:
        """Stop every turn and everything started for the sessions."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._unsaved.close()
        if self._sessions is not None:
            await self._sessions.close()
        await self._terminals.close()

    def _asking_session(self) -> str | None:
        """Return the client's session for which files are asked for: the session at work, else any that the client
        knows; None without such a session.
        """
        current = CURRENT_SESSION.get()
        known = [session.id for session in self._open.values() if session.announced.is_set()]
        return current if current in known else next(iter(known), None)

    def _session_of(self, session_id: str) -> tuple[ClientSession | None, str]:
        """Return the client's session for the session, and the agent's name if the session is a subagent's."""
        if (session := self._open.get(session_id)) is not None or self._sessions is None:
            return session, ""
        root, agent = self._sessions.root_of(session_id)
        return self._open.get(root), agent
