"""Open the core over the disk of a directory, for a command that ends."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Protocol

from placet.core.ports import Approver, DefaultReview, EventSink, Ports
from placet.frontends.terminal.config import config_loader, config_read_by, tell_of_projects
from placet.frontends.terminal.run.run_options import RunOptions
from placet.languages.features import language_features
from placet.languages.servers.own import OwnServers
from placet.model.client.host_child import EarlyHost
from placet.project.files.disk import DiskDocuments
from placet.project.paths import Workspace
from placet.sessions.bootstrap import open_sessions
from placet.sessions.registry import Sessions
from placet.sessions.services.programs import contained_by
from placet.settings.sources import allowances


class FrontEnd(EventSink, Protocol):
    """Terminal over which the core is opened."""

    @property
    def workspace(self) -> Workspace: ...

    @property
    def approver(self) -> Approver: ...

    def warn(self, message: str) -> bool: ...


@asynccontextmanager
async def opened(
    options: RunOptions,
    terminal: FrontEnd,
    early: EarlyHost | None = None,
    *,
    review: DefaultReview = "ask",
) -> AsyncGenerator[Sessions]:
    """Open the sessions, and close the sessions in the end. Raises SettingsError and StoreError.

    `review` is the mode of sessions for which nobody chooses (see Ports).
    """
    loader = await config_loader(options.cwd, _settings(options))
    config = await config_read_by(loader)
    tell_of_projects(config)
    documents = DiskDocuments()
    roots = terminal.workspace.roots
    contain = contained_by(lambda: config.settings, config.locations)
    servers = OwnServers(
        documents, roots, config.settings.languages, may_start=config.may_start_programs, contain=contain
    )
    features = language_features(documents, roots, servers)
    ports = Ports(documents, features, terminal.approver, terminal, review=review)
    sessions = await open_sessions(ports, (options.cwd,), config, config.locations, loader=loader, early=early)
    sessions.notices.subscribe(terminal.warn)
    try:
        yield sessions
    finally:
        await sessions.close()


def _settings(options: RunOptions) -> Mapping[str, Any]:
    """Return the settings given on the command line."""
    settings: dict[str, Any] = {}
    if options.model is not None:
        settings["model"] = options.model
    if options.review is not None:
        settings["review"] = options.review
    if options.max_steps is not None:
        settings["maxSteps"] = options.max_steps
    if options.max_cost is not None:
        settings["maxCost"] = {"turn": options.max_cost}
    if permission := allowances(options.allow):
        settings["permission"] = permission
    return settings
