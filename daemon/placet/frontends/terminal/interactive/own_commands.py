"""Names of the commands of the interactive session. Pure."""

from placet.agent.commands.front_end_commands import commands_in

COMMANDS = tuple(command.available for command in commands_in("terminal"))
NAMES = frozenset(command.name for command in COMMANDS)
KEYS = """\
  Enter            send; steer while the agent works
  Alt-Enter        new line (also Ctrl-J, or a backslash before Enter)
  Tab              complete @file, @symbol and /command
  Up, Ctrl-R       earlier prompts
  Esc              close the list, else stop the turn
  Ctrl-C           clear the line, else stop the turn; twice: leave
  Ctrl-Z           suspend; fg in the shell goes on
  Ctrl-D           leave"""


def help_text() -> str:
    """Return the commands and keys."""
    width = max(len(f"/{command.name} {command.argument_hint or ''}") for command in COMMANDS)
    rows = [
        f"  {f'/{command.name} {command.argument_hint or str()}':{width}}  {command.description}"
        for command in COMMANDS
    ]
    return "\n".join([*rows, f"  {'/exit':{width}}  Leave", "", KEYS])
