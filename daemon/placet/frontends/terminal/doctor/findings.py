"""Define a finding of `placet doctor`."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    about: str
    state: Literal["fine", "note", "problem"]
    """State of the subject; a note needs no repair."""
    told: str
    advice: str = ""
    """Advice for the user."""


def problem(about: str, text: str, advice: str) -> Finding:
    """Return a finding about a problem."""
    return Finding(about, "problem", text, advice)
