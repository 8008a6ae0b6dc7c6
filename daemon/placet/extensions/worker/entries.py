"""Tools and plugin hooks of a file or a package."""

import importlib
import importlib.metadata
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, cast

from placet.plugins import HOOKS, MARK, Plugin, PluginContext
from placet.tools.framework.api import MARK as TOOL_MARK

GROUP = "placet.plugins"
"""Group of entry points."""

Hook = Callable[[dict[str, Any], dict[str, Any]], Any]


@dataclass(slots=True)
class Offer:
    """Tools and hooks of an entry, in the order of the source."""

    tools: dict[str, Callable[..., Any]] = field(default_factory=dict[str, Callable[..., Any]])
    hooks: dict[str, list[Hook]] = field(default_factory=dict[str, list[Hook]])
    notes: list[str] = field(default_factory=list[str])
    """Unused parts of the entry, each with the reason."""

    def take(self, candidate: object, name: str = "") -> None:
        """Add the object if marked as a tool or a hook."""
        if not callable(candidate):
            return
        if hasattr(candidate, TOOL_MARK):
            self.tools[name or candidate.__name__] = candidate
        if hasattr(candidate, MARK):
            self.hooks.setdefault(getattr(candidate, MARK), []).append(candidate)

    def take_mapping(self, hooks: Mapping[str, Any]) -> None:
        """Add the hooks from a function `plugin`. Raises TypeError, ValueError for an invalid hook."""
        for name, value in hooks.items():
            if name == "tool":
                for id, function in cast("Mapping[str, Any]", value).items():
                    if not hasattr(function, TOOL_MARK):
                        raise TypeError(f"the tool `{id}` is no function with @tool")
                    self.take(function, id)
            elif name not in HOOKS:
                raise ValueError(f"there is no hook `{name}`. Hooks: tool, {', '.join(HOOKS)}")
            elif name in ("auth", "provider") and isinstance(value, Mapping):
                self.hooks.setdefault(name, []).append(_constant_hook(cast("Mapping[str, Any]", value)))
            elif not callable(value):
                raise TypeError(f"the hook `{name}` is no function")
            else:
                self.hooks.setdefault(name, []).append(value)


def _constant_hook(value: Mapping[str, Any]) -> Hook:
    """Return a hook that returns the given mapping: OpenCode's `auth` and `provider` are no functions."""
    return lambda input, output: dict(value)


def tools_of(module_name: str) -> Offer:
    """Return the functions with @tool that the file itself defines."""
    module = importlib.import_module(module_name)
    offer = Offer()
    for candidate in _own(module):
        if hasattr(candidate, TOOL_MARK):
            offer.take(candidate)
    return offer


def plugin_of(module_name: str, context: PluginContext) -> Offer:
    """Return the hooks and tools of a plugin's file: functions, classes, and the result of the function `plugin`."""
    return _of_module(importlib.import_module(module_name), context)


def package_of(name: str, context: PluginContext) -> Offer:
    """Return the hooks and tools of an installed package, by the entry point's or the package's name.

    Raises LookupError.
    """
    points = [
        point
        for point in importlib.metadata.entry_points(group=GROUP)
        if name in (point.name, point.dist.name if point.dist is not None else "")
    ]
    if not points:
        raise LookupError(f"no installed package has an entry point `{name}` in the group `{GROUP}`")
    offer = Offer()
    for point in points:
        loaded = point.load()
        point_offer = _of_module(loaded, context) if isinstance(loaded, ModuleType) else _made(loaded, context)
        offer.tools.update(point_offer.tools)
        for hook, functions in point_offer.hooks.items():
            offer.hooks.setdefault(hook, []).extend(functions)
        offer.notes += point_offer.notes
    return offer


def _of_module(module: ModuleType, context: PluginContext) -> Offer:
    offer = Offer()
    for candidate in _own(module):
        if isinstance(candidate, type) and issubclass(candidate, Plugin):
            _take_object(offer, candidate(context))
        elif not isinstance(candidate, type):
            offer.take(candidate)
    if callable(make := getattr(module, "plugin", None)) and not hasattr(make, TOOL_MARK):
        _take_made(offer, make(context))
    return offer


def _made(make: Any, context: PluginContext) -> Offer:
    offer = Offer()
    _take_made(offer, make(context))
    return offer


def _take_made(offer: Offer, made: object) -> None:
    if inspect.iscoroutine(made):
        import asyncio

        made = asyncio.run(made)
    if isinstance(made, Mapping):
        offer.take_mapping(cast("Mapping[str, Any]", made))
    elif isinstance(made, Plugin):
        _take_object(offer, made)
    elif made is not None:
        raise TypeError(f"`plugin` gives a dict of hooks or a Plugin, not {type(made).__name__}")


def _take_object(offer: Offer, plugin: Plugin) -> None:
    names = [name for kind in reversed(type(plugin).__mro__) for name in vars(kind)]
    for name in dict.fromkeys(names):
        if not name.startswith("__"):
            offer.take(getattr(plugin, name))


def _own(module: ModuleType) -> list[object]:
    """Return the objects that the module itself defines, without imported objects."""
    return [member for member in vars(module).values() if getattr(member, "__module__", None) == module.__name__]
