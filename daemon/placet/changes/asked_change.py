"""Change of a call that waits for the user: the answer to the permission request becomes decisions about the files."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from placet.changes.call import ChangingCall
from placet.changes.propose.edit_question import EditQuestion
from placet.changes.propose.preflight import refuse_unwritable
from placet.changes.propose.proposal import never_at_rest
from placet.changes.propose.report import proposed_event
from placet.changes.review.answers import place_and_version, standing
from placet.changes.review.staged_file import StagedView, raw_file, stacked
from placet.changes.review.staging import Staging
from placet.changes.review.waiting_call import WaitingCall
from placet.core.errors import Rejected
from placet.core.executor import in_thread
from placet.core.hunks import Decision
from placet.core.ports import PermissionAnswer, ProposedFile
from placet.core.values import replace
from placet.permissions.gate import Gate, RejectedByUser

AskAbout = Callable[[Sequence[ProposedFile]], Awaitable[EditQuestion | None]]

MOST_ASKS = 5
"""Highest number of times a change is put to a user who keeps editing the same lines."""


@dataclass(frozen=True, slots=True)
class AskedChange:
    """Change that the user is asked about; lives as long as the wait of the call."""

    waiting: WaitingCall
    staging: Staging
    gate: Gate
    call: ChangingCall

    async def put(self, files: Sequence[ProposedFile], question: EditQuestion) -> list[WaitingCall]:
        """Put the files into the change set, and return no call; or put nothing, and return the calls that wait for
        decisions about the same files.

        Raises DocumentError for text that could not be written.
        """
        changing = [file for file in files if file.changes_anything]
        await in_thread(refuse_unwritable, changing)
        places = self.call.places
        grown = (raw_file(file, places) if file.is_raw else stacked(None, None, file, places) for file in changing)
        async with (staged := self.staging.staged).deciding:
            if others := staged.waiting_calls(path for file in changing for path in file.paths):
                return others
            changes = (self.waiting.change_id,)
            entries = [replace(file, state="waiting", changes=changes) for file in grown if file is not None]
            staged.wait(self.waiting, entries)
        self._tell(question)
        self.staging.announce(staged)
        return []

    def _tell(self, question: EditQuestion) -> None:
        assert question.ask.change is not None
        self.call.emit(proposed_event(question.ask.change, self.call.caller))

    async def decide(self, question: EditQuestion, ask_about: AskAbout) -> bool:
        """Wait until the user has decided about each file, by an answer to the request or in the change set; return
        False if a grant allows the change meanwhile.

        `ask_about` returns the question about files that have changed since the last answer. Raises NobodyToAsk,
        EditConflict, EditError or DocumentError.
        """
        for _ in range(MOST_ASKS):
            shown = () if question.ask.change is None else question.ask.change.files
            answer = await self._answer(question)
            if answer is not None:
                self.waiting.say(answer.feedback)
            if self.waiting.over.is_set():
                return True
            if answer is not None and answer.outcome == "reject":
                await self._reject(answer.decisions, shown)
                return True
            if answer is None and not self.waiting.has_results:
                return False
            decisions = () if answer is None else self._on_seen(answer.decisions)
            left = await self._carry_out([*decisions, *self._about_rest("accept", shown, decisions)])
            if self.waiting.over.is_set():
                return True
            views = await self._left()
            if self.waiting.conflict is None and (again := standing(left, shown, views)):
                await self._carry_out(again)
                views = await self._left()
            if answer is not None and answer.outcome == "always":
                self._keep_out(left, views)
            if views and self.waiting.conflict is not None:
                self.waiting.leave_out(views)
                return True
            changed = [view.proposed for view in views if view.proposed is not None]
            if not views or (then := await ask_about(changed)) is None:
                return True
            question, self.waiting.seen = then, None
            self._tell(question)
        raise never_at_rest(self.waiting.files, "the lines kept changing while the user was asked.")

    async def _answer(self, question: EditQuestion) -> PermissionAnswer | None:
        """Return the user's answer, None for a grant or once the user has decided in the change set.

        Raises NobodyToAsk.
        """
        asking = asyncio.ensure_future(self.gate.check_decided(question.ask, self.call.caller, *question[1:]))
        over = asyncio.ensure_future(self.waiting.over.wait())
        try:
            await asyncio.wait((asking, over), return_when=asyncio.FIRST_COMPLETED)
            return asking.result() if asking.done() else None
        except RejectedByUser as rejection:
            return rejection.answer
        except Rejected:
            return PermissionAnswer("reject")
        finally:
            asking.cancel()
            over.cancel()
            await asyncio.gather(asking, over, return_exceptions=True)

    def _on_seen(self, decisions: Sequence[Decision]) -> list[Decision]:
        """Return the decisions; a text that the user wrote before a decision in the change set holds the hunks of
        before, and fits nothing but its own version.
        """
        seen = self.waiting.seen or {}
        return [
            replace(own, edited_on=None) if seen.get(own.place, own.version) != own.version else own
            for own in decisions
        ]

    def _keep_out(self, unfit: Sequence[Decision], views: Sequence[StagedView]) -> None:
        """Note a conflict if a text of the user's own no longer fits: the grant would let the agent's text pass."""
        edited = {decision.place for decision in unfit if decision.edited is not None}
        files = [view.proposed for view in views if view.proposed is not None and view.file.place in edited]
        if files and self.waiting.conflict is None:
            self.waiting.conflict = never_at_rest(files, "the text that the user has written instead no longer fits.")

    def _about_rest(
        self, outcome: Literal["accept", "reject"], shown: Sequence[ProposedFile], decisions: Sequence[Decision]
    ) -> list[Decision]:
        """Return the decisions with this outcome about the shown files without a decision; about what is left of the
        files, where the user has decided in the change set.
        """
        seen, decided = self.waiting.seen, {own.place for own in decisions if own.outcome != "comment"}
        places = map(place_and_version, shown) if seen is None else seen.items()
        return [Decision(place, version, outcome) for place, version in places if place not in decided]

    async def _reject(self, decisions: Sequence[Decision], shown: Sequence[ProposedFile]) -> None:
        """Reject all files that are left, with the user's words about the files and hunks."""
        if decisions or self.waiting.has_results:
            left = await self._carry_out([*decisions, *self._about_rest("reject", shown, decisions)])
            await self._carry_out(standing(left, shown, await self._views()))
        self.waiting.refuse_rest()

    async def _carry_out(self, decisions: Sequence[Decision]) -> list[Decision]:
        """Carry out the decisions, and return the decisions about files that have changed since the user looked."""
        if not decisions:
            return []
        staging, workspace = self.staging, self.call.workspace
        self.waiting.forget_failure()
        outcomes = await staging.reviews.decide(staging.session_id, decisions, workspace, is_one_answer=True)
        if self.waiting.error is not None:
            raise self.waiting.error
        moved = {outcome.place for outcome in outcomes if outcome.status in ("moved", "conflict")}
        return [decision for decision in decisions if decision.place in moved]

    async def _views(self) -> list[StagedView]:
        staging = self.staging
        return await staging.reviews.views_of_call(staging.session_id, self.waiting, self.call.workspace)

    async def _left(self) -> list[StagedView]:
        """Return the undecided files, without the files that no longer fit. Raises EditError or DocumentError."""
        staged = self.staging.staged
        for view in (views := await self._views()):
            if view.reason_against and await self.waiting.end_in_conflict(view):
                staged.put(view.file, None)
        return [view for view in views if staged.waiting_call(view.file) is not None]
