"""Change set of a session in an editor without our plugin: code actions in the files and in the `.diff` document."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from lsprotocol import types

from placet.changes.review.parts import DecidedStatus, DecisionOutcome
from placet.changes.review.staged_file import FileState, StagedView
from placet.core.errors import RequestError
from placet.core.executor import in_thread
from placet.core.hunks import Decision, Hunk
from placet.core.ports import ProposedChange, ProposedFile
from placet.frontends.lsp.asks.message_prompt import MessagePrompt, write_review
from placet.frontends.lsp.asks.review_document import action, lines_of
from placet.project.paths import from_uri, real
from placet.sessions.session import Session

OPEN_SET = "Placet: Open the change set"
DECIDE, SHOW = "placet.decide", "placet.changes"
EMPTY = "The change set is empty."
Outcome = Literal["accept", "reject"]
_VERBS: dict[FileState, tuple[tuple[str, Outcome], ...]] = {
    "staged": (("Accept", "accept"), ("Reject", "reject")),
    "unreviewed": (("Keep", "accept"), ("Undo", "reject")),
}
_CONFLICT_VERBS: tuple[tuple[str, Outcome], ...] = (("Take theirs", "accept"), ("Keep mine", "reject"))
"""Verbs about a hunk in conflict: the proposal's lines, or the user's."""
_SUBJECTS: dict[FileState, str] = {"staged": "proposed", "unreviewed": "unreviewed"}
_OUTCOMES: dict[DecidedStatus, str] = {
    "written": "accepted and written",
    "rejected": "rejected",
    "kept": "kept",
    "undone": "undone",
    "moved": "nothing was done, as the file or the change is another by now",
    "conflict": "nothing was done, as the change does not fit the file any more",
    "failed": "not done, or not done as a whole",
}


class GenericChangeSet:
    """Review of the change sets of one editor's sessions; lives as long as the connection."""

    def __init__(self, message: MessagePrompt) -> None:
        self._message = message
        self._shown: dict[str, tuple[StagedView, ...]] = {}
        """Views in the `.diff` document of each session, by the session's id."""

    async def show(self, session: Session) -> str:
        """Write the `.diff` document of the set and show the document; return the text for the user."""
        views = await session.change_set.views()
        file = await self._write(session, views)
        if not views:
            return EMPTY
        await self._message.show_file(file)
        conflicts = "".join(f"\n{view.name}: {view.reason_against}" for view in views if view.reason_against)
        return f"The change set is in {file}{conflicts}"

    async def decide(self, session: Session, arguments: list[Any]) -> str:
        """Decide by `[accept | reject, [[uri, version, hunks or null], ...]]`, and return the outcome of each file."""
        match arguments:
            case [("accept" | "reject") as outcome, list(parts)]:
                decisions = [_decision(outcome, part) for part in cast("list[Any]", parts)]
            case _:
                raise RequestError(f"{DECIDE} works only through the code actions of a change set.")
        names = {view.file.place: view.name for view in await session.change_set.views()}
        decided = await session.change_set.decide(decisions, self._message.tell)
        if session.info.id in self._shown:
            await self._write(session, await session.change_set.views())
        return "\n".join(_told(file, names.get(file.place, str(file.place))) for file in decided)

    async def actions(self, session: Session, path: Path | None, span: types.Range) -> list[types.CodeAction]:
        """Return the code actions for the lines of a file of the set, or of the `.diff` document."""
        views = await session.change_set.views()
        if not views or path is None:
            return []
        if path.name == self._file(session).name and real(path) == real(self._file(session)):
            return self._in_document(session, span)
        place = real(path)
        here = [view for view in views if real(view.file.place) == place and not view.description]
        actions = [found for view in here for found in _in_file(view, span)]
        return [*actions, action(OPEN_SET, SHOW, [], types.CodeActionKind.Source)]

    def _in_document(self, session: Session, span: types.Range) -> list[types.CodeAction]:
        views = self._shown.get(session.info.id, ())
        first, last = span.start.line, span.end.line
        here = frozenset[tuple[int, int]]().union(*lines_of(_change(views))[first : last + 1])
        listed = [view for view in views if view.proposed is not None]
        actions: list[types.CodeAction] = []
        for number, view in enumerate(listed):
            hunks = sorted(hunk for file, hunk in here if file == number)
            if hunks:
                actions += _decisions(view, hunks)
        for state in _VERBS:
            whole = [view for view in listed if view.file.state == state]
            if len(whole) > 1:
                parts = [_part(view, None) for view in whole]
                actions += [
                    action(f"Placet: {verb} all {len(whole)} {_SUBJECTS[state]} files", DECIDE, [outcome, parts])
                    for verb, outcome in _VERBS[state]
                ]
        return actions

    async def _write(self, session: Session, views: Sequence[StagedView]) -> Path:
        self._shown[session.info.id] = tuple(views)
        file = self._file(session)
        await in_thread(write_review, file, _change(views))
        return file

    def _file(self, session: Session) -> Path:
        return self._message.review_file(f"set-{session.info.id}")


