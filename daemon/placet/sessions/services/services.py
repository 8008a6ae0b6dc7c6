"""Services shared by all sessions of a front door."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from placet.agent.agents.agent import AgentCatalog
from placet.agent.commands.catalog import CommandCatalog
from placet.core.ports import EventSink, Ports
from placet.model.client.host import ModelHost
from placet.permissions.gate import Gate
from placet.permissions.rules import Rule
from placet.project.paths import Workspace
from placet.project.processes.background_jobs import Jobs
from placet.sessions.services.config import Config
from placet.sessions.services.early_loading import EarlyLoading
from placet.sessions.services.extensions import Extensions
from placet.sessions.services.lazy import Lazy
from placet.sessions.services.machine_notices import MachineNotices
from placet.sessions.store.session_store import SessionStore
from placet.settings import Locations, Settings
from placet.storage.database import Database

if TYPE_CHECKING:
    from placet.changes.journal.journal import Journal
    from placet.changes.pipeline import ChangePipeline
    from placet.changes.propose.diagnostics_delta import DiagnosticsTracker
    from placet.changes.review.change_sets import ChangeSets
    from placet.changes.review.decisions import Reviews
    from placet.changes.undo.revert import Undo
    from placet.sessions.services.sandboxes import CommandSandboxes
    from placet.telemetry.telemetry import Telemetry


class LiveConfig(Struct):
    """Config that can change while the services run: a turn takes the values of its first moment."""

    config: Config
    agents: AgentCatalog
    workspace: Workspace
    commands: CommandCatalog = msgspec.field(default_factory=CommandCatalog)
    """Commands of files, settings and skills; sessions/commands.py adds the commands of extensions."""


class SharedServices:
    """Services with state for all folders: two of a kind would not know of each other's changes, networks and told
    notices. Made once for a front end, and shared by the services of all worktrees.
    """

    def __init__(self, database: Database, locations: Locations) -> None:
        self._database = database
        self._locations = locations
        self.journal = Lazy(self._make_journal)
        self.change_sets = Lazy(self._make_change_sets)
        self.notices = MachineNotices(locations.notices)
        self.sandboxes = Lazy(self._make_sandboxes)

    def _make_journal(self) -> "Journal":
        from placet.changes.journal.journal import Journal

        return Journal(self._database)

    def _make_change_sets(self) -> "ChangeSets":
        from placet.changes.review.change_sets import ChangeSets

        return ChangeSets(self._database)

    def _make_sandboxes(self) -> "CommandSandboxes":
        from placet.sessions.services.sandboxes import CommandSandboxes

        return CommandSandboxes(self._locations, self.notices)


@dataclass(eq=False)
class Services:
    """Services of one front end, or of one worktree. The services for changes are made and imported by their first use,
    so that no start pays for them.
    """

    current: LiveConfig
    locations: Locations
    ports: Ports
    database: Database
    store: SessionStore
    host: ModelHost
    gate: Gate
    rules: tuple[Rule, ...]
    """The built-in rules."""
    jobs: Jobs
    extensions: Extensions
    shared: SharedServices
    telemetry: "Telemetry | None" = None
    """Traces and metrics; None while no collector is set."""

    def __post_init__(self) -> None:
        self._diagnostics = Lazy(self._make_diagnostics)
        self._pipeline = Lazy(self._make_pipeline)
        self._reviews = Lazy(self._make_reviews)
        self._undo = Lazy(self._make_undo)
        self.loading_for_decisions = EarlyLoading(("filelock", "placet.changes.pipeline"))
        """Loading of the modules that the first decision about a change set needs."""

    @property
    def journal(self) -> "Journal":
        return self.shared.journal.get()

    @property
    def change_sets(self) -> "ChangeSets":
        return self.shared.change_sets.get()

    @property
    def notices(self) -> MachineNotices:
        return self.shared.notices

    @property
    def sandboxes(self) -> "CommandSandboxes":
        return self.shared.sandboxes.get()

    @property
    def diagnostics(self) -> "DiagnosticsTracker":
        return self._diagnostics.get()

    @property
    def pipeline(self) -> "ChangePipeline":
        return self._pipeline.get()

    @property
    def reviews(self) -> "Reviews":
        return self._reviews.get()

    @property
    def undo(self) -> "Undo":
        return self._undo.get()

    def _make_diagnostics(self) -> "DiagnosticsTracker":
        from placet.changes.propose.diagnostics_delta import DiagnosticsTracker

        return DiagnosticsTracker(self.ports.features, self.settings.diagnostics)

    def _make_pipeline(self) -> "ChangePipeline":
        from placet.changes.pipeline import ChangePipeline

        return ChangePipeline(
            self.ports.documents,
            self.gate,
            self.journal,
            self.diagnostics,
            self.reviews,
            self.locations.layers,
        )

    def _make_reviews(self) -> "Reviews":
        from placet.changes.review.decisions import Reviews

        return Reviews(self.ports.documents, self.change_sets)

    def _make_undo(self) -> "Undo":
        from placet.changes.undo.revert import Undo

        return Undo(self.journal, self.ports.documents, self.pipeline.unsure)

    def apart(self, workspace: Workspace, ports: Ports) -> "Services":
        """Return services for other folders and documents, with the same store, gate, sandboxes and model host."""
        current = LiveConfig(self.current.config, self.agents, workspace, self.current.commands)
        return replace(self, current=current, ports=ports)

    @property
    def observer(self) -> EventSink | None:
        """Return the receiver of the events of the work in this process."""
        return None if self.telemetry is None else self.telemetry.spans

    @property
    def has_pipeline(self) -> bool:
        """Return whether the pipeline is in use: without a pipeline, no change waits for anything in this process."""
        return self._pipeline.made is not None

    async def end_session(self, session_id: str) -> None:
        """End what runs for the session beside its turns, in bounded time."""
        await self.jobs.end_session(session_id)
        if (pipeline := self._pipeline.made) is not None:
            await pipeline.end_session(session_id)
        if (sandboxes := self.shared.sandboxes.made) is not None:
            await sandboxes.close_session(session_id)

    async def close_changes(self) -> None:
        """Close the pipeline and the sandboxes, as far as these were used."""
        if (pipeline := self._pipeline.made) is not None:
            await pipeline.close()
        if (sandboxes := self.shared.sandboxes.made) is not None:
            await sandboxes.close()

    def follow(self, config: Config) -> None:
        """Take over the settings of a new config, as far as a service keeps settings of its own."""
        if (diagnostics := self._diagnostics.made) is not None:
            diagnostics.settings = config.settings.diagnostics
        self.extensions.mcp.follow(config.settings.mcp.servers)
        self.host.rest_after(config.settings.model_options.host_idle_seconds)

    @property
    def workspace(self) -> Workspace:
        return self.current.workspace

    @property
    def settings(self) -> Settings:
        return self.current.config.settings

    @property
    def agents(self) -> AgentCatalog:
        return self.current.agents
