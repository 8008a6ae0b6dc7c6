"""Going back to an earlier prompt in talk and files, as one act of the user, redoable until the next prompt.

The files are restored by one undo of the journal, and the store hides the messages in the same transaction. The hidden
messages stay in the store until the next prompt.
"""

from collections.abc import Callable, Coroutine, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from placet.agent.context.history import model_history
from placet.agent.context.shown_files import shown_files
from placet.changes.journal.back_step import BackStep
from placet.changes.journal.records import ChangeRecord
from placet.changes.ledger import Ledger
from placet.changes.review.change_sets import (
    ChangeSet,
    ChangeSets,
    Row,
    marked_path,
    stored_row,
    taken_row,
    undone_place,
)
from placet.changes.review.earlier_share import without_steps
from placet.changes.review.staged_file import StagedStep, UndecidedFile
from placet.changes.undo.revert import Party, UndoneFile, UndoPreview
from placet.core.errors import RequestError
from placet.core.events import ChangeSetUpdate
from placet.core.executor import in_thread
from placet.core.ids import new_id
from placet.core.messages import AgentPart, DiagnosticsPart, FilePart, Message, PromptPart, TextPart, UserMessage
from placet.core.tasks import to_the_end
from placet.project.paths import real
from placet.sessions.going_back.acts import Act, What, news_of, settle_acts, standing_acts
from placet.sessions.going_back.outside_effects import OutsideEffect, outside_effects, running_jobs, subagents_of
from placet.sessions.reconciliation import reconcile
from placet.sessions.services.services import Services
from placet.sessions.turns.recorder import Recorder
from placet.sessions.turns.subagents import Subagents
from placet.sessions.turns.turn_queue import TurnQueue

Rows = tuple[tuple[str, str | None], ...]

WAY_BACK = "way back"
"""Name of an act of going back, or of a redo, among the work of a session."""


class _StagedFiles(NamedTuple):
    """Files of the change set, and the staged files that later calls have left without a difference."""

    standing: Sequence[UndecidedFile] = ()
    taken_back: Sequence[UndecidedFile] = ()


class _Shares(NamedTuple):
    """Files of the change set with steps since a prompt, as before and after going back to the prompt."""

    standing: Sequence[UndecidedFile]
    taken_back: Sequence[UndecidedFile]
    after: Sequence[UndecidedFile]

    @property
    def files(self) -> Sequence[UndecidedFile]:
        """Return the files whose share in the change set changes."""
        return [*self.standing, *self.taken_back]

    @property
    def rows(self) -> tuple[Rows, Rows]:
        """Return the changed rows of the store, as before and after going back."""
        before = [*map(stored_row, self.standing), *map(taken_row, self.taken_back)]
        after = list(map(stored_row, self.after))
        return _rows(before, after), _rows(after, before)


class BackPreview(Struct, frozen=True):
    """Effect of going back at the present moment."""

    files: Sequence[UndoPreview]
    staged: Sequence[Path]
    """Files of the change set with a share to leave the set."""
    prompts: int
    """Number of prompts to be hidden."""
    effects: Sequence[OutsideEffect]
    """Effects beyond the reach of the undo."""


class WentBack(Struct, frozen=True):
    """Outcome of going back, or of a redo."""

    files: Sequence[UndoneFile]
    staged: Sequence[Path]
    """Places of the files whose share in the change set changed."""
    parts: Sequence[PromptPart] = ()
    """Prompt to which the user went back, to be edited and sent again."""


