"""Construction of the services that sessions share, the repair after a crash, and the sessions on top."""

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from placet.auth.token_refresh import Renew
from placet.changes.journal.unfinished import is_any_planned
from placet.core.executor import in_thread
from placet.core.ports import Approver, Ports
from placet.core.values import replace
from placet.extensions.command_hooks.hooks import CommandHooks
from placet.extensions.mcp.server_services import SamplingAnswer, SamplingRequest
from placet.extensions.plugins.manager import CustomExtensions
from placet.model.client.host import ModelHost
from placet.model.client.host_child import EarlyHost
from placet.model.select import ready_model
from placet.permissions.ask import Ask, Caller
from placet.permissions.gate import Gate
from placet.permissions.grants import Grants
from placet.permissions.grants_file import GrantsFile
from placet.permissions.rules import Rule, builtin_rules, from_settings
from placet.project.paths import Workspace
from placet.project.processes.background_jobs import Jobs
from placet.project.processes.open_directories import noted
from placet.project.processes.process_secrets import whole_environment
from placet.project.processes.programs import keep_programs_from, note_named_programs
from placet.sessions.asks.deferred_approver import DeferredApprover
from placet.sessions.registry import Sessions
from placet.sessions.services.command_hooks import hooks_opinion, notify
from placet.sessions.services.config import Config, ConfigLoader
from placet.sessions.services.config_watcher import ConfigWatcher
from placet.sessions.services.extensions import Extensions
from placet.sessions.services.mcp import mcp_servers
from placet.sessions.services.outside_programs import outside_programs
from placet.sessions.services.plugins import HookedSink, PluggedSettings, opinion, owners_of, renewing
from placet.sessions.services.programs import contained_by
from placet.sessions.services.services import LiveConfig, Services, SharedServices
from placet.sessions.store.session_store import SessionStore
from placet.settings import Action, Locations, Settings
from placet.storage.database import Database
from placet.tools.framework.truncation import forget_old_outputs

if TYPE_CHECKING:
    from placet.telemetry.telemetry import Telemetry

logger = logging.getLogger(__name__)


async def open_sessions(
    ports: Ports,
    roots: tuple[Path, ...],
    settings: Settings | Config,
    locations: Locations,
    host: ModelHost | None = None,
    *,
    loader: ConfigLoader | None = None,
    early: EarlyHost | None = None,
) -> Sessions:
    """Build the services that sessions share, repair the state after a crash, and return the sessions.

    Without a `host`, the services get the model host of this process, which takes over `early`, a host spawned before.
    With a `loader`, changed settings files are read again. Raises StoreError if the store cannot be opened,
    SettingsError for an impossible rule or model.
    """
    config = settings if isinstance(settings, Config) else Config(settings, locations)
    await in_thread(lambda: keep_programs_from((*roots, *locations.of_commands, *noted(locations.open_directories))))
    rules = builtin_rules()
    from_settings(config.settings.written, rules)  # A wrong rule is said at once, not in the first turn.

    # Services and sessions need each other: the services call these functions only once a session is open.
    async def sample(request: SamplingRequest) -> SamplingAnswer:
        return await sessions.sample(request)

    async def reload() -> None:
        await config_watcher.reload()

    services = await _open_services(
        ports,
        roots,
        config,
        host,
        rules,
        configuration=None if loader is None else PluggedSettings(loader, reload),
        sample=sample,
        on_commands=lambda: sessions.commands_changed(),
        early=early,
    )
    for problem in services.agents.problems:
        logger.warning("Agents: %s", problem)
    for problem in services.current.commands.problems:
        logger.warning("Commands: %s", problem)
    await in_thread(forget_old_outputs, locations.tool_output)
    await ready_model(services.settings.model, services.settings, services.host)
    if await is_any_planned(services.database):
        await services.journal.recover(services.ports.documents)

    def on_reload(config: Config) -> None:
        sessions.commands_changed()
        services.extensions.mcp.reload_inputs()
        services.extensions.follow(owners_of(config, services.workspace.roots), config.settings.plugins)
        services.extensions.command_hooks.follow(config.hooks, sandbox=config.settings.plugins.sandbox)
        note_named_programs(outside_programs(config, services.workspace.roots))

    note_named_programs(outside_programs(config, roots))
    config_watcher = ConfigWatcher(services, loader, on_change=services.follow, on_reload=on_reload)
    sessions = Sessions(services, config_watcher)
    services.extensions.follow(owners_of(config, roots), config.settings.plugins)
    return sessions


