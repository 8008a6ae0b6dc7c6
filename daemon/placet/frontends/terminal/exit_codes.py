"""What `placet run` exits with, for scripts."""

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placet.sessions.session import TurnResult


class ExitCode(IntEnum):
    DONE = 0
    """The turn ended by itself."""
    FAILED = 1
    """The model, its provider or Placet failed; the message says which."""
    USAGE = 2
    """The command line or a setting cannot be used."""
    NEEDS_PERMISSION = 3
    """Something had to be asked and there was nobody to ask."""
    REJECTED = 4
    """The user said no, or the model declined."""
    LIMIT = 5
    """The step limit was reached."""
    CANCELLED = 130
    """Ctrl-C."""


def exit_code(result: "TurnResult") -> ExitCode:
    """The code for a turn's end."""
    match result.stop_reason:
        case "end_turn":
            return ExitCode.DONE
        case "cancelled":
            return ExitCode.CANCELLED
        case "max_steps":
            return ExitCode.LIMIT
        case "rejected" | "refused":
            return ExitCode.REJECTED
        case "error":
            return ExitCode.FAILED
