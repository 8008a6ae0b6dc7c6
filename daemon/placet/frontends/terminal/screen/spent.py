"""Words about what a run took. Pure."""

from placet.auth.subscriptions.names import COVERED, is_covered
from placet.core.messages import Tokens
from placet.sessions.store.usage import dollars


def seconds(milliseconds: int) -> str:
    """Return a duration for the eye: `0.4 s`, `12 s`, `2 min 5 s`."""
    if milliseconds < 9_950:
        return f"{milliseconds / 1000:.1f} s"
    whole = round(milliseconds / 1000)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"


def closing_line(duration_ms: int, tokens: Tokens, cost: float, session_id: str | None, *, model: str = "") -> str:
    """Return the last line of a run: time, tokens, cost and session; the model is the model of the session."""
    words = [seconds(duration_ms), f"{tokens.total:,} tokens"]
    words += [dollars(cost)] if cost else [COVERED] if is_covered(model) else []
    words += [f"session {session_id}"] if session_id else []
    return " · ".join(words)
