"""Messages of `agent/review/*`: the change set of a session, and the user's decisions."""

from typing import Literal

from placet.core.errors import RequestError
from placet.core.hunks import Decision, Hunk
from placet.core.messages import Value
from placet.project.paths import from_uri


class ListStaged(Value):
    """List the change set of a session and its subagents: staged files, proposed and not yet written, and unreviewed
    files, written and not yet kept or undone. Files that joined the set first come first.
    """

    session_id: str
    contents: bool = False
    """Add the texts of the files before and after, and the diffs."""


class StagedFile(Value):
    """File of a change set."""

    uri: str
    """File as the session knows the file: the destination of a rename."""
    kind: Literal["create", "modify", "delete", "rename"]
    state: Literal["staged", "unreviewed"]
    """`staged`: the change is proposed, and the old side of the hunks is the present document. `unreviewed`: the change
    is written, the new side of the hunks is the present document, and the old side is the text without the change.
    """
    waits: str | None = None
    """Id of the change of a call that waits for the decisions about its staged files; `changeId` of the permission
    request. The decision about the last file ends the call and the request, and an answer to the request decides about
    all files of the call.
    """
    old_uri: str | None = None
    """Path of a renamed file before the rename."""
    version: str
    """Digest of the shown change, which a decision names."""
    additions: int = 0
    deletions: int = 0
    hunks: tuple[Hunk, ...] = ()
    """Hunks of the change; both sides hold what the user has typed meanwhile. Lines have LF line ends.

    A hunk with `baseLines` is in conflict. To accept the hunk puts the proposed lines in place of the user's, to reject
    the hunk keeps the user's lines, and to accept the whole file leaves the hunk undecided.
    """
    permissions: str | None = None
    """New permissions of the file: `executable`, or the bits in octal digits. A staged file is written with these
    permissions; the permissions of an unreviewed file are undone with the whole file.
    """
    description: str | None = None
    """Words about the content of a file that is no text: `binary file, 12 bytes, …`, `symbolic link to x`. Such a file
    has no hunks, and the user decides about the whole file. In a conflict, the file can only be rejected.
    """
    conflict: str | None = None
    """Reason why a staged change does not fit the present document as a whole: a file that is gone, or there already,
    or changed where it was to be deleted. The file can be rejected, or accepted with a text of the user's own, and has
    no hunks. A conflict about lines is a conflict of a hunk (`baseLines`). An unreviewed file is in conflict only if
    the file is no text by now, and can be kept: lines of the change that the user has changed since are the user's own,
    and belong to no hunk.
    """
    old_text: str | None = None
    """Text of the old side, with LF line ends, with `contents`; empty for a missing file."""
    new_text: str | None = None
    """Text of the new side, with `contents`; in a conflict without the user's typing."""
    both_texts: str | None = None
    """For a staged file with conflicts, with `contents`: the text of the new side, with the lines that both have
    changed between conflict markers as git writes the markers (`<<<<<<<`). A text with which the user begins to settle
    the conflicts.
    """
    diff: str | None = None
    """Unified diff of the change, with `contents`; empty in a conflict."""


class StagedFiles(Value):
    files: tuple[StagedFile, ...]


class StagedDecision(Value):
    """Decision about a file of the change set, or about some of its hunks; several decisions may name one file."""

    uri: str
    version: str
    """Version of the file in the list on which the user decided."""
    outcome: Literal["accept", "reject", "comment"]
    """`accept` writes a staged change, and keeps an unreviewed change. `reject` takes a staged change out of the set,
    and undoes an unreviewed change. `comment` decides nothing, and the model is told the comment.
    """
    hunks: tuple[int, ...] | None = None
    """Ids of the hunks; the whole file without the hunks in conflict, if absent. Hunks without a decision stay in the
    set.
    """
    text: str | None = None
    """Text of the user, with `accept` of a whole file or of one hunk: in place of the new text of the file, or in
    place of the new lines of the hunk. The text of a staged hunk is written, and the text of an unreviewed hunk
    replaces the hunk's lines in the document.
    """
    comment: str = ""
    """Words of the user for the model."""


def read_decision(decision: StagedDecision) -> Decision:
    """Return the decision. Raises RequestError for a URI that names no file, and for a text of any other part than a
    file or a hunk, and for an empty comment.
    """
    place = from_uri(decision.uri)
    if place is None:
        raise RequestError(f"{decision.uri} is not the URI of a file.")
    is_of_some_hunks = decision.hunks is not None and len(decision.hunks) != 1
    if decision.text is not None and (decision.outcome != "accept" or is_of_some_hunks):
        raise RequestError(f"{decision.uri}: a text of the user's own accepts a whole file or one hunk.")
    if decision.outcome == "comment" and not decision.comment:
        raise RequestError(f"{decision.uri}: the comment is empty.")
    hunks = None if decision.hunks is None else frozenset(decision.hunks)
    return Decision(place, decision.version, decision.outcome, hunks, decision.text, decision.comment)


class DecideStaged(Value):
    """Accept or reject changes of the set, or comment on changes. Accepted parts of staged files and undone parts of
    unreviewed files are written like any change; the session's model is told of rejections, of written parts and of
    comments with its next step. Where another process is at work in the session, that process carries the decisions
    out; if that process ends meanwhile, the error says that the outcome is unknown.
    """

    session_id: str
    decisions: tuple[StagedDecision, ...]


class DecidedFile(Value):
    uri: str
    status: Literal["written", "rejected", "kept", "undone", "commented", "moved", "conflict", "failed"]
    """`written` and `rejected` are outcomes of a staged file, `kept` and `undone` of an unreviewed file (`undone` as
    soon as any hunk was undone). `commented`: nothing was decided. `moved`: the file or the change is another since the
    user looked, and nothing was done. `failed`: the decided part, or the share of a later turn in the part, could not
    be written, and is still in the set; the reason says what was done.
    """
    reason: str | None = None


class DecidedFiles(Value):
    files: tuple[DecidedFile, ...]
