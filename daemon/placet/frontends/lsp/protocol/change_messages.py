"""`agent/changes`: what a session has done to files, what it proposes, and what the user left out."""

from typing import Literal

from placet.core.events import HunkOfChange
from placet.core.messages import Value

PartState = Literal["proposed", "kept", "dropped", "reverted"]


class ListChanges(Value):
    """Every change of a session, oldest first, with its hunks and state; last what waits for the user's answer.

    Those of its subagents are among them: at the message that had them work, with the subagent's session as `madeIn`
    and its name as `agent`.
    """

    session_id: str
    change_ids: tuple[str, ...] | None = None
    """Only these."""
    contents: bool = False
    """With the texts of the files before and after, as far as they are not too much."""


class ListedHunk(HunkOfChange):
    """A run of changed lines, and what became of it; the lines of a file with LF line ends."""

    state: PartState
    """`dropped`: the user left it out. `reverted`: it was undone."""


class ListedFile(Value):
    uri: str
    kind: Literal["create", "modify", "delete", "rename"]
    new_uri: str | None = None
    state: PartState | None = None
    """`dropped`: nothing of the file was allowed. Absent for a change that failed, and for an undo."""
    reverted: bool | None = None
    """True for a file that was undone alone, whose change stands."""
    edited: bool | None = None
    """True where the user put another text in place of the proposed one."""
    additions: int | None = None
    """Lines, of what was done; of what was dropped for a file of which nothing was allowed. Absent, as the hunks are,
    where the file is no text or too large to be compared."""
    deletions: int | None = None
    hunks: tuple[ListedHunk, ...] | None = None
    """In the order of their places. `oldStart` is a line of the text before, also for hunks that were dropped."""
    old_text: str | None = None
    """With `contents`: the text before and after with LF line ends, empty where there was or is no file."""
    new_text: str | None = None


class ListedChange(Value):
    id: str
    turn_id: str | None = None
    message_id: str | None = None
    call_id: str | None = None
    made_in: str | None = None
    """The subagent's session that made it."""
    agent: str | None = None
    kind: Literal["edit", "command", "undo"]
    state: Literal["proposed", "planned", "applied", "failed", "reverted", "refused", "unsure"]
    """`planned`: being applied. `refused`: nothing of it was allowed. `unsure`: the editor has not answered yet."""
    request_id: str | None = None
    """Of what is `proposed`: the permission request that waits, which `agent/permission/pending` shows again."""
    title: str | None = None
    """Of what is `proposed`."""
    undoes: tuple[str, ...] = ()
    """For an undo: the changes it takes back."""
    created: int | None = None
    """In milliseconds since the epoch; absent for what is `proposed`."""
    files: tuple[ListedFile, ...]


class DidPutIn(Value):
    """The user has put into a file, by the editor's own edit, what they had left out of a change. The model is told so
    beside the next prompt."""

    session_id: str
    change_id: str
    uri: str
    """The file as `agent/changes` lists it."""
    hunks: tuple[int, ...]
    """The ids of those, as `agent/changes` lists them."""


class ChangeList(Value):
    changes: tuple[ListedChange, ...]