def _change(views: Iterable[StagedView]) -> ProposedChange:
    """Return the files of the set without a conflict, in the form of one change."""
    files: tuple[ProposedFile, ...] = tuple(view.proposed for view in views if view.proposed is not None)
    return ProposedChange("set", files)


def _in_file(view: StagedView, span: types.Range) -> list[types.CodeAction]:
    """Return the actions for the hunks at the lines, and for the whole file."""
    first, last = span.start.line, span.end.line
    hunks = () if view.proposed is None else view.proposed.hunks
    here = [hunk.id for hunk in hunks if _touches(hunk, view.file.state, first, last)]
    actions = _decisions(view, here) if here else []
    if len(hunks) > len(here) or not hunks:
        actions += [
            action(f"Placet: {verb} all in this file", DECIDE, [outcome, [_part(view, None)]])
            for verb, outcome in _VERBS[view.file.state]
            if (view.is_acceptable if outcome == "accept" else view.is_rejectable)
        ]
    return actions


def _touches(hunk: Hunk, state: FileState, first: int, last: int) -> bool:
    """Return whether the hunk takes any of the lines in the present document; new lines are at the line behind."""
    is_staged = state == "staged"
    start, lines = (hunk.old_start, hunk.old_lines) if is_staged else (hunk.new_start, hunk.new_lines)
    return start <= last and first < start + max(len(lines), 1)


def _decisions(view: StagedView, hunks: Sequence[int]) -> list[types.CodeAction]:
    state, meeting = view.file.state, {hunk.id for hunk in view.hunks_in_conflict}
    fitting = [hunk for hunk in hunks if hunk not in meeting]
    several = f"these {len(fitting)} {_SUBJECTS[state]} changes"
    subject = f"this {_SUBJECTS[state]} change" if len(fitting) == 1 else several
    actions = [
        action(f"Placet: {verb} {subject}", DECIDE, [outcome, [_part(view, fitting)]])
        for verb, outcome in _VERBS[state]
        if fitting
    ]
    return actions + [
        action(f"Placet: {verb} (conflict at line {hunk.old_start + 1})", DECIDE, [outcome, [_part(view, [hunk.id])]])
        for hunk in view.hunks_in_conflict
        if hunk.id in hunks
        for verb, outcome in _CONFLICT_VERBS
    ]


def _part(view: StagedView, hunks: Sequence[int] | None) -> list[Any]:
    return [view.file.place.as_uri(), view.version, None if hunks is None else list(hunks)]


def _decision(outcome: Outcome, part: Any) -> Decision:
    match part:
        case [str(uri), str(version), None | [*_] as hunks] if (place := from_uri(uri)) is not None:
            return Decision(place, version, outcome, None if hunks is None else frozenset(_ids(hunks)))
        case _:
            raise RequestError(f"{DECIDE} works only through the code actions of a change set.")


def _ids(hunks: Sequence[Any]) -> Iterator[int]:
    return (hunk for hunk in hunks if isinstance(hunk, int))


def _told(file: DecisionOutcome, name: str) -> str:
    return f"{name}: {_OUTCOMES.get(file.status, file.status)}" + (f" ({file.reason})" if file.reason else "")
