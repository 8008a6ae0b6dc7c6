"""Messages of `agent/worktree/*`: git worktrees in which sessions work apart from the opened folders."""

from typing import Literal

from placet.core.messages import Value
from placet.sessions.store.records import SessionInfo


class ListWorktrees(Value):
    """List the worktrees of Placet of the open folders' repositories, with the sessions in each worktree."""


class WorktreeSession(Value):
    session: SessionInfo
    state: Literal["works", "waits", "done"]
    """`works`: a turn runs, in whatever window. `waits`: a permission request or a question waits for the user."""


class WorktreeSubagent(Value):
    """Subagent for which the worktree was made."""

    agent: str
    session: str
    """Session that called the agent."""
    is_at_work: bool
    """False once the subagent has left the worktree: its work failed, was cancelled, or its process died."""


class WorktreeInfo(Value):
    name: str
    uri: str
    """Directory of the worktree."""
    repository: str
    """Folder from which the worktree was made, and to which changes are brought back."""
    branch: str
    state: Literal["unchanged", "changed", "brought back", "directory gone", "repository gone"]
    """`changed`: files differ from the beginning of the worktree, and were not brought back: a removal loses work."""
    changed_files: int = 0
    port: int
    """First of the worktree's 20 ports."""
    created: int
    """Milliseconds since the epoch."""
    is_here: bool | None = None
    """True for a worktree that is an open folder."""
    subagent: WorktreeSubagent | None = None
    """Absent for a worktree of the user."""
    sessions: tuple[WorktreeSession, ...] = ()
    """Sessions in the worktree, the last used session first."""


class WorktreeList(Value):
    worktrees: tuple[WorktreeInfo, ...]


class CreateWorktree(Value):
    """Make a worktree of the first open folder's repository, on a branch of its own.

    The open folder stays as it is. The editor opens the worktree's directory in a window of its own for sessions there.
    """

    name: str | None = None
    """Name, of letters, digits, `-` and `_`; the first free `work-N`, if not set. The branch is `placet/NAME`."""
    takes_changes: bool = False
    """Begin the worktree with the uncommitted changes of the folder too, untracked files included."""


class CreatedWorktree(Value):
    worktree: WorktreeInfo
    takes_changes: bool
    """Whether uncommitted changes were taken along."""
    copied_files: int
    """Number of ignored files that were copied, as `.worktreeinclude` names them."""
    left_out: tuple[str, ...] = ()
    """Named files that were not copied, each with the reason."""
    has_setup: bool = False
    """Whether the settings have a command for new worktrees. The command has not run: `placet worktree setup NAME` asks
    the user in a terminal, and runs the command.
    """


class BringWorktreeBack(Value):
    """Stage the changes of a worktree in a new session of the open folder, merged with the present files; or commit the
    changes on the worktree's branch. Nothing is written in the open folder before the user's review.
    """

    name: str
    branch: bool = False
    """Commit what is uncommitted, and stage nothing."""
    message: str | None = None
    """Message of the commit."""


class BroughtBack(Value):
    session: SessionInfo | None = None
    """Session with the staged changes; absent if nothing was to bring back."""
    files: int = 0
    """Number of files to review."""
    conflicts: tuple[str, ...] = ()
    """Files in which both sides have changed the same lines."""
    left_out: tuple[str, ...] = ()
    """Changed files that are not staged, each with the reason."""
    branch: str | None = None
    """Branch with the committed changes."""


class RemoveWorktree(Value):
    """Remove a worktree, and its branch unless the branch has commits of its own."""

    name: str
    force: bool = False
    """Remove changes that were not brought back too: the user has said so."""


class RemovedWorktree(Value):
    kept_branch: str | None = None
    """Branch that stays, as its commits are nowhere else."""
