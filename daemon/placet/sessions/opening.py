"""Construction of a House: the shared services, the repair after a crash, and the sessions on top."""

import logging
from dataclasses import replace
from functools import partial
from pathlib import Path

from placet.changes.diagnosis import Diagnostician
from placet.changes.journal import Journal
from placet.changes.pipeline import ChangePipeline
from placet.changes.undo import Undo
from placet.extensions.custom import CustomExtensions
from placet.extensions.mcp.commands import PromptCommands
from placet.model.host import ModelHost
from placet.model.select import ready_model
from placet.permissions.gate import Gate
from placet.permissions.grants import Grants
from placet.permissions.grants_file import GrantsFile
from placet.permissions.rules import builtin_rules, from_settings
from placet.ports import Ports
from placet.project.executor import in_thread
from placet.project.jobs import Jobs
from placet.project.paths import Workspace
from placet.project.secrecy import whole_environment
from placet.sessions.answered_anywhere import AnsweredAnywhere
from placet.sessions.extensions import Extensions
from placet.sessions.house import Current, House
from placet.sessions.mcp import mcp_servers
from placet.sessions.plugged import HookedSink, opinion, plug_in, renewing
from placet.sessions.registry import Sessions
from placet.sessions.setup import Setup, SetupReader
from placet.sessions.store import SessionStore
from placet.sessions.waiting import WaitingAsks
from placet.settings import Locations, Settings
from placet.storage.database import Database
from placet.tools.truncation import forget_old_outputs

logger = logging.getLogger(__name__)


async def open_sessions(
    ports: Ports,
    roots: tuple[Path, ...],
    settings: Settings | Setup,
    locations: Locations,
    host: ModelHost,
    *,
    reader: SetupReader | None = None,
) -> Sessions:
    """Build the services that sessions share, repair the state after a crash, and return the sessions.

    With a `reader`, changed settings files are read again. Raises StoreError if the store cannot be opened,
    SettingsError for an impossible rule or model.
    """
    setup = settings if isinstance(settings, Setup) else Setup(settings, locations)
    settings = setup.settings
    rules = builtin_rules()
    from_settings(settings.written, rules)  # A wrong rule is said at once, not in the first turn.
    database = Database(locations.store)
    journal = Journal(database)
    ports = replace(ports, approver=AnsweredAnywhere(ports.approver, WaitingAsks(database)))
    diagnostician = Diagnostician(ports.features, settings.diagnostics)
    custom = CustomExtensions(locations.log / "extensions.log")
    gate = Gate(ports.approver, Grants(GrantsFile(locations.grants), roots), partial(opinion, custom.hooks))
    pipeline = ChangePipeline(ports.documents, gate, journal, diagnostician)
    mcp = mcp_servers(settings, roots, locations, lambda: sessions)
    ports = replace(ports, sink=HookedSink(ports.sink, custom.hooks))
    house = House(
        current=Current(
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
    house.extensions.command_sources.append(PromptCommands(house.extensions.mcp.prompts))
    for problem in house.agents.problems:
        logger.warning("Agents: %s", problem)
    for problem in house.current.commands.problems:
        logger.warning("Commands: %s", problem)
    await in_thread(forget_old_outputs, locations.tool_output)
    await ready_model(settings.model, settings, host)
    await journal.recover(ports.documents)
    sessions = Sessions(house, reader)

    def follow(setup: Setup) -> None:
        diagnostician.settings = setup.settings.diagnostics
        mcp.follow(setup.settings.mcp.servers)
        host.rest_after(setup.settings.model_options.host_idle_seconds)

    sessions.renewal.listeners.append(follow)
    sessions.renewal.readers.append(lambda _: sessions.commands_changed())
    mcp.listeners.append(sessions.commands_changed)
    plug_in(custom, sessions, reader)
    host.sign_ins.renew = renewing(lambda: house.current.setup, roots)
    return sessions


async def open_host(settings: Settings, locations: Locations) -> ModelHost:
    """Return the model host of this process, which gets the secrets with which this process was started."""
    return ModelHost(
        environment=await in_thread(whole_environment),
        keys=locations.keys,
        log=locations.log / "model-host.log",
        idle_seconds=settings.model_options.host_idle_seconds,
    )
