"""Messages of `agent/changes` and `agent/didPutIn`: a session's applied, proposed and rejected changes of files."""

from dataclasses import dataclass, field
from typing import Literal

from placet.core.hunks import Hunk
from placet.core.messages import Value

PartState = Literal["proposed", "kept", "dropped", "reverted"]


class ListChanges(Value):
    """List the changes of a session with hunks and states, oldest first; changes pending for the user's answer come
    last.

    Changes of subagents stand at the message that started the subagent, with the subagent's session as `madeIn` and the
    subagent's name as `agent`.
    """

    session_id: str
    change_ids: tuple[str, ...] | None = None
    """Ids of the changes to list; all changes, if absent."""
    contents: bool = False
    """Add the texts of the files before and after, unless the texts are too large."""


@dataclass(frozen=True, slots=True)
class ListedHunk(Hunk):
    """Run of changed lines with its state; lines of a file with LF line ends."""

    state: PartState = field(kw_only=True)
    """`dropped`: rejected by the user. `reverted`: undone."""


class ListedFile(Value):
    uri: str
    kind: Literal["create", "modify", "delete", "rename"]
    new_uri: str | None = None
    state: PartState | None = None
    """`dropped`: the user rejected the whole file. Absent for a failed change, and for an undo."""
    reverted: bool | None = None
    """True for a file that was undone alone, while the rest of the change stands."""
    edited: bool | None = None
    """True for a file with the user's own text in place of the proposed text."""
    additions: int | None = None
    """Number of added lines; for a wholly rejected file, number of lines in the rejected hunks. Absent, like the hunks,
    for a file that is no text or too large for a diff.
    """
    deletions: int | None = None
    hunks: tuple[ListedHunk, ...] | None = None
    """Hunks in the order of their lines. `oldStart` is a line of the text before, also for rejected hunks."""
    old_text: str | None = None
    """Text before and after with LF line ends, with `contents`; empty for a missing file."""
    new_text: str | None = None


class ListedChange(Value):
    id: str
    turn_id: str | None = None
    message_id: str | None = None
    call_id: str | None = None
    made_in: str | None = None
    """Subagent's session that made the change."""
    agent: str | None = None
    kind: Literal["edit", "command", "undo"]
    state: Literal["proposed", "planned", "applied", "failed", "reverted", "refused", "unsure"]
    """`planned`: being applied. `refused`: rejected as a whole. `unsure`: the editor has not answered yet."""
    allowed_by: Literal["user", "rule"] | None = None
    """`user`: the user accepted the change. `rule`: a rule, an earlier answer or a plugin allowed the change, and
    nobody was asked. Absent for a change by a command, and for a change that was written before its review.
    """
    request_id: str | None = None
    """Permission request of a `proposed` change, which `agent/permission/pending` shows again."""
    title: str | None = None
    """Title of a `proposed` change."""
    undoes: tuple[str, ...] = ()
    """Changes that an undo took back."""
    created: int | None = None
    """Time of the change in milliseconds since the epoch; absent for a `proposed` change."""
    files: tuple[ListedFile, ...]


class DidPutIn(Value):
    """Tell the daemon that the user has put rejected hunks into a file after all, by an edit of the editor. The model
    is told beside the next prompt.
    """

    session_id: str
    change_id: str
    uri: str
    """URI of the file in `agent/changes`."""
    hunks: tuple[int, ...]
    """Ids of the hunks in `agent/changes`."""


class ChangeList(Value):
    changes: tuple[ListedChange, ...]
