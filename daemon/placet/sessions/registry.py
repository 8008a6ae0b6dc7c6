"""Registry of the sessions of a front door: creates, finds, loads and closes sessions.

Services that a first prompt does without are imported by the methods that use them.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from placet.agent.agents.agent import AgentCatalog
from placet.agent.context.shown_files import seen_texts
from placet.changes.journal.unfinished import sessions_with_undecided_files
from placet.changes.ledger import Ledger
from placet.core.errors import AtWorkElsewhere, RequestError, SandboxFailed, StoreError
from placet.core.events import AvailableCommand, AvailableCommandsUpdate
from placet.core.executor import in_thread
from placet.core.ids import new_id, now
from placet.core.messages import whole_characters
from placet.core.transcript import Transcript
from placet.model.select import ready_model
from placet.permissions.rules import evaluate, root_names
from placet.project.paths import Workspace
from placet.project.processes.programs import keep_programs_from
from placet.sessions.prompts.commands import available_commands
from placet.sessions.services.config import Config
from placet.sessions.services.config_watcher import ConfigWatcher
from placet.sessions.services.extensions import Extensions
from placet.sessions.services.lazy import Lazy
from placet.sessions.services.machine_notices import MachineNotices
from placet.sessions.services.services import Services
from placet.sessions.session import Session
from placet.sessions.session_models import SessionModels
from placet.sessions.store.records import SessionInfo, StoredSession
from placet.sessions.turns.outputs import outputs_of
from placet.sessions.turns.recorder import Recorder
from placet.sessions.turns.subagents import Subagents
from placet.sessions.turns.titles import UNTITLED
from placet.settings import Locations, Settings

if TYPE_CHECKING:
    from placet.extensions.mcp.server_services import SamplingAnswer, SamplingRequest
    from placet.sessions.asks.permissions import Bound, Permissions
    from placet.sessions.prompts.completion import Completion
    from placet.sessions.session_worktrees import SessionWorktrees
    from placet.sessions.store.library import Form, Library
    from placet.sessions.worktrees.isolation import Isolation
    from placet.settings.review_modes import ReviewMode
    from placet.worktrees.records import Subagent as WorktreeSubagent
    from placet.worktrees.unwritten_files import UnwrittenFile

logger = logging.getLogger(__name__)


class Sessions:
    """The sessions of a front door. Loaded sessions are kept: each session has a single object."""

    def __init__(self, services: Services, config_watcher: ConfigWatcher) -> None:
        self._services = services
        self.config_watcher = config_watcher
        """Watcher which reads the config again when a config file changes; closed with the sessions."""
        self._loaded: dict[str, Session] = {}
        self._loading = asyncio.Lock()
        self._watch = services.database.watch()
        """Watch for writes of other processes, renewed when a session is loaded."""
        self._followed: set[str] = set()
        """The sessions in which another process was at work at the last look."""
        self._first_commands = available_commands(services)
        """Commands that a session has at first."""
        self._told_commands: dict[str, tuple[AvailableCommand, ...]] = {}
        """Commands that each session was told of last, by the session's id."""
        self._subagents = Subagents(self)
        self._completion = Lazy(self._make_completion)
        self._library = Lazy(self._make_library)

    @cached_property
    def worktrees(self) -> "SessionWorktrees":
        """Return the worktrees of the repositories in which the sessions work."""
        from placet.sessions.session_worktrees import SessionWorktrees

        return SessionWorktrees(self._services)

    @cached_property
    def models(self) -> SessionModels:
        """Return the models of the sessions."""
        return SessionModels(self._services)

    @property
    def completion(self) -> "Completion":
        """Return the completion of mentions and commands while the user writes a prompt."""
        return self._completion.get()

    def _make_completion(self) -> "Completion":
        from placet.sessions.prompts.completion import Completion

        return Completion(self._services, self._loaded.get)

    def _make_library(self) -> "Library":
        from placet.sessions.store.library import Library

        services = self._services
        return Library(services.store, lambda: services.journal, services.locations.kept, services.workspace.roots)

    @property
    def permissions(self) -> "Permissions":
        """Return the rules and grants, to be looked at."""
        from placet.sessions.asks.permissions import Permissions

        services = self._services
        return Permissions(
            services.workspace, services.settings, services.locations, services.rules, services.gate.grants
        )

    @property
    def store_path(self) -> Path | None:
        """Return the file of the store; None for a store in memory."""
        return self._services.database.path

    async def bound(self, agent: str | None = None, session_id: str | None = None) -> "Bound":
        """Return the agent that rules bind: the session's or the named one.

        Raises RequestError for an unknown agent.
        """
        from placet.sessions.asks.permissions import Bound

        if session_id is None:
            return Bound(self.agents.default if agent is None else self.agents.find(agent))
        session = await self.load(session_id)
        outputs = outputs_of(session.info, session.delegation.family, self._services.locations)
        agents = self.agents
        bound = agents.find(agent or session.info.agent)
        return Bound(bound, session_id, session.delegation.limits, outputs.readable, session.choices.caution)

    @property
    def notices(self) -> MachineNotices:
        return self._services.notices

    @property
    def settings(self) -> Settings:
        return self._services.settings

    @property
    def roots(self) -> tuple[Path, ...]:
        """Return the folders in which the sessions work."""
        return self._services.workspace.roots

    async def open_folders(self, roots: tuple[Path, ...]) -> None:
        """Work in these folders, each session from its next turn on.

        A removed folder is outside at once. A new folder is inside when the rules of its project are known.
        """
        services = self._services
        if roots == services.workspace.roots:
            return
        if staying := tuple(root for root in services.workspace.roots if root in roots):
            services.current.workspace = Workspace(staying)
        await in_thread(keep_programs_from, roots)
        await self.config_watcher.open_in(roots)
        services.current.workspace = Workspace(roots)
        services.gate.grants.open_in(roots)
        services.extensions.mcp.open_in(roots)
        if (library := self._library.made) is not None:
            library.open_in(roots)
        if (completion := self._completion.made) is not None:
            await completion.follow_folders()

    @property
    def locations(self) -> Locations:
        return self._services.locations

    @property
    def config(self) -> Config:
        return self._services.current.config

    @property
    def extensions(self) -> Extensions:
        """Return the extensions of the user and the trusted projects."""
        return self._services.extensions

    @property
    def agents(self) -> AgentCatalog:
        return self._services.agents

    @property
    def running(self) -> list[Session]:
        return [session for session in self._loaded.values() if session.running]

    def loaded(self, session_id: str) -> Session | None:
        """Return the session, if loaded."""
        return self._loaded.get(session_id)

    def subagents_of(self, session_id: str) -> list[str]:
        """Return the loaded sessions at work for the session, at any depth."""
        children = [session.info.id for session in self._loaded.values() if session.info.parent_id == session_id]
        return [*children, *(below for child in children for below in self.subagents_of(child))]

    def root_of(self, session_id: str) -> tuple[str, str]:
        """Return the user's session above a loaded subagent's session, and the subagent's name.

        A session without a session above is returned with an empty name.
        """
        agent = ""
        while (session := self._loaded.get(session_id)) is not None and session.info.parent_id is not None:
            agent = agent or session.info.agent
            session_id = session.info.parent_id
        return session_id, agent

    async def unload(self, session_id: str) -> None:
        """Close the session and its subagents' sessions, and forget them; a later `load` reads the store again."""
        for unloaded in (session_id, *self.subagents_of(session_id)):
            if (session := self._loaded.pop(unloaded, None)) is not None:
                await session.close()
            self._followed.discard(unloaded)
            self._told_commands.pop(unloaded, None)

    async def create(
        self,
        *,
        agent: str | None = None,
        model: str | None = None,
        title: str | None = None,
        parent_id: str | None = None,
        isolation: "Isolation | None" = None,
    ) -> Session:
        """Create an empty session and store it. A given model outweighs the agent's own model.

        Raises RequestError for an unknown agent, SettingsError for an impossible model, StoreError.
        """
        base_model = model or self._services.settings.model
        if model is not None and parent_id is None:
            await self.models.refuse_unknown(model)
        else:
            await ready_model(base_model, self._services.settings, self._services.host)
        agents = self._services.agents
        if parent_id is None:
            chosen = agents.default if agent is None else agents.find_primary(agent)
        else:
            chosen = agents.find(agent or "general")
        services = self._services if isolation is None else isolation.services
        moment = now()
        info = SessionInfo(
            id=new_id("ses"),
            title=whole_characters(title or UNTITLED),
            agent=chosen.name,
            parent_id=parent_id,
            model=model or chosen.model or base_model,
            base_model=base_model,
            roots=tuple(root.as_uri() for root in services.workspace.roots),
            created=moment,
            updated=moment,
        )
        recorder = Recorder(
            info,
            self._services.store,
            self._services.ports.sink,
            transcript=Transcript(),
            observer=self._services.observer,
        )
        self._services.store.add_session(info)
        await recorder.flushed()
        return self._keep(recorder, services)

    async def isolate(
        self, subagent: "WorktreeSubagent", review: "ReviewMode", unwritten: "Sequence[UnwrittenFile]"
    ) -> "Isolation":
        """Make a worktree for a subagent, as isolation.isolate does. Raises RequestError."""
        from placet.sessions.worktrees.isolation import isolate

        return await isolate(self._services, subagent, review, unwritten)

    async def load(self, session_id: str) -> Session:
        """Return the session, loaded or read from the store; the turns that a dead daemon left open are closed first.

        Raises RequestError if no session has this id.
        """
        async with self._loading:
            if (loaded := self._loaded.get(session_id)) is not None:
                await self._caught_up(loaded)
                return loaded
            stored = await self._services.store.read(session_id)
            recorder = self._recorder(stored, seq=stored.seq)
            recorder.close_interrupted()
            from placet.sessions.reconciliation import reconcile

            await reconcile(recorder, self._services.journal)
            return self._keep(recorder)

    async def show(self, session_id: str) -> Session:
        """Return the session for display: like `load`, or as stored so far while another process is at work in it.

        Raises RequestError if no session has this id.
        """
        try:
            return await self.load(session_id)
        except AtWorkElsewhere:
            pass
        async with self._loading:
            if (session := self._loaded.get(session_id)) is None:
                stored = await self._services.store.read(session_id, at_work_elsewhere=True)
                # The stored `seq` says nothing about later events, as the process at work has already raised it.
                session = self._keep(self._recorder(stored, seq=max(stored.seqs.values(), default=0)))
            await self._follow(session)
            return session

    def commands(self, session: Session | None = None) -> tuple[tuple[AvailableCommand, ...], tuple[str, ...]]:
        """Return the commands with which a prompt can begin, and the problems of unusable commands and skills.

        The commands of a session include the prompts of the session's own MCP servers.
        """
        servers = None if session is None else session.servers
        return available_commands(self._services, servers), self._services.current.commands.problems

    def commands_changed(self) -> None:
        """Tell the user's sessions of the commands, if the commands differ from the commands told last."""
        for session in self._loaded.values():
            if session.info.parent_id is None:
                commands, _ = self.commands(session)
                if commands != self._told_commands.get(session.info.id, self._first_commands):
                    self._told_commands[session.info.id] = commands
                    session.tell(AvailableCommandsUpdate(commands=commands))
        self._first_commands = available_commands(self._services)

    async def list(
        self, *, query: str = "", limit: int = 50, cursor: str | None = None
    ) -> tuple[Sequence[SessionInfo], str | None]:
        """List this workspace's sessions, newest first, with their usage, and return the cursor of the next page.

        `query`: each word of the query is in the title, in a prompt or in an answer.
        """
        return await self._library.get().list(query=query, limit=limit, cursor=cursor)

    async def with_undecided_changes(self) -> frozenset[str]:
        """Return the ids of the sessions, of any folder, with staged or unreviewed changes. Raises StoreError."""
        return await sessions_with_undecided_files(self._services.database)

    async def info(self, session_id: str) -> SessionInfo:
        """Return the session's entry in a list, with its usage. Raises RequestError if no session has this id."""
        return await self._services.store.info(session_id)

    async def whole_id(self, beginning: str) -> str:
        """Return the whole id of a session; see SessionStore.whole_id."""
        return await self._services.store.whole_id(beginning)

    async def fork(self, session_id: str, message_id: str | None = None) -> Session:
        """Create a session with the messages before that prompt, or with all messages; files are not touched.

        The unfinished part of a running turn is left out. Raises RequestError for an unknown session or prompt.
        """
        await self._store_loaded(session_id)
        return await self.load(await self._library.get().fork(session_id, message_id))

    async def export(self, session_id: str, form: "Form", *, contents: bool = False) -> str:
        """Return the session as text, to be read or imported; `contents`: with the texts of the changed files.

        Raises RequestError if no session has this id.
        """
        await self._store_loaded(session_id)
        return await self._library.get().export(session_id, form, contents=contents)

    async def import_(self, text: str) -> Session:
        """Create a session from an exported session. Raises RequestError that names the fault in the text."""
        return await self.load(await self._library.get().import_(text))

    async def summarize(self, session_id: str, model: str | None = None) -> str:
        """Sum up the session in two or three sentences. Raises RequestError, SettingsError, ModelError, TurnStopped."""
        from placet.sessions.summaries import summary_of

        session = await self.load(session_id)
        return await summary_of(self._services, session.info, session.messages, session.budget.meter, model)

    async def commit_message(self, root: Path | None = None, diff: str | None = None, model: str | None = None) -> str:
        """Write a commit message for the folder's staged changes, else for all its changes, or for the diff.

        Raises RequestError, SettingsError, ModelError, TurnStopped.
        """
        from placet.sessions.asks.permissions import Bound
        from placet.sessions.commit_messages import commit_message

        workspace = self._services.workspace
        rules = self.permissions.rules(Bound(self.agents.default))
        root = root or workspace.root

        def may_show(name: str) -> bool:
            return evaluate(rules, "read", name, root_names((root,))).action == "allow"

        return await commit_message(self._services, root, may_show, diff=diff, requested_model=model)

    async def delete(self, session_id: str) -> None:
        """Delete the session and its subagents' sessions, with their history and the kept file contents.

        Raises RequestError for an unknown session, or if another process is at work in one of the sessions.
        """
        session = await self.load(session_id)
        await session.close()
        for deleted in await self._library.get().delete(session_id):
            if (child := self._loaded.pop(deleted, None)) not in (None, session):
                await child.close()

    async def sandbox(self) -> str:
        """Return a line about the sandbox of commands; `none` at the front where commands run with the user's rights.

        The first call tries the sandbox, which takes a moment.
        """
        if self._services.settings.sandbox.mode == "off":
            return "none: switched off by `sandbox.mode`"
        from placet.sandbox.diagnosis import summary

        try:
            return summary(await self._services.sandboxes.sandbox.backend())
        except SandboxFailed as error:
            return f"none: {error}"

    async def sample(self, request: "SamplingRequest") -> "SamplingAnswer":
        """Return the answer of the session's model to an MCP server. Raises PlacetError."""
        from placet.sessions.services.mcp import sampled

        session = await self.load(request.session_id)
        return await sampled(
            self._services, request, name=session.info.model, opened=session.models, meter=session.budget.meter
        )

    async def warm(self) -> None:
        """Prepare the model host, because the user may be about to prompt."""
        await self._services.host.warm()

    async def close(self) -> None:
        """Stop every turn, store everything, end the model host; a failing store does not keep the rest open."""
        closed: set[Session] = set()
        # The end of a turn unloads subagents, and a request on the way may still load a session.
        while session := next((session for session in self._loaded.values() if session not in closed), None):
            closed.add(session)
            try:
                await session.close()
            except StoreError as error:
                logger.error("Session %s was not stored to its end: %s", session.info.id, error)  # noqa: TRY400
        await self._services.close_changes()
        await self.config_watcher.close()
        await self._services.extensions.close()
        if (completion := self._completion.made) is not None:
            await completion.close()
        await self._services.ports.features.close()
        await self._services.host.close()
        if self._services.telemetry is not None:
            await self._services.telemetry.close()
        await self._services.database.close()

    async def follow(self) -> None:
        """Take in the writes of other processes to the loaded sessions; the screens then show the new state.

        Costs next to nothing as long as no process has written and none is at work. Raises StoreError.
        """
        if not self._loaded:
            return
        has_changed = await self._watch.has_changed()
        for session in list(self._loaded.values()):
            if session.info.id in self._followed or (has_changed and session.info.parent_id is None):
                await self._follow(session)

    async def _follow(self, session: Session) -> None:
        self._followed.discard(session.info.id)
        with suppress(RequestError):  # The session was deleted.
            if await session.follow():
                self._followed.add(session.info.id)
        if await self._services.change_sets.was_changed_elsewhere(session.info.id):
            await session.change_set.announce()

    async def _caught_up(self, session: Session) -> None:
        """Bring the session up to the store's state, or close a session that was deleted. Raises RequestError."""
        if session.running:
            return
        try:
            await session.catch_up()
        except AtWorkElsewhere:
            raise  # Our screens go on following the other process.
        except RequestError:
            del self._loaded[session.info.id]
            await session.close()
            raise

    async def _store_loaded(self, session_id: str) -> None:
        """Bring the store up to date with the session."""
        if (session := self._loaded.get(session_id)) is not None:
            await session.catch_up()

    def _recorder(self, stored: StoredSession, seq: int) -> Recorder:
        services = self._services
        return Recorder.of(stored, services.store, services.ports.sink, seq=seq, observer=services.observer)

    def _keep(self, recorder: Recorder, services: Services | None = None) -> Session:
        self._watch = self._services.database.watch()  # Updates stored during the reading have not been looked at.
        services = services or self._services
        ledger = Ledger(seen_texts(recorder.transcript.messages, services.workspace))
        session = Session(services, recorder, ledger, self._subagents)
        self._loaded[recorder.info.id] = session
        self.config_watcher.begin(recorder.info.id)
        self._services.extensions.begin()
        return session
