"""Define the API for plugins: hooks, which Placet calls at fixed places. A plugin runs in a process of its own."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

HOOKS = (
    "dispose",
    "event",
    "config",
    "auth",
    "provider",
    "chat.message",
    "chat.params",
    "chat.headers",
    "permission.ask",
    "command.execute.before",
    "tool.execute.before",
    "tool.execute.after",
    "tool.definition",
    "shell.env",
    "experimental.chat.messages.transform",
    "experimental.chat.system.transform",
    "experimental.session.compacting",
    "experimental.compaction.autocontinue",
    "experimental.provider.small_model",
    "experimental.text.complete",
)

MARK = "__placet_hook__"


def hook(name: str) -> Callable[[F], F]:
    """Register the function, or the method of a Plugin, as this hook, called with `input` and `output`, both dicts.

    The hook changes `output`, or returns another. `async def` and `def` both work; a `def` runs in a thread. Raises
    ValueError for an unknown hook name.
    """
    if name not in HOOKS:
        raise ValueError(f"There is no hook `{name}`. Hooks: {', '.join(HOOKS)}.")

    def marked(function: F) -> F:
        setattr(function, MARK, name)
        return function

    return marked


@dataclass(frozen=True, slots=True)
class PluginContext:
    """Context of a plugin, given at the start."""

    name: str
    directory: Path
    """First folder opened."""
    worktree: Path
    """Top of the repository around the directory, else the directory itself."""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Options from the setting `plugin`."""

    def log(self, text: str) -> None:
        """Write the text to the log, `extensions.log`."""
        print(f"{self.name}: {text}", file=sys.stderr, flush=True)  # noqa: T201


class Plugin:
    """Plugin as a class: methods with @hook, tools with @tool. Made once, at the import of the plugin."""

    def __init__(self, context: PluginContext) -> None:
        self.context = context
