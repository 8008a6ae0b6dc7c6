"""Recorder of a session's events: numbers, applies, stores and passes on each event."""

import asyncio
from collections.abc import Callable, Mapping

from placet.core.events import (
    AgentMessageChunk,
    AgentThoughtChunk,
    CautionUpdate,
    CurrentModeUpdate,
    EffortUpdate,
    Plan,
    PlanEntry,
    ProfileUpdate,
    ReviewModeUpdate,
    SessionBack,
    SessionEvent,
    SessionInfoUpdate,
    ToolCall,
    ToolCallUpdate,
    TurnEnded,
    Update,
    UsageUpdate,
    UserMessageAdded,
)
from placet.core.messages import TurnError, UserMessage
from placet.core.ports import EventSink
from placet.core.transcript import Touched, Transcript, closing_updates, replay, todo_list
from placet.sessions.store.records import Cut, SessionInfo, StoredSession, StoredUsage
from placet.sessions.store.session_store import SEQ_BLOCK, SessionStore
from placet.sessions.store.store_sync import Written, news

STORE_GROWING_TEXT_EVERY_SECONDS = 2.0
INTERRUPTED = "Placet ended before this was finished."


class Recorder:
    """Recorder of one session's events, from the loop to the store and the screen.

    Text is stored when its part ends (and every two seconds while it grows); everything else at once, except the live
    progress of a tool call.
    """

    def __init__(
        self,
        info: SessionInfo,
        store: SessionStore,
        sink: EventSink,
        *,
        transcript: Transcript,
        seq: int = 0,
        seqs: Mapping[str, int] | None = None,
        usage: StoredUsage | None = None,
        cuts: tuple[Cut, ...] = (),
        observer: EventSink | None = None,
    ) -> None:
        """Create the recorder; `observer` gets the events of the work in this process alone, before the screen."""
        self.info = info
        self.transcript = transcript
        self._store = store
        self._sink = sink
        self._observer = observer
        self._seq = self._reserved = seq
        self._seqs = dict(seqs or {})
        self._usage = usage
        self._cuts = cuts
        self._growing: Touched | None = None
        self._storing: asyncio.TimerHandle | None = None
        self._tool_states: dict[str, str] = {}
        self._catching_up = asyncio.Lock()
        self._untold_since: int | None = None
        """Smallest seq of stored content still untold."""

    @classmethod
    def of(
        cls, stored: StoredSession, store: SessionStore, sink: EventSink, *, seq: int, observer: EventSink | None
    ) -> "Recorder":
        """Return the recorder of a stored session, whose next event comes after `seq`."""
        return cls(
            stored.info,
            store,
            sink,
            transcript=Transcript(stored.messages),
            seq=seq,
            seqs=stored.seqs,
            usage=stored.usage,
            cuts=stored.cuts,
            observer=observer,
        )

    def emit(self, update: Update) -> None:
        """Take an event. Never raises for the store's sake: a failing store shows in `flushed`."""
        self._seq += 1
        if self._seq > self._reserved - SEQ_BLOCK // 2:
            # Reserved long before use, as storing takes a moment.
            self._reserved = max(self._seq, self._reserved) + SEQ_BLOCK
            self.save_info(self.info)
        if (touched := self.transcript.apply(update)) is not None:
            self._seqs[touched.part_id or touched.message_id] = self._seq
            self._keep(update, touched)
        if isinstance(update, UsageUpdate):
            self._usage = StoredUsage(seq=self._seq, update=update)
            self._store.save_usage(self.info.id, self._usage)
        event = SessionEvent(session_id=self.info.id, seq=self._seq, update=update)
        if self._observer is not None:
            self._observer.emit(event)
        self._sink.emit(event)

    def keep(self, message: UserMessage) -> None:
        """Store a message just before the message is told, in its present state, lest a kill in between lose the
        message."""
        self._store.save_message(self.info.id, message, self._seq + 1)

    def save_info(self, info: SessionInfo) -> None:
        """Store the session's entry for lists; a change raises the stored `seq`, which shows other processes the
        change.

        A caller that changes the entry has caught up shortly before, as `Sessions.load` does.
        """
        if _chosen(info) != _chosen(self.info):
            self._reserved += SEQ_BLOCK
        self.info = info
        self._store.save_session(info, self._reserved)

    async def flushed(self) -> None:
        """Wait until all emitted events are stored. Raises StoreError."""
        self._store_growing()
        await self._store.flushed()

    def tell(self, update: Update) -> None:
        """Tell the screens of an update that is no part of the conversation, whichever process is at work in the
        session."""
        self._tell(self._seq + 1, update)

    async def catch_up(self, is_wanted: Callable[[], bool] = lambda: True, *, anew: bool = False) -> None:
        """Take in and tell the additions of another process, if this is wanted after the read.

        `anew`: also changes that this process has made in the store, past the recorder.
        Raises RequestError if the session was deleted, or if another process is at work in it.
        """
        async with self._catching_up:
            seq = None if anew else await self._store.own_seq(self.info.id, self._reserved)
            if seq is not None:
                self._reserved = max(self._reserved, seq)
                return
            stored = await self._store.read(self.info.id)
            if not is_wanted():
                return
            if anew:
                self._seq = max(self._seq, stored.seq)
            self._take_in(Written.of(stored, self._known_until))
            self.transcript, self._seqs = Transcript(stored.messages), dict(stored.seqs)
            self._seq, self._reserved = max(self._seq, stored.seq), stored.seq
            if anew:  # Many events may have been told, and no seq may be told again after a crash.
                self._reserved = self._seq + SEQ_BLOCK
                self.save_info(self.info)
            self.close_interrupted()

    async def follow(self, is_wanted: Callable[[], bool]) -> bool:
        """Catch up, also with the stored work of another process in the session; return whether one is at work.

        Raises RequestError if the session was deleted.
        """
        async with self._catching_up:
            if await self._store.own_seq(self.info.id, self._reserved) is not None:
                return False
            written = await self._store.written(self.info.id, self._known_until)
            if written.at_work_elsewhere and is_wanted():
                self._take_in(written)
                return True
        await self.catch_up(is_wanted)
        return False

    @property
    def _known_until(self) -> int:
        """Return the seq up to which all stored content is known; more content with this same seq may come."""
        stored_seq = max(self._seqs.values(), default=0)
        return stored_seq if self._untold_since is None else min(stored_seq, self._untold_since)

    def _take_in(self, written: Written) -> None:
        before, self._growing, self._untold_since = self.info, None, None
        self._take_in_cuts(written)
        for new in news(self.transcript, written):
            if not new.updates:
                self._untold_since = min(new.seq, self._untold_since or new.seq)
            self._tell(new.seq - len(new.updates) + 1, *new.updates)
        self._seqs |= written.seqs
        self.info, usage = written.info, written.usage
        if usage is not None and (self._usage is None or usage.seq > self._usage.seq):
            self._usage = usage
            self._tell(usage.seq, usage.update)
        if self.info.title != before.title:
            self._tell(self._seq + 1, SessionInfoUpdate(title=self.info.title))
        if (self.info.agent, self.info.model) != (before.agent, before.model):
            self._tell(self._seq + 1, CurrentModeUpdate(agent=self.info.agent, model=self.info.model))
        if self.info.review is not None and self.info.review != before.review:
            self._tell(self._seq + 1, ReviewModeUpdate(review=self.info.review))
        if self.info.caution is not None and self.info.caution != before.caution:
            self._tell(self._seq + 1, CautionUpdate(caution=self.info.caution))
        if self.info.effort != before.effort:
            self._tell(self._seq + 1, EffortUpdate(effort=self.info.effort))
        if self.info.profile != before.profile:
            self._tell(self._seq + 1, ProfileUpdate(profile=self.info.profile))

    def _take_in_cuts(self, written: Written) -> None:
        """Tell that the user went back, or that nothing is hidden any more."""
        told = {cut.id for cut in self._cuts}
        cuts = [cut for cut in written.cuts if cut.id not in told]
        todos = _todos(self.transcript)
        for cut in cuts:
            self.transcript.apply(back := SessionBack(message_id=cut.message_id))
            self._tell(self._seq + 1, back)
        told_last = SessionBack(message_id=cuts[-1].message_id) if cuts else _back(self.info)
        if (back := _back(written.info)) != told_last:
            self._tell(self._seq + 1, back)
        if cuts and _todos(self.transcript) != todos:
            self._tell(self._seq + 1, Plan(entries=_todos(self.transcript) or ()))
        self._cuts = written.cuts

    def _tell(self, seq: int, *updates: Update) -> None:
        """Tell updates numbered from `seq`, or from behind the last told seq, as no number is ever told twice."""
        for number, update in enumerate(updates, seq):
            self._seq = max(self._seq + 1, number)
            self._sink.emit(SessionEvent(session_id=self.info.id, seq=self._seq, update=update))

    def close_interrupted(self) -> None:
        """Close the calls and turns that were open when a process died: each call gets a result, each turn a reason."""
        for update in closing_updates(self.transcript.messages, INTERRUPTED):
            self.emit(update)
        for message in self.transcript.messages:
            if isinstance(message, UserMessage) and message.steers is None and message.stop_reason is None:
                error = TurnError(code="interrupted", message=INTERRUPTED, hint="Prompt again to continue.")
                self.emit(TurnEnded(turn_id=message.id, stop_reason="error", error=error))

    def replay(self, since: int) -> list[SessionEvent]:
        """Return the state of all content changed after `since`, in reading order: this brings a client up to date."""
        cuts = [cut for cut in self._cuts if cut.seq > since > 0]
        updates: list[tuple[int, Update]] = [(cut.seq, SessionBack(message_id=cut.message_id)) for cut in cuts]
        if cuts and self.info.back_to is None:
            updates.append((cuts[-1].seq, _back(self.info)))
        updates += [
            (seq, update)
            for update, subject in replay(self.transcript.messages)
            if (seq := self._seqs.get(subject, 0)) > since
        ]
        if self.info.back_to is not None and self._cuts and self._cuts[-1].seq > since:
            updates.append((self._cuts[-1].seq, _back(self.info)))
        usage = self._usage
        if usage is not None and usage.seq > since and self.transcript.has(usage.update.message_id):
            updates.append((usage.seq, usage.update))
        return [SessionEvent(session_id=self.info.id, seq=seq, update=update) for seq, update in updates]

    def _keep(self, update: Update, touched: Touched) -> None:
        match update:
            case AgentMessageChunk() | AgentThoughtChunk():
                self._keep_growing(touched)
            case ToolCallUpdate(part=part) if self._tool_states.get(part.id) == part.state.status:
                pass
            case UserMessageAdded(message=message):
                self._store.save_message(self.info.id, message, self._seq)
            case _:
                self._store_growing()
                if isinstance(update, ToolCall | ToolCallUpdate):
                    self._tool_states[update.part.id] = update.part.state.status
                self._store_touched(touched)

    def _keep_growing(self, touched: Touched) -> None:
        if touched != self._growing:
            self._store_growing()
            self._growing = touched
        if self._storing is None:
            # By the clock and not with the next chunk, so that the last words of a silent provider are on the screen.
            loop = asyncio.get_running_loop()
            self._storing = loop.call_later(STORE_GROWING_TEXT_EVERY_SECONDS, self._store_so_far)

    def _store_so_far(self) -> None:
        self._storing = None
        if self._growing is not None:
            self._store_touched(self._growing)

    def _store_growing(self) -> None:
        if self._growing is not None:
            self._store_touched(self._growing)
            self._growing = None

    def _store_touched(self, touched: Touched) -> None:
        seq = self._seqs[touched.part_id or touched.message_id]
        if touched.part_id is None:
            message = self.transcript.message(touched.message_id).model_copy(update={"parts": ()})
            self._store.save_message(self.info.id, message, seq)
        else:
            part = self.transcript.part(touched.message_id, touched.part_id)
            self._store.save_part(self.info.id, touched.message_id, part, seq)


def _back(info: SessionInfo) -> SessionBack:
    """Return the event that tells where the user is after all steps back and forward."""
    return SessionBack(message_id=info.back_to, files_back=info.files_back)


def _todos(transcript: Transcript) -> tuple[PlanEntry, ...] | None:
    """Return the last todo list of the conversation, or None."""
    parts = (part for message in reversed(transcript.messages) for part in reversed(message.parts))
    return next((entries for part in parts if (entries := todo_list(part)) is not None), None)


def _chosen(info: SessionInfo) -> tuple[str, ...]:
    """Return the fields of the session that can be changed."""
    review, caution, profile = info.review or "", info.caution or "", info.profile or ""
    return info.title, info.agent, info.model, info.base_model, review, caution, profile, str(info.effort)
