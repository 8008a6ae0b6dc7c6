"""Tools and plugins of the user and of trusted projects: imported, kept up to date, and ended with the services."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from placet.core.executor import in_thread
from placet.core.messages import JsonObject
from placet.extensions.plugins.hooks import HookedPlugin, Hooks
from placet.extensions.plugins.loading import Life, bring_to_life
from placet.extensions.plugins.sources import Bundle, Owner, gather
from placet.sandbox.programs import ContainProgram, without_sandbox
from placet.settings import PluginSettings
from placet.tools.framework.builtin import BUILTIN
from placet.tools.framework.define import Tool

if TYPE_CHECKING:
    from placet.extensions.plugins.process import ExtensionProcess

MOST_DEATHS = 3
"""Limit on deaths of one owner's process within a minute; Placet then waits until a file changes."""
_DEATHS_WITHIN_SECONDS = 60.0

logger = logging.getLogger(__name__)

_BUILT_IN = frozenset(tool.id for tool in BUILTIN)


class Configuration(Protocol):
    """Access to the settings for plugins."""

    async def tree(self) -> JsonObject:
        """Return the settings without the changes by plugins."""
        ...

    async def change(self, changes: Sequence[tuple[str, JsonObject]], models: Sequence[tuple[str, JsonObject]]) -> None:
        """Apply these settings on top from now on, each pair with the name of the plugin.

        `models` are settings of providers with models alone, from the user's own plugins.
        """
        ...


