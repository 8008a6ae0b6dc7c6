"""Origin and limits of a session that works for the user or for another session's agent."""

from typing import TYPE_CHECKING

from msgspec import Struct

from placet.agent.turn.doom_loop import LoopWatch
from placet.core.effort import Effort
from placet.permissions.rules import Rule

if TYPE_CHECKING:
    from placet.sessions.worktrees.isolation import Isolation


class Delegation(Struct, frozen=True):
    """The employers of a session, and the limits from the employers."""

    origin: tuple[str, ...] = ()
    """The agents from the user's own down to this agent; empty for the user's own."""
    limits: tuple[Rule, ...] = ()
    """Rules that bind the session beyond the agent's own rules."""
    family: str = ""
    """Session at the top of the employers, with which the session shares outputs; empty for the user's own."""
    isolation: "Isolation | None" = None
    """Worktree in which the session works; None in the user's own tree."""
    watch: LoopWatch | None = None
    """Doom loop watch of the turn for which the session works."""
    effort: Effort | None = None
    """Effort of the command that the session carries out as a subtask."""
