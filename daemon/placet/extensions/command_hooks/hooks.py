"""Command hooks of one front end: the hooks of an event run side by side, each with a time limit."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from placet.core.messages import JsonObject
from placet.extensions.command_hooks.table import CommandHook
from placet.sandbox.programs import ContainProgram, Program, uncontained, without_sandbox

if TYPE_CHECKING:
    from placet.extensions.command_hooks.outcome import HookEnding, Outcome

logger = logging.getLogger(__name__)


class CommandHooks:
    """Hooks of the user and of trusted projects. Without hooks, a query costs a look at an empty set."""

    def __init__(
        self, contain: ContainProgram = without_sandbox, roots: Callable[[], Sequence[Path]] = tuple[Path, ...]
    ) -> None:
        """Set up the hooks; `contain` gives the sandboxes of hooks, and `roots` the folders of the workspace."""
        self._contain = contain
        self._roots = roots
        self._hooks: tuple[CommandHook, ...] = ()
        self._events: frozenset[str] = frozenset()
        self._sandbox: bool | None = None
        self._background: set[asyncio.Task[None]] = set()
        self._decisions: dict[tuple[str, str], Literal["allow", "ask"]] = {}

    def follow(self, hooks: Sequence[CommandHook], *, sandbox: bool | None) -> None:
        """Use these hooks from now on; `sandbox` is the setting `plugins.sandbox`."""
        self._hooks, self._sandbox = tuple(hooks), sandbox
        self._events = frozenset(hook.event for hook in hooks)

    def has(self, event: str) -> bool:
        """Return whether any hook is for the event, so that no input is built in vain."""
        return event in self._events

    async def run(self, event: str, names: Iterable[str], fields: JsonObject, directory: Path) -> "Outcome":
        """Run the event's hooks that match one of the names, and return the wishes of all hooks together.

        A command that stands in several files runs once. A hook that nothing waits for decides nothing.
        """
        from placet.extensions.command_hooks.outcome import as_input, merged, outcome_of  # Most users have no hooks.

        names = tuple(names)
        matching = [hook for hook in self._hooks if hook.event == event and hook.matches(names)]
        matching = [hook for hook in matching if _fits(hook, names, fields, directory)]
        unique = {
            (hook.command, hook.arguments, hook.shell, hook.owner.folder, hook.owner.bundle): hook
            for hook in reversed(matching)
        }
        hooks = list(unique.values())[::-1]
        data = as_input(fields)
        for hook in hooks:
            if hook.is_async:
                self.begin(self._run_unheard(hook, data, directory))
        awaited = [hook for hook in hooks if not hook.is_async]
        endings = await asyncio.gather(*(self._run(hook, data, directory) for hook in awaited))
        return merged([outcome_of(hook, ending) for hook, ending in zip(awaited, endings, strict=True)])

    async def _run(self, hook: CommandHook, data: bytes, directory: Path) -> "HookEnding":
        from placet.extensions.command_hooks.process import run_hook

        owner = hook.owner
        project = owner.folder or directory
        is_contained = self._sandbox is True or (self._sandbox is None and not hook.leaves_sandbox)
        program = Program(
            f"the hooks of {owner.bundle or project}" if owner.bundle or owner.folder else "your hooks",
            (project,) if owner.folder is not None else tuple(dict.fromkeys((project, *self._roots()))),
            () if owner.data is None else (str(owner.data),),
        )
        contain = self._contain(program) if is_contained else uncontained
        return await run_hook(hook, data, directory, project, contain)

    async def _run_unheard(self, hook: CommandHook, data: bytes, directory: Path) -> None:
        ending = await self._run(hook, data, directory)
        if ending.code != 0:
            logger.warning("The hook `%s` (%s) ended with %s %s", hook.shown, hook.source, ending.code, ending.errors)

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Own work that nothing waits for."""
        task = asyncio.create_task(work, name="hook")
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def decide(self, session_id: str, call_id: str, decision: Literal["allow", "ask"]) -> Callable[[], None]:
        """Note the hooks' decision about the permissions of a call; return a function that forgets the decision."""
        self._decisions[session_id, call_id] = decision
        return lambda: self._decisions.pop((session_id, call_id), None) and None

    def decision(self, session_id: str, call_id: str) -> Literal["", "allow", "ask"]:
        """Return the hooks' decision about the permissions of a running call."""
        return self._decisions.get((session_id, call_id), "")

    async def close(self) -> None:
        tasks = tuple(self._background)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _fits(hook: CommandHook, names: Iterable[str], fields: JsonObject, directory: Path) -> bool:
    """Return whether the condition of the hook holds for the tool call in the fields."""
    if not hook.condition:
        return True
    from placet.extensions.command_hooks.condition import read_condition

    condition, arguments = read_condition(hook.condition), fields.get("tool_input")
    return condition is None or condition.holds(names, arguments if isinstance(arguments, dict) else {}, directory)


NO_COMMAND_HOOKS = CommandHooks()
"""Command hooks for code without hooks."""
