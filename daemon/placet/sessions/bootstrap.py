"""Construction of a Services: the shared services, the repair after a crash, and the sessions on top."""

import logging
from dataclasses import replace
from functools import partial
from pathlib import Path

from placet.changes.journal.journal import Journal
from placet.changes.pipeline import ChangePipeline
from placet.changes.propose.diagnostics_delta import DiagnosticsTracker
from placet.changes.undo.revert import Undo
from placet.core.executor import in_thread
from placet.core.ports import Ports
from placet.extensions.mcp.offers.commands import PromptCommands
from placet.extensions.plugins.manager import CustomExtensions
from placet.model.client.host import ModelHost
from placet.model.select import ready_model
from placet.permissions.gate import Gate
from placet.permissions.grants import Grants
from placet.permissions.grants_file import GrantsFile
from placet.permissions.rules import builtin_rules, from_settings
from placet.project.paths import Workspace
from placet.project.processes.background_jobs import Jobs
from placet.project.processes.process_secrets import whole_environment
from placet.sessions.asks.cross_process_approver import CrossProcessApprover
from placet.sessions.asks.pending_asks import WaitingAsks
from placet.sessions.registry import Sessions
from placet.sessions.services.config import Config, ConfigLoader
from placet.sessions.services.extensions import Extensions
from placet.sessions.services.mcp import mcp_servers
from placet.sessions.services.plugins import HookedSink, opinion, plug_in, renewing
from placet.sessions.services.services import LiveConfig, Services
from placet.sessions.store.session_store import SessionStore
from placet.settings import Locations, Settings
from placet.storage.database import Database
from placet.tools.framework.truncation import forget_old_outputs

logger = logging.getLogger(__name__)


async def open_sessions(
    ports: Ports,
    roots: tuple[Path, ...],
    settings: Settings | Config,
    locations: Locations,
    host: ModelHost,
    *,
    reader: ConfigLoader | None = None,
) -> Sessions:
    """Build the services that sessions share, repair the state after a crash, and return the sessions.

    With a `reader`, changed settings files are read again. Raises StoreError if the store cannot be opened,
    SettingsError for an impossible rule or model.
    """
    setup = settings if isinstance(settings, Config) else Config(settings, locations)
    settings = setup.settings
    rules = builtin_rules()
    from_settings(settings.written, rules)  # A wrong rule is said at once, not in the first turn.
    database = Database(locations.store)
    journal = Journal(database)
    ports = replace(ports, approver=CrossProcessApprover(ports.approver, WaitingAsks(database)))
    diagnostician = DiagnosticsTracker(ports.features, settings.diagnostics)
    custom = CustomExtensions(locations.log / "extensions.log")
    gate = Gate(ports.approver, Grants(GrantsFile(locations.grants), roots), partial(opinion, custom.hooks))
    pipeline = ChangePipeline(ports.documents, gate, journal, diagnostician)
    mcp = mcp_servers(settings, roots, locations, lambda: sessions)
    ports = replace(ports, sink=HookedSink(ports.sink, custom.hooks))
    services = Services(
        current=LiveConfig(
            setup, await in_thread(setup.catalog, rules), Workspace(roots), await in_thread(setup.commands)
        ),
        locations=locations,
        ports=ports,
        database=database,
        store=SessionStore(database),
        host=host,
        gate=gate,
        rules=rules,
        journal=journal,
        pipeline=pipeline,
        undo=Undo(journal, ports.documents, pipeline.unsure),
        jobs=Jobs(),
        extensions=Extensions(custom=custom, mcp=mcp),
    )
    services.extensions.command_sources.append(PromptCommands(services.extensions.mcp.prompts))
    for problem in services.agents.problems:
        logger.warning("Agents: %s", problem)
    for problem in services.current.commands.problems:
        logger.warning("Commands: %s", problem)
    await in_thread(forget_old_outputs, locations.tool_output)
    await ready_model(settings.model, settings, host)
    await journal.recover(ports.documents)
    sessions = Sessions(services, reader)

    def follow(setup: Config) -> None:
        diagnostician.settings = setup.settings.diagnostics
        mcp.follow(setup.settings.mcp.servers)
        host.rest_after(setup.settings.model_options.host_idle_seconds)

    sessions.renewal.listeners.append(follow)
    sessions.renewal.readers.append(lambda _: sessions.commands_changed())
    mcp.listeners.append(sessions.commands_changed)
    plug_in(custom, sessions, reader)
    host.sign_ins.renew = renewing(lambda: services.current.setup, roots)
    return sessions


async def open_host(settings: Settings, locations: Locations) -> ModelHost:
    """Return the model host of this process, which gets the secrets with which this process was started."""
    return ModelHost(
        environment=await in_thread(whole_environment),
        keys=locations.keys,
        log=locations.log / "model-host.log",
        idle_seconds=settings.model_options.host_idle_seconds,
    )