class GoingBack:
    """The user's way back in one session, and forward again; lives as long as a request."""

    def __init__(
        self, services: Services, recorder: Recorder, ledger: Ledger, subagents: Subagents, queue: TurnQueue
    ) -> None:
        self._services = services
        self._recorder = recorder
        self._ledger = ledger
        self._subagents = subagents
        self._queue = queue

    @property
    def _id(self) -> str:
        return self._recorder.info.id

    async def preview(self, message_id: str, what: What = "all") -> BackPreview:
        """Return the effect of going back to the prompt, and change nothing.

        Raises RequestError for an unknown prompt, and while the outcome of a change is not known.
        """
        await self._recorder.flushed()
        self._find(message_id)
        hidden = [message for message in self._recorder.transcript.messages if message.id >= message_id]
        prompts = sum(isinstance(message, UserMessage) for message in hidden)
        if what == "talk":
            return BackPreview((), (), prompts, ())
        changes = await self._changes(message_id)
        shares = self._shares(await self._staged_files(), message_id, changes)
        return BackPreview(
            await self._services.undo.preview(self._id, [change.id for change in changes]),
            [file.place for file in shares.files],
            prompts,
            await self._effects(message_id, hidden),
        )

    async def go(self, message_id: str, what: What = "all") -> WentBack:
        """Go back to the prompt: hide the prompt and all later messages, restore the files, or both.

        A file in which the user has edited the same lines since is left alone, as with an undo. Raises RequestError
        for an unknown prompt, while a turn runs, or if another process is at work in a session concerned; EditError
        when the files could not be restored, and nothing is hidden then.
        """
        return await self._alone(lambda: self._go(message_id, what))

    async def redo(self) -> WentBack:
        """Take back the last act of going back. Raises RequestError and EditError like `go`."""
        return await self._alone(self._redo)

    async def follow_redo(self) -> None:
        """After a redo that is none of this way, mark the unreviewed changes again that the redo has brought forth.

        Raises StoreError.
        """
        await _bring_marks_back(self._services, self._id)

    async def settle(self) -> None:
        """Delete hidden messages for good, as a prompt or a compaction follows; tell the model of half acts.

        Raises StoreError.
        """
        acts = await standing_acts(self._services.database, self._id)
        back_to = self._recorder.info.back_to
        standing = () if back_to is None else await self._names(await self._changes(back_to))
        await settle_acts(self._services.database, self._id, news_of(acts, standing))
        await self._recorder.catch_up(anew=True)

    async def _alone(self, work: Callable[[], Coroutine[Any, Any, WentBack]]) -> WentBack:
        if self._recorder.info.parent_id is not None:
            raise RequestError("This is the session of a subagent. Go back in the session that called the subagent.")
        # Another act of going back is waited for: users press redo twice, and clients show an act before its end.
        if self._queue.current_name not in (None, WAY_BACK) or self._subagents.are_at_work(self._id):
            raise RequestError("The agent is at work. Stop the turn first, then go back.")

        async def claimed() -> WentBack:
            async with self._services.store.claimed(self._id):
                await self._recorder.catch_up()
                return await to_the_end(work())

        return await self._queue.alone(claimed, WAY_BACK)

    async def _go(self, message_id: str, what: What) -> WentBack:
        prompt = self._find(message_id)
        changes, services = await self._changes(message_id), self._services
        change_set = await self._change_set()
        async with change_set.deciding:
            files = await self._staged_files() if what != "talk" else _StagedFiles()
            shares = self._shares(files, message_id, changes)
            rows_before, rows_after = shares.rows
            act = Act(
                new_id("act"),
                what,
                message_id,
                self._recorder.info.back_to,
                new_id("chg"),
                await self._names(changes) if what == "files" else (),
                rows_before,
                rows_after,
            )
            hides = what != "files"
            step = BackStep(
                self._id,
                act.id,
                message_id if hides else act.back_to,
                act.undo_id,
                message_id if hides else None,
                act.encoded(),
                rows_after,
            )
            undone = await self._undo([change.id for change in changes] if what != "talk" else [], step)
        if what == "talk":
            for path in {path for change in await services.journal.with_files(changes) for path in _paths(change)}:
                self._ledger.forget(path)
        await self._follow(is_set_changed=bool(shares.files))
        return WentBack(undone, [file.place for file in shares.files], _prompt_parts(prompt) if hides else ())

    async def _redo(self) -> WentBack:
        acts = await standing_acts(self._services.database, self._id)
        if not acts:
            raise RequestError("There is no way forward: you did not go back, or you have sent a prompt since.")
        act = acts[-1]
        change_set = await self._change_set()
        async with change_set.deciding:
            rows = _no_longer_aside(await _rows_before(act, change_set, self._services.change_sets))
            message_id = act.message_id if act.what != "files" else None
            step = BackStep(self._id, act.id, act.back_to, message_id=message_id, staged=tuple(rows))
            files = await self._undo([act.undo_id], step)
        await self._follow(is_set_changed=bool(rows))
        await reconcile(self._recorder, self._services.journal)
        places = [file.place for file in (await self._change_set()).files if stored_row(file) in rows]
        return WentBack(files, places)

    async def _undo(self, change_ids: Sequence[str], step: BackStep) -> list[UndoneFile]:
        """Undo the changes and store the step, both or nothing."""
        party = Party(self._recorder.emit, self._ledger)
        undone = await self._services.undo.undo(
            self._id, party, self._subagents.parties, change_ids=change_ids, back=step
        )
        self._services.change_sets.forget(self._id)
        return undone

    async def _follow(self, *, is_set_changed: bool) -> None:
        """Bring conversation and screens to the stored state; the model must read hidden files again."""
        await self._recorder.catch_up(anew=True)
        history = model_history(self._recorder.transcript.messages)
        self._ledger.forget_all_but(shown_files(history, self._services.workspace))
        if is_set_changed:
            files = len((await self._change_set()).files)
            self._recorder.tell(ChangeSetUpdate(session_id=self._id, files=files))

    def _find(self, message_id: str) -> UserMessage:
        for message in self._recorder.transcript.messages:
            if message.id == message_id and isinstance(message, UserMessage):
                return message
        raise RequestError(f"This session has no prompt `{message_id}` to go back to.")

    async def _changes(self, message_id: str) -> list[ChangeRecord]:
        """Return the standing changes since the prompt, by the session and its subagents, oldest first."""
        return [
            change
            for change in await self._services.journal.seen_from(self._id)
            if change.kind != "undo"
            and change.state in ("applied", "unsure")
            and change.place_in(self._id).message_id >= message_id
        ]

    async def _change_set(self) -> ChangeSet:
        return await self._services.change_sets.of(self._id)

    async def _staged_files(self) -> "_StagedFiles":
        change_sets = self._services.change_sets
        return _StagedFiles((await self._change_set()).files, await change_sets.taken_back(self._id))

    def _shares(self, files: "_StagedFiles", message_id: str, changes: Sequence[ChangeRecord]) -> "_Shares":
        """Return the files with steps since the prompt, and the same files without these steps."""

        def is_gone(step: StagedStep) -> bool:
            return any(place.session_id == self._id and place.message_id >= message_id for place in step.places)

        gone_changes = {change.id for change in changes}
        standing, taken_back = ([file for file in some if any(map(is_gone, file.steps))] for some in files)
        after = [without_steps(file, is_gone, gone_changes) for file in (*standing, *taken_back)]
        return _Shares(standing, taken_back, [file for file in after if file is not None])

    async def _names(self, changes: Sequence[ChangeRecord]) -> tuple[str, ...]:
        paths = [path for change in await self._services.journal.with_files(changes) for path in _paths(change)]
        return tuple(dict.fromkeys(map(self._services.workspace.name, paths)))

    async def _effects(self, message_id: str, hidden: Sequence[Message]) -> list[OutsideEffect]:
        """Return the effects of the hidden messages and of the subagents' messages since the prompt."""
        conversations: list[Sequence[Message]] = [hidden]
        jobs = self._services.jobs.of_session(self._id)
        for messages in conversations:  # Grows by the conversations of subagents, at any depth.
            for session_id in subagents_of(messages):
                try:
                    stored = await self._services.store.read(session_id, at_work_elsewhere=True)
                except RequestError:
                    continue  # The subagent's session is deleted.
                conversations.append([message for message in stored.messages if message.id >= message_id])
                jobs += self._services.jobs.of_session(session_id)
        root = self._services.workspace.root
        effects = await in_thread(lambda: list(outside_effects(chain(*conversations), root)))
        return [*effects, *running_jobs(jobs)]