async def _open_services(
    ports: Ports,
    roots: tuple[Path, ...],
    config: Config,
    host: ModelHost | None,
    rules: tuple[Rule, ...],
    *,
    configuration: PluggedSettings | None,
    sample: Callable[[SamplingRequest], Awaitable[SamplingAnswer]],
    on_commands: Callable[[], None],
    early: EarlyHost | None,
) -> Services:
    """Build the services. `on_commands` is called when the commands of the MCP servers may have changed."""
    settings, locations = config.settings, config.locations
    database = Database(locations.store)
    contain = contained_by(lambda: current.config.settings, locations)
    custom = CustomExtensions(locations.log / "extensions.log", configuration, contain)
    command_hooks = CommandHooks(contain, lambda: current.workspace.roots)
    command_hooks.follow(config.hooks, sandbox=settings.plugins.sandbox)
    mcp = mcp_servers(settings, roots, locations, contain=contain, sample=sample, on_change=on_commands)
    notified = partial(notify, command_hooks, roots[0] if roots else locations.config)
    telemetry = await in_thread(_telemetry, settings) if settings.telemetry.endpoint is not None else None
    screen = ports.approver if telemetry is None else telemetry.watched(ports.approver)
    ports = replace(
        ports,
        approver=DeferredApprover(partial(_shared_approver, screen, database), notified),
        sink=HookedSink(ports.sink, custom.hooks),
    )

    async def opinion_and_judge(ask: Ask, caller: Caller, action: Action) -> Action:
        action = await opinion(custom.hooks, ask, caller, action)
        action = hooks_opinion(command_hooks, ask, caller, action)
        if action != "ask" or not current.config.settings.judge.enabled:
            return action
        from placet.sessions.judge import judged

        return await judged(services, ask, caller)

    gate = Gate(ports.approver, Grants(GrantsFile(locations.grants), roots, locations.worktrees), opinion_and_judge)
    current = LiveConfig(
        config, await in_thread(config.catalog, rules), Workspace(roots), await in_thread(config.commands)
    )
    if host is None:
        host = await open_host(settings, locations, renewing(lambda: current.config, roots), early)
    services = Services(
        current=current,
        locations=locations,
        ports=ports,
        database=database,
        store=SessionStore(database),
        host=host,
        gate=gate,
        rules=rules,
        jobs=Jobs(),
        extensions=Extensions(custom=custom, mcp=mcp, command_hooks=command_hooks),
        shared=SharedServices(database, locations),
        telemetry=telemetry,
    )
    return services


def _telemetry(settings: Settings) -> "Telemetry | None":
    """Return the telemetry of this process, or None, with a warning, without the packages. Blocks."""
    try:
        from placet.telemetry.telemetry import open_telemetry
    except ModuleNotFoundError as error:
        logger.warning("No traces are sent, as a package is missing (%s): install `placet[otel]`", error.name)
        return None
    return open_telemetry(settings.telemetry, whole_environment())


def _shared_approver(screen: Approver, database: Database) -> Approver:
    """Return the approver over all processes of the store; `screen` is the front end's own."""
    from placet.sessions.asks.cross_process_approver import CrossProcessApprover
    from placet.sessions.asks.pending_asks import PendingAsks

    return CrossProcessApprover(screen, PendingAsks(database))


async def open_host(
    settings: Settings, locations: Locations, renew: Renew, early: EarlyHost | None = None
) -> ModelHost:
    """Return the model host of this process, which gets the secrets with which this process was started."""
    return ModelHost(
        environment=await in_thread(whole_environment),
        keys=locations.keys,
        local_models=locations.local_models,
        log=locations.log / "model-host.log",
        idle_seconds=settings.model_options.host_idle_seconds,
        renew=renew,
        early=early,
    )
