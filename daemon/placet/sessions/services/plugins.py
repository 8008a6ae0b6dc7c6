"""Tools and plugins of the user and of trusted projects of the services: their owners, and their access."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from placet.auth.keys import SignIn
from placet.auth.token_refresh import Renew
from placet.core.events import SessionEvent
from placet.core.executor import in_thread
from placet.core.messages import JsonObject, UserMessage
from placet.core.ports import EventSink
from placet.core.values import replace
from placet.extensions.plugins.hooks import Hooks
from placet.extensions.plugins.manager import CustomExtensions
from placet.extensions.plugins.sources import Owner, listed_in
from placet.permissions.gate import Ask, Caller
from placet.project.inventory import directories_of
from placet.sessions.services.config import Config, ConfigLoader
from placet.sessions.services.programs import contained_by
from placet.settings import Action
from placet.tools.framework.define import Tool

if TYPE_CHECKING:
    from placet.extensions.plugins.auth_plugins import PluginLogins

_NOT_FOR_PLUGINS = ("plugin", "plugins", "hooks", "disableAllHooks")
"""Settings that no plugin can change, as the change would concern the plugin itself or start other programs."""


def owners_of(config: Config, roots: Sequence[Path]) -> tuple[Owner, ...]:
    """Return the user, then each trusted project; the project that outweighs the rest comes last."""
    locations = config.locations
    folders = tuple(project.inventory.folder for project in config.projects)
    directory = roots[0] if roots else locations.config
    sandbox = config.settings.plugins.sandbox
    user = Owner(
        "yours",
        directory,
        folders[0] if folders else directory,
        tools=locations.own("tool"),
        plugins=locations.own("plugin"),
        listed=listed_in(config.settings.plugin),
        base=locations.config,
        barred=(*roots, *folders),
        is_contained=sandbox is True,
    )
    owners = {user.name: user}
    for project in reversed(config.projects):
        inventory = project.inventory
        if project.trusted:
            owners[str(inventory.folder)] = Owner(
                str(inventory.folder),
                inventory.folder,
                inventory.folder,
                tools=directories_of(inventory.levels, "tool"),
                plugins=directories_of(inventory.levels, "plugin"),
                digests={item.path: item.digest for item in inventory.items if item.kind in ("tool", "plugin")},
                is_contained=sandbox is not False,
            )
    return tuple(owners.values())


async def custom_tools(config: Config, roots: Sequence[Path]) -> tuple[Tool, ...]:
    """Return the tools of files and plugins, for a list only: their processes have ended."""
    contain = contained_by(lambda: config.settings, config.locations)
    custom = CustomExtensions(config.locations.log / "extensions.log", contain=contain)
    try:
        custom.follow(owners_of(config, roots), config.settings.plugins)
        custom.begin()
        await custom.settled()
        return tuple(await custom.tools())
    finally:
        await custom.close()


async def config_with_plugins(loader: ConfigLoader, config: Config, tell: Callable[[str], None]) -> Config:
    """Return the config that `loader` read, with the changes by plugins, for a list only: their processes have ended.

    `tell` receives texts for the user about a plugin's faults.
    """

    async def no_reload() -> None:
        pass

    contain = contained_by(lambda: config.settings, config.locations)
    log = config.locations.log / "extensions.log"
    custom = CustomExtensions(log, PluggedSettings(loader, no_reload), contain)
    custom.on_trouble(tell)
    try:
        owners = [replace(owner, tools=()) for owner in owners_of(config, loader.roots)]
        custom.follow(owners, config.settings.plugins)
        custom.begin()
        await custom.settled()
    finally:
        await custom.close()
    return await in_thread(loader.read) if loader.plugins or loader.plugin_models else config


@asynccontextmanager
async def logins(config: Config, roots: Sequence[Path], *, only: str | None = None) -> "AsyncGenerator[PluginLogins]":
    """Yield the logins of the user's own plugins, or only of the named plugin.

    Plugins of projects are left out: a plugin may keep a key given to the plugin.
    """
    from placet.extensions.plugins.auth_plugins import plugin_logins

    # A login needs the network and the user's browser, and the plugin is the user's own.
    user = replace(owners_of(config, roots)[0], tools=(), is_contained=False)
    log = config.locations.log / "extensions.log"
    async with plugin_logins(user, config.settings.plugins, log, only=only) as login_plugins:
        yield login_plugins


def renewing(current: Callable[[], Config], roots: Sequence[Path]) -> Renew:
    """Return a function by which the user's login plugin gets another key. `current` returns the present config."""

    async def renew(sign_in: SignIn, tokens: JsonObject) -> JsonObject:
        async with logins(current(), roots, only=sign_in.plugin) as login_plugins:
            return await login_plugins.renewal_for(sign_in.provider, sign_in.plugin).renew(tokens)

    return renew


