"""The sessions of one front door: made, found, brought back from the store, put away."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

from placet.agent.agents import Agent, find_agent, find_primary, primary_agents
from placet.changes.journal import Journal
from placet.changes.ledger import Ledger
from placet.changes.pipeline import ChangePipeline
from placet.changes.undo import Undo
from placet.errors import StoreError
from placet.events import TurnEnded
from placet.messages import TurnError, UserMessage, new_id, now
from placet.model.frames import Models, Transport
from placet.model.host import ModelHost
from placet.model.select import ready_model
from placet.permissions.gate import Gate
from placet.permissions.rules import builtin_rules
from placet.ports import Ports
from placet.project.executor import in_thread
from placet.project.jobs import Jobs
from placet.project.paths import Workspace
from placet.project.secrecy import whole_environment
from placet.sessions.house import House
from placet.sessions.recorder import Recorder
from placet.sessions.session import UNTITLED, Session
from placet.sessions.store import SessionInfo, SessionStore
from placet.sessions.subagents import Subagents
from placet.settings import Locations, Settings
from placet.storage.database import Database
from placet.tools.truncation import forget_old_outputs
from placet.transcript import Transcript, closing_updates

logger = logging.getLogger(__name__)

INTERRUPTED = "Placet ended before this was finished."


class Sessions:
    """All sessions of a front door. Loaded ones are kept, so that one session is one object."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._loaded: dict[str, Session] = {}
        self._loading = asyncio.Lock()
        self._subagents = Subagents(self)

    @property
    def settings(self) -> Settings:
        return self._house.settings

    @property
    def agents(self) -> list[Agent]:
        """Those a user can talk to."""
        return primary_agents()

    @property
    def running(self) -> list[Session]:
        return [session for session in self._loaded.values() if session.running]

    async def create(
        self,
        *,
        agent: str | None = None,
        model: str | None = None,
        title: str | None = None,
        parent_id: str | None = None,
    ) -> Session:
        """A new, empty session, stored.

        Raises RequestError for an unknown agent, SettingsError for an impossible model, StoreError.
        """
        model = model or self._house.settings.model
        await ready_model(model, self._house.settings, self._house.host)
        moment = now()
        info = SessionInfo(
            id=new_id("ses"),
            title=title or UNTITLED,
            agent=(find_primary(agent or "build") if parent_id is None else find_agent(agent or "general")).name,
            parent_id=parent_id,
            model=model,
            roots=tuple(root.as_uri() for root in self._house.workspace.roots),
            created=moment,
            updated=moment,
        )
        recorder = Recorder(info, self._house.store, self._house.ports.sink, transcript=Transcript())
        recorder.save_info(info)
        await recorder.flushed()
        return self._keep(recorder)

    async def load(self, session_id: str) -> Session:
        """The session, as it is or from the store; what a dead daemon left open is closed first.

        Raises RequestError if there is none.
        """
        async with self._loading:
            if session_id in self._loaded:
                return self._loaded[session_id]
            stored = await self._house.store.read(session_id)
            recorder = Recorder(
                stored.info,
                self._house.store,
                self._house.ports.sink,
                transcript=Transcript(stored.messages),
                seq=stored.seq,
                seqs=stored.seqs,
            )
            _close_interrupted(recorder)
            return self._keep(recorder)

    async def list(
        self, *, query: str = "", limit: int = 50, cursor: str | None = None
    ) -> tuple[list[SessionInfo], str | None]:
        """This workspace's sessions, newest first, and where the next page starts."""
        return await self._house.store.list(roots=self._house.workspace.roots, query=query, limit=limit, cursor=cursor)

    async def delete(self, session_id: str) -> None:
        """The session with its history and the file contents kept for it. Raises RequestError if there is none."""
        session = await self.load(session_id)
        await session.close()
        del self._loaded[session_id]
        await self._house.store.delete(session_id)

    async def warm(self) -> None:
        """The user may be about to prompt: have the model host ready by then."""
        await self._house.host.warm()

    async def models(self, *, query: str, limit: int, named: Sequence[str]) -> Models:
        """The models of the providers whose key is there, after the named ones. Raises ModelError."""
        return await self._house.host.models(query=query, limit=limit, named=named)

    def transport(self, model: str) -> Transport | None:
        """How answers of this model are carried; None until the host has told."""
        return self._house.host.transport(model)

    async def close(self) -> None:
        """Stop every turn, store everything, end the model host; a store that fails keeps nothing else open."""
        for session in self._loaded.values():
            try:
                await session.close()
            except StoreError as error:
                logger.error("Session %s was not stored to its end: %s", session.info.id, error)  # noqa: TRY400
        await self._house.host.close()
        await self._house.database.close()

    def _keep(self, recorder: Recorder) -> Session:
        session = self._loaded[recorder.info.id] = Session(self._house, recorder, Ledger(), self._subagents)
        return session


async def open_sessions(
    ports: Ports, roots: tuple[Path, ...], settings: Settings, locations: Locations, host: ModelHost
) -> Sessions:
    """Build what sessions share, mend what a crash left half done, and give the sessions.

    Raises StoreError if the store cannot be opened, SettingsError for a model that cannot be.
    """
    workspace = Workspace(roots)
    database = Database(locations.store)
    journal = Journal(database)
    gate = Gate(ports.approver)
    house = House(
        workspace=workspace,
        settings=settings,
        locations=locations,
        ports=ports,
        database=database,
        store=SessionStore(database),
        host=host,
        gate=gate,
        rules=builtin_rules(locations.tool_output),
        journal=journal,
        pipeline=ChangePipeline(ports.documents, gate, journal),
        undo=Undo(journal, ports.documents),
        jobs=Jobs(),
    )
    await in_thread(forget_old_outputs, locations.tool_output)
    await ready_model(settings.model, settings, host)
    await journal.recover(ports.documents)
    return Sessions(house)


async def open_host(settings: Settings, locations: Locations) -> ModelHost:
    """The model host of this process, to be handed the secrets that this process was started with."""
    return ModelHost(
        environment=await in_thread(whole_environment),
        keys=locations.keys,
        log=locations.log / "model-host.log",
        idle_seconds=settings.model_options.host_idle_seconds,
    )


def _close_interrupted(recorder: Recorder) -> None:
    """A turn that was running when the daemon died ends here: each call gets its result, the turn its reason."""
    for update in closing_updates(recorder.transcript.messages, INTERRUPTED):
        recorder.emit(update)
    for message in recorder.transcript.messages:
        if isinstance(message, UserMessage) and message.steers is None and message.stop_reason is None:
            error = TurnError(code="interrupted", message=INTERRUPTED, hint="Prompt again to go on.")
            recorder.emit(TurnEnded(turn_id=message.id, stop_reason="error", error=error))
