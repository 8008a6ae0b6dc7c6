"""Names of the commands of the ACP front end, as the client lists the names. Imports no code of the commands."""

from collections.abc import Iterable, Sequence

from placet.agent.commands.front_end_commands import commands_in
from placet.agent.commands.template import CommandCall, call_in
from placet.core.events import AvailableCommand
from placet.core.messages import Part, TextPart
from placet.core.visible_text import one_line

COMMANDS = tuple(command.available for command in commands_in("acp"))
_NAMES = frozenset(command.name for command in COMMANDS)


def with_own_commands(commands: Iterable[AvailableCommand]) -> tuple[AvailableCommand, ...]:
    """Return the commands of a session and the commands of the front end, which take the names that both have."""
    return (*COMMANDS, *(command for command in commands if command.name not in _NAMES))


def hidden_words(commands: Iterable[AvailableCommand]) -> list[str]:
    """Return words about each command that cannot be called here, because the front end has a command of the name."""
    return [
        f"Your command `/{command.name}` ({one_line(command.source)}) cannot be called here: `/{command.name}` is a "
        "command of Placet. Choose another name."
        for command in commands
        if command.name in _NAMES
    ]


def own_call(parts: Sequence[Part]) -> CommandCall | None:
    """Return the call of a command of the front end; None for a prompt to the model."""
    match parts:
        case [TextPart(text=text, synthetic=False)]:
            call = call_in(text.rstrip())
            return call if call is not None and call.name in _NAMES else None
        case _:
            return None
