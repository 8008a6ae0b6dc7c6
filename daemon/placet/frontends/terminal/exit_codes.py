"""Ends of a turn: exit codes of `placet run`, for scripts, and words, for people."""

from collections.abc import Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, assert_never

if TYPE_CHECKING:
    from placet.core.messages import StopReason
    from placet.sessions.session import TurnResult


class ExitCode(IntEnum):
    DONE = 0
    """The turn ended by itself."""
    FAILED = 1
    """The model, its provider or Placet failed, or no answer fitted the schema; the message says which."""
    USAGE = 2
    """The command line or a setting cannot be used."""
    NEEDS_PERMISSION = 3
    """A question had to be asked, and nobody was present to answer."""
    REJECTED = 4
    """The user said no, or the model declined, as the built-in planner does with all that it cannot do."""
    LIMIT = 5
    """The limit of steps, cost or time was reached."""
    CANCELLED = 130
    """Ctrl-C, SIGTERM or SIGHUP."""
    PIPE_CLOSED = 141
    """The reader of stdout has gone; a shell reports the same code for a program ended by SIGPIPE."""


STOP_TEXTS: Mapping["StopReason", str] = {
    "cancelled": "the turn was stopped",
    "max_steps": "the turn was stopped at its limit of steps",
    "refused": "the model declined",
    "rejected": "the turn was stopped, because you rejected a request",
    "error": "the turn failed",
}
"""Words for a turn that did not end by itself."""


def exit_code(result: "TurnResult") -> ExitCode:
    """Return the exit code for the end of a turn."""
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
            return ExitCode.LIMIT if result.error is not None and result.error.code == "cost_cap" else ExitCode.FAILED
        case _:
            assert_never(result.stop_reason)
