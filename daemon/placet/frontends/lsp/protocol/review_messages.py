"""Messages of `agent/review/*`: the change set of a session, and the user's decisions."""

from typing import Literal

from placet.core.hunks import Hunk
from placet.core.messages import Value


class ListStaged(Value):
    """List the staged files of a session and its subagents: proposed, and not yet written. Files that the session
    staged first come first.
    """

    session_id: str
    contents: bool = False
    """Add the texts of the files before and after."""


class StagedFile(Value):
    uri: str
    """File as the session knows the file: the destination of a rename."""
    kind: Literal["create", "modify", "delete", "rename"]
    old_uri: str | None = None
    """Present file of a rename."""
    version: str
    """Digest of the shown change, which a decision names."""
    additions: int = 0
    deletions: int = 0
    hunks: tuple[Hunk, ...] = ()
    """Hunks against the present document, which holds what the user has typed meanwhile; lines with LF line ends."""
    diff: str = ""
    """Unified diff, from the present document to the staged text."""
    conflict: str | None = None
    """Reason why the change does not fit the present document: the file can be rejected, or accepted with a text of the
    user's own. Such a file has no hunks.
    """
    old_text: str | None = None
    """Text of the present document, with LF line ends, with `contents`; empty for a missing file."""
    new_text: str | None = None
    """Staged text, with `contents`; in a conflict without the user's typing."""


class StagedFiles(Value):
    files: tuple[StagedFile, ...]


class StagedDecision(Value):
    """Decision about a staged file, or about some of its hunks; several decisions may name one file."""

    uri: str
    version: str
    """Version of the file in the list on which the user decided."""
    outcome: Literal["accept", "reject"]
    hunks: tuple[int, ...] | None = None
    """Ids of the hunks; the whole file, if absent. Hunks without a decision stay staged."""
    text: str | None = None
    """Text of the user in place of the staged text, with `accept` of a whole file."""
    comment: str = ""
    """Words of the user for the model."""


class DecideStaged(Value):
    """Accept or reject staged changes. Accepted parts are written like any change; the session's model is told of the
    decisions with its next step.
    """

    session_id: str
    decisions: tuple[StagedDecision, ...]


class DecidedFile(Value):
    uri: str
    status: Literal["written", "rejected", "moved", "conflict", "failed"]
    """`moved`: the file or the proposal has changed since the user looked, and nothing was done. `failed`: the accepted
    part could not be written, and is still staged.
    """
    reason: str | None = None


class DecidedFiles(Value):
    files: tuple[DecidedFile, ...]
