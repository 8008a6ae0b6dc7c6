"""Overview of a session's changes for a screen: each file with the hunks, and the outcome of each hunk."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from placet.changes.journal.journal import Journal
from placet.changes.journal.records import FileRecord
from placet.changes.journal.rejections import RejectedPart, Rejection
from placet.core.executor import in_thread
from placet.core.hunks import Hunk, hunk_data
from placet.core.messages import JsonObject
from placet.core.ports import PermissionRequest
from placet.core.values import replace
from placet.text.diff import count_lines, make_hunks
from placet.text.lines import to_lf

MOST_COMPARED_CHARACTERS = 20_000_000
"""Most characters, in all listed files, for which lines are compared."""
LONGEST_CONTENT = 1_000_000
MOST_CONTENT = 8_000_000
"""Most characters of all texts in the result; LONGEST_CONTENT limits one text."""


@dataclass(slots=True)
class _Allowance:
    """Remaining allowance of characters to compare and to return."""

    compared: int
    contents: int

    def compares(self, *texts: str) -> bool:
        """Take the texts from the allowance of compared characters; return False if the allowance is used up."""
        self.compared -= sum(map(len, texts))
        return self.compared >= 0

    def returns(self, *texts: str) -> bool:
        """Take the texts from the allowance of returned characters; return False if the texts must be left out."""
        if self.contents <= 0 or max(map(len, texts)) > LONGEST_CONTENT:
            return False
        self.contents -= sum(map(len, texts))
        return self.contents >= 0


async def overview(
    journal: Journal, session_id: str, *, change_ids: Collection[str] | None = None, contents: bool = False
) -> list[JsonObject]:
    """Return the changes of the session and its subagents, oldest first, as agent/changes returns changes; with
    `contents` also the files' texts.

    The latest changes are processed first, so the limits cut off the oldest.
    """
    described = [
        change for change in await journal.describe(session_id) if change_ids is None or change["id"] in change_ids
    ]
    rejections = await journal.rejections(session_id)
    allowance = _Allowance(MOST_COMPARED_CHARACTERS, MOST_CONTENT if contents else 0)
    for change in reversed(described):
        if change["kind"] != "undo" and change["state"] in ("applied", "reverted"):
            records = await journal.files(change["id"]) if allowance.compared > 0 else ()
            await in_thread(_fill, change, records, rejections.pop(change["id"], None), allowance)
    listed = (rejection for rejection in rejections.values() if change_ids is None or rejection.change_id in change_ids)
    return sorted(
        [*described, *(_rejected(rejection, session_id) for rejection in listed)],
        key=lambda change: change["created"],
    )


def proposed(
    requests: Iterable[PermissionRequest],
    session_id: str,
    turns: Mapping[str, str],
    *,
    change_ids: Collection[str] | None = None,
    contents: bool = False,
) -> list[JsonObject]:
    """Return the changes waiting for the user's answer, in the same form; `turns` maps each message of the session to
    the turn.
    """
    allowance = _Allowance(MOST_COMPARED_CHARACTERS, MOST_CONTENT if contents else 0)
    listed: list[JsonObject] = []
    for request in requests:
        change = request.change
        if change is None or (change_ids is not None and change.id not in change_ids):
            continue
        files = [
            _file(file.path, file.kind, file.new_path, "proposed")
            | hunks_and_counts(file.hunks, "proposed")
            | _contents(file.old_text, file.new_text, allowance)
            for file in change.files
        ]
        place: JsonObject = {"messageId": request.message_id, "callId": request.call_id}
        if request.session_id != session_id:
            place = {"madeIn": request.session_id, "agent": (request.origin or ("",))[-1]}
        elif (turn_id := turns.get(request.message_id)) is not None:
            place["turnId"] = turn_id
        listed.append(
            {"id": change.id, **place, "kind": "edit", "state": "proposed", "requestId": request.id}
            | {"title": request.title, "files": files}
        )
    return listed


def _fill(
    change: JsonObject, records: Sequence[FileRecord], rejection: Rejection | None, allowance: _Allowance
) -> None:
    """Give each file of the change its hunks; rejected hunks stand at their intended place."""
    rejected_parts = {part.path: part for part in rejection.files} if rejection is not None else {}
    for file in change["files"]:
        file["state"] = "reverted" if change["state"] == "reverted" or file.get("reverted") else "kept"
    for file, record in zip(change["files"], records, strict=False):
        part = rejected_parts.pop(record.path, None)
        old, new = to_lf(record.before or ""), to_lf(record.after or "")
        if record.form == "text" and allowance.compares(old, new):
            rejected_hunks = () if part is None else part.hunks
            file |= hunks_and_counts(make_hunks(old, new), file["state"], rejected_hunks)
            file |= _contents(old, new, allowance)
        if record.is_edited:
            file["edited"] = True
    change["files"] += [_rejected_file(part) for part in rejected_parts.values() if part.is_whole]


def _rejected(rejection: Rejection, session_id: str) -> JsonObject:
    """Return a change rejected completely."""
    place: JsonObject = {"turnId": rejection.turn_id, "messageId": rejection.message_id, "callId": rejection.call_id}
    if rejection.session_id != session_id:
        mine = next(place for place in rejection.on_behalf_of if place.session_id == session_id)
        place = {"turnId": mine.turn_id, "messageId": mine.message_id}
        place |= {"madeIn": rejection.session_id, "agent": rejection.agent}
    files = [_rejected_file(part) for part in rejection.files]
    return {"id": rejection.change_id, **place, "kind": "edit", "state": "refused"} | {
        "undoes": [],
        "created": rejection.created,
        "files": files,
    }


def _rejected_file(part: RejectedPart) -> JsonObject:
    return _file(part.path, part.kind, part.new_path, "dropped") | hunks_and_counts((), "dropped", part.hunks)


def _file(path: Path, kind: str, new_path: Path | None, state: str) -> JsonObject:
    new_uri = {} if new_path is None else {"newUri": new_path.as_uri()}
    return {"uri": path.as_uri(), "kind": kind, **new_uri, "state": state}


def hunks_and_counts(hunks: Sequence[Hunk], state: str, rejected_hunks: Sequence[Hunk] = ()) -> JsonObject:
    """Return the hunks in the order of their places, each with the hunk's state, and the counts of lines.

    Rejected hunks keep the ids under which they were shown; the other hunks get the numbers between.
    """
    rejected_ids = {hunk.id for hunk in rejected_hunks}
    if len(rejected_ids) < len(rejected_hunks):  # The user was asked more than once.
        rejected_hunks = [replace(hunk, id=number) for number, hunk in enumerate(rejected_hunks, start=1)]
        rejected_ids = {hunk.id for hunk in rejected_hunks}
    free_ids = (number for number in count(1) if number not in rejected_ids)
    placed = [(replace(hunk, id=next(free_ids)), state) for hunk in hunks]
    placed += [(hunk, "dropped") for hunk in rejected_hunks]
    placed.sort(key=lambda hunk_and_state: hunk_and_state[0].old_start)
    additions, deletions = count_lines(hunks or rejected_hunks)
    values = [{**hunk_data(hunk), "state": state} for hunk, state in placed]
    return {"additions": additions, "deletions": deletions, "hunks": values}


def _contents(old: str, new: str, allowance: _Allowance) -> JsonObject:
    return {"oldText": old, "newText": new} if allowance.returns(old, new) else {}
