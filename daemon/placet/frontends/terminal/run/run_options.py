"""Define the options of `placet run`, `placet undo` and `placet redo`."""

from pathlib import Path
from typing import Literal

from msgspec import Struct

from placet.core.effort import Effort
from placet.settings.profile import ProfileChoice
from placet.settings.review_modes import ReviewMode

Asking = Literal["terminal", "wait", "fail", "deny", "allow"]
"""Policy for permission requests and questions.

`terminal`: ask the user at the terminal; `wait`: wait for an answer from another terminal; `fail`: end the run; `deny`:
fail the call, and the model goes on; `allow`: allow the call, or fail a call that only a rule or a person allows.
"""

GOES_ON: frozenset[Asking] = frozenset(("deny", "allow"))
"""Policies under which the model goes on after a call that nobody answered."""


class RunOptions(Struct, frozen=True):
    """Options of a command line."""

    cwd: Path
    words: str = ""
    """Prompt as an argument; `-` for the text of stdin."""
    file: Path | None = None
    """Prompt as a file; `-` for the text of stdin."""
    attach: tuple[Path, ...] = ()
    literal: bool = False
    """Whether the prompt is text alone, without mentions and commands."""
    model: str | None = None
    agent: str | None = None
    effort: Effort | None = None
    """Effort of thinking; None: as the session, the agent or the settings say."""
    profile: ProfileChoice | None = None
    """How much is asked of the model; None: as the session or the settings say."""
    allow: tuple[str, ...] = ()
    """Permissions to allow, each `permission` or `permission:pattern`."""
    asking: Asking | None = None
    """Policy; None: ask at the terminal if stdin and stderr are terminals, else end the run."""
    review: ReviewMode | None = None
    """Way of reviewing changes; None: as the settings say."""
    json: bool = False
    quiet: bool = False
    output_schema: Path | None = None
    max_steps: int | None = None
    max_cost: float | None = None
    """Highest cost, in US dollars."""
    timeout_seconds: float | None = None
    continue_last: bool = False
    session_id: str | None = None
    fork: bool = False
    worktree: str | None = None
    """Name of the worktree in which to run; "" for a new worktree, None for the directory itself."""
    takes_changes: bool = False
    """Whether a new worktree begins with the uncommitted changes of the directory."""

    @property
    def bare(self) -> bool:
        """True if stdout is for the answer alone."""
        return self.quiet or (self.output_schema is not None and not self.json)