def _prompt_parts(prompt: UserMessage) -> list[PromptPart]:
    """Return the user's own parts of the prompt, without content attached by Placet.

    The user's parts are older than the message, and attached content is newer; a text that the editor attached, such as
    a diff, is the user's and synthetic. In a copied conversation all parts are newer, so mentioned files come back as
    attachments.
    """
    own = [part for part in prompt.parts if _moment(part.id) < _moment(prompt.id)]
    parts: list[PromptPart] = []
    for part in own or prompt.parts:
        match part:
            case TextPart(synthetic=synthetic) if own or not synthetic:
                parts.append(part)
            case FilePart() | AgentPart() | DiagnosticsPart():
                parts.append(part)
            case _:
                pass
    return parts


def _moment(id: str) -> str:
    return id.partition("_")[2]


def _paths(change: ChangeRecord) -> list[Path]:
    return [path for file in change.files for path in file.paths]


def _rows(rows: Sequence[tuple[str, str]], others: Sequence[tuple[str, str]]) -> Rows:
    """Return the rows; a row of the others alone is None."""
    return tuple(({place: None for place, _ in others} | dict(rows)).items())


async def _rows_before(act: Act, change_set: ChangeSet, sets: ChangeSets) -> list[Row]:
    """Return the rows as before the act, without rows about which the user has decided since. Raises StoreError.

    An unreviewed file that an undo has set aside since is as after the act.
    """
    aside = dict(map(stored_row, await sets.set_aside(change_set.session_id)))
    present, after = dict(map(stored_row, change_set.files)), dict(act.staged_after)
    return [
        (place, file)
        for place, file in act.staged_before
        if present.get(place) == after.get(place)
        or (place not in present and place in aside and aside[place] == after.get(place))
    ]


def _no_longer_aside(rows: list[Row]) -> list[Row]:
    """Return the rows, and the rows by which the marked files of the rows are set aside no longer."""
    paths = [path for place, file in rows if file is not None and (path := marked_path(place)) is not None]
    return [*rows, *((undone_place(path), None) for path in paths)]


async def _bring_marks_back(services: Services, session_id: str) -> None:
    """Mark the unreviewed changes again that a plain redo has brought forth after the user went back.

    Raises StoreError.
    """
    acts, sets = await standing_acts(services.database, session_id), services.change_sets
    undos = {change.id: change for change in await services.journal.seen_from(session_id)} if acts else {}
    for act in acts:
        if act.undo_id in undos:
            (undo,) = await services.journal.with_files([undos[act.undo_id]])
            change_set, redone = await sets.of(session_id), _redone(undo)
            async with change_set.deciding:
                rows = await _rows_before(act, change_set, sets)
                marks = [row for row in rows if (path := marked_path(row[0])) is not None and real(path) in redone]
                await sets.store_rows(session_id, _no_longer_aside(marks))


def _redone(undo: ChangeRecord) -> set[Path]:
    """Return the paths of the undo's files that a redo has brought forth again."""
    files = (file for file in undo.files if undo.state == "reverted" or file.is_reverted)
    return {real(path) for file in files for path in file.paths}
