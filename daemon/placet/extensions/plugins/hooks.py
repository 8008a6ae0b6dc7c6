"""Hooks of all plugins: called in order, each with a time limit; a hook that fails is named, and skipped."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from pydantic import ValidationError

from placet.core.errors import PlacetError
from placet.core.messages import JsonObject
from placet.extensions.plugins.errors import Ended

if TYPE_CHECKING:
    from placet.extensions.plugins.process import ExtensionProcess

MOST_FAILURES = 3
"""Limit on timeouts or process ends in a row; the plugin's hook is then left out until the plugin's file changes."""
_MOST_EVENTS = 1_000
"""Limit on events that wait for a slow plugin; the oldest events are deleted first."""

logger = logging.getLogger(__name__)

Check = Callable[[JsonObject], object]
"""Function that reads a plugin's output. Raises ValueError, TypeError, KeyError or ValidationError if invalid."""


def _anything(output: JsonObject) -> object:
    return None


class HookedPlugin(Struct):
    """Plugin with hooks."""

    name: str
    key: str
    hooks: frozenset[str]
    process: "ExtensionProcess"
    is_own: bool
    """Whether the plugin is the user's own, and not a project's."""
    failures: dict[str, int] = field(default_factory=dict[str, int])

    def has(self, hook: str) -> bool:
        return hook in self.hooks and self.failures.get(hook, 0) < MOST_FAILURES


class Hooks:
    """Hooks of one front end. Without plugins, a query costs a look at an empty tuple."""

    def __init__(self, tell: Callable[[str], None] = logger.warning) -> None:
        """Set up the hooks; `tell` receives texts for the user about a plugin's faults."""
        self._plugins: tuple[HookedPlugin, ...] = ()
        self._tell = tell
        self._events: deque[JsonObject] = deque(maxlen=_MOST_EVENTS)
        self._telling: asyncio.Task[None] | None = None
        self._timeout_seconds = 5.0

    def become(self, plugins: Sequence[HookedPlugin]) -> None:
        """Use these plugins from now on, in this order."""
        self._plugins = tuple(plugins)

    def limit(self, timeout_seconds: float) -> None:
        """Give each call of a hook this time from now on."""
        self._timeout_seconds = timeout_seconds

    @property
    def plugins(self) -> tuple[HookedPlugin, ...]:
        """Plugins in the order of their calls."""
        return self._plugins

    def has(self, hook: str) -> bool:
        """Return whether any plugin has the hook, so that no input is built in vain."""
        return bool(self._plugins) and any(plugin.has(hook) for plugin in self._plugins)

    async def call(self, hook: str, input: JsonObject, output: JsonObject, check: Check = _anything) -> JsonObject:
        """Return `output` after every plugin's changes, in turn; keys that a plugin leaves out stay as before.

        A failure of a plugin, or an output that `check` refuses, has the same effect as no call.
        """
        for plugin in self._plugins:
            if plugin.has(hook):
                output = await self.call_one(plugin, hook, input, output, check)
        return output

    async def call_one(
        self, plugin: HookedPlugin, hook: str, input: JsonObject, output: JsonObject, check: Check = _anything
    ) -> JsonObject:
        """Do `call` for one plugin alone."""
        order: JsonObject = {"do": "hook", "key": plugin.key, "hook": hook, "input": input, "output": output}
        try:
            async with asyncio.timeout(self._timeout_seconds):
                given: Any = await plugin.process.request(order)
            changed = {**output, **given}
            check(changed)
        except TimeoutError:
            self._failed(plugin, hook, f"took longer than {self._timeout_seconds:g} seconds", counts=True)
        except Ended as error:
            self._failed(plugin, hook, f"did not answer: {error}", counts=True)
        except ValidationError as error:
            issue = error.errors(include_url=False)[0]
            where = ".".join(map(str, issue["loc"]))
            self._failed(plugin, hook, f"returned an invalid result: {where}: {issue['msg']}")
        except (ValueError, TypeError, KeyError) as error:
            self._failed(plugin, hook, f"returned an invalid result: {error}")
        except PlacetError as error:
            self._failed(plugin, hook, f"failed: {error}")
        else:
            plugin.failures.pop(hook, None)
            return changed
        return output

    def _failed(self, plugin: HookedPlugin, hook: str, how: str, *, counts: bool = False) -> None:
        message = f"The plugin {plugin.name}: its hook `{hook}` {how}. The call continued without the hook."
        if counts:
            plugin.failures[hook] = plugin.failures.get(hook, 0) + 1
            if plugin.failures[hook] >= MOST_FAILURES:
                message += " This was the third failure in a row: the hook is disabled until the plugin's file changes."
        self._tell(message)

    def tell_event(self, event: JsonObject) -> None:
        """Send the event to the plugins with the hook `event`, in order, some time later."""
        self._events.append(event)
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell_events(), name="events for plugins")

    async def _tell_events(self) -> None:
        while self._events:
            await self.call("event", {"event": self._events.popleft()}, {})

    async def dispose(self, plugins: Sequence[HookedPlugin]) -> None:
        """Tell the plugins with the hook `dispose` about their end."""
        for plugin in plugins:
            if plugin.has("dispose") and not plugin.process.ended:
                await self.call_one(plugin, "dispose", {}, {})

    async def close(self) -> None:
        self._events.clear()
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.gather(self._telling, return_exceptions=True)
        await self.dispose(self._plugins)
        self._plugins = ()


NO_HOOKS = Hooks()
"""Hooks for code without plugins."""