class CustomExtensions:
    """Implementation of placet.extensions.sources.ToolSource, and the owner of the plugins' hooks."""

    def __init__(
        self, log: Path, configuration: Configuration | None = None, contain: ContainProgram = without_sandbox
    ) -> None:
        """Set up the extensions; `log` receives the output of tools and plugins.

        `configuration`: settings for plugins to read and to change; None: plugins get no settings. `contain` gives the
        sandboxes for processes of contained owners.
        """
        self._log = log
        self._contain = contain
        self._owners: tuple[Owner, ...] = ()
        self._settings = PluginSettings()
        self._lives: dict[str, Life] = {}
        self._hung: dict[str, tuple[Bundle, dict[str, str]]] = {}
        self._deaths: dict[str, list[float]] = {}
        self._tools: dict[str, Tool] = {}
        self._renewing: asyncio.Task[None] | None = None
        self._retiring: dict[asyncio.Task[None], Life] = {}
        self._asked_since = False
        self._began = 0.0
        self._begun = False
        self._closed = False
        self._messages: set[str] = set()
        self._listeners: list[Callable[[str], None]] = []
        self._configuration = configuration
        self.hooks = Hooks(self._tell)

    def follow(self, owners: Sequence[Owner], settings: PluginSettings) -> None:
        """Take over owners and settings after a possible change. Unchanged extensions stay at work."""
        self._owners, self._settings = tuple(owners), settings
        self.hooks.limit(settings.timeout_seconds)
        if self._begun:
            self._renew()

    def on_trouble(self, tell: Callable[[str], None]) -> None:
        """Call `tell` with each text for the user, once for each text."""
        self._listeners.append(tell)

    def begin(self) -> None:
        """Start the extensions' work, because a session exists. Does not wait."""
        if not self._begun:
            self._begun = True
            self._renew()

    async def tools(self) -> Sequence[Tool]:
        """Return the present tools; the first call waits a little for a running import."""
        self.begin()
        await self.settled(max(0.0, self._began + self._settings.wait_seconds - time.monotonic()))
        return tuple(self._tools.values())

    async def settled(self, seconds: float | None = None) -> None:
        """Wait until everything is imported, but no longer than `seconds`."""
        if self._renewing is not None and not self._renewing.done():
            await asyncio.wait((self._renewing,), timeout=seconds)

    async def close(self) -> None:
        self._closed = True
        retiring = dict(self._retiring)
        for task in (self._renewing, *retiring):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        await self.hooks.close()
        # Also of lives that were cut short in the middle of their end, or before their beginning.
        await asyncio.gather(*(life.end() for life in (*self._lives.values(), *retiring.values())))

    def _tell(self, message: str) -> None:
        if message in self._messages:
            return
        self._messages.add(message)
        logger.warning("%s", message)
        for listener in self._listeners:
            listener(message)

    # ------------------------------------------------------------ tools and plugins on offer

    def _renew(self) -> None:
        self._asked_since = True
        if not self._closed and (self._renewing is None or self._renewing.done()):
            self._began = time.monotonic()
            self._renewing = asyncio.create_task(self._renew_until_current(), name="custom tools and plugins")
            self._renewing.add_done_callback(_log_failure)

    async def _renew_until_current(self) -> None:
        while self._asked_since:
            self._asked_since = False
            owners, settings = self._owners, self._settings
            bundles = [await in_thread(gather, owner) for owner in owners]
            lives: dict[str, Life] = {}
            try:
                for bundle in bundles:
                    lives[bundle.owner.name] = await self._life(bundle, settings)
            except BaseException:
                present = self._lives.values()
                await asyncio.gather(*(life.end() for life in lives.values() if life not in present))
                raise
            ended = [life for name, life in self._lives.items() if lives.get(name) is not life]
            came = [life for name, life in lives.items() if self._lives.get(name) is not life]
            self._lives = lives
            if ended or came:
                self._take_in(ended)
                await self._let_configure()

    async def _life(self, bundle: Bundle, settings: PluginSettings) -> Life:
        """Return the bundle at work, in the present process if nothing has changed."""
        name = bundle.owner.name
        present = self._lives.get(name)
        if present is not None and present.bundle == bundle:
            if present.process is None or not present.process.ended or self._is_left_alone(name):
                return present
        else:
            self._deaths.pop(name, None)
        of, hung = self._hung.get(name, (bundle, {}))
        hung = hung if of == bundle else {}
        self._hung[name] = bundle, hung
        return await bring_to_life(
            bundle,
            hung,
            load_seconds=settings.load_seconds,
            log=self._log,
            on_end=lambda: self._died(name),
            contain=self._contain,
        )

    def _died(self, name: str) -> None:
        """Note that a process ended, by itself or by force; a new process serves the remaining entries."""
        moment = time.monotonic()
        self._deaths[name] = [at for at in self._deaths.get(name, ()) if moment - at < _DEATHS_WITHIN_SECONDS] + [
            moment
        ]
        if self._is_left_alone(name):
            self._tell(
                f"The process of the tools and plugins of {name} ended {MOST_DEATHS} times, and is not started "
                f"again until one of their files changes. Their output is in {self._log}."
            )
        elif not self._closed:
            self._renew()

    def _is_left_alone(self, name: str) -> bool:
        return len(self._deaths.get(name, ())) >= MOST_DEATHS

    def _take_in(self, ended: Sequence[Life]) -> None:
        tools: dict[str, Tool] = {}
        plugins: list[HookedPlugin] = []
        for life in self._lives.values():
            for problem in life.problems:
                self._tell(problem)
            if life.loaded or life.broken:
                from placet.extensions.plugins.custom_tools import tools_of  # Most starts have no tools and plugins.

                for tool in tools_of(life, self._process_of):
                    self._admit(tool, tools)
            plugins += _hooked(life)
        self._tools = tools
        self.hooks.become(plugins)
        for life in ended:
            task = asyncio.create_task(self._retire(life), name="retire custom tools")
            self._retiring[task] = life
            task.add_done_callback(self._retiring.pop)

    def _admit(self, tool: Tool, tools: dict[str, Tool]) -> None:
        from placet.extensions.plugins.custom_tools import is_fit

        if not is_fit(tool.id):
            self._tell(f"The tool `{tool.id}` ({tool.source}) is left out: names are of letters, digits, `_` and `-`.")
        elif tool.id in _BUILT_IN:
            self._tell(f"The tool `{tool.id}` ({tool.source}) is left out: there is a built-in one of that name.")
        elif (other := tools.get(tool.id)) is not None:
            self._tell(f"The tool `{tool.id}` ({tool.source}) is left out: {other.source} has one of that name.")
        else:
            tools[tool.id] = tool

    async def _process_of(self, id: str, key: str) -> "ExtensionProcess | None":
        """Return the process that has the tool now, or None; waits for the restart of a process that has just ended."""
        process = self._process_now(id, key)
        if process is None or process.ended:
            await self.settled(self._settings.load_seconds)
            process = self._process_now(id, key)
        return process

    def _process_now(self, id: str, key: str) -> "ExtensionProcess | None":
        tool = self._tools.get(id)
        for life in self._lives.values():
            for loaded in life.loaded:
                has_it = any(tool_offer["key"] == key for tool_offer in loaded.tools)
                if has_it and tool is not None and loaded.entry.source == tool.source:
                    return life.process
        return None

    async def _retire(self, life: Life) -> None:
        """End the life when no part of it runs any more."""
        await self.hooks.dispose(_hooked(life))
        try:
            if life.process is not None:
                await life.process.idle.wait()
        finally:
            await life.end()

    async def _let_configure(self) -> None:
        """Ask the plugins, in turn, for changes to the settings, then for the models of providers."""
        if self._configuration is None:
            return
        changes: list[tuple[str, JsonObject]] = []
        has_models = self.hooks.has("provider")
        tree = await self._configuration.tree() if has_models or self.hooks.has("config") else {}
        for plugin in self.hooks.plugins:
            if plugin.has("config"):
                changed = await self.hooks.call_one(plugin, "config", {}, tree)
                if other := _difference(tree, changed):
                    changes.append((plugin.name, other))
                tree = changed
        models: list[tuple[str, JsonObject]] = []
        if has_models:
            from placet.extensions.plugins.provider_models import models_of_plugins  # Few plugins have the hook.

            models = await models_of_plugins(self.hooks, tree, self._tell)
        await self._configuration.change(changes, models)


def _hooked(life: Life) -> list[HookedPlugin]:
    if life.process is None:
        return []
    return [
        HookedPlugin(
            f"`{loaded.entry.name}` ({loaded.entry.source})",
            loaded.entry.key,
            loaded.hooks,
            life.process,
            is_own=life.bundle.owner.digests is None,
        )
        for loaded in life.loaded
        if loaded.hooks
    ]


def _difference(before: Any, after: JsonObject) -> JsonObject:
    """Return the entries of `after` that are new or different."""
    other: JsonObject = {}
    for name, value in after.items():
        old = before.get(name) if isinstance(before, dict) else None
        if isinstance(value, dict) and isinstance(old, dict):
            if nested := _difference(old, value):
                other[name] = nested
        elif value != old or name not in before:
            other[name] = value
    return other


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("Custom tools and plugins could not be renewed", exc_info=error)
