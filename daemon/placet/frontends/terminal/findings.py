"""One thing that `placet doctor` has looked at."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    about: str
    state: Literal["fine", "note", "problem"]
    """A note is nothing that has to be mended."""
    told: str
    advice: str = ""
    """What to do."""


def problem(about: str, told: str, advice: str) -> Finding:
    """Something that does not work."""
    return Finding(about, "problem", told, advice)
