"""For whom a session works: the user, or another session's agent."""

from dataclasses import dataclass

from placet.agent.doom_loop import LoopWatch
from placet.permissions.rules import Rule


@dataclass(frozen=True, slots=True)
class Standing:
    """For whom a session works."""

    origin: tuple[str, ...] = ()
    """The agents from the user's own down to this one; empty for the user's own."""
    limits: tuple[Rule, ...] = ()
    """What binds it beyond its own rules."""
    family: str = ""
    """The session at the top of those it works for, with which it shares outputs; empty for the user's own."""
    watch: LoopWatch | None = None
    """Of the turn it works for."""
