"""Services shared by all sessions of a front door."""

from dataclasses import dataclass, field

from placet.agent.agents import AgentCatalog
from placet.agent.commands.catalog import CommandCatalog
from placet.changes.journal import Journal
from placet.changes.pipeline import ChangePipeline
from placet.changes.undo import Undo
from placet.model.host import ModelHost
from placet.permissions.gate import Gate
from placet.permissions.rules import Rule
from placet.ports import Ports
from placet.project.jobs import Jobs
from placet.project.paths import Workspace
from placet.sessions.extensions import Extensions
from placet.sessions.setup import Setup
from placet.sessions.store import SessionStore
from placet.settings import Locations, Settings
from placet.storage.database import Database


@dataclass(slots=True)
class Current:
    """Config that can change while the House stands: a turn takes the values of its first moment."""

    setup: Setup
    agents: AgentCatalog
    workspace: Workspace
    commands: CommandCatalog = field(default_factory=CommandCatalog)
    """Commands of files, settings and skills; sessions/commands.py adds the commands of extensions."""


@dataclass(frozen=True, slots=True)
class House:
    current: Current
    locations: Locations
    ports: Ports
    database: Database
    store: SessionStore
    host: ModelHost
    gate: Gate
    rules: tuple[Rule, ...]
    """The built-in rules."""
    journal: Journal
    pipeline: ChangePipeline
    undo: Undo
    jobs: Jobs
    extensions: Extensions

    @property
    def workspace(self) -> Workspace:
        return self.current.workspace

    @property
    def settings(self) -> Settings:
        return self.current.setup.settings

    @property
    def agents(self) -> AgentCatalog:
        return self.current.agents
