"""The hooks of all plugins: called in order, each with a time limit; one that fails is named, and passed over."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from placet.errors import PlacetError
from placet.extensions.process import Ended, ExtensionProcess
from placet.messages import JsonObject

MOST_FAILURES = 3
"""Time limits passed, or processes ended, in a row, after which a plugin's hook is left out until its file changes."""
_MOST_EVENTS = 1_000
"""That wait for a plugin which does not keep up; the eldest go first."""

logger = logging.getLogger(__name__)

Check = Callable[[JsonObject], object]
"""Reads what a plugin made of an output. Raises ValueError, TypeError, KeyError or ValidationError for what is none."""


def _anything(output: JsonObject) -> object:
    return None


@dataclass(slots=True)
class HookedPlugin:
    """A plugin with hooks."""

    name: str
    key: str
    hooks: frozenset[str]
    process: ExtensionProcess
    failures: dict[str, int] = field(default_factory=dict[str, int])

    def has(self, hook: str) -> bool:
        return hook in self.hooks and self.failures.get(hook, 0) < MOST_FAILURES


class Hooks:
    """Those of one house. With no plugin, asking costs a look at an empty tuple."""

    def __init__(self, tell: Callable[[str], None] = logger.warning) -> None:
        """`tell`: says to the user what a plugin got wrong."""
        self._plugins: tuple[HookedPlugin, ...] = ()
        self._tell = tell
        self._events: deque[JsonObject] = deque(maxlen=_MOST_EVENTS)
        self._telling: asyncio.Task[None] | None = None
        self.timeout_seconds = 5.0

    def become(self, plugins: Sequence[HookedPlugin]) -> None:
        """From now on these, in this order."""
        self._plugins = tuple(plugins)

    @property
    def plugins(self) -> tuple[HookedPlugin, ...]:
        """In the order in which they are called."""
        return self._plugins

    def has(self, hook: str) -> bool:
        """Whether any plugin has it, so that its input need not be made for nobody."""
        return bool(self._plugins) and any(plugin.has(hook) for plugin in self._plugins)

    async def call(self, hook: str, input: JsonObject, output: JsonObject, check: Check = _anything) -> JsonObject:
        """`output` as the plugins leave it, one after the other; keys they drop stay as they were.

        What a plugin fails at, or leaves so that `check` does not take it, is as if it had not been called.
        """
        for plugin in self._plugins:
            if plugin.has(hook):
                output = await self.call_one(plugin, hook, input, output, check)
        return output

    async def call_one(
        self, plugin: HookedPlugin, hook: str, input: JsonObject, output: JsonObject, check: Check = _anything
    ) -> JsonObject:
        """`call` of one plugin alone."""
        order: JsonObject = {"do": "hook", "key": plugin.key, "hook": hook, "input": input, "output": output}
        try:
            async with asyncio.timeout(self.timeout_seconds):
                given: Any = await plugin.process.request(order)
            changed = {**output, **given}
            check(changed)
        except TimeoutError:
            self._failed(plugin, hook, f"took longer than {self.timeout_seconds:g} seconds", counts=True)
        except Ended as error:
            self._failed(plugin, hook, f"did not answer: {error}", counts=True)
        except ValidationError as error:
            issue = error.errors(include_url=False)[0]
            where = ".".join(map(str, issue["loc"]))
            self._failed(plugin, hook, f"left what cannot be used: {where}: {issue['msg']}")
        except (ValueError, TypeError, KeyError) as error:
            self._failed(plugin, hook, f"left what cannot be used: {error}")
        except PlacetError as error:
            self._failed(plugin, hook, f"failed: {error}")
        else:
            plugin.failures.pop(hook, None)
            return changed
        return output

    def _failed(self, plugin: HookedPlugin, hook: str, how: str, *, counts: bool = False) -> None:
        told = f"The plugin {plugin.name}: its hook `{hook}` {how}. It went on without it."
        if counts:
            plugin.failures[hook] = plugin.failures.get(hook, 0) + 1
            if plugin.failures[hook] >= MOST_FAILURES:
                told += " That was the third time in a row: the hook is left out until the plugin's file changes."
        self._tell(told)

    def tell_event(self, event: JsonObject) -> None:
        """Have the plugins with the hook `event` hear of it, in order, some time later."""
        self._events.append(event)
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell_events(), name="events for plugins")

    async def _tell_events(self) -> None:
        while self._events:
            await self.call("event", {"event": self._events.popleft()}, {})

    async def dispose(self, plugins: Sequence[HookedPlugin]) -> None:
        """Tell those that have the hook that they end."""
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
"""Of who has no plugins."""
