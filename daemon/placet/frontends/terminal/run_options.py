"""What the command line of `placet run`, `placet undo` and `placet redo` says."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Asking = Literal["terminal", "wait", "fail", "deny", "allow"]
"""What becomes of what must be asked: the user is asked at the terminal; it waits for an answer from another one; the
run ends; the call fails and the model goes on without it; or it is done."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """One command line."""

    cwd: Path
    words: str = ""
    """The prompt as an argument; `-` for what stdin has."""
    file: Path | None = None
    """The prompt as a file; `-` for what stdin has."""
    attach: tuple[Path, ...] = ()
    model: str | None = None
    agent: str | None = None
    allow: tuple[str, ...] = ()
    """`permission` or `permission:pattern`."""
    asking: Asking | None = None
    """None: at the terminal if there is one, else the run ends."""
    json: bool = False
    quiet: bool = False
    output_schema: Path | None = None
    max_steps: int | None = None
    max_cost: float | None = None
    """US dollars."""
    timeout_seconds: float | None = None
    continue_last: bool = False
    session_id: str | None = None
    fork: bool = False

    @property
    def bare(self) -> bool:
        """Whether stdout is for the answer alone."""
        return self.quiet or (self.output_schema is not None and not self.json)
