"""Names of the commands of the interactive session. Pure."""

from placet.core.events import AvailableCommand

COMMANDS = tuple(
    AvailableCommand(name=name, description=description, argument_hint=hint, source="Placet")
    for name, description, hint in (
        ("help", "Show the commands and keys", None),
        ("model", "Show or choose the model", "[NAME]"),
        ("favourite", "Mark a model as a favourite, or remove the mark", "[NAME]"),
        ("agent", "Show or choose the agent", "[NAME]"),
        ("effort", "Show or choose how much the model thinks", "[LEVEL]"),
        ("profile", "Show or choose how much is asked of the model", "[PROFILE]"),
        ("review-mode", "Show or choose when you decide on changes", "[MODE]"),
        ("review", "Decide on the changes; with words, the model reviews", None),
        ("undo", "Undo the file changes of the last turn", None),
        ("redo", "Redo the changes of the last undo", None),
        ("sessions", "List the sessions, or continue a session", "[NUMBER|ID]"),
        ("continue", "Continue the last session of this directory", None),
        ("new", "Begin a new session", None),
        ("compact", "Summarize the conversation to free space in the context", None),
    )
)
NAMES = frozenset(command.name for command in COMMANDS)
KEYS = """\
  Enter            send; steer while the agent works
  Alt-Enter        new line (also Ctrl-J, or a backslash before Enter)
  Tab              complete @file, @symbol and /command
  Up, Ctrl-R       earlier prompts
  Ctrl-C           clear the line, else stop the turn; twice: leave
  Ctrl-D           leave"""


def help_text() -> str:
    """Return the commands and keys."""
    width = max(len(f"/{command.name} {command.argument_hint or ''}") for command in COMMANDS)
    rows = [
        f"  {f'/{command.name} {command.argument_hint or str()}':{width}}  {command.description}"
        for command in COMMANDS
    ]
    return "\n".join([*rows, f"  {'/exit':{width}}  Leave", "", KEYS])