class PluggedSettings:
    """Access of the plugins to the settings: an implementation of placet.extensions.plugins.manager.Configuration."""

    def __init__(self, loader: ConfigLoader, reload: Callable[[], Awaitable[None]]) -> None:
        """Give access to the settings of `loader`; `reload` reads the settings again after a change by plugins."""
        self._loader = loader
        self._reload = reload

    async def tree(self) -> JsonObject:
        config = await in_thread(replace(self._loader, plugins=[], plugin_models=[]).read)
        return config.settings.model_dump(mode="json", by_alias=True)

    async def change(self, changes: Sequence[tuple[str, JsonObject]], models: Sequence[tuple[str, JsonObject]]) -> None:
        plugins: list[tuple[str, Mapping[str, Any]]] = [
            (name, {key: value for key, value in values.items() if key not in _NOT_FOR_PLUGINS})
            for name, values in changes
        ]
        if plugins != self._loader.plugins or list(models) != self._loader.plugin_models:
            self._loader.plugins[:] = plugins
            self._loader.plugin_models[:] = models
            await self._reload()


class HookedSink:
    """Implementation of ports.EventSink which also tells plugins of each event."""

    def __init__(self, sink: EventSink, hooks: Hooks) -> None:
        self._sink = sink
        self._hooks = hooks

    def emit(self, event: SessionEvent) -> None:
        self._sink.emit(event)
        if self._hooks.has("event"):
            self._hooks.tell_event(event.model_dump(mode="json", by_alias=True, exclude_none=True))


async def opinion(hooks: Hooks, ask: Ask, caller: Caller, action: Action) -> Action:
    """Return the plugins' answer for a permission that the rules allow or would ask for (`permission.ask`)."""
    if not hooks.has("permission.ask"):
        return action
    hook_input: JsonObject = {
        "permission": ask.permission,
        "patterns": list(ask.patterns),
        "title": ask.title,
        "command": ask.command,
        "url": ask.url,
        "tool": caller.tool,
        "sessionID": caller.session_id,
        "messageID": caller.message_id,
        "callID": caller.call_id,
    }
    output = await hooks.call("permission.ask", hook_input, {"status": action}, check=lambda output: _action(output))
    return _action(output)


async def shell_variables(hooks: Hooks, caller: Caller, directory: Path) -> dict[str, str]:
    """Return the plugins' additions to the environment of a command (`shell.env`)."""
    if not hooks.has("shell.env"):
        return {}
    hook_input = {"cwd": str(directory), "sessionID": caller.session_id, "callID": caller.call_id}
    return _variables(await hooks.call("shell.env", hook_input, {"env": {}}, check=_variables))


async def prompt_after_plugins(hooks: Hooks, session_id: str, user: UserMessage) -> UserMessage:
    """Return the prompt after the plugins' changes (`chat.message`)."""
    message = user.model_dump(mode="json", by_alias=True, exclude={"parts"}, exclude_none=True)
    hook_input = {"sessionID": session_id, "agent": user.agent, "model": user.model, "messageID": user.id}
    from placet.agent.turn.plugin_hooks import parts_after_plugins

    parts = await parts_after_plugins(hooks, hook_input, message, user.parts)
    return user.model_copy(update={"parts": parts})


def _variables(output: JsonObject) -> dict[str, str]:
    variables = cast("JsonObject", output["env"])
    for name, value in variables.items():
        if not isinstance(value, str) or "\0" in name + value or "=" in name or not name:
            raise TypeError(f"env: `{name}` is no variable with a text")
    return variables


def _action(output: JsonObject) -> Action:
    status = output["status"]
    if status not in ("allow", "ask", "deny"):
        raise ValueError(f"status: `{status}` is none of allow, ask, deny")
    return status
