"""Overview of a session's changes for a screen: each file with the hunks, and the outcome of each hunk."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from placet.changes.journal.journal import Journal
from placet.changes.journal.records import FileRecord
from placet.changes.journal.rejections import RejectedPart, Rejection
from placet.changes.propose.report import hunk_value
from placet.core.executor import in_thread
from placet.core.messages import JsonObject
from placet.core.ports import Hunk, PermissionRequest
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
        self.compared -= sum(map(len, texts))
        return self.compared >= 0

    def told(self, *texts: str) -> bool:
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
    refusals = await journal.refusals(session_id)
    allowance = _Allowance(MOST_COMPARED_CHARACTERS, MOST_CONTENT if contents else 0)
    for change in reversed(described):
        if change["kind"] != "undo" and change["state"] in ("applied", "reverted"):
            records = await journal.files(change["id"]) if allowance.compared > 0 else ()
            await in_thread(_fill, change, records, refusals.pop(change["id"], None), allowance)
    wanted = (refusal for refusal in refusals.values() if change_ids is None or refusal.change_id in change_ids)
    return sorted(
        [*described, *(_refused(rejection, session_id) for rejection in wanted)],
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
            | compared(file.hunks, "proposed")
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


def _fill(change: JsonObject, records: Sequence[FileRecord], refusal: Rejection | None, allowance: _Allowance) -> None:
    """Give each file of the change its hunks; rejected hunks stand at their intended place."""
    left_out = {part.path: part for part in refusal.files} if refusal is not None else {}
    for file in change["files"]:
        file["state"] = "reverted" if change["state"] == "reverted" or file.get("reverted") else "kept"
    for file, record in zip(change["files"], records, strict=False):
        part = left_out.pop(record.path, None)
        old, new = to_lf(record.before or ""), to_lf(record.after or "")
        if record.form == "text" and allowance.compares(old, new):
            dropped = () if part is None else part.hunks
            file |= compared(make_hunks(old, new), file["state"], dropped) | _contents(old, new, allowance)
        if record.is_edited:
            file["edited"] = True
    change["files"] += [_dropped(part) for part in left_out.values() if part.is_whole]


def _refused(refusal: Rejection, session_id: str) -> JsonObject:
    """Return a change rejected completely."""
    place: JsonObject = {"turnId": refusal.turn_id, "messageId": refusal.message_id, "callId": refusal.call_id}
    if refusal.session_id != session_id:
        mine = next(place for place in refusal.on_behalf_of if place.session_id == session_id)
        place = {"turnId": mine.turn_id, "messageId": mine.message_id}
        place |= {"madeIn": refusal.session_id, "agent": refusal.agent}
    files = [_dropped(part) for part in refusal.files]
    return {"id": refusal.change_id, **place, "kind": "edit", "state": "refused"} | {
        "undoes": [],
        "created": refusal.created,
        "files": files,
    }


def _dropped(part: RejectedPart) -> JsonObject:
    return _file(part.path, part.kind, part.new_path, "dropped") | compared((), "dropped", part.hunks)


def _file(path: Path, kind: str, new_path: Path | None, state: str) -> JsonObject:
    new_uri = {} if new_path is None else {"newUri": new_path.as_uri()}
    return {"uri": path.as_uri(), "kind": kind, **new_uri, "state": state}


def compared(hunks: Sequence[Hunk], state: str, dropped: Sequence[Hunk] = ()) -> JsonObject:
    """Return the hunks in the order of their places, with the outcome of each hunk.

    Rejected hunks keep the ids under which they were shown; the other hunks get the numbers between.
    """
    taken = {hunk.id for hunk in dropped}
    if len(taken) < len(dropped):  # The user was asked more than once.
        dropped = [replace(hunk, id=number) for number, hunk in enumerate(dropped, start=1)]
        taken = {hunk.id for hunk in dropped}
    free = (number for number in count(1) if number not in taken)
    placed = [(replace(hunk, id=next(free)), state) for hunk in hunks] + [(hunk, "dropped") for hunk in dropped]
    placed.sort(key=lambda one: one[0].old_start)
    additions, deletions = count_lines(hunks or dropped)
    told = [{**hunk_value(hunk).dump(), "state": state} for hunk, state in placed]
    return {"additions": additions, "deletions": deletions, "hunks": told}


def _contents(old: str, new: str, allowance: _Allowance) -> JsonObject:
    return {"oldText": old, "newText": new} if allowance.told(old, new) else {}
