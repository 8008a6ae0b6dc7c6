"""Change of a call that waits for the user: the answer to the permission request becomes decisions about the files."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from placet.changes.call import ChangingCall
from placet.changes.propose.edit_question import EditQuestion
from placet.changes.propose.preflight import refuse_unwritable
from placet.changes.propose.proposal import never_at_rest
from placet.changes.propose.report import proposed_event
from placet.changes.review.answers import decisions_of, rejected_again
from placet.changes.review.parts import Decision
from placet.changes.review.staged_file import StagedView, raw_file, stacked
from placet.changes.review.staging import Staging
from placet.changes.review.waiting_call import WaitingCall
from placet.core.errors import Rejected
from placet.core.executor import in_thread
from placet.core.ports import PermissionAnswer, ProposedFile
from placet.core.values import replace
from placet.permissions.gate import Approval, Gate

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
            try:
                approval = await self._first_word(question)
            except Rejected as rejection:
                self.waiting.say(rejection.feedback, rejection.metadata.get("said", ()))
                self.waiting.refuse_rest()
                return True
            if self.waiting.over.is_set():
                return True
            if approval is None and not self.waiting.has_results:
                return False
            if approval is not None:
                self.waiting.say(approval.feedback.text, approval.feedback.data)
            answer = PermissionAnswer("once") if approval is None else approval.answer
            decisions = decisions_of(answer, shown, self.waiting.seen)
            await self._carry_out(decisions)
            if self.waiting.over.is_set():
                return True
            views = await self._left()
            if views and self.waiting.conflict is not None:
                self.waiting.leave_out(views)
                return True
            versions = {decision.place: decision.version for decision in decisions}
            if all(versions.get(view.file.place) == view.version for view in views):  # The others are in conflict.
                left = {view.file.place for view in views}
                await self._carry_out([decision for decision in decisions if decision.place in left])
            else:
                await self._carry_out(rejected_again(decisions, shown, views))
            views = await self._left()
            if not views or (again := await ask_about([view.proposed for view in views if view.proposed])) is None:
                return True
            question, self.waiting.seen = again, None
            self._tell(question)
        raise never_at_rest(self.waiting.files, "the lines kept changing while the user was asked.")

    async def _first_word(self, question: EditQuestion) -> Approval | None:
        """Return the user's approval, None for a grant or once the user has decided in the change set.

        Raises Rejected or NobodyToAsk.
        """
        asking = asyncio.ensure_future(self.gate.check_decided(question.ask, self.call.caller, *question[1:]))
        over = asyncio.ensure_future(self.waiting.over.wait())
        try:
            await asyncio.wait((asking, over), return_when=asyncio.FIRST_COMPLETED)
            return asking.result() if asking.done() else None
        finally:
            asking.cancel()
            over.cancel()
            await asyncio.gather(asking, over, return_exceptions=True)

    async def _carry_out(self, decisions: Sequence[Decision]) -> None:
        staging, workspace = self.staging, self.call.workspace
        self.waiting.forget_failure()
        await staging.reviews.decide(staging.session_id, decisions, workspace, is_one_answer=True)
        if self.waiting.error is not None:
            raise self.waiting.error

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
