"""What all sessions of one front door share."""

from dataclasses import dataclass

from placet.agent.agents import AgentCatalog
from placet.changes.journal import Journal
from placet.changes.pipeline import ChangePipeline
from placet.changes.undo import Undo
from placet.model.host import ModelHost
from placet.permissions.gate import Gate
from placet.permissions.rules import Rule
from placet.ports import Ports
from placet.project.jobs import Jobs
from placet.project.paths import Workspace
from placet.sessions.store import SessionStore
from placet.settings import Locations, Settings
from placet.storage.database import Database


@dataclass(frozen=True, slots=True)
class House:
    workspace: Workspace
    settings: Settings
    locations: Locations
    ports: Ports
    database: Database
    store: SessionStore
    host: ModelHost
    gate: Gate
    rules: tuple[Rule, ...]
    """The built-in ones."""
    agents: AgentCatalog
    journal: Journal
    pipeline: ChangePipeline
    undo: Undo
    jobs: Jobs
