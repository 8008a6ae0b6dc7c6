"""Process of one command hook: JSON on the input, an exit code, and two outputs, within a time limit."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from placet.core.errors import PlacetError
from placet.core.values import replace
from placet.extensions.command_hooks.outcome import HookEnding
from placet.extensions.command_hooks.table import CommandHook
from placet.project.processes.child import Command, LastWords, ManagedChild
from placet.sandbox.environment import MARKER
from placet.sandbox.programs import Contain
from placet.tools.shell.program import command_in, shell_command, shell_environment

MOST_BYTES = 1_000_000
"""Size of the output that is kept."""
_DRAIN_SECONDS = 0.5
"""Time for output that is still in the pipe after the exit; a child left in the background may hold the pipe open."""
_GRACE_SECONDS = 1.0
_READ_BYTES = 64 * 1024


async def run_hook(hook: CommandHook, input: bytes, directory: Path, project: Path, contain: Contain) -> HookEnding:
    """Run the hook's command in `directory` and return the ending. Never raises for a fault of the hook."""
    environment = {**shell_environment(os.environ), "CLAUDE_PROJECT_DIR": str(project), **hook.owner.variables}
    variables = {"CLAUDE_PROJECT_DIR": str(project), **hook.owner.variables}
    try:
        async with contain(Command(_words(hook, variables), directory, environment)) as command:
            return replace(await _run(hook, command, input), is_contained=MARKER in command.environment)
    except (OSError, PlacetError) as error:
        return HookEnding(None, problem=f"could not run: {error}")


def _words(hook: CommandHook, variables: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words of the process; without a shell, references to the variables are replaced here.

    Raises ToolError without the shell.
    """
    if hook.arguments is None:
        return shell_command(hook.command) if not hook.shell else command_in(hook.shell, hook.command)
    return tuple(_expanded(word, variables) for word in (hook.command, *hook.arguments))


def _expanded(word: str, variables: Mapping[str, str]) -> str:
    for name, value in variables.items():
        word = word.replace(f"${{{name}}}", value)
    return word


async def _run(hook: CommandHook, command: Command, input: bytes) -> HookEnding:
    words = LastWords()
    child = await ManagedChild.start_program(command, words)
    output = bytearray()
    try:
        async with asyncio.timeout(hook.timeout_seconds):
            code = await _talk(child, input, output)
        await child.hear_last_words()
        return HookEnding(code, output.decode("utf-8", "replace"), words.tail.decode("utf-8", "replace"))
    except TimeoutError:
        return HookEnding(None, problem=f"took longer than {hook.timeout_seconds:g} seconds")
    finally:
        if child.exit_code is None:
            await child.end(request_seconds=_GRACE_SECONDS)
        else:
            child.let_go()


async def _talk(child: ManagedChild, input: bytes, output: bytearray) -> int:
    """Give the child its input and collect its output until the exit; return the exit code."""
    tasks = (asyncio.create_task(_write(child, input)), asyncio.create_task(_read(child, output)))
    try:
        code = await child.wait()
        await asyncio.wait(tasks, timeout=_DRAIN_SECONDS)
        return code
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _write(child: ManagedChild, input: bytes) -> None:
    with suppress(OSError):  # A hook may end without reading.
        child.stdin.write(input)
        await child.stdin.drain()
    child.stdin.close()


async def _read(child: ManagedChild, output: bytearray) -> None:
    while data := await child.stdout.read(_READ_BYTES):
        output += data[: MOST_BYTES - len(output)]
