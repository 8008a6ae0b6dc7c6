"""What a plugin is written with: hooks that Placet calls at their places. It runs in a process of its own."""

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
    "experimental.text.complete",
)
NOT_HERE = {
    "provider": "Models are litellm's; `modelOptions.apiBase` names a server of your own.",
}
"""Hooks that OpenCode has and Placet has not."""

MARK = "__placet_hook__"


def hook(name: str) -> Callable[[F], F]:
    """Have the function, or the method of a Plugin, called as this hook: with `input` and `output`, both dicts.

    It changes `output`, or returns another. `async def` and `def` both do; the latter runs in a thread.
    Raises ValueError for a name that is no hook's.
    """
    if name in NOT_HERE:
        raise ValueError(f"Placet has no hook `{name}`. {NOT_HERE[name]}")
    if name not in HOOKS:
        raise ValueError(f"There is no hook `{name}`. Hooks: {', '.join(HOOKS)}.")

    def marked(function: F) -> F:
        setattr(function, MARK, name)
        return function

    return marked


@dataclass(frozen=True, slots=True)
class PluginContext:
    """What a plugin is begun with."""

    name: str
    directory: Path
    """The first folder that was opened."""
    worktree: Path
    """The top of the repository around it, else the same."""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """From the setting `plugin`."""

    def log(self, text: str) -> None:
        """Say something in the log, `extensions.log`."""
        print(f"{self.name}: {text}", file=sys.stderr, flush=True)  # noqa: T201


class Plugin:
    """A plugin as a class: methods with @hook, tools with @tool. Made once, when it is imported."""

    def __init__(self, context: PluginContext) -> None:
        self.context = context
